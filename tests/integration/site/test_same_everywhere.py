"""One word for a flag, one time, one price and one figure on every page, in mails, in the API and in agents' tools."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from afterdrop.core.settings_sections import Site
from afterdrop.review.flags.risk_flags import FLAGS, flag_label, found_flags
from afterdrop.scoring.conclusion import grades
from afterdrop.scoring.judge import Judgement
from afterdrop.watching.notices import mail_domain
from tests.integration.site.test_drops import dropping
from tests.support import told_reports
from tests.support.browser import Browser, made_link
from tests.support.histories import parked, sample
from tests.support.mcp_client import call
from tests.support.service import ENDED, FREED, NOW, OPEN, Service, row
from tests.support.surfaces import Words, allowed, drawn, facts, on_report, parts_of


@pytest.fixture
def more_settings() -> dict[str, Any]:
    """Links that show reports."""
    return {"site": Site(share_links="reports")}


def sold_for_long() -> Judgement:
    """Parked for sale for half of its life: a risk."""
    sale = [sample(f"{year}-03", parked()) for year in range(2013, 2024)]
    return told_reports.judged([*told_reports.bread(2005, 2012), *sale], told_reports.metrics())


def parked_lately() -> Judgement:
    """Parked at the end of a long life: for information."""
    sale = [sample("2024-03", parked())]
    return told_reports.judged([*told_reports.bread(2005, 2023), *sale], told_reports.metrics())


def inflated() -> Judgement:
    """A rating that nothing supports, a change of subject, and parking for sale."""
    figures = told_reports.metrics(domain_rating=70, trust_flow=3, referring_domains=30)
    sale = [sample(f"{year}-03", parked()) for year in range(2013, 2024)]
    return told_reports.judged([*told_reports.bread(2005, 2012), *sale], figures)


MADE = {
    "sold.com": sold_for_long, "lately.com": parked_lately, "inflated.com": inflated,
    "turned.com": told_reports.turned, "steady.com": told_reports.steady,
}  # fmt: skip


async def published(service: Service) -> dict[str, Words]:
    """The domains as they are listed, and what each flag must be called."""
    made = {name: make() for name, make in MADE.items()}
    await service.show(*(row(name, **told_reports.row_values(each)) for name, each in made.items()))
    return {
        name: {
            flag_label(check.flag): next(
                grade.level
                for grade in grades(check.flag)
                if (grade.level == "minor") == (check.severity == "info")
            )
            for check in each.checks
            if check.result == "found"
        }
        for name, each in made.items()
    }


async def test_every_surface_says_the_same_word(service: Service, browser: Browser, second: Browser) -> None:
    expected = await published(service)
    assert expected["sold.com"]["Parked"] == "caution"
    assert expected["lately.com"] == {"Parked": "minor"}
    assert "serious" in expected["inflated.com"].values()
    listed = {item["domain"]: item for item in (await service.get("/domains")).json()["data"]}
    told = (await call(service, "search_domains")).structured_content or {}
    of_agents = {item["domain"]: item for item in told["data"]}
    await browser.sign_in("pro")
    rows = LexborHTMLParser((await browser.get("/domains")).text)
    for name, said in expected.items():
        report = (await service.get(f"/domains/{name}")).json()["data"]
        agent = (await call(service, "get_report", domain=name)).structured_content or {}
        for item in (listed[name], report, of_agents[name], agent["data"]):
            levels = item.get("flag_levels", {})
            assert {flag_label(flag): level for flag, level in levels.items()} == said
            assert list(levels) == item["flags"]
        page = await browser.get(f"/domains/{name}")
        assert on_report(page.text) == said
        panel = LexborHTMLParser((await browser.get(f"/domains?open={name}")).text).css_first("#panel")
        assert panel is not None
        assert drawn(panel) == said
        [line] = [each for each in rows.css("tr") if each.css_first(f'a[href*="open={name}"]')]
        assert drawn(line) == said
        link = await made_link(browser, name)
        assert on_report((await second.get(link)).text) == said
        mail = mail_domain(listed[name])
        assert mail.flags == tuple(f"{label.lower()} ({level})" for label, level in said.items())


def risk_lines(page: str, part: str) -> list[tuple[str, list[str | None]]]:
    """The risks found that a part of a page tells, each in its words and with the captures that show it."""
    rows = LexborHTMLParser(page).css(f"{part} .risk-row:has(.pts)")
    return [(" ".join(row.text().split()), [a.attributes["href"] for a in row.css("a")]) for row in rows]


def reasons_told(page: str, score: int) -> list[str]:
    """What a panel says of why a score is what it is; the words of the report's table are in each."""
    [part] = [each for each in LexborHTMLParser(page).css(".short section") if f"Why {score}?" in each.text()]
    return [each.text() for each in part.css("li")]


