"""What the demo says of every listed name is the same on its pages, in the API, in agents' tools and in calendars."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
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

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
SIZE = 90
LISTS = {"/domains": "live", "/domains/available": "available", "/domains/archive": "archive"}
# Of one domain to compare: listed, reported, and told to agents.
Item = dict[str, Any]


@asynccontextmanager
async def signed_in(demo: Living, account: Item) -> AsyncIterator[httpx2.AsyncClient]:
    """A browser in which the demo's account is signed in."""
    async with Patient(base_url=demo.url, follow_redirects=True, timeout=30) as http:
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
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=30) as http,
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


async def contradictions(
    http: httpx2.AsyncClient, api: httpx2.AsyncClient, agent: Client, path: str, item: Item
) -> list[Any]:
    """What the surfaces say of one name that its report in the API does not."""
    name = item["domain"]
    report: Item = await asked(api, f"/domains/{name}")
    told = await told_to(agent, name)
    page, opened = (await http.get(f"/domains/{name}")).text, (await http.get(f"{path}?open={name}")).text
    said = words(report["flag_levels"])
    panel = LexborHTMLParser(opened).css_first("#panel")
    assert panel is not None or report["status"] != "listed", name
    severities = {
        "list of the API": words(item["flag_levels"]),
        "agent": words(told.get("flag_levels", {})),
        "report": on_report(page),
        "panel": said if panel is None else drawn(panel),
    }
    wrong: list[Any] = [(name, where, found, said) for where, found in severities.items() if found != said]
    parts = await parts_of(http.get, name, path)
    assert all(parts[where] for where in ("list", "report", "comparison")), name
    wrong += [(name, "list", drawn(row), said) for row in parts["list"] if drawn(row) != said]
    known = allowed(report)
    wrong += [(name, where, each) for where, found in parts.items() for each in facts(*found) - known]
    for where, other in (("list of the API", item), ("agent", told)):
        for what in ("metrics", "listing"):
            same = {key: value for key, value in report[what].items() if key in other[what]}
            wrong += [(name, where, other[what], same)] * (other[what] != same)
        figures = ("score", "found_at", "conclusion")
        wrong += [(name, where, what) for what in figures if other.get(what) != report[what]]
    history, top = report["history"], LexborHTMLParser(page).css_first(".facts")
    assert top is not None, name
    wrong += [(name, "captures", top.text())] * (f"{history['captures']} captures" not in top.text())
    wrong += [
        (name, "eras", era["captures"])
        for era in history["eras"]
        if not 0 < era["captures"] <= history["captures"]
    ]
    if (due := report["listing"]["opens_at"] or report["listing"]["ends_at"]) and report[
        "status"
    ] == "listed":
        at = datetime.fromisoformat(report["listing"]["day"] or due)
        begins = (
            f"DTSTART;VALUE=DATE:{at:%Y%m%d}" if report["listing"]["day"] else f"DTSTART:{at:%Y%m%dT%H%M%SZ}"
        )
        entry = (await http.get(f"/domains/{name}/end.ics")).text
        wrong += [(name, "calendar", entry)] * (begins not in entry)
    # What changed while the surfaces were asked contradicts nothing.
    again: Item = await asked(api, f"/domains/{name}") if wrong else report
    return wrong if (again["listing"], again["status"]) == (report["listing"], report["status"]) else []


async def test_the_demo_says_one_thing_of_every_name(tmp_path: Path) -> None:
    async with living(tmp_path, SIZE) as demo:
        account = orjson.loads((tmp_path / "credentials.json").read_bytes())["accounts"]["pro"]
        headers = {"Authorization": f"Bearer {account['key']}"}
        async with (
            signed_in(demo, account) as http,
            Patient(base_url=f"{demo.url}/api/v1", headers=headers, timeout=30) as api,
            agent_of(demo, account["key"]) as agent,
        ):
            wrong, seen = [], 0
            for path in LISTS:
                for item in await asked(api, f"{path}?per_page=100"):
                    wrong += await contradictions(http, api, agent, path, item)
                    seen += 1
    assert wrong == []
    assert seen > 25
