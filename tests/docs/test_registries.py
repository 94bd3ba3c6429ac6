"""docs/guide/how-names-drop.md shows the table of registries' rules as the data file has it."""

from pathlib import Path

from afterdrop.sources.registry.rule_table import HEADS, rule_rows

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "how-names-drop.md"


COLUMNS = HEADS[:7]


def rules_in_markdown() -> str:
    """The buyer's columns; where a row comes from is one cell."""
    lines = [[*COLUMNS, "source"], ["---"] * (len(COLUMNS) + 1)]
    for row in rule_rows():
        cells = dict(zip(HEADS, map(str, row.values()), strict=True))
        source = cells["source"] + (f" ({cells['year']})" if cells["year"] != "-" else "")
        lines.append(
            [
                *(cells[each] for each in COLUMNS),
                source + ("; inferred" if cells["inferred"] == "yes" else ""),
            ]
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def test_the_page_shows_the_table() -> None:
    wanted = rules_in_markdown()
    assert wanted in PAGE.read_text(encoding="utf-8"), (
        f"docs/guide/how-names-drop.md is to end with\n{wanted}"
    )
