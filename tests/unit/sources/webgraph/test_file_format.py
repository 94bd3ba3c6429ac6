"""The format of the ranks and vertices files."""

from __future__ import annotations

import duckdb
import pytest

from afterdrop.sources.webgraph.errors import RanksError
from afterdrop.sources.webgraph.file_format import (
    HEADER,
    headed,
    key_sql,
    keys_of,
    reverse,
    shorten,
)


@pytest.mark.parametrize("salt", ["", "1"])
def test_a_name_has_the_same_key_here_and_in_the_table(salt: str) -> None:
    names = ["example.co.uk", "xn--bcher-kva.de", "a.b"]
    with duckdb.connect() as conn:
        rows = conn.execute(
            f"SELECT {key_sql(salt)} FROM (SELECT unnest(?::VARCHAR[]) AS name)", [[*map(reverse, names)]]
        )
        assert [key for (key,) in rows.fetchall()] == keys_of(names, salt).tolist()
    assert len(keys_of([])) == 0


@pytest.mark.parametrize(
    "text",
    [b"", b"1\t2\t3\n", HEADER.replace(b"\t", b" ") + b"\n", b"\xff\x1b[31m" * 30 + b"\n", HEADER + b"x\n"],
)
def test_another_header_is_refused(text: bytes) -> None:
    with pytest.raises(RanksError, match="f: line 1 is not the header") as caught:
        list(headed(iter([text] if text else []), "f"))
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_text_of_others_is_shown_short_and_printable() -> None:
    assert shorten("a\x1b[0m\x00ü") == "a [0m "
    assert len(shorten("x" * 500)) == 80
