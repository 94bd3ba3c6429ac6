"""Notes, tags, share links and saved filters on the site: forms without scripts, and nobody sees more than he may."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from selectolax.lexbor import LexborHTMLParser

from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.feeds import scans, source_runs
from afterdrop.sources.registry.release_hours import drop_end
from afterdrop.watching import store as alerts
from tests.support.browser import PASSWORD, Browser, made_link, words
from tests.support.rows import DAY
from tests.support.service import ENDED, FREED, NOW, OPEN, Service, row


def table(text: str) -> dict[str, str]:
    """What a page's table says of each domain."""
    found = {}
    for line in LexborHTMLParser(text).css("tbody tr"):
        name = line.css_first("td.name")
        assert name is not None
        found[name.text(separator=" ").split()[0]] = " ".join(line.text(separator=" ").split())
    return found


async def test_tags_are_set_for_one_domain_or_many_and_taken_off(service: Service, browser: Browser) -> None:
    await service.show(row("a.com"), row("b.com"))
    await browser.sign_in("pro")
    report = await browser.send(
        "/tags", {"d": "a.com", "tag": "Shortlist", "back": "/domains/a.com"}, page="/domains/a.com"
    )
    assert str(report.url).endswith("/domains/a.com")
    assert 'value="shortlist" aria-pressed="true"' in report.text
    many = {"d": ["a.com", "b.com, unlisted.org"], "tag": "for the shop"}
    page = await browser.send("/tags", many, page="/account/notes")
    assert list(table(page.text)) == ["a.com", "b.com", "unlisted.org"]
    assert "Not on the lists" in table(page.text)["unlisted.org"]
    rejected = await browser.send("/tags", {"d": "a.com", "tag": "rejected"}, page="/account/notes")
    assert "shortlist ×" not in words(rejected)
    only = await browser.get("/account/notes?tag=rejected")
    assert list(table(only.text)) == ["a.com"]
    gone = {"d": "a.com", "tag": "rejected", "do": "remove", "back": "/account/notes?tag=rejected"}
    empty = await browser.send("/tags", gone, page="/account/notes")
    assert "Nothing has this tag" in words(empty)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"d": "a.com", "tag": ""}, "a tag needs"),
        ({"d": "a.com", "tag": "x" * 31}, "30 characters"),
        ({"d": "", "tag": "won"}, "choose 1 to 500"),
        ({"d": "no domain", "tag": "won"}, "name 1"),
        ({"d": ",".join(f"a{n}.com" for n in range(501)), "tag": "won"}, "choose 1 to 500"),
    ],
)
async def test_wrong_tags_are_refused_with_the_reason(
    service: Service, browser: Browser, fields: dict[str, str], why: str
) -> None:
    await browser.sign_in("free")
    refused = await browser.send("/tags", fields, page="/account/notes")
    assert refused.status_code == 422
    assert why.lower() in words(refused).lower()
    assert "No notes or tags yet" in words(await browser.get("/account/notes"))


async def test_a_form_never_leads_to_another_host(service: Service, browser: Browser) -> None:
    await browser.sign_in("free")
    for evil in (
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "/a\\..\\b",
        "\t//evil.example",
    ):
        await browser.get("/account/notes")
        answer = await browser.post("/tags", {"d": "a.com", "tag": "won", "back": evil})
        assert answer.headers["location"] == "/account/notes"


async def test_tags_and_notes_show_a_free_account_no_locked_domain(
    service: Service, browser: Browser
) -> None:
    locked = row("locked.com", title="Secret title", trust_flow=44)
    freed = row("freed.com", **FREED)
    await service.show(locked, freed, row("open.com", **OPEN))
    await browser.sign_in("free")
    names = ["locked.com", "freed.com", "open.com", "unlisted.org"]
    page = await browser.send("/tags", {"d": names, "tag": "won"}, page="/account/notes")
    said = table(page.text)
    same = {said[name].replace(name, "") for name in ("locked.com", "unlisted.org")}
    assert len(same) == 1, same
    assert "Not among what your plan shows. What Pro adds" in same.pop()
    assert "Secret title" not in page.text
    # that it is free to register is part of Pro
    assert "Available" not in said["freed.com"]
    assert "Ended" in said["freed.com"]
    file = (await browser.get("/account/notes.csv")).content.decode("utf-8-sig")
    lines = {line["domain"]: line for line in csv.DictReader(io.StringIO(file))}
    assert {name: line["tags"] for name, line in lines.items()} == dict.fromkeys(names, "won")
    bare = [{**lines[name], "domain": ""} for name in ("locked.com", "unlisted.org")]
    assert bare[0] == bare[1]
    assert (bare[0]["score"], bare[0]["title"]) == ("", "")
    picked = await browser.send("/domains/pick", {"d": names, "do": "csv"}, page="/domains")
    assert [line["domain"] for line in csv.DictReader(io.StringIO(picked.content.decode("utf-8-sig")))] == [
        "freed.com",
        "open.com",
    ]
    assert lines["freed.com"]["status"] == "ended"
    assert lines["open.com"]["score"] == "60"


