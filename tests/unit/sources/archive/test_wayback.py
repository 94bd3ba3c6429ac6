"""The archive's client over recorded exchanges: one index request, replays, and the reasons of missing captures."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Archive, Settings
from afterdrop.http.client import Fetched
from afterdrop.sources.archive import wayback as archive_module
from afterdrop.sources.archive.wayback import MissingCapture, Replay, WebArchive, replay_address, served_at

NOW = datetime(2026, 11, 20, tzinfo=UTC)
AT = datetime(2013, 5, 6, 7, 8, 9, tzinfo=UTC)
REPLAY = "https://web.archive.org/web/20130506070809id_/http://example.com/"
MEMENTO = {"Memento-Datetime": "Mon, 06 May 2013 07:08:09 GMT"}
ROW = "com,example)/ {stamp} http://example.com/ text/html 200 {digest} 900\n"


@dataclass
class Recorded:
    """Answers by URL (without query for the index), in order. It keeps the requests."""

    answers: dict[str, list[Fetched | UpstreamError]]
    asked: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    async def get(self, url: str, **options: Any) -> Fetched:
        self.asked.append((url, options))
        answer = self.answers[url.partition("?")[0]].pop(0)
        if isinstance(answer, UpstreamError):
            raise answer
        return answer


def answer(
    status: int = 200, body: bytes = b"", url: str = REPLAY, headers: Mapping[str, str] | None = None
) -> Fetched:
    return Fetched(status, headers or {}, body, url)


def index_web(*answers: Fetched | UpstreamError) -> tuple[WebArchive, Recorded]:
    web = Recorded({Archive().cdx_url: list(answers)})
    return WebArchive(web, Archive()), web


def replay_web(**by_target: Sequence[Fetched | UpstreamError]) -> WebArchive:
    known: dict[str, list[Fetched | UpstreamError]] = {REPLAY: list(by_target.pop("home", []))}
    known |= {f"https://web.archive.org/web/{key}": list(value) for key, value in by_target.items()}
    return WebArchive(Recorded(known), Archive())


def cdx(*years: int) -> bytes:
    return "".join(ROW.format(stamp=f"{year}0101000000", digest=f"D{year}") for year in years).encode()


def kept(*years: int) -> bytes:
    """Rows that were cached of a whole answer."""
    return zlib.compress(b"whole\n" + cdx(*years))


def params(web: Recorded, number: int = 0) -> dict[str, str]:
    return {key: value[0] for key, value in parse_qs(urlsplit(web.asked[number][0]).query).items()}


async def test_one_index_request() -> None:
    archive, web = index_web(answer(body=cdx(2010, 2012)))
    found = await archive.index("example.com", NOW)
    assert found.index.good_years == {2010: 1, 2012: 1}
    assert found.questions == 1
    assert len(web.asked) == 1
    assert params(web)["url"] == "example.com"
    assert params(web)["matchType"] == "domain"
    assert params(web)["limit"] == "4"
    assert "from" not in params(web)
    assert web.asked[0][1]["pace_key"] == "web.archive.org/cdx"


async def test_nothing_is_cached_when_nothing_is_archived() -> None:
    archive, _ = index_web(answer(), answer(404, b'{"message": "No Captures found for: example.com"}'))
    assert (await archive.index("example.com", NOW)).closed == b""
    assert (await archive.index("example.com", NOW)).index.captures == 0


async def test_a_home_page_that_fills_the_limit_is_requested_month_by_month() -> None:
    archive, web = index_web(answer(body=cdx(2000, 2001, 2002, 2003)), answer(body=cdx(2000, 2010, 2020)))
    found = await archive.index("example.com", NOW)
    assert found.questions == 2
    assert params(web, 1)["matchType"] == "exact"
    assert params(web, 1)["collapse"] == "timestamp:6"
    assert found.index.cut
    assert max(found.index.years) == 2020
    assert found.closed == b""


async def test_no_row_is_read_on_the_loop_that_serves_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, readers = threading.get_ident(), []

    def noted(name: str) -> None:
        work = getattr(archive_module, name)

        def noting(*given: object, **named: object) -> object:
            readers.append((name, threading.get_ident()))
            return work(*given, **named)

        monkeypatch.setattr(archive_module, name, noting)

    for name in ("plain", "read_index", "_closed_rows"):
        noted(name)
    whole, _ = index_web(answer(body=cdx(2010, 2012)))
    await whole.index("example.com", NOW)
    cut, _ = index_web(answer(body=cdx(2000, 2001, 2002, 2003)), answer(body=cdx(2000, 2010, 2020)))
    await cut.index("example.com", NOW)
    assert [name for name, _ in readers] == [
        *("plain", "read_index", "_closed_rows"),
        *("plain", "read_index", "plain", "read_index"),
    ]
    assert loop not in {thread for _, thread in readers}


async def test_a_cut_answer_with_other_pages_is_taken_as_it_is() -> None:
    other = b"com,example)/a 20010101000000 http://example.com/a text/html 200 A 9\n"
    archive, web = index_web(answer(body=cdx(2000, 2001, 2002) + other))
    found = await archive.index("example.com", NOW)
    assert found.index.cut
    assert found.closed == b""
    assert len(web.asked) == 1


async def test_an_excluded_site_is_recorded() -> None:
    blocked = (
        b"org.archive.util.io.RuntimeIOException: AdministrativeAccessControlException: Blocked Site Error"
    )
    archive, _ = index_web(answer(403, blocked))
    assert (await archive.index("example.com", NOW)).index.blocked


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (answer(403, b"Forbidden"), "status"),
        (answer(503, b""), "status"),
        (answer(200, b"<html>down for maintenance"), "bad_content"),
        (answer(200, b"not an index at all\n"), "bad_content"),
        (answer(200, b"mailto:a 20100101000000 mailto:a text/html 200 A 9\n"), "bad_content"),
    ],
)
async def test_an_index_that_is_not_available_raises(given: Fetched, kind: str) -> None:
    archive, _ = index_web(given)
    with pytest.raises(UpstreamError) as caught:
        await archive.index("example.com", NOW)
    assert caught.value.kind == kind


async def test_a_capture_as_archived() -> None:
    headers = {
        **MEMENTO,
        "Content-Type": "text/html; charset=koi8-r",
        "X-Archive-Orig-Server": "Apache",
        "X-Archive-Orig-Content-Type": "text/html; charset=koi8-r",
        "Server": "nginx",
    }
    archive = replay_web(home=[answer(200, b"<p>", headers=headers)])
    found = await archive.capture(AT, "http://example.com/")
    assert isinstance(found, Replay)
    assert (found.at, found.status, found.mimetype, found.body) == (AT, 200, "text/html", b"<p>")
    assert found.headers == {"content-type": "text/html; charset=koi8-r", "server": "Apache"}
    assert found.replay_url == "https://web.archive.org/web/20130506070809/http://example.com/"
    assert found.redirected_to is None


async def test_the_true_time_comes_from_the_archive() -> None:
    there = "/web/20110101000000id_/http://example.com/"
    pywb = answer(200, b"x", headers={"Content-Location": there, "Link": f'<{there}>; rel="memento"'})
    found = await replay_web(home=[pywb]).capture(AT, "http://example.com/")
    assert isinstance(found, Replay)
    assert found.at == datetime(2011, 1, 1, tzinfo=UTC)
    assert found.asked == AT


async def test_an_archived_redirect_elsewhere_is_recorded() -> None:
    away = {**MEMENTO, "Location": "https://web.archive.org/web/20130506070809id_/http://casino.test/x"}
    found = await replay_web(home=[answer(301, headers=away)]).capture(AT, "http://example.com/")
    assert isinstance(found, Replay)
    assert (found.status, found.redirected_to) == (301, "http://casino.test/x")
    raw = {**MEMENTO, "Location": "http://other.test/"}
    found = await replay_web(home=[answer(301, headers=raw)]).capture(AT, "http://example.com/")
    assert isinstance(found, Replay)
    assert found.redirected_to == "http://other.test/"


async def test_an_archived_redirect_to_itself_is_followed_and_a_loop_ends() -> None:
    https = "20130506070809id_/https://www.example.com/"
    to_https = {**MEMENTO, "Location": "https://www.example.com/"}
    back = {**MEMENTO, "Location": "http://example.com/"}
    archive = replay_web(
        home=[answer(301, headers=to_https)], **{https: [answer(200, b"secure", headers=MEMENTO)]}
    )
    found = await archive.capture(AT, "http://example.com/")
    assert isinstance(found, Replay)
    assert found.body == b"secure"
    loop = replay_web(
        home=[answer(301, headers=to_https), answer(301, headers=to_https)],
        **{https: [answer(301, headers=back, url="https://web.archive.org/web/" + https)]},
    )
    assert await loop.capture(AT, "http://example.com/") == MissingCapture(
        AT, "http://example.com/", "redirect_loop"
    )


async def test_from_http_to_https_and_on_to_a_language_each_at_its_own_time() -> None:
    def there(stamp: int, url: str, status: int = 302) -> Fetched:
        marked = MEMENTO if status == 301 else {}
        return answer(status, headers={**marked, "Location": f"/web/{stamp}id_/{url}"})

    secure, english = "https://example.com/", "https://example.com/en/#top"
    archive = replay_web(
        home=[there(20130506070809, secure, 301)],
        **{
            f"20130506070809id_/{secure}": [there(20130507000000, secure)],
            f"20130507000000id_/{secure}": [there(20130507000000, english, 301)],
            "20130507000000id_/https://example.com/en/": [there(20130509000000, english)],
            "20130509000000id_/https://example.com/en/": [answer(200, b"club", headers=MEMENTO)],
        },
    )
    found = await archive.capture(AT, "http://example.com/")
    assert isinstance(found, Replay)
    assert (found.url, found.body) == ("https://example.com/en/", b"club")


LINKED = {"Link": '<http://example.com/>; rel="original", </web/2013/http://example.com/>; rel="memento"'}


@pytest.mark.parametrize("marked", [{}, MEMENTO, LINKED])
async def test_the_archives_own_redirects_to_other_times_of_a_page_are_followed(
    marked: Mapping[str, str],
) -> None:
    secure = "https://www.example.com/"

    def there(url: str, *stamps: int) -> dict[str, list[Fetched]]:
        """The archive's redirects from one time of a page to the next, and to the last of them."""
        steps = pairwise(stamps)
        return {
            f"{stamp}id_/{url}": [answer(302, headers={**marked, "Location": f"/web/{later}id_/{url}"})]
            for stamp, later in steps
        }

    times = (20130506070809, 20130507000000, 20130508000000, 20130509000000)
    home = "http://example.com/"
    to_https = answer(301, headers={**MEMENTO, "Location": f"/web/{times[0]}id_/{secure}"})
    answers = {
        **there(home, *times),
        f"{times[-1]}id_/{home}": [to_https],
        **there(secure, *times),
        f"{times[-1]}id_/{secure}": [answer(200, b"there", headers=MEMENTO)],
    }
    found = await replay_web(**answers).capture(AT, home)
    assert isinstance(found, Replay)
    assert (found.url, found.body) == (secure, b"there")


