"""Records the examples of the OpenAPI document: what a service over a sandbox really answered.

`python -m tests.contract.record_examples` writes `src/afterdrop/web/schemas/examples.json`.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson
import sqlalchemy as sa

from afterdrop.catalogue.availability.recheck import recheck
from afterdrop.checks.worker import check_queue
from afterdrop.core.settings_file import load
from afterdrop.db import migrate
from afterdrop.db.engine import open_database
from afterdrop.db.tables.delivery import events
from afterdrop.delivery.events import EVENTS
from afterdrop.queue.loop import Queue, QueueRunner
from afterdrop.sandbox import RunningSandbox, later_sites, start
from afterdrop.sandbox.story import Phase
from afterdrop.scan.page_texts import text_queue
from afterdrop.scan.run import run_scan
from afterdrop.watching.registry_news import tell_of_registries
from afterdrop.watching.reminder_worker import remind
from afterdrop.watching.store import insert_watches
from afterdrop.watching.takeovers import tell_of_visits
from afterdrop.watching.visits import visit_queue
from afterdrop.watching.worker import matching_queue
from afterdrop.web.app import create_app
from afterdrop.web.context import make_web_context
from afterdrop.web.http_protocol import ServerConnections
from afterdrop.web.problems import as_problem, problem_body
from afterdrop.web.schemas.examples import FILE
from afterdrop.worker_context import WorkerContext, open_context
from tests.support.sandboxes import environment, write_settings
from tests.support.service import SITE, Clock, Service

TODAY = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOOK = "https://hooks.example.org/afterdrop"
_CREDIT = {"text": "Domain Rating by a provider", "url": "https://provider.example/"}


class Recorder:
    """Asks the service, and keeps requests with their answers by operation, errors by status and code."""

    def __init__(self, service: Service, worker: WorkerContext) -> None:
        self.service = service
        self.worker = worker
        self.operations: dict[str, dict[str, Any]] = {}
        self.errors: dict[str, Any] = {}
        self.events: dict[str, Any] = {}

    async def call(self, operation: str, method: str, template: str, status: int = 200, **more: Any) -> Any:
        """One request and its answer. `path`, `query` and `body` are kept with it; `name` tells answers apart."""
        path, query, body = more.get("path", {}), more.get("query", {}), more.get("body")
        answer = await self.service.ask(
            method,
            template.format(**path),
            more.get("who", "pro"),
            params=query,
            json=body,
            headers=more.get("headers", {}),
        )
        assert answer.status_code == status, (operation, answer.status_code, answer.text)
        kept = self.operations.setdefault(
            operation, {"path": path, "query": query, "body": body, "answers": []}
        )
        if status != 204:
            name = more.get("name", "example")
            kept["answers"].append({"status": status, "name": name, "body": answer.json()})
        return None if status == 204 else answer.json()["data"]

    def error(self, answer: httpx2.Response) -> None:
        """Keep an error."""
        assert answer.is_error, answer.text
        self.keep_error(answer.status_code, answer.json())

    def keep_error(self, status: int, body: Any) -> None:
        """Keep an error, the first of its status and code."""
        self.errors.setdefault(f"{status} {body['error']['code']}", body)

    async def work(self, queue: Queue[Any]) -> None:
        """Work a queue until it is empty."""
        await QueueRunner(queue, self.worker).run(until_empty=True)


@asynccontextmanager
async def deployment(folder: Path) -> AsyncIterator[tuple[Recorder, RunningSandbox]]:
    """A service with accounts, and a worker's context, over a sandbox; all read one clock."""
    url = f"sqlite+aiosqlite:///{folder}/afterdrop.sqlite3"
    await asyncio.to_thread(migrate.upgrade, url)
    clock = Clock(TODAY - timedelta(days=3))
    async with start(1, 160, day=TODAY.date(), now=clock.read) as running:
        settings = load(file=write_settings(running, folder, url, site_url=f'"{SITE}"'))
        database = open_database(url)
        async with open_context(
            settings, database, worker="recorder", now=clock.read, environ=environment()
        ) as worker:
            context = make_web_context(
                settings, database, now=clock.read, monotonic=clock.monotonic, fetcher=worker.fetcher,
                providers=worker.providers,
            )  # fmt: skip
            app = create_app(context)
            async with (
                context.running(),
                httpx2.AsyncClient(
                    transport=httpx2.ASGITransport(app=app, raise_app_exceptions=False)
                ) as http,
            ):
                service = Service(context, app, clock, http)
                for name in ("free", "pro", "spender"):
                    await service.account(name, pro=name == "pro")
                await service.plan("pro", TODAY + timedelta(days=20))
                await service.account("unverified", verified=False)
                await service.scoped("reader", "read_only", of="free")
                yield Recorder(service, worker), running
        await database.close()


