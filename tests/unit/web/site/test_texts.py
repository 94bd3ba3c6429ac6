"""CSV files, the zip of a revival kit, the query strings of lists, and labels."""

from __future__ import annotations

import csv
import io
import zipfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.review.flags.risk_flags import FLAGS
from afterdrop.scoring.weights import PARTS
from afterdrop.web.list_csv import cell
from afterdrop.web.problems import CODES, Invalid
from afterdrop.web.schemas.domains import ListQuery
from afterdrop.web.schemas.rules import NewRule
from afterdrop.web.site import labels
from afterdrop.web.site.downloads import csv_text, entry_name, kit_zip
from afterdrop.web.site.list_query import (
    filter_name,
    filter_words,
    query_string,
    rule_members,
    tidy_query,
    unkept_filters,
)
from afterdrop.web.site.templates import dated
from afterdrop.web.strict_input import read_query


@given(st.text())
def test_no_cell_begins_like_a_formula(text: str) -> None:
    shown = cell(text)
    assert not shown.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"))
    assert len(shown) - len(text) == shown.count("'") - text.count("'")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("＝1", "'＝1"),
        ("\n=1+1", "'\n=1+1"),
        ("\r\n=1+1", "'\r\n=1+1"),
        ("x;=HYPERLINK(1)", "x;'=HYPERLINK(1)"),
        ("a; b; @c", "a; b; '@c"),
        ("plain; text - really", "plain; text - really"),
    ],
)
def test_no_part_of_a_cell_is_a_formula_where_semicolons_separate(text: str, shown: str) -> None:
    assert cell(text) == shown


def test_csv_has_one_line_a_row_and_empty_cells_for_unknowns() -> None:
    row: Any = {"domain": "a.com", "flags": ["gap", "parked"], "title": None}
    row |= {"metrics": {"domain_rating": 3}, "listing": {"price_usd": None}}
    text = csv_text([row], {})
    [line] = csv.DictReader(io.StringIO(text))
    assert (line["domain"], line["flags"], line["title"]) == ("a.com", "gap, parked", "")
    assert (line["domain_rating"], line["price_usd"], line["trust_flow"]) == ("3", "", "")


def test_the_zip_has_entries_named_after_their_paths() -> None:
    def page(path: str, content: str | None = "text") -> Any:
        return {
            **{"path": path, "url": f"http://a.com{path}\n", "captures": 3, "last_capture": "2020-01-01"},
            **{"webarchive_url": "w", "content": content},
        }

    pages = [
        page("/"),
        page("/index.html"),
        page("/a/b.htm"),
        page("/../../etc"),
        page("/a-b"),
        page("/x", None),
    ]
    made = kit_zip("a.com", pages)
    with zipfile.ZipFile(io.BytesIO(made)) as found:
        assert found.namelist() == ["home.md", "index-2.md", "a-b.md", "etc.md", "a-b-2.md", "index.md"]
        assert found.read("home.md").decode().endswith("\n\ntext\n")
        listed = found.read("index.md").decode()
    assert "- etc.md: http://a.com/../../etc (3 captures" in listed
    assert "- no text stored: http://a.com/x (3 captures" in listed
    assert made == kit_zip("a.com", pages)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/", "home"),
        ("/About%20us/team.html?lang=de", "about-us-team-lang-de"),
        ("/caf%C3%A9.php", "cafe"),
        ("/日本", "page"),
        ("/con", "page-con"),
        ("/..%2f..%2fetc%00passwd", "etc-passwd"),
        ("shop.a.com/list.asp", "shop-a-com-list"),
        ("/" + "long-" * 50, ("long-" * 16).strip("-")),
    ],
)
def test_a_path_becomes_a_file_name(path: str, name: str) -> None:
    assert entry_name(path) == name