async def test_redirects_from_time_to_time_end_somewhere() -> None:
    stamps = [f"201305{day:02}000000" for day in range(1, 30)]
    steps = {
        f"{stamp}id_/http://example.com/": [
            answer(302, headers={"Location": f"/web/{later}id_/http://example.com/"})
        ]
        for stamp, later in pairwise(stamps)
    }
    start = datetime(2013, 5, 1, tzinfo=UTC)
    found = await replay_web(**steps).capture(start, "http://example.com/")
    assert found == MissingCapture(start, "http://example.com/", "redirect_loop")


async def test_an_archived_redirect_to_the_same_page_is_a_capture() -> None:
    itself = {**MEMENTO, "Location": "/web/20130506070809id_/http://example.com/"}
    found = await replay_web(home=[answer(302, headers=itself)]).capture(AT, "http://example.com/")
    assert isinstance(found, Replay)
    assert (found.status, found.redirected_to) == (302, "http://example.com/")


@pytest.mark.parametrize("status", [403, 404, 451])
@pytest.mark.parametrize("name", ["RobotAccessControlException", "AdministrativeAccessControlException"])
async def test_an_exclusion_told_in_a_header_only_is_one(name: str, status: int) -> None:
    told = {"X-Archive-Wayback-Runtime-Error": f"{name}: Blocked Site Error"}
    archive, _ = index_web(answer(status, b"<html>Sorry", headers=told))
    assert (await archive.index("example.com", NOW)).index.blocked
    found = await replay_web(home=[answer(status, b"Sorry", headers=told)]).capture(AT, "http://example.com/")
    assert found == MissingCapture(AT, "http://example.com/", "blocked")


