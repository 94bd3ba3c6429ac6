"""Names are found in what people paste and upload."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.web.actions.checks import names_of_file, pasted_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        ("a.com\nb.org", ["a.com", "b.org"]),
        (" a.com, b.org;c.net\t| d.de ", ["a.com", "b.org", "c.net", "d.de"]),
        ('"https://a.com/x?y=1" <b.org>', ["https://a.com/x?y=1", "b.org"]),
        ("bücher.de\r\n\r\nпример.рф", ["bücher.de", "пример.рф"]),
    ],
)
def test_pasted_names_may_be_separated_by_anything_that_no_name_has(text: str, names: list[str]) -> None:
    assert pasted_names(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        ("\n\n", []),
        ("a.com\nb.org\n", ["a.com", "b.org"]),
        ("a.com,12\nb.org,13\n", ["a.com", "b.org"]),
        ("Price;Domain;DR\n12;a.com;30\n\n;b.org;\n7\n8;;1\n", ["a.com", "b.org"]),
        ('\ufeffURL\tScore\n"https://a.com/x"\t3\n', ["https://a.com/x"]),
        ("domain\na.com\n", ["a.com"]),
        (",12\na.com,13", ["a.com"]),
        ('a.com\n"' + "x" * 200_000, ["a.com"]),
        ("a.com, b.org # the two\n# c.net\nd.de e.fr|f.it\n", ["a.com", "b.org", "d.de", "e.fr", "f.it"]),
        ("https://a.com/ https://b.org/x#y\n", ["https://a.com/", "https://b.org/x#y"]),
        ("A.COM:8080\nb.org/club, b.org.\n", ["A.COM:8080", "b.org/club", "b.org."]),
        ('"a.com","$1,200","2026-12-01"\r\n"b.org","$120","2026-12-02"\r\n', ["a.com", "b.org"]),
        ("a.com\tA club, and more\n", ["a.com"]),
        ("a.com,https://market.example/domain/a.com\n", ["a.com"]),
        ("url,name,domain\nhttps://market.example/a.com,John,a.com\n", ["a.com"]),
        ("# of mine\nDomain_Name:;Price\na.com;1 # 2\n", ["a.com"]),
        ("#\tdomain\n1\ta.com\n", ["a.com"]),
    ],
)
def test_a_file_has_them_in_the_column_that_says_so_else_in_the_first(text: str, names: list[str]) -> None:
    assert names_of_file(text) == names


@given(st.text(max_size=400))
def test_any_text_gives_some_names_or_none(text: str) -> None:
    assert all(pasted_names(text)) and all(names_of_file(text))
