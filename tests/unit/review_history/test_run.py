"""One review end to end over an archive that is not there: what is asked, what fails, what is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest

from afterdrop.core.errors import UpstreamError
from afterdrop.review import run
from afterdrop.review.history.domain_history import History
from afterdrop.review.history.spam_paths import SpamPath
from afterdrop.review.page.pool import PageUnread, ReadingDied
from afterdrop.review.page.values import FEW_WORDS, Capture, PageReading, PageVerdict
from afterdrop.review.run import STAYS_SECONDS, review_domain
from afterdrop.sources.archive.wayback import IndexAnswer, MissingCapture, Replay
from tests.support.histories import DOMAIN, NOW, day, evidence, index_of, page, spam

HOMES = [(f"{year}-01", f"D{year}") for year in range(2000, 2012)]


@dataclass
class Invented:
    """An archive with one index; captures come from `odd` by year, else plainly."""

    answer: IndexAnswer = field(default_factory=lambda: IndexAnswer(index_of(*HOMES), b"rows", 2026))
    odd: Mapping[int, Replay | MissingCapture | UpstreamError] = field(default_factory=dict)
    asked: list[datetime] = field(default_factory=list)
    known: tuple[bytes, int] = (b"", 0)

    async def index(
        self, domain: str, now: datetime, *, closed: bytes = b"", closed_before: int = 0
    ) -> IndexAnswer:
        self.known = closed, closed_before
        return self.answer

    async def capture(self, at: datetime, url: str) -> Replay | MissingCapture:
        self.asked.append(at)
        found = self.odd.get(at.year) or replay(at, url=url)
        if isinstance(found, UpstreamError):
            raise found
        return found


def replay(
    at: datetime, status: int = 200, to: str | None = None, *, url: str = f"http://{DOMAIN}/", late: int = 0
) -> Replay:
    served = at + timedelta(days=late)
    return Replay(at, served, url, f"https://a.test/{at:%Y}", status, "text/html", b"x", {"server": "y"}, to)


async def clean(capture: Capture) -> PageReading:
    assert capture.headers == {"server": "y"}
    return page(title=f"Harris {capture.timestamp.year}")


async def test_at_most_eight_captures_and_one_question() -> None:
    archive = Invented()
    found = await review_domain(archive, clean, DOMAIN, NOW, closed=b"old", closed_before=2025)
    assert 5 <= len(archive.asked) <= 8
    assert len(set(archive.asked)) == len(archive.asked)
    assert archive.known == (b"old", 2025)
    assert (found.answer.closed, found.answer.closed_before) == (b"rows", 2026)
    assert found.history.title == "Harris 2011"
    assert found.history.reviewed_at == NOW


async def test_a_second_question_costs_a_capture() -> None:
    archive = Invented(IndexAnswer(index_of(*HOMES), questions=2))
    await review_domain(archive, clean, DOMAIN, NOW, most=5)
    assert len(archive.asked) == 4


async def test_what_cannot_be_read_is_a_note() -> None:
    at = day("2011-01")
    archive = Invented(
        odd={
            2011: MissingCapture(at, "u", "not_archived"),
            2000: replay(day("2000-01"), 404),
            2005: replay(day("2005-01"), 302, "http://casino.test/"),
            2008: UpstreamError("u", "timeout", "did not answer in time"),
        }
    )
    found = (await review_domain(archive, clean, DOMAIN, NOW)).history
    kinds = {capture.at.year: (capture.kind, capture.detail) for capture in found.read}
    assert kinds[2011] == ("failed", "not_archived")
    assert kinds[2008] == ("failed", "timeout: did not answer in time")
    assert kinds[2000] == ("error", "not_found")
    assert kinds[2005] == ("redirect", "http://casino.test/")
    assert any("not_archived" in note for note in found.notes)


@pytest.mark.parametrize(("status", "kind"), [(410, "not_found"), (403, "blocked"), (500, "server_error")])
async def test_archived_errors_are_told_apart(status: int, kind: str) -> None:
    archive = Invented(odd={year: replay(day(f"{year}-01"), status) for year in range(2000, 2012)})
    found = (await review_domain(archive, clean, DOMAIN, NOW)).history
    assert {capture.detail for capture in found.read} == {kind}
    assert found.language is None


async def test_a_page_the_reader_cannot_read_is_a_note() -> None:
    async def reader(capture: Capture) -> PageReading:
        if capture.timestamp.year == 2011:
            raise PageUnread(capture.url, "memory", "took more than 600 MB of memory to read")
        return page()

    found = (await review_domain(Invented(), reader, DOMAIN, NOW)).history
    assert found.notes == (
        "The capture of 2011-01-01 could not be read: memory: took more than 600 MB of memory to read.",
        "No page of 2011 could be read: nothing is known of what stood there then.",
    )
    assert found.outcome == "ok"


async def test_a_reading_that_died_is_for_a_later_try() -> None:
    died = ReadingDied("u", "the reading process died (SIGKILL)")

    async def never(capture: Capture) -> PageReading:
        raise died

    async def mostly(capture: Capture) -> PageReading:
        if capture.timestamp.year == 2011:
            raise died
        return page()

    with pytest.raises(ReadingDied):
        await review_domain(Invented(), never, DOMAIN, NOW)
    with pytest.raises(ReadingDied):
        await review_domain(Invented(), mostly, DOMAIN, NOW, whole=True)
    last = (await review_domain(Invented(), mostly, DOMAIN, NOW)).history
    assert "could not be read: died: the reading process died (SIGKILL)." in last.notes[0]


async def test_an_archive_that_keeps_failing_is_for_a_later_try() -> None:
    fault = UpstreamError("u", "status", "answered 503", http_status=503)
    archive = Invented(odd=dict.fromkeys(range(2000, 2012), fault))
    with pytest.raises(UpstreamError) as caught:
        await review_domain(archive, clean, DOMAIN, NOW)
    assert caught.value is fault
    assert len(archive.asked) <= 8


TIMEOUT = UpstreamError("u", "timeout", "did not answer in time")


async def test_a_capture_that_failed_is_asked_for_once_more() -> None:
    archive = Invented(odd={2011: TIMEOUT})
    found = (await review_domain(archive, clean, DOMAIN, NOW)).history
    assert archive.asked.count(day("2011-01")) == 2
    assert len(set(archive.asked)) == len(archive.asked) - 1
    assert found.notes == (
        "The capture of 2011-01-01 could not be read: timeout: did not answer in time.",
        "No page of 2011 could be read: nothing is known of what stood there then.",
    )

    async def better(at: datetime, url: str) -> Replay:
        archive.asked.append(at)
        if at.year == 2011 and archive.asked.count(at) == 1:
            raise TIMEOUT
        return replay(at, url=url)

    archive = Invented()
    setattr(archive, "capture", better)  # noqa: B010
    again = (await review_domain(archive, clean, DOMAIN, NOW, whole=True)).history
    assert (again.notes, again.title) == ((), "Harris 2011")


async def test_a_name_is_clean_only_where_every_capture_could_be_had() -> None:
    """The page that the archive failed to give may be the one that is spam; a rejection stands without it."""
    archive = Invented(odd={2011: TIMEOUT})
    with pytest.raises(UpstreamError) as caught:
        await review_domain(archive, clean, DOMAIN, NOW, whole=True)
    assert caught.value is TIMEOUT

    async def casino(capture: Capture) -> PageReading:
        return spam()

    assert (await review_domain(archive, casino, DOMAIN, NOW, whole=True)).history.spam
    missing = Invented(odd={2011: MissingCapture(day("2011-01"), "u", "not_archived")})
    assert (await review_domain(missing, clean, DOMAIN, NOW, whole=True)).history.outcome == "ok"


async def test_a_capture_given_instead_of_another_counts_at_its_own_time() -> None:
    archive = Invented(odd={2011: replay(day("2011-01"), late=-900)})
    found = (await review_domain(archive, clean, DOMAIN, NOW)).history
    assert Counter(archive.asked)[day("2011-01")] == 2
    assert len(archive.asked) <= 8
    kinds = {f"{capture.at:%Y-%m-%d}": capture.kind for capture in found.read}
    assert (kinds["2008-07-15"], kinds["2011-01-01"]) == ("site", "failed")
    assert 2011 in found.good_years
    assert 2011 not in found.honest_years
    assert 2010 in found.honest_years
    assert (
        "The capture of 2011-01-01 could not be read: the web archive gave the capture of 2008-07-15 instead."
        in found.notes
    )
    assert "No page of 2011 could be read: nothing is known of what stood there then." in found.notes


async def test_a_capture_given_at_the_second_question_is_the_one_asked_for() -> None:
    @dataclass
    class Fickle(Invented):
        async def capture(self, at: datetime, url: str) -> Replay | MissingCapture:
            self.asked.append(at)
            first = at.year == 2011 and self.asked.count(at) == 1
            return replay(at, late=-900 if first else 0)

    found = (await review_domain(Fickle(), clean, DOMAIN, NOW)).history
    assert not found.notes
    assert 2011 in found.honest_years
    assert "2008-07-15" not in {f"{capture.at:%Y-%m-%d}" for capture in found.read}


async def test_the_same_content_at_another_time_is_what_was_asked_for() -> None:
    homes = [("2000-01", "A"), ("2004-01", "B"), ("2008-01", "C"), ("2011-01", "C")]
    archive = Invented(IndexAnswer(index_of(*homes)), odd={2011: replay(day("2011-01"), late=-1096)})
    found = (await review_domain(archive, clean, DOMAIN, NOW)).history
    assert not found.notes
    assert 2011 in found.honest_years


async def test_one_capture_given_for_many_is_read_once() -> None:
    given = {
        year: replay(day(f"{year}-01"), late=(day("2001-03") - day(f"{year}-01")).days)
        for year in range(2004, 2012)
    }
    found = (await review_domain(Invented(odd=given), clean, DOMAIN, NOW)).history
    assert [f"{capture.at:%Y-%m}" for capture in found.read].count("2001-03") == 1
    assert not set(found.honest_years) & set(range(2006, 2012))


async def test_a_telling_address_is_read_too() -> None:
    index = index_of(*HOMES, deep=["/buy-viagra-online-cheap"])
    archive = Invented(IndexAnswer(index))
    found = (await review_domain(archive, clean, DOMAIN, NOW, listing_url="https://a.test/*/x")).history
    assert day("2015-01") in archive.asked
    assert [finding.quote for finding in found.findings if finding.code == "spam_paths"] == [
        "/buy-viagra-online-cheap"
    ]


async def test_one_of_many_addresses_built_alike_is_read_and_another_if_it_is_bad() -> None:
    farm = [f"/singer-{n:02}-net-worth.html" for n in range(30)]
    index = index_of(*HOMES, deep=farm)

    async def read(bad: bool) -> tuple[set[str], str]:
        urls: set[str] = set()

        async def reader(capture: Capture) -> PageReading:
            urls.add(capture.url)
            return spam() if bad and capture.url.endswith("worth.html") else await clean(capture)

        found = (await review_domain(Invented(IndexAnswer(index)), reader, DOMAIN, NOW)).history
        return {url.rpartition("/")[2] for url in urls} - {""}, found.outcome

    assert await read(False) == ({"singer-00-net-worth.html"}, "ok")
    assert await read(True) == ({"singer-00-net-worth.html", "singer-29-net-worth.html"}, "spam")


async def test_a_farm_of_doubtful_pages_is_risky_or_rejected_though_its_front_page_is_clean() -> None:
    index = index_of(*HOMES, deep=[f"/singer-{n:02}-net-worth.html" for n in range(30)])

    async def reviewed(chance: float, verdict: PageVerdict = "clean") -> History:
        async def reader(capture: Capture) -> PageReading:
            return PageReading(verdict, words=300, spam_chance=chance) if "worth" in capture.url else page()

        return (await review_domain(Invented(IndexAnswer(index)), reader, DOMAIN, NOW)).history

    assert (await reviewed(0.14)).outcome == "ok"
    risky, rejected = await reviewed(0.15), await reviewed(0.6)
    said = "30 of 31 archived addresses are built alike, such as /singer-00-net-worth.html"
    assert (risky.outcome, risky.reasons) == (
        "suspect",
        (f"{said}, and 2 of 2 pages read look written for search engines.",),
    )
    assert rejected.outcome == "spam"
    assert [(one.note, one.zone, one.quote) for one in rejected.findings if one.code == "spam_paths"] == [
        (f"{said}.", "url", "/singer-00-net-worth.html")
    ]
    assert (await reviewed(0.6, "parked")).outcome == "ok"


async def test_addresses_built_alike_accuse_no_one_where_something_else_does() -> None:
    index = index_of(*HOMES, deep=[f"/singer-{n:02}-net-worth.html" for n in range(30)])

    async def reader(capture: Capture) -> PageReading:
        return page() if "worth" in capture.url else spam()

    found = (await review_domain(Invented(IndexAnswer(index)), reader, DOMAIN, NOW)).history
    assert found.outcome == "spam"
    assert "spam_paths" not in {finding.code for finding in found.findings}


async def test_an_address_that_names_a_trade_is_read_beside_one_of_a_farm() -> None:
    farm = [f"/singer-{n:02}-net-worth.html" for n in range(30)]
    archive = Invented(IndexAnswer(index_of(*HOMES, deep=[*farm, "/buy-viagra-online-cheap"])))
    found = (await review_domain(archive, clean, DOMAIN, NOW)).history
    assert sum(capture.at == day("2015-01") for capture in found.read) == 2
    assert len(archive.asked) <= 8


def few(**given: object) -> PageReading:
    return PageReading("clean", words=3, title="Frames", **given)  # type: ignore[arg-type]  # any member


async def seen_in(
    outer: PageReading, **odd: Replay | MissingCapture
) -> tuple[Invented, list[tuple[str, str | None]]]:
    """What becomes of a site of one capture whose page is `outer` and whose other pages are the bakery's."""
    index = index_of(("2010-01", "A"))
    archive = Invented(IndexAnswer(index), odd={})
    urls: list[str] = []

    async def capture(at: datetime, url: str) -> Replay | MissingCapture:
        urls.append(url)
        archive.asked.append(at)
        return odd.get(url.rpartition("/")[2], replay(at, url=url))

    async def reader(capture: Capture) -> PageReading:
        return outer if capture.url == f"http://{DOMAIN}/" else page(title=None)

    archive.capture = capture  # type: ignore[method-assign]  # this test's own answers
    found = (await review_domain(archive, reader, DOMAIN, NOW)).history
    return archive, [(one.kind, one.title if one.kind != "redirect" else one.detail) for one in found.read]