async def test_another_error_in_that_header_is_no_exclusion() -> None:
    told = {"X-Archive-Wayback-Runtime-Error": "ResourceNotInArchiveException: not archived"}
    archive, _ = index_web(answer(403, headers=told))
    with pytest.raises(UpstreamError):
        await archive.index("example.com", NOW)
    found = await replay_web(home=[answer(404, headers=told)]).capture(AT, "http://example.com/")
    assert found == MissingCapture(AT, "http://example.com/", "not_archived")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (answer(404, b"not archived"), "not_archived"),
        (answer(403, b"blocked"), "blocked"),
        (answer(451), "blocked"),
        (answer(302, headers={"Location": "https://archive.org/search"}), "not_archived"),
        (UpstreamError("u", "too_large", "is larger than"), "too_large"),
    ],
)
async def test_the_reasons_of_a_missing_capture_differ(given: Fetched | UpstreamError, reason: str) -> None:
    found = await replay_web(home=[given]).capture(AT, "http://example.com/")
    assert found == MissingCapture(AT, "http://example.com/", reason)


async def test_an_archived_error_is_a_capture() -> None:
    linked = {
        "Link": '<http://example.com/>; rel="original", <http://w/web/2013/http://example.com/>; rel="memento"'
    }
    for headers in (MEMENTO, linked, {"X-Archive-Orig-Server": "Apache"}):
        found = await replay_web(home=[answer(404, b"gone", headers=headers)]).capture(
            AT, "http://example.com/"
        )
        assert isinstance(found, Replay)
        assert (found.status, found.at) == (404, AT)