@pytest.mark.parametrize(
    ("raw", "text", "changed"),
    [
        (b"", "", False),
        (b"q=hut&tld=com,org", "q=hut&tld=com,org", False),
        (b"q=&min_score=&tld=com", "tld=com", True),
        (b"type=bid&type=auction", "type=bid,auction", True),
        (b"tld=com%2C+org", "tld=com,org", False),
        (b"q=a%20b%26", "q=a%20b%26", False),
    ],
)
def test_addresses_are_tidied(raw: bytes, text: str, changed: bool) -> None:
    found, values, went = tidy_query(raw)
    assert (found, went) == (text, changed)
    assert query_string(values) == text


def test_what_cannot_be_tidied_is_named() -> None:
    for raw in (b"q=%ff", b"\xff=1"):
        with pytest.raises(Invalid) as unreadable:
            tidy_query(raw)
        assert unreadable.value.fields == {"form": ["This address could not be read."]}
    with pytest.raises(Invalid) as twice:
        tidy_query(b"q=a&q=b")
    assert twice.value.fields == {"q": ["is given more than once"]}


def test_a_filter_makes_a_rule() -> None:
    query = read_query(
        b"q=hut&tld=com&type=buy_now&topic=Arts&lang=en&min_dr=20&max_price=9&clean=1", ListQuery
    )
    kept = NewRule.model_validate({"name": "n", **rule_members(query)}).model_dump()
    assert (kept["keywords"], kept["min_dr"], kept["max_price"], kept["clean_only"]) == (["hut"], 20, 9, True)
    assert rule_members(ListQuery())["keywords"] == []


def test_a_filter_is_named_after_what_it_asks_for() -> None:
    assert (
        filter_name("q=hut&tld=com,org&min_dr=20&sort=dr&saved=x") == "“hut”, extension com, org, DR from 20"
    )
    assert filter_name("sort=dr") == "Everything"
    assert len(filter_name("tld=" + ",".join(f"x{n}" for n in range(40)))) == 80


def test_a_rule_keeps_no_zeros_times_nor_languages_it_does_not_know() -> None:
    query = read_query(
        b"min_score=0&min_tf=0&max_price=0&since=2026-11-20&ending_within_hours=5&lang=cs,de", ListQuery
    )
    members = rule_members(query)
    assert "min_score" not in members
    assert members["max_price"] == 0
    said = ["up to $0", "language cs, de", "found since 2026-11-20 00:00 UTC", "ends within 5 h"]
    assert unkept_filters(query) == said
    assert unkept_filters(ListQuery()) == []


def test_every_code_has_a_label() -> None:
    assert set(labels.FLAGS) == set(FLAGS)
    assert set(labels.PARTS) == {*PARTS, "penalty"}
    assert tuple(labels.ERRORS) == CODES
    assert labels.label("ending_soon") == "Ending soon"
    assert labels.label("some_code") == "some code"
    assert labels.label(None) == "–"
    assert labels.flag_label("gap") == "Gap in the archive"
    assert labels.flag_label("new_flag") == "new flag"
    assert labels.flag_text("gap")
    assert labels.flag_text("new_flag") == ""


def test_filters_in_words() -> None:
    assert filter_words(
        {"q": "hut", "tld": "com,org", "min_dr": "20", "type": "buy_now", "clean": "true"}
    ) == {
        "q": "“hut”",
        "tld": "extension com, org",
        "min_dr": "DR from 20",
        "type": "type: buy now",
        "clean": "without flags",
    }


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("Parked on 2015-05-03: for sale.", "Parked on 3 May 2015: for sale."),
        ("Between 2014-12-31 (“a”) and 2015-01-01.", "Between 31 Dec 2014 (“a”) and 1 Jan 2015."),
        ("It says “since 2015-05-03” there.", "It says “since 2015-05-03” there."),
        (
            "The address /2015-05-03/x and ?d=2015-05-03 stay.",
            "The address /2015-05-03/x and ?d=2015-05-03 stay.",
        ),
        ("2015-13-01 is no date, nor is 12015-05-03-1.", "2015-13-01 is no date, nor is 12015-05-03-1."),
    ],
)
def test_dates_in_notes_are_written_for_people(note: str, shown: str) -> None:
    assert dated(note) == shown


def test_yes_and_no_in_a_table_are_words() -> None:
    assert (cell(True), cell(False), cell(None)) == ("true", "false", "")
