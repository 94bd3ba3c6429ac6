"""What the demo says of every listed name is the same on its pages, in the API, in agents' tools and in calendars."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types.version import LATEST_MODERN_VERSION
from selectolax.lexbor import LexborHTMLParser

from afterdrop.review.flags.risk_flags import flag_label
from tests.support.living import Living, living
from tests.support.surfaces import Words, allowed, drawn, facts, on_report, parts_of

pytestmark = [pytest.mark.long]
SIZE = 90
LISTS = {"/domains": "live", "/domains/available": "available", "/domains/archive": "archive"}
# Of one domain to compare: listed, reported, and told to agents.
Item = dict[str, Any]


@asynccontextmanager
async def signed_in(demo: Living, account: Item) -> AsyncIterator[httpx2.AsyncClient]:
    """A browser in which the demo's account is signed in."""
    async with Patient(base_url=demo.url, follow_redirects=True, timeout=180) as http:
        found = re.search(r'name="csrf" value="([^"]+)"', (await http.get("/sign-in")).text)
        assert found
        fields = {
            "csrf": found[1],
            "email": account["email"],
            "password": account["password"],
            "next": "/desk",
        }
        assert (await http.post("/sign-in", data=fields)).status_code == 200
        yield http


@asynccontextmanager
async def agent_of(demo: Living, key: str) -> AsyncIterator[Client]:
    """The official MCP client, at the demo."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=180) as http,
        Client(
            streamable_http_client(f"{demo.url}/mcp", http_client=http), mode=LATEST_MODERN_VERSION
        ) as client,
    ):
        yield client


class Patient(httpx2.AsyncClient):
    """A client that asks again as soon as its minute has room."""

    async def get(self, url: Any, **more: Any) -> httpx2.Response:
        """Ask once, or as often as the limit on requests wants."""
        while (answer := await super().get(url, **more)).status_code == 429:
            await asyncio.sleep(int(answer.headers["retry-after"]))
        return answer


async def asked(api: httpx2.AsyncClient, path: str) -> Any:
    """What the API answers."""
    return (await api.get(path)).json()["data"]


async def told_to(agent: Client, name: str) -> Item:
    """What an agent reads of a name, as soon as the key's minute has room."""
    while "data" not in (
        told := (await agent.call_tool("get_report", {"domain": name})).structured_content or {}
    ):
        assert told["error"]["code"] == "rate_limited", told
        await asyncio.sleep(1)
    found: Item = told["data"]
    return found


def words(levels: dict[str, str]) -> Words:
    """The severities of the API, by the labels that people read."""
    return {flag_label(flag): level for flag, level in levels.items()}


def figures_differ(report: Item, other: Item) -> list[str]:
    """Which figures another answer has otherwise than the report does. It may have fewer of them."""
    parts = [what for what in ("metrics", "listing") if not other[what].items() <= report[what].items()]
    return parts + [what for what in ("score", "found_at", "conclusion") if other.get(what) != report[what]]


def begins(listing: Item) -> str | None:
    """The line of a calendar entry with its beginning; None where there is nothing to enter."""
    if (due := listing["opens_at"] or listing["ends_at"]) is None:
        return None
    at = datetime.fromisoformat(listing["day"] or due)
    return f"DTSTART;VALUE=DATE:{at:%Y%m%d}" if listing["day"] else f"DTSTART:{at:%Y%m%dT%H%M%SZ}"


async def on_pages(http: httpx2.AsyncClient, report: Item, path: str) -> list[Any]:
    """What the site's pages, and the calendar, say of one name otherwise than its report."""
    name, said = report["domain"], words(report["flag_levels"])
    wrong: list[Any] = []
    page, opened = (await http.get(f"/domains/{name}")).text, (await http.get(f"{path}?open={name}")).text
    panel, head = LexborHTMLParser(opened).css_first("#panel"), LexborHTMLParser(page).css_first(".facts")
    assert head is not None, name
    assert panel is not None or report["status"] != "listed", name
    parts = await parts_of(http.get, name, path, datetime.now(UTC).date() + timedelta(days=1))
    assert all(parts[where] for where in ("list", "report", "comparison")), name
    drawings = [("report", on_report(page)), *(("list", drawn(row)) for row in parts["list"])]
    drawings += [] if panel is None else [("panel", drawn(panel))]
    wrong += [(name, where, found) for where, found in drawings if found != said]
    known = allowed(report)
    wrong += [(name, where, each) for where, found in parts.items() for each in facts(*found) - known]
    if f"{report['history']['captures']} captures" not in head.text():
        wrong.append((name, "captures", head.text()))
    line = begins(report["listing"]) if report["status"] == "listed" else None
    if line and line not in (await http.get(f"/domains/{name}/end.ics")).text:
        wrong.append((name, "calendar", line))
    return wrong


async def contradictions(
    http: httpx2.AsyncClient, api: httpx2.AsyncClient, agent: Client, path: str, item: Item
) -> list[Any]:
    """What the surfaces say of one name that its report in the API does not."""
    name = item["domain"]
    report: Item = await asked(api, f"/domains/{name}")
    told = await told_to(agent, name)
    wrong = await on_pages(http, report, path)
    for where, other in (("list of the API", item), ("agent", told)):
        wrong += [(name, where, what) for what in figures_differ(report, other)]
        if other.get("flag_levels", {}) != report["flag_levels"]:
            wrong.append((name, where, "flag_levels"))
    most = report["history"]["captures"]
    wrong += [
        (name, "era", era["captures"]) for era in report["history"]["eras"] if not 0 < era["captures"] <= most
    ]
    # What changed while the surfaces were asked contradicts nothing.
    again: Item = await asked(api, f"/domains/{name}") if wrong else report
    return wrong if (again["listing"], again["status"]) == (report["listing"], report["status"]) else []


async def test_the_demo_says_one_thing_of_every_name(tmp_path: Path) -> None:
    async with living(tmp_path, SIZE) as demo:
        account = orjson.loads((tmp_path / "credentials.json").read_bytes())["accounts"]["pro"]
        headers = {"Authorization": f"Bearer {account['key']}"}
        async with (
            signed_in(demo, account) as http,
            Patient(base_url=f"{demo.url}/api/v1", headers=headers, timeout=180) as api,
            agent_of(demo, account["key"]) as agent,
        ):
            wrong, seen = [], 0
            for path in LISTS:
                for item in await asked(api, f"{path}?per_page=100"):
                    wrong += await contradictions(http, api, agent, path, item)
                    seen += 1
    assert wrong == []
    assert seen > 25
