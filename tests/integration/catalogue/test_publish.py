"""From a finished review to the lists: rounds, refreshes, rejections, reserved values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from afterdrop.catalogue import publish as publishing
from afterdrop.catalogue import store
from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.lists.snapshot_store import lives
from afterdrop.catalogue.store import version
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import banned_domains
from afterdrop.db.tables.review import archived_pages
from afterdrop.review.history.life import packed, stored_life
from afterdrop.scoring import weights
from tests.support.lists import list_page
from tests.support.published import (
    NAME,
    STRONG,
    WEAK,
    history,
    left_to_match,
    offer,
    page,
    put_metrics,
    put_offer,
    refreshed,
    reviewed,
    row_of,
)
from tests.support.rows import DAY, LINKS, NOW, PRO


async def ready(database: Database) -> None:
    await put_offer(database, offer())
    await put_metrics(database, STRONG)


async def test_a_good_domain_is_listed_with_its_report_and_left_to_match(database: Database) -> None:
    await ready(database)
    placed = await reviewed(database)
    assert (placed.outcome, placed.reasons) == ("published", ())
    async with database.read() as conn:
        access, report = await store.report(conn, NAME, PRO, NOW, LINKS)
        kit, total = await store.pages(conn, NAME, LINKS, page=1, per_page=50)
        assert await version(conn) == 1
    assert access == "full"
    assert report is not None
    assert report["detail"] == "full"
    assert report["score"] == placed.score is not None
    assert placed.score >= 45
    assert report["title"] == "Alpine Hut"
    assert report["metrics"]["domain_rating"] == 50
    assert report["metrics"]["<vendor_d>_pagerank"] is None
    assert report["registration"] is None
    assert report["rank_on_hunt_day"] is None
    assert (report["revival_kit"]["pages"], report["revival_kit"]["url"]) == (total, LINKS.pages(NAME))
    assert [item["path"] for item in kit] == ["/", "/huts/"]
    assert kit[0]["webarchive_url"] == f"https://archive.example/web/20190601120000/http://{NAME}/"
    assert kit[0]["has_content"] is False
    assert "content" not in kit[0]
    assert await left_to_match(database) == [(NAME, 1, "listed")]


async def test_what_is_refused_is_not_stored(database: Database) -> None:
    await put_offer(database, offer())
    await put_metrics(database, WEAK)
    low = await reviewed(database, history(good_years=(2004,), first_year=2004))
    assert low.outcome == "rejected"
    assert "Names below 45 are not listed" in low.reasons[0]
    spam = await reviewed(database, history(outcome="spam", reasons=("Gambling spam.",)))
    assert spam.outcome == "rejected"
    assert spam.reasons[0] == "Gambling spam."
    async with database.read() as conn:
        assert (await store.report(conn, NAME, PRO, NOW, LINKS)) == ("hidden", None)
    assert await left_to_match(database) == []


async def test_a_banned_name_is_never_listed(database: Database) -> None:
    await ready(database)
    async with database.write() as conn:
        ban = {"domain": NAME, "banned_at": NOW, "actor": "op", "reason": "trouble"}
        await conn.execute(sa.insert(banned_domains).values(**ban))
    assert (await reviewed(database)).reasons == ("An operator has banned the name.",)


async def test_a_listing_that_ended_before_its_review_lists_nothing(database: Database) -> None:
    await put_offer(database, offer(ends_at=NOW))
    await put_metrics(database, STRONG)
    assert (await reviewed(database)).outcome == "not_reviewed_in_time"


async def test_a_refresh_follows_the_feed_and_keeps_the_round(database: Database) -> None:
    await ready(database)
    first = await reviewed(database)
    later = NOW + DAY
    await put_offer(
        database, offer(price_usd=4000, bids=9, ends_at=NOW + 3 * DAY, url="https://other.example/")
    )
    again = await refreshed(database, later)
    assert again.outcome == "refreshed"
    assert (again.score or 0) < (first.score or 0)
    row = await row_of(database)
    assert (row["price_usd"], row["bids"], row["url"]) == (4000, 9, "https://other.example/")
    assert (row["round"], row["found_at"], row["hunt_day"]) == (1, NOW, "2026-11-20")
    assert row["ends_at"] == row["live_until"] == NOW + 3 * DAY


@pytest.fixture
def newer_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Call it, and the weights are of the version 2099-01-01."""

    def forget() -> None:
        for read in (weights.current, weights.of_version):
            read.cache_clear()

    def replace() -> None:
        text = (weights._FOLDER / "weights.toml").read_text(encoding="utf-8")
        version = weights.current().version
        (tmp_path / f"weights-{version}.toml").write_text(text, encoding="utf-8")
        (tmp_path / "weights.toml").write_text(text.replace(version, "2099-01-01"), encoding="utf-8")
        monkeypatch.setattr(weights, "_FOLDER", tmp_path)
        forget()

    yield replace
    forget()