async def test_a_page_of_frames_is_seen_as_its_visitors_saw_it() -> None:
    archive, read = await seen_in(few(frame_urls=("menu.html", "/main.html", "foot.html")))
    assert read == [("site", "Frames")]
    assert len(archive.asked) == 2
    archive, read = await seen_in(few(frame_urls=("a.html", "http://ads.test/x")))
    assert (len(archive.asked), read) == (1, [("site", "Frames")])


async def test_a_page_that_sends_visitors_on() -> None:
    archive, read = await seen_in(few(refresh_url="/shop/"))
    assert (len(archive.asked), read) == (2, [("site", "Frames")])
    archive, read = await seen_in(few(refresh_url="http://casino.test/"))
    assert (len(archive.asked), read) == (1, [("redirect", "http://casino.test/")])


@pytest.mark.parametrize("words", [3, 200])
@pytest.mark.parametrize("seconds", [0, 1, STAYS_SECONDS - 1, STAYS_SECONDS, 1800])
async def test_the_seconds_of_a_refresh_count(words: int, seconds: int) -> None:
    outer = PageReading("clean", words=words, title="Outer", refresh_url="/shop/", refresh_after=seconds)
    gone = seconds < STAYS_SECONDS if words < FEW_WORDS else seconds == 0
    archive, _ = await seen_in(outer)
    assert len(archive.asked) == (2 if gone else 1)
    _, read = await seen_in(replace(outer, refresh_url="http://casino.test/"))
    assert read == [("redirect", "http://casino.test/") if gone else ("site", "Outer")]