async def earlier_days(record: Recorder) -> None:
    """Three days of scans, so that domains have ended and dropped."""
    clock = record.service.clock
    for _ in range(3):
        await run_scan(record.worker)
        await recheck(record.worker)
        await record.work(matching_queue(record.worker))
        clock.move(days=1)


async def today(record: Recorder) -> None:
    """A rule, today's scan, and what it matched."""
    rule = {"name": "Names with a past", "min_score": 50, "tlds": ["com", "org", "net"], "clean_only": True}
    made = await record.call("createRule", "POST", "/alerts", 201, body=rule)
    path = {"id": made["id"]}
    await record.call("getRule", "GET", "/alerts/{id}", path=path)
    await record.call(
        "changeRule", "PATCH", "/alerts/{id}", path=path, body={"max_price": 200, "clean_only": False}
    )
    await run_scan(record.worker)
    for _ in range(2):
        await recheck(record.worker)
        record.service.clock.move(minutes=6)
    await record.work(matching_queue(record.worker))
    await record.work(text_queue(record.worker))
    await record.call("listRules", "GET", "/alerts")
    await record.call("listMatches", "GET", "/alerts/matches", query={"limit": 1})


async def account_and_lists(record: Recorder) -> None:
    """The account, the figures, the lists, reports and pages."""
    await record.call("getMe", "GET", "/me", name="pro")
    await record.call("getMe", "GET", "/me", who="free", name="free")
    for which in ("Live", "Available", "Archive"):
        record.operations[f"export{which}"] = {
            "path": {},
            "query": {"min_score": 50},
            "body": None,
            "answers": [],
        }
    await record.call("getStats", "GET", "/stats")
    query = {"min_score": 50, "tld": "com,org", "per_page": 1}
    [best] = await record.call("listLive", "GET", "/domains", query=query, name="pro")
    await record.call("listLive", "GET", "/domains", query=query, who="free", name="free")
    [free_one] = await record.call("listAvailable", "GET", "/domains/available", query={"per_page": 1})
    archived = {"sort": "ended", "per_page": 1}
    await record.call("listArchive", "GET", "/domains/archive", query=archived)
    await record.call("listRejected", "GET", "/domains/rejected", query={"spam": True, "per_page": 1})
    path = {"domain": best["domain"]}
    await record.call("getReport", "GET", "/domains/{domain}", path=path, name="full")
    ended = await record.service.get("/domains/archive", "free")
    basic = next(
        (each["domain"] for each in ended.json()["data"] if each["detail"] == "basic"), free_one["domain"]
    )
    await record.call(
        "getReport", "GET", "/domains/{domain}", path={"domain": basic}, who="free", name="basic"
    )
    query = {"include": "content", "per_page": 1}
    await record.call("listPages", "GET", "/domains/{domain}/pages", path=path, query=query)
    await record.call("watchDomain", "PUT", "/watchlist/{domain}", path=path)
    await record.call("listWatched", "GET", "/watchlist")
    await record.call(
        "unwatchDomain", "DELETE", "/watchlist/{domain}", 204, path={"domain": free_one["domain"]}
    )
    await record.call("whois", "GET", "/tools/whois", query=path)
    names = f"{best['domain']},{free_one['domain']}"
    await record.call("availability", "GET", "/tools/availability", query={"domains": names})
    await record.call("domainRating", "GET", "/tools/domain-rating", query={"domains": names})
    await record.call("dns", "GET", "/tools/dns", query={"host": best["domain"]})


async def checks(record: Recorder, unlisted: str) -> None:
    """A check as it is ordered, ordered again, listed and done."""
    body = {"domain": f"https://www.{unlisted}/about"}
    made = await record.call("orderCheck", "POST", "/checks", 202, body=body)
    path = {"id": made["id"]}
    await record.call("getCheck", "GET", "/checks/{id}", path=path, name="queued")
    record.service.clock.move(minutes=1)
    await record.work(check_queue(record.worker))
    record.service.clock.move(minutes=1)
    await record.call("orderCheck", "POST", "/checks", 200, body=body)
    await record.call("listChecks", "GET", "/checks", query={"per_page": 5})
    await record.call("getCheck", "GET", "/checks/{id}", path=path, name="done")


