"""Reports, checks and comparisons: spam looks like spam, unknown like unknown, and nobody sees more than he may."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from selectolax.lexbor import LexborHTMLParser

from afterdrop.catalogue.publish import save_pages
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.review import registry_canaries
from afterdrop.review.flags.risk_flags import FLAGS
from afterdrop.review.history.findings import CATEGORY_WORDS
from afterdrop.sources.lookups import registry
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer, unknown
from afterdrop.watching.desk_rules import DECISIONS
from afterdrop.web.site.templates import when
from tests.support import told_reports
from tests.support.browser import Browser, words
from tests.support.histories import parked, sample
from tests.support.rows import DAY
from tests.support.service import ENDED, NOW, OPEN, Service, row
from tests.support.site_world import fill, report

# Codes with an underscore that only machines should read.
CODES = {code for code in (*FLAGS, *CATEGORY_WORDS, "buy_now", "pending_delete", "spam_paths") if "_" in code}


def classes(text: str) -> set[str]:
    """Every class a page uses."""
    nodes = LexborHTMLParser(text).css("[class]")
    return {name for node in nodes for name in (node.attributes["class"] or "").split()}


async def test_spam_looks_like_spam_everywhere(service: Service, browser: Browser) -> None:
    made = await fill(service.context, service.accounts["pro"])
    await browser.sign_in("pro")
    page = await browser.get(f"/checks/{made['casino']}")
    said = words(page)
    assert "casino.com REJECTED Gambling spam 2021–2023." in said
    assert "No serious risk found" not in said
    assert not {"m-high", "m-mid", "ring"} & classes(page.text)
    assert "of 100" not in said
    risks = LexborHTMLParser(page.text).css_first("#risks")
    assert risks is not None
    first = risks.css_first(".risk-row")
    assert first is not None
    assert "Spam" in first.text()
    listing = LexborHTMLParser((await browser.get("/checks")).text)
    [line] = [each for each in listing.css("tbody tr") if "casino.com" in each.text()]
    assert "REJECTED" in line.text()
    assert line.css("svg") == []
    answer: dict[str, Any] = (await service.get(f"/checks/{made['casino']}")).json()["data"]
    assert answer["score"] <= 40
    assert answer["report"]["score"] <= 40
    assert (answer["report"]["standing"], answer["report"]["spam"]["result"]) == ("rejected", "found")
    [check] = [
        each
        for each in (await browser.get("/account/data.json")).json()["checks"]
        if each["domain"] == "casino.com"
    ]
    assert check["score"] <= 40


async def test_unknown_looks_unknown(service: Service, browser: Browser) -> None:
    made = await fill(service.context, service.accounts["pro"])
    await browser.sign_in("pro")
    page = await browser.get(f"/checks/{made['nothing']}")
    said = words(page)
    assert "Not enough data" in said
    assert "What is missing" in said
    assert "Check again once a link index knows it." in said
    assert not {"m-high", "s-site", "ok"} & classes(page.text)
    listing = LexborHTMLParser((await browser.get("/checks")).text)
    [line] = [each for each in listing.css("tbody tr") if "nothing.com" in each.text()]
    assert "no data" in line.text()


async def test_a_listed_domain_without_captures_has_no_score_in_the_list(
    service: Service, browser: Browser
) -> None:
    await service.show(row("bare.com", archive_years=None), row("full.com"))
    await browser.sign_in("pro")
    tree = LexborHTMLParser((await browser.get("/domains")).text)
    shown = {
        domain: each.text()
        for each in tree.css("tbody tr")
        for domain in ("bare.com", "full.com")
        if domain in each.text()
    }
    assert "no data" in shown["bare.com"]
    assert "60" in shown["full.com"]


async def test_a_report_tells_one_story_without_codes(service: Service, browser: Browser) -> None:
    made = await fill(service.context, service.accounts["pro"])
    await browser.sign_in("pro")
    page = await browser.get("/domains/open-today.com")
    said = words(page)
    assert (
        "then another owner’s site, “Blue Adriatic yacht charter”, 2014–2024. The first site earned 55%"
        " of the 488 links we know by text, of 752 referring domains." in said
    )
    assert "Why 76?" in said
    assert "Change of subject" in said
    for path in (
        "/domains/open-today.com",
        f"/checks/{made['casino']}",
        f"/checks/{made['nothing']}",
        "/checks",
    ):
        shown = words(await browser.get(path))
        assert not [code for code in CODES if re.search(rf"\b{code}\b", shown)], path


async def test_why_adds_up_on_the_page(service: Service, browser: Browser) -> None:
    await fill(service.context, service.accounts["pro"])
    await browser.sign_in("pro")
    for path in ("/domains/open-today.com", "/domains/alpine-hut-9.org"):
        tree = LexborHTMLParser((await browser.get(path)).text)
        lines = [each.css("td")[3].text().split()[0].replace("−", "-") for each in tree.css("#why tbody tr")]
        [total] = [each.css("td")[3].text() for each in tree.css("#why tfoot tr")]
        assert sum(round(10 * float(line)) for line in lines) == 10 * int(total), path


async def test_the_end_goes_into_a_calendar(service: Service, browser: Browser) -> None:
    await service.show(row("live.com", **OPEN), row("over.com", **ENDED), row("locked.com"))
    await browser.sign_in("free")
    entry = await browser.get("/domains/live.com/end.ics")
    assert entry.headers["content-type"].startswith("text/calendar")
    assert f"DTSTART:{NOW + 2 * DAY:%Y%m%dT%H%M%SZ}" in entry.text
    assert "/domains/live.com/end.ics" in (await browser.get("/domains/live.com")).text
    assert (await browser.get("/domains/over.com/end.ics")).status_code == 404
    assert (await browser.get("/domains/locked.com/end.ics")).status_code == 403
    assert "end.ics" not in (await browser.get("/domains/over.com")).text


async def test_domains_side_by_side(service: Service, browser: Browser) -> None:
    steady = {**told_reports.row_values(told_reports.steady()), "price_usd": 80}
    turned = {**told_reports.row_values(told_reports.turned()), "price_usd": 222}
    await service.show(row("turned.com", **turned), row("steady.com", **steady))
    await browser.sign_in("pro")
    page = await browser.get("/compare?d=turned.com&d=steady.com,TURNED.com")
    tree = LexborHTMLParser(page.text)
    assert [each.text() for each in tree.css(".cmp thead a.name")] == ["turned.com", "steady.com"]
    card = tree.css_first("[id='difference-steady.com']")
    assert card is not None
    figures = [each.css("td")[-1].text().replace("−", "-") for each in card.css("tr") if each.css("td")]
    *lines, total = [round(10 * float(figure)) for figure in figures]
    assert sum(lines) == total
    apart = steady["score"] - turned["score"]
    assert total == 10 * apart
    assert f"{abs(apart)} point" in words(page)
    alone = await browser.get("/compare")
    assert "Which domains?" in words(alone)


async def test_a_comparison_shows_each_flag_as_grave_as_its_check_says(
    service: Service, browser: Browser
) -> None:
    sale = [sample(f"{year}-03", parked()) for year in range(2013, 2024)]
    made = told_reports.judged([*told_reports.bread(2005, 2012), *sale], told_reports.metrics())
    await service.show(row("sale.com", **told_reports.row_values(made)), row("gap.com", flags=["gap"]))
    await browser.sign_in("pro")
    tree = LexborHTMLParser((await browser.get("/compare?d=sale.com,gap.com")).text)
    drawn = {each.text(): each.attributes["class"] for each in tree.css(".cmp abbr.tag")}
    assert drawn == {"Parked": "tag risk", "Gap in the archive": "tag"}


async def test_a_comparison_offers_what_the_watchlist_shows(service: Service, browser: Browser) -> None:
    await service.show(row("shown.com"), row("hidden.com"))
    await browser.sign_in("pro")
    for name in ("shown.com", "hidden.com"):
        await browser.send(f"/domains/{name}/watch", {}, page=f"/domains/{name}")
    async with service.database.write() as conn:
        await conn.execute(sa.delete(domains).where(domains.c.domain == "hidden.com"))
    page = await browser.get("/compare")
    assert "d=shown.com" in page.text
    assert "hidden.com" not in page.text


@pytest.mark.parametrize("who", ["free", "pro"])
async def test_a_comparison_shows_what_each_report_would(
    service: Service, browser: Browser, who: str
) -> None:
    report = told_reports.row_values(told_reports.turned())
    await service.show(
        row("open.com", **{**report, **OPEN}),
        row("locked.com", **report),
        row("ended.com", **{**report, **ENDED}),
    )
    await browser.sign_in(who)
    page = await browser.get("/compare?d=open.com,locked.com,ended.com,hidden.com,fifth.com")
    said = words(page)
    names = [each.text() for each in LexborHTMLParser(page.text).css(".cmp thead a.name")]
    assert "hidden.com : The domain is not on the list." in said
    assert "compare at most 4 domains" in said
    if who == "pro":
        assert names == ["open.com", "locked.com", "ended.com"]
        assert "part of Pro" not in said
    else:
        assert names == ["open.com", "ended.com"]
        assert "locked.com : This domain is on the Pro list." in said
        assert said.count("part of Pro") == 1
        assert said.count("another owner’s site") == 1
        [line] = [
            each.text() for each in LexborHTMLParser(page.text).css(".cmp tr") if "Trust Flow" in each.text()
        ]
        assert "–" in line
    assert (await browser.get("/compare?d=no-domain,%3Cb%3E")).status_code == 200


async def test_a_kit_is_of_one_owner_and_another_can_be_chosen(service: Service, browser: Browser) -> None:
    made = told_reports.turned()
    await service.show(row("turned.com", **told_reports.row_values(made)))
    async with service.database.write() as conn:
        await save_pages(conn, "turned.com", made.history.pages, NOW)
    everyones = (await service.get("/domains/turned.com/pages")).json()
    assert [(each["path"], each["era"]) for each in everyones["data"]] == [("/", 2)]
    assert everyones["meta"]["total"] == 1
    listed = (await service.get("/domains/turned.com")).json()["data"]["revival_kit"]
    assert (listed["pages"], [kit["era"] for kit in listed["eras"]]) == (1, [2, 1])
    [first] = (await service.get("/domains/turned.com/pages?era=1")).json()["data"]
    assert (first["path"], first["captures"], first["last_capture"]) == ("/", 8, "2012-03-01")
    assert (await service.get("/domains/turned.com/pages?era=9")).json()["data"] == []
    assert (await service.get("/domains/turned.com/pages?era=0")).status_code == 422
    await browser.sign_in("pro")
    for asked, last, years in (("", "2024-03-01", "2014-2024"), ("?kit=1", "2012-03-01", "2005-2012")):
        kit = LexborHTMLParser((await browser.get(f"/domains/turned.com{asked}")).text).css("section table")[
            -1
        ]
        assert [node.text() for node in kit.css("td.when")] == [last]
        zipped = await browser.get(f"/domains/turned.com/kit.zip{asked}")
        assert f"turned.com-pages-{years}.zip" in zipped.headers["content-disposition"]
    assert "The site had 2 owners." in words(await browser.get("/domains/turned.com?kit=x"))


@pytest.mark.parametrize(
    ("extension", "kept", "said"),
    [
        ("com", None, ""),
        ("de", ("rdap.denic.de", True, DAY), ""),
        ("de", ("rdap.denic.de", False, 3 * DAY), "failed our last test. They were last right on {when}."),
        ("de", ("rdap.denic.de", False, None), "failed our last test. They were never right."),
        (
            "zz",
            None,
            "We know no server of .zz that we may ask, so we cannot say whether this name is free.",
        ),
    ],
)
async def test_a_report_says_where_the_registry_cannot_be_asked(
    service: Service,
    browser: Browser,
    extension: str,
    kept: tuple[str, bool, timedelta | None] | None,
    said: str,
) -> None:
    await service.show(row(f"mill.{extension}"))
    right_at = NOW - kept[2] if kept and kept[2] else None
    if kept is not None:
        server, holds, _ = kept
        times = {"checked_at": NOW, "next_at": NOW, "right_at": right_at}
        async with service.database.write() as conn:
            await conn.execute(
                sa.insert(registry_canaries).values(
                    server=server, extension=extension, holds=holds, note="", **times
                )
            )
    await browser.sign_in("pro")
    page = words(await browser.get(f"/domains/mill.{extension}"))
    assert said.format(when=when(right_at)) in page
    assert ("our last test" in page, "We know no server" in page) == ("our last" in said, extension == "zz")
    assert ("every two hours" in page) == (extension != "zz")


async def test_what_the_registry_says_is_asked_once_a_day(
    service: Service, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    facts = Registration(
        "open.com",
        "registered",
        registrar="Gandi <b>SAS",
        registered_at=datetime(2004, 3, 1, tzinfo=UTC),
        expires_at=datetime(2027, 3, 1, tzinfo=UTC),
        nameservers=("ns1.host.example", "ns2.host.example"),
    )
    answers = [unknown("open.com", "unreachable", ""), RegistryAnswer("registered", facts)]

    async def availability(sources: object, domains: list[str], *given: object, **more: object) -> list[Any]:
        asked.extend(domains)
        return [answers[min(len(asked), len(answers)) - 1]]

    monkeypatch.setattr(registry, "availability", availability)
    sources = SimpleNamespace(database=service.database)
    monkeypatch.setattr(type(service.context), "sources", property(lambda _: sources))
    await service.show(row("open.com", report=report(), **OPEN), row("locked.com", report=report()))
    await browser.sign_in("free")
    path = "/domains/open.com/registration"
    assert f'hx-get="{path}"' in (await browser.get("/domains/open.com")).text
    # a registry that could not be asked is left alone for some minutes, and is not taken for an answer
    for _ in range(2):
        assert "could not be asked just now" in words(await browser.get(path))
    service.clock.move(minutes=11)
    for hours in (0, 23):
        service.clock.move(hours=hours)
        said = words(await browser.get(path))
    assert "Registrar Gandi <b>SAS Registered 1 Mar 2004 Paid until 1 Mar 2027" in said
    assert "Name servers ns1.host.example, ns2.host.example" in said
    assert "<b>SAS" not in (await browser.get(path)).text
    assert asked == ["open.com"] * 2
    service.clock.move(hours=2)
    await browser.get(path)
    assert len(asked) == 3
    # only of a report that the account may see
    for hidden in ("locked.com", "nothing.com"):
        assert (await browser.get(f"/domains/{hidden}/registration")).status_code in (403, 404)
    await browser.send("/sign-out", {}, page="/account")
    assert "Sign in" in words(await browser.get(path))
    assert len(asked) == 3


async def test_a_decision_is_one_row_of_states(service: Service, browser: Browser) -> None:
    await service.show(row("open.com", report=report(), **OPEN))
    await browser.sign_in("pro")

    def pressed(page: Any) -> list[str]:
        states = LexborHTMLParser(page.text).css(".states button")
        assert len(states) == len(DECISIONS)
        return [each.text() for each in states if each.attributes["aria-pressed"] == "true"]

    assert pressed(await browser.get("/domains/open.com")) == []
    flip = {"d": "open.com", "back": "/domains/open.com", "flip": "bidding"}
    assert pressed(await browser.send("/tags", flip, page="/domains/open.com")) == ["Bidding"]
    page = await browser.send("/tags", {**flip, "flip": "won"}, page="/domains/open.com")
    assert pressed(page) == ["Won"], "a domain is in one state at a time"
    await browser.send("/tags", {"d": "open.com", "tag": "mine", "back": "/desk"}, page="/domains/open.com")
    page = await browser.send("/tags", {**flip, "flip": "won"}, page="/domains/open.com")
    assert pressed(page) == []
    # a tag of one's own stands apart, and is no state
    own = LexborHTMLParser(page.text).css(".decide .chips button")
    assert [each.text() for each in own] == ["mine × : remove this tag from open.com"]


async def test_links_stand_with_who_earned_them_and_can_be_looked_at_in_one_step(
    service: Service, browser: Browser
) -> None:
    seen, unseen = report(), {**report(), "links_today": None}
    unseen["links"] = [{**link, "today": None} for link in unseen["links"]]
    await service.show(row("seen.com", report=seen), row("unseen.com", report=unseen))
    await browser.sign_in("pro")
    page = await browser.get("/domains/seen.com")
    document = LexborHTMLParser(page.text)
    rows = {each.css("td")[0].text().strip(): each for each in document.css("#linked tbody tr")}
    earned = [
        " ".join(each.css("[data-label=Earned]")[0].text(separator=" ").split()) for each in rows.values()
    ]
    assert earned[:2] == ["2004–2021 seen 2012–2026", "unknown seen 2012–2026"] and earned[-1].startswith(
        "nobody: spam"
    )
    ratings = [int(each.css("[data-label=Rating]")[0].text()) for each in rows.values()]
    assert ratings == sorted(ratings, reverse=True)
    bars = {
        each.attributes["aria-label"]: [part.attributes["width"] for part in each.css("rect")]
        for each in document.css("#links svg.shares")
    }
    assert bars == {"Known links by owner": ["3", "3"], "2 of 5 still there": ["1", "1", "3"]}
    assert "strongest now" not in page.text
    page = await browser.get("/domains/unseen.com")
    [form] = [
        each for each in LexborHTMLParser(page.text).css("#links form") if "strongest now" in each.text()
    ]
    assert "Look at the 40 strongest now" in form.text() and "for 1 credit" in form.text()
    sent = {str(each.attributes["name"]): each.attributes["value"] for each in form.css("input")}
    ordered = await browser.post(
        form.attributes["action"] or "", {k: v or "" for k, v in sent.items() if k != "csrf"}
    )
    assert ordered.status_code == 303 and ordered.headers["location"].startswith("/checks/chk_")