async def test_a_score_keeps_its_version_until_the_next_review(
    database: Database, newer_weights: Callable[[], None]
) -> None:
    version = weights.current().version
    await ready(database)
    await reviewed(database)
    newer_weights()
    await put_offer(database, offer(price_usd=4000))
    await refreshed(database, NOW + DAY)
    assert (await row_of(database))["report"]["score_version"] == version
    await reviewed(database, history(), NOW + DAY)
    assert (await row_of(database))["report"]["score_version"] == "2099-01-01"


async def test_a_listed_domain_stays_under_forty_five_but_not_with_spam(database: Database) -> None:
    await ready(database)
    await reviewed(database)
    await put_metrics(database, WEAK)
    await put_offer(database, offer(price_usd=90_000))
    weak = await reviewed(database, history(good_years=(2004,)), NOW + DAY)
    assert weak.outcome == "refreshed"
    assert (await row_of(database))["score"] < 45
    spam = await reviewed(database, history(outcome="spam", reasons=("Pharma spam.",)), NOW + DAY)
    assert spam.outcome == "rejected"
    row = await row_of(database)
    assert (row["removed_at"], row["removed_reason"]) == (NOW + DAY, "Pharma spam.")
    async with database.read() as conn:
        assert (await store.report(conn, NAME, PRO, NOW + DAY, LINKS))[0] == "hidden"
    back = await reviewed(database, history(), NOW + 2 * DAY)
    assert (back.outcome, back.reasons) == ("rejected", ("Pharma spam.",))


async def test_seven_quiet_days_make_a_new_round(database: Database) -> None:
    await ready(database)
    await reviewed(database)
    ended = NOW + 2 * DAY
    await put_offer(database, offer(external_id="again", ends_at=ended + 9 * DAY))
    assert (await refreshed(database, ended + 6 * DAY)).outcome == "refreshed"
    assert (await row_of(database))["round"] == 1
    end = ended + 9 * DAY
    await put_offer(database, offer(external_id="third", ends_at=end + 30 * DAY))
    assert (await refreshed(database, end + 7 * DAY)).outcome == "published"
    row = await row_of(database)
    assert (row["round"], row["found_at"], row["rank_on_hunt_day"]) == (2, end + 7 * DAY, None)
    assert row["hunt_day"] == f"{end + 7 * DAY:%Y-%m-%d}"
    assert await left_to_match(database) == [(NAME, 1, "listed"), (NAME, 2, "listed")]


async def test_a_new_round_needs_a_valid_review(database: Database) -> None:
    await ready(database)
    await reviewed(database, valid=DAY)
    back = NOW + 20 * DAY
    await put_offer(database, offer(ends_at=back + DAY))
    stale = await refreshed(database, back)
    assert (stale.outcome, stale.row) == ("rejected", None)
    assert (await reviewed(database, history(), back)).outcome == "published"


async def test_a_domain_on_the_market_again_forgets_its_registry_state(database: Database) -> None:
    await ready(database)
    await reviewed(database)
    async with database.write() as conn:
        await conn.execute(
            sa.text("UPDATE domains SET announced = true, availability = 'available', checked_at = 1")
        )
    await put_offer(database, offer(external_id="again", ends_at=NOW + 9 * DAY))
    await refreshed(database, NOW + 3 * DAY)
    row = await row_of(database)
    assert (row["announced"], row["availability"], row["checked_at"]) == (False, None, None)