async def batches(record: Recorder, domains: list[str]) -> None:
    """What a batch of checks would cost, its order, and the batch afterwards."""
    named = {"domains": domains}
    preview = await record.call("orderCheckBatch", "POST", "/checks/batch", 200, body=named, name="preview")
    made = await record.call(
        "orderCheckBatch", "POST", "/checks/batch", 202, body={**named, "credits": preview["cost"]}
    )
    await record.call("getCheckBatch", "GET", "/checks/batch/{id}", path={"id": made["id"]})


async def webhooks(record: Recorder) -> None:
    """An endpoint, its test event and its deliveries."""
    wanted = {"body": {"url": HOOK, "events": ["alert.matched", "check.completed"]}}
    wanted["headers"] = {"Idempotency-Key": "endpoint-of-the-importer"}
    made = await record.call("createWebhook", "POST", "/webhooks", 201, **wanted)
    await record.call("createWebhook", "POST", "/webhooks", 200, **wanted, name="sent again")
    path = {"id": made["id"]}
    await record.call("getWebhook", "GET", "/webhooks/{id}", path=path)
    await record.call("listWebhooks", "GET", "/webhooks")
    await record.call("changeWebhook", "PATCH", "/webhooks/{id}", path=path, body={"active": False})
    await record.call("testWebhook", "POST", "/webhooks/{id}/test", 202, path=path)
    await record.call("listDeliveries", "GET", "/webhooks/{id}/deliveries", path=path)


async def followed(record: Recorder, running: RunningSandbox) -> None:
    """Two followed names that are on no list: one is renewed, the other drops, is registered anew and visited."""
    clock, now = record.service.clock, record.service.clock.now
    unlisted = [story for story in running.world.stories if story.scenario == "weak" and story.tld == "com"]
    renewed = next(story for story in unlisted if story.listing.sale == "bid")
    untold = ("unclear", "nothing", "same")
    dropped = next(
        story
        for story in unlisted
        if story.listing.sale == "drop"
        and later_sites.last_site(story) is not None
        and story.index % 23 not in (4, 9)  # of these the name servers are in trouble
        and later_sites.KINDS[later_sites.scene_of(story.domain)] not in untold
    )
    # The world leaves it free.
    anew = dropped.phases[-1].start + timedelta(hours=30)
    taken = Phase(anew, "active", anew, anew + timedelta(days=365), anew, registrar=6)
    object.__setattr__(dropped, "phases", (*dropped.phases, taken))
    owner = record.service.accounts["pro"].id
    for story in (renewed, dropped):
        clock.now = story.phases[-2].start if story is renewed else story.phases[1].start
        clock.move(days=1)
        async with record.service.database.write() as conn:
            await insert_watches(conn, owner, [story.domain], clock.now)
        await recheck(record.worker)
        for phase in story.phases[-1:] if story is renewed else story.phases[2:]:
            # Two answers some minutes apart say that a name is free.
            for later in (timedelta(hours=4), timedelta(hours=4, minutes=6)):
                clock.now = phase.start + later
                await recheck(record.worker)
                await tell_of_registries(record.worker)
    clock.move(days=1)
    await record.work(visit_queue(record.worker))
    await tell_of_visits(record.worker)
    clock.now = now


async def told(record: Recorder) -> None:
    """One event of each type, the reminder an hour before an end among them."""
    found = record.operations["listMatches"]["answers"][0]["body"]["data"][0]["domain"]
    clock, now = record.service.clock, record.service.clock.now
    clock.now = datetime.fromisoformat(found["listing"]["ends_at"]) - timedelta(minutes=50)
    await remind(record.worker)
    clock.now = now
    async with record.service.database.read() as conn:
        bodies = [orjson.loads(body) for body in await conn.scalars(sa.select(events.c.body))]
    await record.call("listEvents", "GET", "/events", query={"type": "check.completed", "limit": 1})
    for event in sorted(bodies, key=lambda event: str(event["id"])):
        record.events.setdefault(event["type"], event)
    wanted = {*EVENTS, "ping"}
    assert set(record.events) == wanted, wanted - set(record.events)


async def deletions(record: Recorder) -> None:
    """Names are followed once no registry is asked any more, and what was made is deleted."""
    names = {"domains": ["old-shop.com", "https://www.old-forum.org/about"]}
    await record.call("followDomains", "POST", "/watchlist", body=names)
    for operation, template, read in (
        ("deleteWebhook", "/webhooks/{id}", "getWebhook"),
        ("deleteRule", "/alerts/{id}", "getRule"),
    ):
        await record.call(operation, "DELETE", template, 204, path=record.operations[read]["path"])