async def test_downloads_have_tags_and_notes_that_run_no_formula(service: Service, browser: Browser) -> None:
    await service.show(row("a.com"))
    await browser.sign_in("pro")
    await browser.send("/tags", {"d": "a.com", "tag": "=cmd|'x'"}, page="/account/notes")
    await browser.send("/domains/a.com/note", {"note": "@SUM(1)"}, page="/domains/a.com")
    await browser.send("/domains/a.com/watch", {}, page="/domains/a.com")
    for path in ("/csv/live", "/account/watchlist.csv", "/account/notes.csv"):
        [line] = csv.DictReader(io.StringIO((await browser.get(path)).content.decode("utf-8-sig")))
        assert (path, line["domain"], line["tags"], line["note"]) == (path, "a.com", "'=cmd|'x'", "'@SUM(1)")


async def test_a_shared_link_shows_each_reader_what_his_plan_shows(
    service: Service, browser: Browser, second: Browser
) -> None:
    await service.show(
        row("open.com", title="Open title", **OPEN),
        row("locked.com", title="Locked title"),
        row("ended.com", title="Ended title", **ENDED),
    )
    await browser.sign_in("pro")
    path = await made_link(browser, "locked.com", "open.com", "ended.com", "other.org")
    stranger = await second.get(path)
    assert stranger.status_code == 200
    assert list(table(stranger.text)) == ["open.com"]
    assert unseen(stranger.text) == ["locked.com", "ended.com", "other.org"]
    assert "Ask the sender for the report, or sign in to see what your plan shows" in words(stranger)
    assert re.findall(r"\w+ title", stranger.text) == ["Open title"]
    assert stranger.headers["x-robots-tag"] == "noindex, nofollow"
    await second.sign_in("free")
    free = await second.get(path)
    assert re.findall(r"\w+ title", free.text) == ["Open title", "Ended title"]
    assert list(table(free.text)) == ["open.com", "ended.com"]
    assert unseen(free.text) == ["locked.com", "other.org"]
    assert "Not among what your plan shows. What Pro adds locked.com other.org" in words(free)
    assert "sign in" not in words(free).casefold()
    await second.sign_in("pro")
    pro = await second.get(path)
    assert re.findall(r"\w+ title", pro.text) == ["Locked title", "Open title", "Ended title"]
    assert "Not on the lists other.org" in words(pro)


def unseen(text: str) -> list[str]:
    """The names of a shared link of which nothing is shown."""
    return [each.text(strip=True) for each in LexborHTMLParser(text).css("section.card .list-l li")]


async def test_a_shared_link_ends_and_is_revoked_by_its_maker_alone(
    service: Service, browser: Browser, second: Browser
) -> None:
    await browser.sign_in("pro")
    path = await made_link(browser, "a.com")
    page = await browser.get("/account/shares")
    assert path not in page.text
    found = re.search(r'name="revoke" value="(\d+)"', page.text)
    assert found
    await second.sign_in("free")
    assert (await second.send("/account/shares", {"revoke": found[1], "sure": "1"})).status_code == 404
    assert (await second.get(path)).status_code == 200
    assert "Revoke this link?" in words(await browser.send("/account/shares", {"revoke": found[1]}))
    await browser.send("/account/shares", {"revoke": found[1], "sure": "1"})
    assert (await second.get(path)).status_code == 404
    path = await made_link(browser, "a.com")
    service.clock.now += 30 * DAY
    ended = await second.get(path)
    assert (ended.status_code, "This link has expired" in words(ended)) == (404, True)
    assert (await second.get("/s/" + "x" * 500)).status_code == 404