async def test_a_shell_that_sends_visitors_on_to_what_nobody_archived_is_no_site() -> None:
    at = day("2010-01")
    shell = few(refresh_url="/en")
    for odd in (MissingCapture(at, "u", "not_archived"), replay(at, 404), replay(at, 301, "http://x.test/")):
        _, read = await seen_in(shell, en=odd)
        assert read == [("redirect", f"http://{DOMAIN}/en")]
        _, read = await seen_in(replace(shell, words=200), en=odd)
        assert read == [("site", "Frames")]


@pytest.mark.parametrize(
    "outer",
    [
        few(),
        few(refresh_url="/"),
        few(refresh_url="http://[broken"),
        few(refresh_url="javascript:x()"),
        PageReading("clean", words=50, frame_urls=("/main.html",)),
    ],
)
async def test_nothing_further_to_see(outer: PageReading) -> None:
    archive, _ = await seen_in(outer)
    assert len(archive.asked) == 1


async def test_a_frame_that_is_not_archived_leaves_the_frameset() -> None:
    at = day("2010-01")
    for odd in (MissingCapture(at, "u", "not_archived"), replay(at, 404), replay(at, 301, "http://x.test/")):
        _, read = await seen_in(few(frame_urls=("/main.html",)), **{"main.html": odd})
        assert read == [("site", "Frames")]


