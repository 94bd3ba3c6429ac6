"""The table of filters in docs/integrate/filters.md is the table of criteria."""

from __future__ import annotations

from pathlib import Path

from afterdrop.catalogue.lists.columns import SORTED_BY
from afterdrop.catalogue.lists.criteria import CRITERIA, RULE_CRITERIA, Criterion
from afterdrop.web.schemas.criteria import bounds

PATH = Path(__file__).resolve().parents[2] / "docs" / "integrate" / "filters.md"
HEAD = "| Filter | of alert rules | where | what passes |\n|---|---|---|---|\n"
PLACES = (("api", "API"), ("mcp", "MCP"), ("site", "site"))


def line(each: Criterion) -> str:
    """One filter as a row of the table."""
    places = ", ".join(title for place, title in PLACES if place in each.places)
    rule = f"`{each.rule}`" if each.rule else ""
    extension = " (extension)" if each.extension else ""
    return f"| `{each.name}`{extension} | {rule} | {places} | {each.about}{bounds(each.takes)} |\n"


def table() -> str:
    """The filters that programs can ask for, and what the site sorts by."""
    rows = "".join(line(each) for each in CRITERIA.values() if set(each.places) - {"site"} or each.rule)
    columns = ", ".join(f"`{name}`" for name in SORTED_BY)
    return f"{HEAD}{rows}\nThe site sorts by up to three of {columns}, as in `sort=score-down,price-up`.\n"


def test_the_table_of_filters() -> None:
    assert table() in PATH.read_text(encoding="utf-8"), "python -m tests.docs.test_filters writes it anew"
    assert all(each.name in table() for each in RULE_CRITERIA.values())


if __name__ == "__main__":
    text = PATH.read_text(encoding="utf-8")
    PATH.write_text(text.partition(HEAD)[0] + table(), encoding="utf-8")