async def test_an_archived_redirect_without_a_target_is_a_capture() -> None:
    found = await replay_web(home=[answer(302, headers=MEMENTO)]).capture(AT, "http://example.com/")
    assert isinstance(found, Replay)
    assert found.status == 302


async def test_a_failing_archive_raises() -> None:
    for given in (answer(503), UpstreamError("u", "timeout", "did not answer")):
        with pytest.raises(UpstreamError):
            await replay_web(home=[given]).capture(AT, "http://example.com/")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": "text/html; charset=utf-8", "Server": "nginx"},
        {"Link": '<http://w/web/timemap/link/http://example.com/>; rel="timemap"'},
        {"X-Archive-Src": "none", "X-App-Server": "wwwb-app200"},
    ],
)
@pytest.mark.parametrize("status", [200, 203, 206])
async def test_a_page_that_the_archive_does_not_mark_as_archived_is_its_own(
    status: int, headers: dict[str, str]
) -> None:
    """ "Temporarily Offline", "Loading …", a page to sign in: RFC 7089, section 4.2, wants Memento-Datetime."""
    offline = answer(status, b"<title>Internet Archive: Temporarily Offline</title>", headers=headers)
    with pytest.raises(UpstreamError) as caught:
        await replay_web(home=[offline]).capture(AT, "http://example.com/")
    assert caught.value.kind == "bad_content"


def test_a_wrong_memento_time_falls_back_to_the_address() -> None:
    assert served_at({"memento-datetime": "yesterday"}, REPLAY) == (AT, True)
    assert served_at({}, "https://web.archive.org/nothing") == (None, False)


def test_urls_shown_to_people_are_safe_to_print() -> None:
    url = replay_address("https://w/web", AT, 'http://example.com/"><script>#a b')
    assert url == "https://w/web/20130506070809/http://example.com/%22%3E%3Cscript%3E%23a%20b"


async def test_a_hostile_address_is_not_parsed_into_another_host() -> None:
    away = {**MEMENTO, "Location": "http://[broken"}
    found = await replay_web(home=[answer(301, headers=away)]).capture(AT, "http://example.com/")
    assert isinstance(found, Replay)
    assert found.redirected_to == "http://[broken"


LATE = UpstreamError("cdx", "timeout", "did not answer in time")
OFFLINE = UpstreamError("r", "bad_content", "the web archive answered with a page of its own")


@pytest.mark.parametrize("fault", [LATE, answer(504)])
async def test_a_query_with_from_that_fails_is_asked_once_without(fault: Fetched | UpstreamError) -> None:
    archive, web = index_web(fault, answer(body=cdx(2010, 2012, 2026)))
    closed = kept(2010)
    found = await archive.index("example.com", NOW, closed=closed, closed_before=2012)
    assert [params(web, number).get("from") for number in (0, 1)] == ["2012", None]
    assert (found.index.years, found.questions) == ({2010: 1, 2012: 1, 2026: 1}, 2)
    assert found.closed == kept(2010, 2012)


