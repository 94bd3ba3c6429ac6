"""Reviews over real HTTP against the sandbox's archive, and the command that prints them."""

from __future__ import annotations

import random
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from pathlib import Path

import orjson
import pytest

from afterdrop.cli import review as command
from afterdrop.core import clock
from afterdrop.core.errors import BadName, UpstreamError
from afterdrop.core.settings import Archive, HostPace, Pace, Settings
from afterdrop.db.engine import Database
from afterdrop.http.client import open_fetcher
from afterdrop.review.history.capture_plan import CAPTURES
from afterdrop.review.page.pool import read_capture
from afterdrop.review.page.values import Capture, PageReading
from afterdrop.review.run import review_domain
from afterdrop.review.store import closed_rows, keep_review
from afterdrop.sandbox import RunningSandbox, start
from afterdrop.sources.archive.capture_file import CaptureFileError
from afterdrop.sources.archive.wayback import WebArchive
from tests.support.warc import http, record
from tests.timelines.lives import hijacked

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def database_url(sqlite_template: Path, tmp_path: Path) -> str:
    """One kind of database is enough here: only the pace is kept in it."""
    path = tmp_path / "afterdrop.sqlite3"
    shutil.copyfile(sqlite_template, path)
    return f"sqlite+aiosqlite:///{path}"


@pytest.fixture
async def running() -> AsyncIterator[RunningSandbox]:
    """A sandbox of a hundred domains."""
    async with start(3, 100, day=date(2026, 11, 20), now=lambda: NOON) as served:
        yield served


@pytest.fixture
def reaching(settings: Settings, running: RunningSandbox) -> Settings:
    """Settings that reach the sandbox, at a pace without waiting."""
    origin = running.origins["archive"]
    return settings.model_copy(
        update={
            "archive": Archive(cdx_url=f"{origin}/cdx/search/cdx", replay_url=f"{origin}/web"),
            "trusted_origins": (origin,),
            "pace": Pace(default=HostPace(per_second=1000, at_once=8), hosts={}),
        }
    )


@asynccontextmanager
async def archive_of(settings: Settings, database: Database) -> AsyncIterator[WebArchive]:
    async with open_fetcher(settings, database, clock.epoch, random.Random(1)) as fetcher:
        yield WebArchive(fetcher, settings.archive)


async def reader(capture: Capture) -> PageReading:
    return read_capture(capture)


def named(running: RunningSandbox, role: str) -> str:
    return next(story.domain for story in running.world.stories if story.scenario == role)


async def test_a_review_over_http_asks_once_and_reads_few(
    running: RunningSandbox, reaching: Settings, database: Database
) -> None:
    async with archive_of(reaching, database) as archive:
        for role, outcome in (("live_bid", "ok"), ("spam_casino", "spam"), ("spam_japanese", "spam")):
            running.state.log.clear()
            domain = named(running, role)
            found = (await review_domain(archive, reader, domain, NOON)).history
            assert found.outcome == outcome, (role, found.reasons)
            asked = [entry["path"] for entry in running.state.log]
            assert sum(path.startswith("/cdx/") for path in asked) == 1
            assert sum(path.startswith("/web/") for path in asked) <= CAPTURES + 3  # redirects to itself
            assert found.archive_years
            assert all(page.timestamp.isdigit() for page in found.pages)


async def test_the_next_review_asks_only_for_what_is_new(
    running: RunningSandbox, reaching: Settings, database: Database
) -> None:
    domain = named(running, "live_bid")
    async with archive_of(reaching, database) as archive:
        first = await review_domain(archive, reader, domain, NOON)
        async with database.write() as conn:
            await keep_review(conn, first, NOON, 30)
            closed, before, _ = await closed_rows(conn, domain)
        assert before == 2026
        running.state.log.clear()
        again = await review_domain(archive, reader, domain, NOON, closed=closed, closed_before=before)
    assert "from=2026" in running.state.log[0]["path"]
    for name in ("outcome", "archive_years", "captures", "archived_urls", "title", "eras", "pages"):
        assert getattr(again.history, name) == getattr(first.history, name), name


async def test_the_next_review_asks_for_all_years_where_the_last_ones_time_out(
    running: RunningSandbox, reaching: Settings, database: Database
) -> None:
    domain = named(running, "live_bid")
    async with archive_of(reaching, database) as archive:
        first = await review_domain(archive, reader, domain, NOON)
        async with database.write() as conn:
            await keep_review(conn, first, NOON, 30)
            closed, before, _ = await closed_rows(conn, domain)
        running.state.log.clear()
        running.state.faults.put(["index_from_fails"])
        again = await review_domain(archive, reader, domain, NOON, closed=closed, closed_before=before)
    asked = ["from=" in entry["path"] for entry in running.state.log if entry["path"].startswith("/cdx/")]
    assert (asked[0], asked[-1]) == (True, False)
    for name in ("outcome", "archive_years", "captures", "archived_urls", "title", "eras", "pages"):
        assert getattr(again.history, name) == getattr(first.history, name), name


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ({"path": "/cdx/", "kind": "status", "status": 503}, "status"),
        ({"path": "/cdx/", "kind": "html"}, "bad_content"),
        ({"path": "/cdx/", "kind": "cut"}, "truncated"),
        ({"path": "/web/", "kind": "status", "status": 502}, "status"),
        ({"path": "/web/", "kind": "reset"}, "truncated"),
        ({"path": "/web/", "kind": "html"}, "bad_content"),
    ],
)
async def test_a_failing_archive_is_for_a_later_try(
    running: RunningSandbox, reaching: Settings, database: Database, rule: dict[str, object], kind: str
) -> None:
    running.state.faults.put([{"server": "archive", **rule}])
    async with archive_of(reaching, database) as archive:
        with pytest.raises(UpstreamError) as caught:
            await review_domain(archive, reader, named(running, "live_bid"), NOON)
    assert caught.value.kind in (kind, "paused")