async def refusals(record: Recorder) -> None:
    """One error of each status and code."""
    ask, settings = record.service.ask, record.service.context.settings
    for answer in (
        await ask("GET", "/me", ""),
        await ask("GET", "/me", "unverified"),
        await ask("GET", "/domains?min_score=101"),
        await ask("POST", "/alerts", "free", json={"name": "mine"}),
        await ask("GET", "/domains/never-listed.org"),
        await ask("PUT", "/me"),
        await ask("DELETE", "/watchlist/never-listed.org", "reader"),
        await ask("GET", "http://other.example/api/v1/me"),
    ):
        record.error(answer)
    open_to_all = (await record.service.get("/domains/archive?per_page=20", "free")).json()["data"]
    for each in open_to_all[:4]:
        last = await ask("PUT", f"/watchlist/{each['domain']}", "free")
    record.error(last)
    for number in range(5):
        last = await ask("POST", "/checks", "spender", json={"domain": f"shop-{number}.com"})
    record.error(last)
    names = ",".join(each["domain"] for each in open_to_all[:10])
    for _ in range(21):
        last = await ask("GET", f"/tools/domain-rating?domains={names}", "spender")
    record.error(last)
    for _ in range(60):
        last = await ask("GET", "/me", "spender")
    record.error(last)
    shared = ServerConnections(settings)
    for status, refused in ((408, shared.too_slow), (431, shared.too_long), (503, shared.too_many)):
        record.keep_error(status, json.loads(refused[1].partition(b"\r\n\r\n")[2]))
    record.keep_error(500, problem_body(as_problem(RuntimeError()), settings))


def _without_names(value: Any) -> Any:
    """The same with offers on hosts of no real marketplace, and figures by no real provider."""
    if isinstance(value, list):
        return [_without_names(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "attributions" in value:
        value = {**value, "attributions": [_CREDIT for _ in value["attributions"][:1]]}
    if "source" in value and value.get("url"):
        return _on_a_market(value, value["source"]) | {"source_title": _place(value["source"])}
    if value.get("status") == "available" and "listing" in value:
        named = {**value["listing"], "source_title": _place(value["listing"]["source"])}
        return {**value, "listing": named}
    if "source" in value and "value" in value:
        value = {**value, "source": "provider", "source_title": "Provider"}
    elif {"source", "at", "source_title"} == value.keys():
        value = {**value, "source_title": _place(value["source"])}
    shown = {name: _without_names(item) for name, item in value.items()}
    if value.get("purchase") and value["listing"]["source"]:
        shown["purchase"] = [_way(each, value["listing"]["source"]) for each in value["purchase"]]
    return shown


def _on_a_market(offer: dict[str, Any], source: str) -> dict[str, Any]:
    host = source.replace("_", "-")
    return {**offer, "url": re.sub("^https://[^/]+", f"https://{host}.example", offer["url"])}


def _place(source: str) -> str:
    return source.replace("_", " ").title()


def _way(way: dict[str, Any], source: str) -> dict[str, Any]:
    label = way["label"].replace(way["place"], _place(source))
    return {**_on_a_market(way, source), "place": _place(source), "label": label}


def neutral(text: str, origins: dict[str, str]) -> str:
    """The same on a site of its own, with the sandbox's servers under names and no secret."""
    text = text.replace(SITE, "https://afterdrop.example")
    for key, origin in origins.items():
        text = text.replace(origin, f"https://{key}.sandbox.example")
    return re.sub(r"whsec_[A-Za-z0-9_-]+", "whsec_<SIGNING_SECRET>", text)


async def main() -> None:
    """Record, and write the file."""
    with tempfile.TemporaryDirectory() as folder:
        async with deployment(Path(folder)) as (record, running):
            await earlier_days(record)
            await today(record)
            await account_and_lists(record)
            unlisted, ordered = islice(
                (story.domain for story in running.world.stories if story.scenario == "live_bid"), 2
            )
            listed = record.operations["listLive"]["answers"][0]["body"]["data"][0]["domain"]
            await checks(record, unlisted)
            await batches(record, [listed, unlisted, ordered])
            await webhooks(record)
            await followed(record, running)
            await told(record)
            await deletions(record)
            await refusals(record)
            found = {"operations": record.operations, "errors": record.errors, "events": record.events}
            registrar = urlsplit(record.service.context.settings.registry.register_url)
            origins = {**running.origins, "registrar": f"https://{registrar.netloc}"}
            text = neutral(json.dumps(_without_names(found), indent=1, ensure_ascii=False), origins)
    FILE.write_text(text + "\n", encoding="utf-8")
    print(f"wrote {FILE}")


if __name__ == "__main__":
    asyncio.run(main())