@pytest.mark.parametrize(
    ("fault", "closed"), [(LATE, b""), (UpstreamError("cdx", "connect", "no"), kept(2010))]
)
async def test_a_query_that_fails_for_another_reason_is_not_repeated(
    fault: UpstreamError, closed: bytes
) -> None:
    archive, web = index_web(fault)
    with pytest.raises(UpstreamError):
        await archive.index("example.com", NOW, closed=closed)
    assert len(web.asked) == 1


async def test_an_answer_that_the_archive_may_have_cut_closes_no_years(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The archive scans so many lines and ends without a word; cached rows and fresh ones count together."""
    monkeypatch.setattr(archive_module, "_SURELY_WHOLE", 3)
    archive, _ = index_web(answer(body=cdx(2025, 2026)), answer(body=cdx(2026)))
    found = await archive.index("example.com", NOW, closed=kept(2010, 2011), closed_before=2025)
    assert (sum(found.index.years.values()), found.index.cut, found.closed) == (4, False, b"")
    again = await archive.index("example.com", NOW, closed=kept(2010), closed_before=2026)
    assert again.closed


@pytest.mark.parametrize(
    ("control", "page", "away"),
    [
        (answer(body=cdx(2000)), answer(404), False),
        (LATE, answer(404), True),
        (answer(503), answer(404), True),
        (answer(body=cdx(2000)), UpstreamError("r", "paused", "no", retry_after=60), True),
        (answer(body=b"<html>"), answer(404), True),
        (answer(body=cdx(2000)), answer(200, b"<h1>Temporarily Offline</h1>"), True),
        (answer(403, b"Forbidden"), answer(404), False),
    ],
)
@pytest.mark.parametrize("fault", [LATE, OFFLINE])
async def test_a_failure_is_blamed_on_the_archive_when_it_answers_nothing_else(
    control: Fetched | UpstreamError, page: Fetched | UpstreamError, away: bool, fault: UpstreamError
) -> None:
    settings = Archive()
    old = f"{settings.replay_url}/20100101000000id_/http://example.com/"
    web = Recorded({settings.cdx_url: [control], old: [page]})
    blamed = await WebArchive(web, settings).blamed(fault)
    assert (blamed.unreached, blamed is fault) == (away, not away)
    sure = UpstreamError("cdx", "too_large", "is too large")
    assert await WebArchive(web, settings).blamed(sure) is sure


async def test_what_is_asked_of_one_domain_is_one_subject() -> None:
    """Its hosts and pages, too. What tries the archive itself is nobody's, and the same whatever is asked for."""
    settings = Archive()
    web = Recorded({settings.cdx_url: [answer(), answer()]})
    archive = WebArchive(web, settings)
    addresses = (
        "http://example.net/",
        "https://www.example.net:8080/a?b",
        "http://shop.example.net/",
        "http://[/",
    )
    for address in (*addresses, "http://www.example.com/"):
        replay = f"{settings.replay_url}/20130506070809id_/{address}".partition("?")[0]
        web.answers[replay] = [answer(404)]
        await archive.capture(AT, address)
    await archive.index("example.net", NOW)
    await archive.index("example.com", NOW)
    told = [options["subject"] for _, options in web.asked]
    assert told == ["example.net"] * 3 + ["", None, "example.net", None]
    known = dict.fromkeys(options["known_good"] for _, options in web.asked)
    assert list(known) == [
        "https://web.archive.org/web/20100101000000id_/http://example.com/",
        f"{settings.cdx_url}?url=example.com&matchType=exact&limit=1",
    ]


def test_reviews_of_a_day_fit_into_the_scan_at_the_index_pace() -> None:
    """Two questions for every name, as where a query with `from` fails, and ten checks an hour beside them."""
    settings = Settings()
    index = settings.pace.hosts[WebArchive(Recorded({}), settings.archive).hosts[0]]
    assert index.per_second * 60 < 30 * 0.8, "four fifths of the archive's limit, with a margin"
    hours = (2 * settings.scan.reviews_per_day + 10 * 20) / index.per_second / 3600
    assert hours < settings.scan.budget_hours * 0.7
