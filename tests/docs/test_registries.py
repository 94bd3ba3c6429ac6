"""docs/guide/how-names-drop.md shows the table of registries' rules as the data file has it."""

from pathlib import Path

from afterdrop.sources.registry.rule_table import HEADS, rule_rows

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "how-names-drop.md"


def rules_in_markdown() -> str:
    lines = [HEADS, ["---"] * len(HEADS), *(list(row.values()) for row in rule_rows())]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def test_the_page_shows_the_table() -> None:
    wanted = rules_in_markdown()
    assert wanted in PAGE.read_text(encoding="utf-8"), (
        f"docs/guide/how-names-drop.md is to end with\n{wanted}"
    )