def owners_told(page: str) -> str:
    """The line of a panel on who had the site."""
    line = LexborHTMLParser(page).css_first(".short .owners")
    return " ".join(line.text().split()) if line else ""


async def test_the_panel_gives_the_reasons_of_the_report(service: Service, browser: Browser) -> None:
    expected = await published(service)
    await browser.sign_in("pro")
    for name, said in expected.items():
        panel = (await browser.get(f"/domains?open={name}")).text
        report = (await browser.get(f"/domains/{name}")).text
        lines = risk_lines(panel, "#panel")
        assert lines == risk_lines(report, "#risks")
        assert len(lines) == len(said)
        score = (await service.get(f"/domains/{name}")).json()["data"]["score"]
        told, table = reasons_told(panel, score), LexborHTMLParser(report).css("table.why tbody tr")
        heads = [cell.text() for row in table if (cell := row.css_first("th"))]
        assert len(told) == 3
        assert all(any(reason.startswith(head) for head in heads) for reason in told)
    [(line, captures)] = risk_lines((await browser.get("/domains?open=turned.com")).text, "#panel")
    assert "“Harris & Sons, craft bread since 1911”" in line and "points" in line
    before, after = (f"https://a.test/{month}/http://oldmill-bakery.com/" for month in ("2012-03", "2014-03"))
    assert captures == [before, after]
    assert owners_told((await browser.get("/domains?open=turned.com")).text) == (
        "Owners: 2005–2012 Harris & Sons, craft bread since 1911 · 2014–2024 Blue Adriatic yacht charter"
    )
    steady = (await browser.get("/domains?open=steady.com")).text
    assert risk_lines(steady, "#panel") == []
    assert "History 16 of 16 years gives 15.0 of 15 points" in steady


async def test_a_free_account_reads_no_reasons_in_the_panel(service: Service, browser: Browser) -> None:
    await service.show(row("sold.com", **told_reports.row_values(sold_for_long())))
    await browser.sign_in("free")
    page = (await browser.get("/domains?open=sold.com")).text
    assert risk_lines(page, "#panel") == [] and owners_told(page) == "" and "Why " not in page


async def test_the_watchlist_and_a_comparison_say_it_too(service: Service, browser: Browser) -> None:
    expected = await published(service)
    await browser.sign_in("pro")
    for name in expected:
        await browser.send(f"/domains/{name}/watch", {}, page=f"/domains/{name}")
    compared = LexborHTMLParser((await browser.get("/compare?d=sold.com,inflated.com")).text)
    columns = [drawn(cell) for cell in compared.css('td[data-label="Flags"]')]
    assert columns == [expected["sold.com"], expected["inflated.com"]]
    page = LexborHTMLParser((await browser.get("/watchlist")).text)
    found = {line.css_first("a.name").text(): drawn(line) for line in page.css(".hunt tbody tr")}  # type: ignore[union-attr]  # there is one
    assert found == expected


async def test_the_pages_that_explain_flags_know_the_same_words(service: Service, browser: Browser) -> None:
    flags = LexborHTMLParser((await browser.get("/docs/flags")).text)
    score = LexborHTMLParser((await browser.get("/docs/score")).text)
    table = [[cell.text() for cell in each.css("th, td")] for each in score.css("tbody tr")]
    for flag in FLAGS:
        term = flags.css_first(f"dt#{flag}")
        assert term is not None
        assert term.next is not None
        words = [grade.level for grade in grades(flag)]
        told = flags.css_first(f"dt#{flag} + dd")
        assert told is not None
        for grade in grades(flag):
            assert f"{grade.level}, takes {100 * grade.share:.0f}% off" in told.text()
        assert [line[1] for line in table if line[0] == flag_label(flag)] == words