async def test_frames_cost_captures() -> None:
    async def reader(capture: Capture) -> PageReading:
        return few(frame_urls=("/main.html",)) if capture.url == f"http://{DOMAIN}/" else page()

    archive = Invented()
    await review_domain(archive, reader, DOMAIN, NOW)
    assert len(archive.asked) == 8
    index = index_of(*HOMES, deep=["/buy-viagra-online-cheap"])
    archive = Invented(IndexAnswer(index))
    await review_domain(archive, reader, DOMAIN, NOW, most=5)
    assert len(archive.asked) == 5


async def test_weak_addresses_choose_pages_to_read_and_accuse_no_one(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = replace(evidence("url", 1), code="spam_path")
    monkeypatch.setattr(
        run, "spam_paths", lambda paths: [SpamPath(path, weak) for path in paths if "slots" in path]
    )
    index = index_of(("2010-01", "A"), deep=[f"/slots-{n}" for n in range(12)])
    archive = Invented(IndexAnswer(index))
    found = (await review_domain(archive, clean, DOMAIN, NOW)).history
    assert day("2015-01") in archive.asked
    assert found.outcome == "ok"


@pytest.mark.parametrize("since", range(2002, 2016, 3))
async def test_three_years_of_spam_are_found_in_an_index_without_digests(since: int) -> None:
    async def reader(capture: Capture) -> PageReading:
        return spam() if since <= capture.timestamp.year < since + 3 else await clean(capture)

    index = index_of(*((f"{year}-{month:02}", "-") for year in range(2000, 2020) for month in (2, 8)))
    found = (await review_domain(Invented(IndexAnswer(index)), reader, DOMAIN, NOW)).history
    assert found.outcome == "spam"
    honest = (await review_domain(Invented(IndexAnswer(index)), clean, DOMAIN, NOW)).history
    assert (honest.outcome, honest.honest_years) == ("ok", tuple(range(2000, 2020)))
    assert len(honest.read) <= 8
