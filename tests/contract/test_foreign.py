"""Every route with an id answers 404 to another account's key."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from afterdrop.db.engine import Database
from afterdrop.db.tables import metadata
from tests.contract.routes import table
from tests.support.service import Service, code, row

MINE: dict[str, tuple[str, dict[str, Any]]] = {
    "/alerts": ("/alerts", {"name": "mine"}),
    "/webhooks": ("/webhooks", {"url": "https://hooks.example.org/"}),
    "/checks": ("/checks", {"domain": "mine.com"}),
}
BODIES: dict[str, dict[str, Any]] = {"/alerts/{id}": {"name": "theirs"}, "/webhooks/{id}": {"active": False}}
# Counting a request or using a key changes these.
COUNTED = {"usage_counters", "api_keys", "versions"}


async def owned(service: Service) -> dict[str, str]:
    """One of everything an account can own; ids by the first part of their path."""
    await service.show(row("mine.com"))
    assert (await service.ask("PUT", "/watchlist/mine.com")).status_code == 200
    made = {}
    for start, (path, body) in MINE.items():
        made[start] = str((await service.ask("POST", path, json=body)).json()["data"]["id"])
    assert (await service.ask("POST", f"/webhooks/{made['/webhooks']}/test")).status_code == 202
    return made


async def everything(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Every row there is."""
    async with database.read() as conn:
        return {
            str(name): sorted((tuple(found) for found in await conn.execute(sa.select(what))), key=repr)
            for name, what in metadata.tables.items()
            if name not in COUNTED
        }


async def test_al_09_we_21_ce_10_every_route_with_an_id_is_404_for_everybody_else(service: Service) -> None:
    ids = await owned(service)
    await service.plan("free", None)
    before = await everything(service.database)
    walked = 0
    for template, method in table():
        start = next((start for start in ids if template.startswith(f"{start}/{{id}}")), None)
        if start is None:
            continue
        walked += 1
        path = template.replace("{id}", ids[start])
        unknown = template.replace(
            "{id}", "chk_01M7X67AFG1870J58GQ2EP02DX" if start == "/checks" else "999999"
        )
        for who in ("other", "free"):
            body = {"json": BODIES[template]} if method == "PATCH" else {}
            answers = [await service.ask(method, each, who, **body) for each in (path, unknown)]
            needs_pro = who == "free" and (method in ("PATCH", "POST"))
            wanted = (403, "plan_required") if needs_pro else (404, "not_found")
            assert [code(answer) for answer in answers] == [wanted] * 2, (method, path, who)
            # Not even a hint that somebody else has it.
            told, other = ({**answer.json()["error"], "request_id": None} for answer in answers)
            assert told == other, (method, path)
        assert code(await service.ask(method, path, "")) == (401, "unauthenticated")
    assert walked == 9
    assert await everything(service.database) == before


async def test_lists_are_ones_own(service: Service) -> None:
    ids = await owned(service)
    for who in ("other", "free"):
        for path in ("/watchlist", "/alerts", "/alerts/matches", "/checks", "/webhooks"):
            assert (await service.get(path, who)).json()["data"] == [], (path, who)
        me = (await service.get("/me", who)).json()["data"]
        assert (me["alerts"]["used"], me["watchlist"]["used"], me["webhooks"]["used"]) == (0, 0, 0)
    assert (await service.ask("DELETE", "/watchlist/mine.com", "other")).status_code == 204
    assert [item["domain"] for item in (await service.get("/watchlist")).json()["data"]] == ["mine.com"]
    again = await service.ask("POST", "/checks", "other", json={"domain": "mine.com"})
    assert (again.status_code, again.json()["data"]["id"] == ids["/checks"]) == (202, False)