async def test_a_free_account_reads_the_same_word_of_an_open_name(service: Service) -> None:
    await service.show(row("sold.com", **told_reports.row_values(sold_for_long()), **OPEN))
    [item] = (await service.get("/domains", "free")).json()["data"]
    assert item["flag_levels"]["parked"] == "caution"


def test_the_judge_finds_no_flag_with_another_severity() -> None:
    for make in MADE.values():
        for flag, severity in found_flags(make().checks).items():
            assert (severity == "info") in {grade.level == "minor" for grade in grades(flag)}


def offered() -> list[dict[str, Any]]:
    """Ends of every kind, with prices, bids and days of discovery that differ."""
    columns = {name: told_reports.row_values(make()) for name, make in MADE.items()}
    endless = {"ends_at": None, "live_until": None, "type": "buy_now", "bids": 0}
    opens = NOW + timedelta(days=1)
    turned, steady = (
        {**columns[name], "tld": tld} for name, tld in (("turned.com", "org"), ("steady.com", "se"))
    )
    return [
        row("sold.com", **columns["sold.com"], price_usd=1234, bids=17, ends_at=NOW + timedelta(hours=29)),
        row("lately.com", **columns["lately.com"], **endless, price_usd=2500),
        dropping("inflated.com", 0, **columns["inflated.com"]),
        dropping("day.org", 1, **turned, found_at=NOW - timedelta(days=40)),
        dropping("may.se", 1, **steady, certain_from=opens),
        row("over.com", **columns["turned.com"], **ENDED, price_usd=321, bids=1),
        row("free.com", **columns["steady.com"], **FREED),
    ]


async def test_no_page_contradicts_another(service: Service, browser: Browser) -> None:
    await service.show(*offered())
    await browser.sign_in("pro")
    paths = {"over.com": "/domains/archive", "free.com": "/domains/available"}
    wrong, told = [], {}
    for name in (each["domain"] for each in offered()):
        if name not in paths:
            await browser.send(f"/domains/{name}/watch", {}, page=f"/domains/{name}")
        report = (await service.get(f"/domains/{name}")).json()["data"]
        agent = (await call(service, "get_report", domain=name)).structured_content or {}
        assert agent["data"]["listing"].items() <= report["listing"].items()
        assert (agent["data"]["metrics"], agent["data"]["found_at"]) == (
            report["metrics"],
            report["found_at"],
        )
        known = allowed(report)
        for where, parts in (
            await parts_of(browser.get, name, paths.get(name, "/domains"), (NOW + timedelta(days=1)).date())
        ).items():
            said = facts(*parts)
            told[name, where] = {what for what, _ in said}
            wrong += [(name, where, each) for each in said - known]
        page = LexborHTMLParser((await browser.get(f"/domains/{name}")).text)
        assert f"{report['history']['captures']} captures" in page.css_first(".facts").text()  # type: ignore[union-attr]  # there is one
        found = datetime.fromisoformat(report["found_at"])
        assert f"{found.day} {found:%b %Y}" in page.css_first("#listing").text()  # type: ignore[union-attr]  # there is one
    assert wrong == []
    for where in ("list", "panel", "report", "comparison"):
        assert {"due", "price", "bids", "trust_flow", "referring_domains"} <= told["sold.com", where], where
    assert "due" in told["sold.com", "desk"] & told["day.org", "desk"]
    assert "trust_flow" in told["inflated.com", "today"] & told["day.org", "tomorrow"]


async def test_calendars_and_mails_say_what_the_pages_say(service: Service, browser: Browser) -> None:
    await service.show(*offered())
    await browser.sign_in("pro")
    for item in (await service.get("/domains")).json()["data"]:
        mail, listing = mail_domain(item), item["listing"]
        due, day = listing["opens_at"] or listing["ends_at"], listing["day"]
        if due is None:
            continue
        assert mail.due_at == due
        at = datetime.fromisoformat(day or due)
        assert mail.day == (f"{at.day} {at:%b %Y} (.{item['tld']})" if day else "")
        entry = (await browser.get(f"/domains/{item['domain']}/end.ics")).text
        begins = f"DTSTART;VALUE=DATE:{at:%Y%m%d}" if day else f"DTSTART:{at:%Y%m%dT%H%M%SZ}"
        assert begins in entry