async def test_a_link_holds_one_to_a_hundred_domains(service: Service, browser: Browser) -> None:
    await browser.sign_in("free")
    for names, why in (("", "choose 1"), (",".join(f"a{n}.com" for n in range(101)), "at most 100")):
        refused = await browser.send("/account/shares", {"d": names})
        assert (refused.status_code, why in words(refused)) == (422, True)


async def test_a_saved_filter_keeps_its_order_and_is_its_owners_alone(
    service: Service, browser: Browser, second: Browser
) -> None:
    await service.show(row("quilt-craft.com", score=80))
    await browser.sign_in("pro")
    listed = "/domains?q=craft&min_score=60&sort=dr&page=1"
    fields = {"list": "live", "query": "q=craft&min_score=60&sort=dr&page=1", "name": "English crafts"}
    page = await browser.send("/account/filters", fields, page=listed)
    assert "English crafts" in words(page)
    assert 'href="/domains?q=craft&amp;min_score=60&amp;sort=dr&amp;saved=English%20crafts"' in page.text
    await second.sign_in("free")
    found = re.search(r'name="delete" value="(f\d+)"', (await browser.get("/account/filters")).text)
    assert found
    assert (await second.send("/account/filters", {"delete": found[1], "sure": "1"})).status_code == 404
    assert "No filters yet" in words(
        await browser.send("/account/filters", {"delete": found[1], "sure": "1"})
    )


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"list": "nowhere", "query": ""}, "does not name a list"),
        ({"list": "live", "query": "q=a&q=b"}, "more than once"),
        ({"list": "live", "query": "q=" + "x" * 2500}, "at most 60"),
        ({"list": "live", "query": "drops_on=9999-12-31"}, "from 1985 on"),
        ({"list": "live", "query": "tld=" + ",".join(f"x{number}" for number in range(600))}, "at most 100"),
        ({"list": "live", "query": "", "name": "x" * 81}, "80 characters"),
    ],
)
async def test_wrong_filters_are_refused(
    service: Service, browser: Browser, fields: dict[str, str], why: str
) -> None:
    await browser.sign_in("free")
    refused = await browser.send("/account/filters", fields)
    assert (refused.status_code, why in words(refused)) == (422, True), words(refused)


async def test_a_filter_without_a_name_is_named_after_its_words(service: Service, browser: Browser) -> None:
    await browser.sign_in("free")
    page = await browser.send("/account/filters", {"list": "archive", "query": "min_dr=30&tld=com,org"})
    assert "DR from 30, extension com, org" in words(page)
    assert 'href="/domains/archive?min_dr=30&amp;tld=com,org&amp;saved=' in page.text


async def test_the_desk_shows_what_is_new_in_saved_filters_since_the_last_visit(
    service: Service, browser: Browser
) -> None:
    await service.show(
        row("old-craft.com", found_at=NOW - 2 * DAY), row("new-craft.com", found_at=NOW - DAY / 2)
    )
    await browser.sign_in("pro")
    await browser.send("/account/filters", {"list": "live", "query": "q=craft", "name": "Crafts"})
    page = await browser.get("/desk")
    assert "New in the last day" in words(page)
    assert "Crafts · 1 new-craft.com" in words(page)
    assert "old-craft.com" not in page.text
    service.clock.move(hours=3)
    await service.show(row("newer-craft.com", found_at=service.clock.now))
    page = await browser.get("/desk")
    assert "New since 20 Nov 2026, 18:00 UTC" in words(page)
    assert "Crafts · 1 newer-craft.com" in words(page)
    # the same visit shows the same
    service.clock.move(minutes=30)
    assert "Crafts · 1 newer-craft.com" in words(await browser.get("/desk"))