async def test_the_next_listing_shows_by_itself_when_the_better_one_ends(database: Database) -> None:
    drop = offer(
        external_id="drop", source="market_b", type="pending_delete", price_usd=99, ends_at=NOW + 5 * DAY
    )
    drop["source_title"] = "The Registry"
    await put_offer(database, offer(source_title="Harbour Auctions"), drop)
    await put_metrics(database, STRONG)
    await reviewed(database)
    later = NOW + 2 * DAY

    assert (await row_of(database))["source_title"] == "Harbour Auctions"

    async def listed(*types: str) -> list[tuple[str, str | None, int | None]]:
        async with database.read() as conn:
            found = await list_page(
                conn,
                ListSelection(ListContext("live", PRO, later, LINKS.fees), ListFilter.of(type=types)),
                LINKS,
            )
        return [
            (each["status"], each["listing"]["source_title"], each["listing"]["price_usd"])
            for each in found.rows
        ]

    assert await listed() == [("pending_delete", "The Registry", None)]
    async with database.write() as conn:
        assert await publishing.advance_listings(conn, later) == 1
        assert await publishing.advance_listings(conn, later) == 0
    assert await listed("pending_delete") == [("pending_delete", "The Registry", None)]
    row = await row_of(database)
    assert (row["next_listing_at"], row["next_listings"], row["ends_at"]) == (None, None, NOW + 5 * DAY)


async def test_a_withdrawn_listing_ends_at_the_scan_that_missed_it(database: Database) -> None:
    await put_offer(database, offer(type="buy_now", ends_at=None, live_until=None))
    await put_metrics(database, STRONG)
    await reviewed(database)
    missed = NOW + DAY
    await put_offer(database, offer(type="buy_now", ends_at=None, live_until=None, withdrawn_at=missed))
    assert (await refreshed(database, missed + DAY)).outcome == "refreshed"
    async with database.read() as conn:
        page_ = await list_page(
            conn, ListSelection(ListContext("archive", PRO, missed + DAY, LINKS.fees), ListFilter()), LINKS
        )
    assert page_.rows[0]["listing"]["ends_at"] == "2026-11-21T18:00:00Z"


async def test_hostile_titles_and_quotes_can_be_stored(database: Database) -> None:
    await ready(database)
    hostile = history(title=" a\x00b\r\n\u202ec\ud800 ", reasons=("\x00 odd \udfff",))
    async with database.write() as conn:
        await publishing.publish(conn, hostile, NOW, "2026-11-20")
    async with database.read() as conn:
        report = (await store.report(conn, NAME, PRO, NOW, LINKS))[1]
    assert report is not None
    assert report["detail"] == "full"
    assert report["title"] == "a b c"
    assert report["review_notes"] == ["\ufffd odd \ufffd"]


async def test_stored_page_texts_survive_a_new_review(database: Database) -> None:
    await ready(database)
    await reviewed(database)
    async with database.write() as conn:
        await conn.execute(
            sa.update(archived_pages).values(content="# Huts", content_state="stored", due_at=None, words=1)
        )
    kit = (page("/", 50), page("/huts/", 9, "20200101000000"), page("/new/", 3))
    await reviewed(database, history(pages=kit), NOW + DAY)
    async with database.read() as conn:
        items, total = await store.pages(conn, NAME, LINKS, page=1, per_page=2, content=True)
        second, _ = await store.pages(conn, NAME, LINKS, page=2, per_page=2)
    assert total == 3
    assert [(item["path"], item["captures"], item["content"]) for item in items] == [
        ("/", 50, "# Huts"),
        ("/huts/", 9, None),
    ]
    assert [item["path"] for item in second] == ["/new/"]
    await reviewed(database, history(pages=()), NOW + DAY)
    async with database.read() as conn:
        assert await store.pages(conn, NAME, LINKS, page=1, per_page=2) == ([], 0)


async def test_the_life_of_a_row_is_the_reports(database: Database) -> None:
    await ready(database)
    await reviewed(database)
    told = packed(stored_life((await row_of(database))["report"]["history"]))
    async with database.read() as conn:
        assert await lives(conn, [NAME, "unknown.com"]) == {NAME: told}
