"""Checks look at the pages of the strongest links: what became of each, how often hosts are asked, and what is told."""

from __future__ import annotations

from collections import Counter
from typing import Any

from afterdrop.checks.worker import check_queue
from afterdrop.core.settings import Settings
from afterdrop.core.settings_sections import Live
from afterdrop.queue.loop import QueueRunner
from afterdrop.sandbox import link_pages
from afterdrop.sources.live.pages import HOST_REQUESTS
from afterdrop.worker_context import open_context
from tests.integration.checks.conftest import Bench
from tests.support import POSTGRES_IS_LONG


async def checked(bench: Bench, domains: list[str], settings: Settings | None = None) -> list[dict[str, Any]]:
    """The reports of domains that are checked one after the other."""
    ids = [(await bench.order(domain)).check["id"] for domain in domains]
    async with open_context(
        settings or bench.settings, bench.database, worker="w", environ=bench.environ
    ) as context:
        await QueueRunner(check_queue(context), context).run(until_empty=True)
    return [(await bench.row(check_id))["report"] for check_id in ids]


def linked(bench: Bench, count: int) -> list[str]:
    """The names with the most links."""
    stories = sorted(bench.running.world.stories, key=lambda story: -len(story.metrics.links))
    return [story.domain for story in stories if "majestic" in story.metrics.known][:count]


def with_live(settings: Settings, **more: Any) -> Settings:
    live = Live.model_validate({**settings.live.model_dump(), **more})
    # The sandbox's name server shares a busy machine with the test: an answer that comes late is no trouble of its own.
    dns = settings.dns.model_copy(update={"timeout_seconds": 20})
    return settings.model_copy(update={"live": live, "dns": dns})


def link_requests(bench: Bench) -> list[tuple[str, str]]:
    """What linking hosts were asked: host and path."""
    return [(entry["host"], entry["path"]) for entry in bench.running.state.log if entry["server"] == "links"]


@POSTGRES_IS_LONG
async def test_the_state_of_every_link_is_right(bench: Bench) -> None:
    reports = await checked(bench, linked(bench, 3), with_live(bench.settings, pages=100))
    truth = {link.page: link for link in bench.running.world.linking_pages.values()}
    right, wrong = 0, []
    for report in reports:
        for link in report["links"]:
            expected = link_pages.STATES[truth[link["page"]].today]
            if link["today"] is not None and link["today"]["state"] == expected:
                right += 1
            else:
                wrong.append((link["page"], truth[link["page"]].today, link["today"]))
        counts = report["links_today"]
        states = Counter(link["today"]["state"] for link in report["links"] if link["today"])
        assert counts["there"] == states["there"] > 0
    assert right / (right + len(wrong)) >= 0.99, wrong
    seen = [link for report in reports for link in report["links"] if link["today"]]
    nofollow = {link["page"]: link["today"]["nofollow"] for link in seen if link["today"]["state"] == "there"}
    assert {
        page: told for page, told in nofollow.items() if told != (truth[page].today in link_pages.NOFOLLOW)
    } == {}
    counted = Counter(host for host, _ in link_requests(bench))
    assert max(counted.values()) <= HOST_REQUESTS
    asked = link_requests(bench)
    for host, path in asked:
        assert path == "/robots.txt" or (host, "/robots.txt") in asked
        forbidden = link_pages.site_scene(host.removeprefix("www.")) == "forbidden"
        assert not (forbidden and path.startswith("/links/"))


@POSTGRES_IS_LONG
async def test_a_check_ends_in_time_with_what_could_be_had(bench: Bench) -> None:
    bench.running.state.faults.put([{"server": "links", "kind": "timeout", "share": 0.5, "seconds": 60}])
    settings = with_live(bench.settings, check_seconds=8, pages=100)
    [report] = await checked(bench, linked(bench, 1), settings)
    assert 0 < report["links_today"]["pages"] < len(report["links"]) + 12
    assert any(link["today"] is None for link in report["links"])


async def test_without_a_contact_or_without_leave_nobody_is_asked(bench: Bench) -> None:
    for changed in ({"contact": ""}, {"live": bench.settings.live.model_copy(update={"links": False})}):
        [report] = await checked(bench, linked(bench, 1), bench.settings.model_copy(update=changed))
        assert report["links"] and report["links_today"] is None
    assert link_requests(bench) == []


async def test_pages_are_asked_once_a_month_and_the_day_has_a_cap(bench: Bench) -> None:
    first, second = linked(bench, 2)
    settings = with_live(bench.settings, pages=10, pages_per_day=15)
    reports = await checked(bench, [first, second], settings)
    assert [report["links_today"]["pages"] for report in reports] in ([10, 5], [5, 10])
