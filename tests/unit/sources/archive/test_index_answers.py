"""Index answers that broke off, that repeat rows, and those that were kept of an earlier one."""

from __future__ import annotations

import zlib

import pytest

from afterdrop.core.errors import UpstreamError
from tests.unit.sources.archive.test_wayback import NOW, answer, cdx, index_web, kept, params


async def test_past_years_are_cached_and_not_requested_again() -> None:
    archive, web = index_web(answer(body=cdx(2010, 2026)), answer(body=cdx(2026, 2026)))
    first = await archive.index("example.com", NOW)
    assert first.closed == kept(2010)
    assert first.closed_before == 2026
    again = await archive.index("example.com", NOW, closed=first.closed, closed_before=first.closed_before)
    assert params(web, 1)["from"] == "2026"
    assert again.index.years == {2010: 1, 2026: 1}
    assert again.closed == kept(2010)


async def test_an_answer_in_another_dialect_joins_cached_rows() -> None:
    body = b'[["urlkey","timestamp","original","mimetype","statuscode","digest"],'
    body += b'["com,example)/","20260101000000","http://example.com/","text/html","200","N"]]'
    archive, _ = index_web(answer(body=body))
    found = await archive.index("example.com", NOW, closed=kept(2010), closed_before=2026)
    assert found.index.years == {2010: 1, 2026: 1}


HALF = b"com,example)/x 20180101000000 http://exam"
JAVA = b"java.io.IOException: Read timed out\n\tat org.archive.cdxserver.Writer(Writer.java:123)\n"


@pytest.mark.parametrize(
    "end", [HALF, HALF + b"\n", JAVA, HALF + JAVA, b"<html>504 Gateway Time-out</html>\n"]
)
async def test_an_index_that_broke_off_is_neither_taken_nor_kept(end: bytes) -> None:
    """The years behind would never be asked for again: that is where spam stands."""
    for more in (b"", *([cdx(2012)] if end.endswith(b"\n") and end != HALF + b"\n" else [])):
        archive, web = index_web(answer(body=cdx(2010, 2011) + end + more), answer(body=cdx(2010, 2018)))
        with pytest.raises(UpstreamError) as caught:
            await archive.index("example.com", NOW)
        assert (caught.value.kind, caught.value.unreached, len(web.asked)) == ("truncated", False, 1)
        assert (await archive.index("example.com", NOW)).index.good_years == {2010: 1, 2018: 1}


async def test_the_newest_rows_that_broke_off_are_asked_for_with_all_others() -> None:
    for fault, kind in (
        (cdx(2026) + HALF, "truncated"),
        (JAVA, "bad_content"),
        (b'[["urlkey","ti', "truncated"),
    ):
        archive, web = index_web(answer(body=fault), answer(body=fault))
        with pytest.raises(UpstreamError) as caught:
            await archive.index("example.com", NOW, closed=kept(2010), closed_before=2026)
        assert caught.value.kind == kind
        assert len(web.asked) == (2 if kind == "truncated" else 1)


async def test_rows_that_were_kept_of_an_answer_nobody_looked_at_are_asked_for_anew() -> None:
    archive, web = index_web(answer(body=cdx(2010, 2018, 2026)))
    found = await archive.index("example.com", NOW, closed=zlib.compress(cdx(2010)), closed_before=2026)
    assert "from" not in params(web)
    assert (found.index.good_years, found.closed) == ({2010: 1, 2018: 1, 2026: 1}, kept(2010, 2018))


async def test_an_index_that_does_not_know_from_counts_each_row_once() -> None:
    other = b"com,example)/a 20250101000000 http://example.com/a text/html 200 A 9\n"
    archive, _ = index_web(
        answer(body=cdx(2010, 2011, 2026)), answer(body=cdx(2010, 2011) + other + cdx(2026))
    )
    found = await archive.index("example.com", NOW, closed=kept(2010, 2011), closed_before=2026)
    assert (found.index.years, found.closed) == ({2010: 1, 2011: 1, 2026: 1}, kept(2010, 2011))
    cut = await archive.index("example.com", NOW, closed=kept(2010, 2011, 2012), closed_before=2026)
    assert cut.index.years == {2010: 1, 2011: 1, 2012: 1, 2025: 1, 2026: 1}
    assert (cut.index.cut, cut.closed) == (True, b""), "it has as many rows as were asked for"


async def test_months_that_were_listed_before_count_once() -> None:
    archive, _ = index_web(answer(body=cdx(2000, 2001, 2002, 2003)), answer(body=cdx(2000, 2001, 2010)))
    found = await archive.index("example.com", NOW)
    assert found.index.years == {2000: 1, 2001: 1, 2002: 1, 2003: 1, 2010: 1}


async def test_a_type_with_a_blank_is_kept_with_its_year() -> None:
    archive, _ = index_web(answer(body=cdx(2010).replace(b"text/html", b"text/html; charset=x")), answer())
    found = await archive.index("example.com", NOW)
    again = await archive.index("example.com", NOW, closed=found.closed, closed_before=found.closed_before)
    assert again.index.good_years == found.index.good_years == {2010: 1}