async def test_a_fault_now_and_then_is_made_good_by_asking_again(
    running: RunningSandbox, reaching: Settings, database: Database
) -> None:
    running.state.faults.put([{"server": "archive", "path": "/web/", "kind": "cut", "share": 0.3}])
    async with archive_of(reaching, database) as archive:
        found = (await review_domain(archive, reader, named(running, "live_bid"), NOON)).history
    assert found.outcome == "ok"
    assert sum(rule.done for rule in running.state.faults.rules) > 0
    assert "failed" not in {capture.kind for capture in found.read}


async def test_the_archives_own_page_is_no_site(
    running: RunningSandbox, reaching: Settings, database: Database
) -> None:
    """One capture in three is answered with a page in the archive's own name, and with the capture when asked again."""
    running.state.faults.put([{"server": "archive", "path": "/web/", "kind": "html", "share": 0.3}])
    async with archive_of(reaching, database) as archive:
        found = (await review_domain(archive, reader, named(running, "live_bid"), NOON)).history
    assert sum(rule.done for rule in running.state.faults.rules) > 0
    assert "Please enable JavaScript" not in repr(found.to_dict())
    assert "failed" not in {capture.kind for capture in found.read}


async def test_the_command_reviews_a_domain(
    running: RunningSandbox, reaching: Settings, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    using = reaching.model_copy(update={"database_url": str(database.engine.url.render_as_string(False))})
    history, others = await command._live(f"https://www.{named(running, 'spam_casino')}/page", using)
    assert history.spam
    assert others == {}
    command.show(command.judged(history))
    printed = capsys.readouterr().out
    assert "REJECTED. It is rejected for spam" in printed
    assert "/web/20" in printed
    with pytest.raises(BadName):
        await command._live("not a domain", using)


# A local file


def file_of(tmp_path: Path, number: int = 0) -> tuple[Path, str]:
    """A capture file of one hijacked life, with a page of another domain and some damage."""
    life = list(hijacked())[number]
    parts = [
        record(
            http(shot.body, f"Content-Type: {shot.content_type}", status=f"{shot.status} As it was"),
            WARC_Target_URI=f"http://{life.domain}{shot.path}",
            WARC_Date=shot.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
        for shot in life.shots
    ]
    path = tmp_path / "life.warc"
    path.write_bytes(b"garbage\n" + b"".join(parts) + record(http(), WARC_Target_URI="http://other.com/"))
    return path, life.domain


def test_the_command_reviews_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path, domain = file_of(tmp_path)
    command.review(str(path), json=True)
    told = orjson.loads(capsys.readouterr().out)
    assert (told["domain"], told["verdict"], told["rejected"]) == (domain, "spam", True)
    assert told["other_domains"] == {"other.com": 1}
    assert "1 times in the file: bytes between records." in told["notes"]
    assert told["risk_checks"][0]["flag"] == "dr_inflated"
    assert {"eras", "findings", "read", "pages", "language", "title"} <= told.keys()

    command.review(str(path), domain="other.com")
    printed = capsys.readouterr().out
    assert printed.startswith("other.com: No serious risk found.")
    assert f"{domain} (" in printed
    with pytest.raises(CaptureFileError, match=r"has no page of nobody\.com"):
        command.review(str(path), domain="nobody.com")


@pytest.mark.parametrize("body", [b"", b"<title>404 Not Found</title><h1>Not Found</h1>"])
def test_a_file_of_errors_alone_says_nothing_of_a_site(
    body: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "errors.warc"
    path.write_bytes(
        b"".join(record(http(body), WARC_Date=f"{year}-03-01T00:00:00Z") for year in (2009, 2012))
    )
    command.review(str(path), json=True)
    told = orjson.loads(capsys.readouterr().out)
    assert (told["verdict"], told["conclusion"]) == ("unknown", "nothing_to_revive")
    assert {check["result"] for check in told["risk_checks"] if check["flag"] == "parked"} == {"unknown"}


def test_a_missing_file_is_no_domain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CaptureFileError, match="cannot be read"):
        command.review("gone.warc.gz")


@pytest.mark.long
@pytest.mark.parametrize("name", ["pywb_iana.warc.gz", "pywb_example-bad.warc.gz.bad"])
def test_the_command_reads_genuine_files(
    real: Path, name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command.review(str(real / "warc" / name), json=True)
    told = orjson.loads(capsys.readouterr().out)
    assert told["verdict"] == "ok"
    assert told["archive_years"] == 1
