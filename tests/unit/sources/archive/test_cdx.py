"""Summarising an index answer: years, pages, home-page captures, and unreadable lines."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from afterdrop.sources.archive.cdx import HOME_KEPT, captures_of, may_be_page, read_index
from afterdrop.sources.archive.cdx_index import Index, instant
from afterdrop.sources.archive.cdx_lines import fault_of, plain, rows

HOME = "com,example)/"


def line(
    key: str = HOME,
    stamp: str = "20100101120000",
    url: str = "http://www.example.com/",
    mime: str = "text/html",
    status: str = "200",
    digest: str = "AAAA",
    length: str = "1000",
) -> bytes:
    return " ".join((key, stamp, url, mime, status, digest, length)).encode()


def index_of(*lines: bytes, limit: int | None = None) -> Index:
    return read_index(b"\n".join(lines) + b"\n", "example.com", limit=limit)


def test_home_variants_are_one_page() -> None:
    found = index_of(
        line(stamp="20040101000000", url="http://example.com:80/"),
        line(stamp="20040301000000", url="https://www.example.com/", digest="BBBB"),
        line(stamp="20060101000000", url="http://www.example.com/", digest="CCCC"),
        line("com,example)/index.html", "20070101000000", "http://example.com/index.html", digest="DDDD"),
    )
    assert found.years == {2004: 2, 2006: 1, 2007: 1}
    assert [capture.digest for capture in found.home] == ["AAAA", "BBBB", "CCCC", "DDDD"]
    assert [(page.path, page.captures) for page in found.pages] == [("/", 3), ("/index.html", 1)]
    assert found.first == datetime(2004, 1, 1, tzinfo=UTC)
    assert found.last == datetime(2007, 1, 1, tzinfo=UTC)
    assert found.urls == 2


def test_one_visit_listed_under_two_spellings_counts_once() -> None:
    found = index_of(line(url="http://example.com/"), line(url="https://example.com/"), line(digest="OTHER"))
    assert found.captures == 2


def test_revisits_count_as_captures_of_their_page() -> None:
    found = index_of(
        line("com,example)/a", "20090101000000", "http://example.com/a"),
        line("com,example)/a", "20110101000000", "http://example.com/a", "warc/revisit", "-"),
        line("com,example)/logo", "20110101000000", "http://example.com/logo", "warc/revisit", "-"),
    )
    assert found.good_years == {2009: 1, 2011: 1}
    assert [(page.path, page.captures, page.last.year) for page in found.pages] == [("/a", 2, 2011)]
    assert found.years[2011] == 2


def test_errors_and_redirects_make_a_capture_year_but_no_good_one() -> None:
    found = index_of(
        line(stamp="20050101000000"),
        line(stamp="20060101000000", status="302", digest="R"),
        line(stamp="20070101000000", status="404", digest="E"),
    )
    assert list(found.years) == [2005, 2006, 2007]
    assert list(found.good_years) == [2005]
    assert [capture.good for capture in found.home] == [True, False, False]


def test_the_most_archived_page_replaces_a_missing_home_page() -> None:
    found = index_of(
        line("com,example)/a", "20090101000000", "http://example.com/a"),
        line("com,example)/b", "20090101000000", "http://example.com/b"),
        line("com,example)/b", "20100101000000", "http://example.com/b", digest="B2"),
    )
    assert found.home_path == "/b"
    assert [capture.url for capture in found.home] == ["http://example.com/b"] * 2


def test_subdomains_are_counted_and_named() -> None:
    found = index_of(line("com,example,shop)/x", url="http://shop.example.com:8080/X?y=1#z"))
    assert found.paths == ("shop/x",)
    assert found.pages[0].path == "shop.example.com/X?y=1"
    page = found.page_at("shop/x")
    assert page is not None
    assert page.captures == 1
    assert found.page_at("/nothing") is None


def test_a_url_without_a_path_is_the_home_page() -> None:
    assert index_of(line(url="http://example.com?a=1")).pages[0].path == "/?a=1"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"only three fields", "columns"),
        (line(stamp="20001345000000"), "timestamp"),
        (line(stamp="19700101000000"), "timestamp"),
        (line(stamp="19951231235959"), "timestamp"),
        (line(stamp="20000800001623"), "timestamp"),
        (line(stamp="2000"), "timestamp"),
        (line('com,example)/"data:image', url="http://example.com/"), "address"),
        (line("com,examples)/", url="http://examples.com/"), "address"),
    ],
)
def test_bad_lines_are_counted_by_reason(bad: bytes, reason: str) -> None:
    found = index_of(line("com,example)/a", url="http://example.com/a"), bad)
    assert found.bad == {reason: 1}
    assert found.captures == 1


def test_a_bad_hour_or_status_loses_the_home_capture_only() -> None:
    found = index_of(line(), line(stamp="20100101250000", digest="B"), line(status="20x", digest="C"))
    assert [capture.digest for capture in found.home] == ["AAAA"]
    assert found.captures == 3


def test_a_digest_under_many_urls_is_counted() -> None:
    found = index_of(
        *(line(f"com,example)/{n}", url=f"http://example.com/{n}", digest="SAME") for n in range(5))
    )
    assert found.wide_digests == {"SAME": 5}


def test_the_limit_tells_a_cut_answer() -> None:
    assert index_of(line(), line(digest="B"), limit=2).cut
    assert not index_of(line(), limit=2).cut


def test_unchanged_home_captures_are_kept_once_a_day_and_too_many_changing_ones_too() -> None:
    same = [line(stamp=f"201001011{hour}0000") for hour in range(6)]
    assert len(index_of(*same).home) == 1
    changing = [
        line(stamp=f"2010{1 + n % 12:02}{1 + n % 28:02}{n % 24:02}{n % 60:02}{n % 59:02}", digest=f"D{n}")
        for n in range(HOME_KEPT + 1)
    ]
    assert len(index_of(*changing).home) == len({entry.split(b" ")[1][:8] for entry in changing})


def test_instants() -> None:
    assert instant("20040229") == datetime(2004, 2, 29, tzinfo=UTC)
    assert instant("2004") == datetime(2004, 1, 1, tzinfo=UTC)
    assert instant("20040230000000") is None
    assert instant("199") is None
    assert instant("2004٠١") is None


# Other dialects


def test_json_arrays_with_a_header_row_and_a_resume_key() -> None:
    body = (
        b'[["urlkey","timestamp","original","mimetype","statuscode","digest","length"],'
        b'["com,example)/","20100101120000","http://example.com/","text/html","200","A",null],'
        b'["short"],["too","short"],[],"x",["resume+key"]]'
    )
    found = read_index(body, "example.com")
    assert found.captures == 1
    assert found.bad == {"columns": 2}
    assert read_index(b"[]", "example.com").captures == 0
    assert read_index(b"[[broken", "example.com").bad == {"columns": 1}


def test_json_arrays_of_objects_and_ndjson() -> None:
    one = b'{"urlkey":"com,example)/","timestamp":"20100101120000","url":"http://example.com/","mime":"text/html","status":"200","digest":"A"}'
    assert read_index(b"[" + one + b"]", "example.com").captures == 1
    found = read_index(one + b"\n" + b"{broken\n\n" + one.replace(b"2010", b"2012") + b"\n", "example.com")
    assert found.captures == 2
    assert found.bad == {"columns": 1}
    assert list(rows(b'{"a":1}\n[1]\n'))[1] == [b"-"]


def test_cdxj() -> None:
    body = (
        b'com,example)/ 20100101120000 {"url": "http://example.com/", "mime": "text/html", "status": "200"}\n'
        b'com,example)/ 20120101120000 {"url": "http://example.com/", "mime": "warc/revisit"}\n'
        b"com,example)/ 20130101120000 {broken\n"
        b"com,example)/\n"
    )
    found = read_index(body, "example.com")
    assert found.good_years == {2010: 1, 2012: 1}
    assert found.bad == {"columns": 2}


def test_a_classic_header_names_the_fields() -> None:
    body = (
        b" CDX N b a m s k r M S V g\n"
        b"com,example)/ 20140103030321 http://example.com/ text/html 200 A - - 1043 333 x.warc.gz\n"
        b"\n"
        b"com,example)/ short line of seven fields here\n"
        b"com,example)/ short\n"
    )
    found = read_index(body, "example.com")
    assert found.captures == 1
    assert found.home[0].length == 1043
    assert found.bad == {"columns": 2}


def test_fields_requested_in_another_order() -> None:
    body = b"20100101120000 com,example)/ http://example.com/ text/html 200\n"
    found = read_index(
        body, "example.com", fields=("timestamp", "urlkey", "original", "mimetype", "statuscode")
    )
    assert found.captures == 1


def test_a_resume_key_after_a_blank_line_is_no_row() -> None:
    found = read_index(line() + b"\r\n\r\ncom%2Cexample%29%2F+2020\r\n", "example.com")
    assert found.bad == {}
    assert found.captures == 1


NAMED = b'{"urlkey":"com,example)/","timestamp":"20100101120000","url":"http://example.com/","status":"200"}'
CDXJ = b'com,example)/ 20100101120000 {"url": "http://example.com/", "status": "200"}'
CLASSIC = b" CDX N b a m s k r M S V g\n"
HELD = b"com,example)/ 20140103030321 http://example.com/ text/html 200 A - - 1043 333 x.warc.gz\n"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\n",
        line() + b"\n",
        line() + b"\r\n" + line() + b"\r\n",
        line() + b"\n\ncom%2Cexample%29%2F+20200101\n",
        line(length="-") + b"\n",
        line(status="", digest="") + b"\n",
        line() + b"\ncom,example)/x 2010 http://example.com/x\n" + line() + b"\n",
        line() + b"\n" + line(stamp="20000800241623") + b"\n" + line(stamp="2000") + b"\n",
        line() + b"\n" + line("mailto:a@example.com", url="mailto:a@example.com") + b"\n",
        line() + b"\n" + line('com,example)/"data:image', url="data:image/png;base64,") + b"\n",
        line() + b"\n" + line("com,example)/a b", url="http://example.com/a b") + b"\n",
        line("com,example)/java.io.ioexception", url="http://example.com/java.io.IOException") + b"\n",
        line("com,example)/x", url="http://example.com/<html> java.io.IOException: x")
        + b"\n"
        + line()
        + b"\n",
        CLASSIC + HELD,
        CLASSIC,
        NAMED,
        NAMED + b'\n{"timestamp": "2010", broken\n' + NAMED + b"\n",
        CDXJ,
        CDXJ + b"\ncom,example)/ 20130101120000 {broken\n" + CDXJ + b"\n",
        b"[]",
        b"[" + NAMED + b"]\n",
        b'[["urlkey","timestamp"],["com,example)/","20100101120000"],["short"]]',
    ],
)
def test_a_whole_answer_is_whole_in_its_own_dialect_whatever_one_row_is(body: bytes) -> None:
    assert fault_of(body) is None


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (line(), "half_row"),
        (line()[:-2] + b"\n" + line()[:-2], "half_row"),
        (line() + b"\n" + line()[:40] + b"\n", "half_row"),
        (line() + b"\njava.lang.OutOfMemoryError: Java heap space\n", "server_error"),
        (line() + b"\n\njava.lang.OutOfMemoryError\n", "server_error"),
        (line() + b"\njava.io.IOException: Read timed out after 30 s\n" + line() + b"\n", "server_error"),
        (line() + b"\n\tat org.archive.cdx.Reader(Reader.java:30)\n" + line() + b"\n", "server_error"),
        (line() + b"\n" + line()[:45] + b"java.io.IOException: x\n" + line() + b"\n", "server_error"),
        (line() + b"\n" + line()[:45] + b"<html><h1>502</h1>\n" + line() + b"\n", "server_error"),
        (line() + b"\n<html>\n<h1>504 Gateway Time-out</h1>\n</html>\n", "server_error"),
        (line() + b"\nInternal Server Error\n", "server_error"),
        (line() + b'\n{"error": "timeout"}\n', "server_error"),
        (b"java.io.IOException: Read timed out\n", "no_index"),
        (b"not an index at all\n", "no_index"),
        (CLASSIC + HELD + HELD[:60] + b"\n", "half_row"),
        (CLASSIC + HELD[:-1], "half_row"),
        (NAMED + b"\n" + NAMED[:-9], "half_row"),
        (NAMED + b'\n{"message": "timeout"}\n' + NAMED, "server_error"),
        (CDXJ + b"\n" + CDXJ[:-9], "half_row"),
        (CDXJ + b"\nInternal Server Error\n" + CDXJ, "server_error"),
        (b"[" + NAMED + b",", "half_row"),
        (b"[" + NAMED + b",\njava.io.IOException: x]", "half_row"),
    ],
)
def test_an_answer_that_broke_off_is_known_by_its_end_or_the_servers_words(body: bytes, fault: str) -> None:
    assert fault_of(body) == fault


def test_genuine_answers_are_whole(real: Path) -> None:
    names = [
        *(path for path in (real / "cdx").glob("ia_*.cdx.txt")),
        *(real / "cdx" / f"edgi_{name}_cdx.txt" for name in ("bad_timestamp", "malformed")),
        *(real / "cdx" / f"pywb_{name}" for name in ("iana.cdx", "cdx-record-sample.json", "example2.cdxj")),
        *(
            real / "cdx" / f"pywb_{name}"
            for name in ("example-no-digest.cdxj", "post-test.cdx", "post-test.cdxj")
        ),
    ]
    assert {path.name: fault for path in names if (fault := fault_of(path.read_bytes()))} == {}
    for path in names:
        assert fault_of(path.read_bytes()[:-7]) or not path.stat().st_size, path.name


def test_plain_turns_every_dialect_into_text_rows() -> None:
    for body in (
        line() + b"\n\nresume+key\n",
        b'com,example)/ 20100101120000 {"url": "http://www.example.com/", "mime": "text/html", "status": "200",'
        b' "digest": "AAAA", "length": "1000"}\n',
        b'[["urlkey","timestamp","original","mimetype","statuscode","digest","length"],'
        b'["com,example)/","20100101120000","http://www.example.com/","text/html","200","AAAA","1000"]]',
    ):
        assert plain(body).strip() == line()


@pytest.mark.parametrize(
    ("name", "domain", "captures", "years", "bad"),
    [
        ("edgi_bad_timestamp_cdx.txt", "usatoday.com", 5, 2, {}),
        ("edgi_malformed_cdx.txt", "epa.gov", 2, 1, {"address": 3}),
        ("edgi_zero_length_cdx.txt", "cnn.com", 5, 1, {}),
        ("pywb_iana.cdx", "iana.org", 171, 1, {}),
        ("ia_test_search_rate_limits_0.cdx.txt", "zew.de", 990, 26, {}),
        ("ia_test_search_0.cdx.txt", "nasa.gov", 1, 1, {}),
        ("pywb_cdx-record-sample.json", "example.com", 13, 2, {}),
    ],
)
def test_genuine_answers(
    real: Path, name: str, domain: str, captures: int, years: int, bad: dict[str, int]
) -> None:
    found = read_index((real / "cdx" / name).read_bytes(), domain)
    assert (found.captures, len(found.years), found.bad) == (captures, years, bad)


@pytest.mark.parametrize(
    "mime",
    ["unk", "-", "", "no-type", "UNKNOWN", "TEXT/HTML", "Text/Html;charset=utf-8", '"text/html"', "text/x-html",
     "application/xhtml+xml", "text/html,text/html"],
)  # fmt: skip
def test_a_type_is_a_hint_and_what_may_be_a_page_counts_as_one(mime: str) -> None:
    found = index_of(line(mime=mime), line("com,example)/a", url="http://example.com/a", mime=mime))
    assert found.good_years == {2010: 2}
    assert {page.path for page in found.pages} == {"/", "/a"}


def test_a_type_with_a_blank_before_its_parameters_is_one_column() -> None:
    assert index_of(line(mime="text/html; charset=utf-8")).good_years == {2010: 1}
    assert index_of(line() + b" more").bad == {"columns": 1}


def test_what_is_no_page_by_its_type_or_its_name_counts_as_none() -> None:
    assert index_of(line("com,example)/a", url="http://example.com/a", mime="text/plain")).pages == ()
    assert index_of(line("com,example)/a.gif", url="http://example.com/a.gif?x=1", mime="unk")).pages == ()
    assert index_of(line("com,example)/a.tar.gz", url="http://example.com/a.tar.gz", mime="-")).pages == ()
    assert [page.path for page in index_of(line(mime="text/plain")).pages] == ["/"], "the home page is read"
    assert index_of(line(mime="application/pdf")).pages == ()
    for url in ("http://example.com/a.html", "http://example.com/a.php", "http://example.com"):
        assert may_be_page("unk", url)


def test_a_port_in_the_key_is_no_other_page() -> None:
    found = index_of(
        line(),
        line("com,example:8080)/", "20120101000000", "http://example.com:8080/"),
        line("com,example,shop:80)/", "20130101000000", "http://shop.example.com:80/"),
    )
    assert found.bad == {}
    assert [(page.path, page.captures) for page in found.pages] == [("/", 2), ("shop.example.com/", 1)]
    assert [capture.at.year for capture in found.home] == [2010, 2012]
    only = index_of(line("com,example:8080)/a", url="http://example.com:8080/a"))
    assert [capture.url for capture in only.home] == ["http://example.com:8080/a"]


@pytest.mark.parametrize("digest", ["-", ""])
def test_without_digests_a_page_goes_before_the_redirect_of_its_day(digest: str) -> None:
    def found(*given: tuple[str, str]) -> list[tuple[int, int | None]]:
        rows = [line(stamp=f"201001{stamp}0000", status=status, digest=digest) for stamp, status in given]
        return [(capture.at.day, capture.status) for capture in index_of(*rows).home]

    assert found(("0100", "301"), ("0101", "200")) == [(1, 301), (1, 200)]
    assert found(("0100", "200"), ("0101", "301"), ("0102", "200")) == [(1, 200), (1, 301), (1, 200)]
    assert found(("0100", "200"), ("0101", "200"), ("0200", "200")) == [(1, 200), (2, 200)]
    same = index_of(
        line(url="http://example.com/", status="302", digest=digest),
        line(url="https://example.com/", digest=digest),
        line(url="https://www.example.com/", digest=digest),
    )
    assert (same.captures, same.good_years, same.home[0].digest) == (2, {2010: 1}, "")
    assert [capture.status for capture in same.home] == [302, 200]


def test_among_too_many_captures_a_page_stands_for_its_day() -> None:
    days = [f"{2000 + n // 300}{1 + n % 300 // 25:02}{1 + n % 25:02}" for n in range(HOME_KEPT // 3 + 1)]
    rows = [
        line(stamp=f"{day}{hour}0000", status=status, digest=f"{day}{hour}")
        for day in days
        for hour, status in (("01", "301"), ("02", "200"), ("03", "404"))
    ]
    found = index_of(*rows).home
    assert len(found) == len(days)
    assert {capture.status for capture in found} == {200}


@pytest.mark.parametrize("status", ["301", "302", "404", "500"])
@pytest.mark.parametrize("key", [HOME, "com,example)/a"])
def test_a_revisit_of_a_redirect_or_an_error_is_no_page(key: str, status: str) -> None:
    def row(stamp: str, status: str, digest: str) -> bytes:
        url = f"http://{key.replace('com,example)', 'example.com')}"
        return line(
            key, f"{stamp}0101120000", url, "warc/revisit" if status == "-" else "text/html", status, digest
        )

    found = index_of(
        row("2009", "200", "GOOD"),
        row("2010", status, "BAD"),
        row("2011", "-", "BAD"),
        row("2012", "-", "GOOD"),
        row("2013", "200", "BOTH"),
        row("2014", status, "BOTH"),
        row("2015", "-", "BOTH"),
        row("2016", status, "-"),
        row("2017", "-", "-"),
    )
    assert list(found.years) == list(range(2009, 2018))
    good = [2009, 2012, 2013, 2015, 2017]
    assert list(found.good_years) == good
    assert [capture.at.year for capture in captures_of(found, key)] == good
    if key == HOME:
        assert [capture.at.year for capture in found.home if capture.good] == good
        assert next(capture for capture in found.home if capture.at.year == 2011).status == int(status)


def test_an_empty_status_is_one_that_the_index_does_not_tell() -> None:
    found = index_of(line(status=""), line("com,example)/a", url="http://example.com/a", status=""))
    assert found.bad == {}
    assert found.good_years == {2010: 2}
    assert [(capture.good, capture.status) for capture in found.home] == [(True, None)]


def test_keys_with_ports_are_one_page_whose_captures_are_in_order_of_time() -> None:
    found = index_of(
        line("com,example)/a", "20120101000000", "http://example.com/a", digest="NEW"),
        line("com,example:443)/a", "20110101000000", "https://example.com:443/a", digest="B"),
        line("com,example:80)/a", "20080101000000", "http://example.com:80/a", digest="OLD"),
        line("com,example:80:8080)/a", "20090101000000", "http://example.com:80/a", digest="C"),
        line("com,example:8080)/a", "20100101000000", "http://example.com:8080/a", digest="D"),
    )
    assert found.bad == {}
    assert [(page.path, page.captures, page.last.year, page.digest) for page in found.pages] == [
        ("/a", 5, 2012, "NEW")
    ]
    assert found.first_years() == {"/a": 2008}
    assert [capture.at.year for capture in found.home] == [2008, 2009, 2010, 2011, 2012]