async def test_the_desk_shows_followed_domains_drops_credits_and_sources(
    service: Service, browser: Browser
) -> None:
    soon = NOW + timedelta(hours=2, minutes=10)
    pending: dict[str, Any] = {"type": "pending_delete", "ends_at": NOW + timedelta(hours=3), "url": None}
    caught = {"registrar": "Quick Names Ltd", "availability": "registered", "caught_after_drop": True}
    await service.show(
        row("soon.com", ends_at=soon, live_until=soon),
        row("far.com", ends_at=NOW + 20 * DAY, live_until=NOW + 20 * DAY),
        row("gone.com", **ENDED),
        row("drop.com", **{**pending, "live_until": pending["ends_at"]}),
    )
    await browser.sign_in("pro")
    for name in ("soon.com", "far.com", "gone.com"):
        await browser.send(f"/domains/{name}/watch", {}, page=f"/domains/{name}")
    async with service.database.write() as conn:
        await conn.execute(sa.update(domains).where(domains.c.domain == "gone.com").values(**caught))
        scan = {"day": "2026-11-20", "started_at": NOW, "finished_at": NOW, "deadline_at": NOW, "counts": {}}
        made = (
            await conn.execute(sa.insert(scans).values(**scan, scanned=9).returning(scans.c.id))
        ).scalar_one()
        run = {"scan_id": made, "started_at": NOW, "finished_at": NOW, "counts": {}, "samples": []}
        for feed, state in (("one", "failed"), ("two", "done"), ("three", "done")):
            values = {**run, "feed": feed, "source": feed, "state": state}
            await conn.execute(sa.insert(source_runs).values(**values))
    page = await browser.get("/desk")
    said = words(page)
    assert "Friday 20 November 18:00 UTC · last scan 20 Nov 2026, 18:00 UTC · 2 of 3 sources answered" in said
    assert "Followed, ending today 1 first in 2 h 10 min" in said
    assert "drop.com from 19:00" in said
    assert "gone.com Caught by Quick Names Ltd" in said
    assert "far.com" not in said.partition("Followed, ending soon")[2]


async def test_the_desk_counts_down_to_no_name_that_only_may_drop(service: Service, browser: Browser) -> None:
    service.clock.move(hours=8)  # two hours before .se names are released
    today = service.clock.now.date()
    opens = drop_end(today, "may.se") - timedelta(hours=2)
    rows = {
        name: row(name, type="pending_delete", url=None, ends_at=end, live_until=end, certain_from=certain)
        for name, end, certain in (
            ("may.se", drop_end(today, "may.se"), opens),
            ("will.com", drop_end(today, "will.com"), None),
        )
    }
    await browser.sign_in("pro")
    for name, certain in (
        ("may.se", "1 may drop Drops today 1 Check credits"),
        ("will.com", "2 first in 17 h 0 min Drops today 2 from 19:00"),
    ):
        await service.show(rows[name])
        await browser.send(f"/domains/{name}/watch", {}, page=f"/domains/{name}")
        said = words(await browser.get("/desk"))
        assert f"Followed, ending today {certain}" in said
        assert "may.se may drop from 04:00" in said
    assert "will.com from 19:00" in said
    service.clock.move(hours=2)
    said = words(await browser.get("/desk"))
    assert "Drops today 2 from 04:00" in said
    assert "may drop" not in said


async def test_a_free_desk_shows_nothing_locked(service: Service, browser: Browser) -> None:
    pending: dict[str, Any] = {"type": "pending_delete", "ends_at": NOW + timedelta(hours=3), "url": None}
    await service.show(
        row("locked-new.com", found_at=NOW),
        row("locked-drop.com", **{**pending, "live_until": pending["ends_at"]}),
        row("freed.com", **FREED),
        row("open-new.com", found_at=NOW, **OPEN),
    )
    await browser.sign_in("free")
    async with service.database.write() as conn:
        for name in ("freed.com", "locked-new.com"):
            await alerts.insert_watches(conn, service.accounts["free"].id, [name], NOW)
    page = await browser.get("/desk")
    assert "open-new.com" in page.text
    assert "locked-drop.com" not in page.text
    assert "All new domains · 1 " in words(page)
    assert not re.search(r"freed\.com (Free|Available)", words(page))
    assert "What became of your domains" not in words(page)
    assert "Drops today Pro" in words(page)


async def test_the_home_of_a_member_is_the_desk(service: Service, browser: Browser) -> None:
    assert (await browser.get("/")).url.path == "/"
    await browser.send("/sign-in", {"email": "free@members.example", "password": PASSWORD, "next": ""})
    assert browser.last is not None
    assert browser.last.url.path == "/desk"
    assert (await browser.get("/")).url.path == "/desk"


async def test_a_saved_filter_may_hold_what_only_the_site_knows(service: Service, browser: Browser) -> None:
    await service.show(row("mine-craft.com"), row("other-craft.com"))
    await browser.sign_in("pro")
    await browser.send("/tags", {"d": "mine-craft.com", "tag": "for the shop"}, page="/account/notes")
    query = "q=craft&tag=for%20the%20shop&min_cf=1&sort=tf-down"
    await browser.send("/account/filters", {"list": "live", "query": query, "name": "Mine"})
    page = await browser.get("/desk")
    assert "Mine · 1 mine-craft.com" in words(page)
