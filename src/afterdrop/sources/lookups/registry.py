"""Registration of domains: whether a name is taken, and its whois record with the drop estimate.

All registries are asked at once. Answers are live, unless the operator chose to cache them for a short time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from typing import Annotated, cast

from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.sources.lookups import store
from afterdrop.sources.lookups.sources import Sources
from afterdrop.sources.registry.drop_estimate import DropEstimate, DropEstimateJson, estimate
from afterdrop.sources.registry.rdap_answer import Registration, RegistrationRecord, RegistryAnswer, unknown
from afterdrop.sources.registry.registry_rules import rule_of

# A whole request is answered within this time: a row is `unknown` when its registry's pace does not allow it.
ANSWER_WITHIN = 50.0
# A failure passes sooner than a registration changes, but must not make us ask again at once.
_FAILURE_SECONDS = 20.0
_FAILURES = frozenset({"unreachable", "server_error", "not_registry", "bad_content", "refused"})
# What a registry says of a listed name is read anew after a day; where it could not be asked, after some minutes.
_FACTS_SECONDS = 86_400.0
_FACTS_FAILED_SECONDS = 600.0
_FACTS_WITHIN = 20.0
# These reasons are not cached: the bootstrap file and the host's block give them again without a request.
_FREE = frozenset({"no_rdap", "rate_limited", "not_believed"})


class WhoisRecord(RegistrationRecord):
    """A registration record with its drop estimate."""

    drop_estimate: Annotated[DropEstimateJson, Field(description="When the name may drop")]


class CachedAnswer(TypedDict):
    """A registry's answer as the cache keeps it."""

    record: RegistrationRecord
    notes: list[str]
    reason: str
    deleted_at: str | None
    transferred_at: str | None
    database_at: str | None
    registrar_expires_at: str | None
    releases_at: str | None
    releases_on: str | None


@dataclass(frozen=True, slots=True)
class Whois:
    """The registry's answer about one domain, and the drop estimate made from it."""

    answer: RegistryAnswer
    drop_estimate: DropEstimate

    def as_json(self) -> WhoisRecord:
        """The contract's whois record."""
        return {**self.answer.as_json(), "drop_estimate": self.drop_estimate.as_json()}


async def whois(sources: Sources, domain: str, now: datetime) -> Whois:
    """Ask the registry about `domain` (registrable, lowercase A-labels). If that fails, the state is `unknown`."""
    answer = (await availability(sources, [domain], now))[0]
    async with sources.database.read() as conn:
        listed = await store.listed_drop(conn, domain, now)
    return Whois(answer, estimate(answer, now, listed=listed))


async def availability(
    sources: Sources, domains: Sequence[str], now: datetime, *, within: float = ANSWER_WITHIN
) -> list[RegistryAnswer]:
    """One answer for each distinct domain (registrable, lowercase A-labels), in the order asked.

    A registry's failure never raises: its rows are `unknown`, with the reason.
    """
    wanted = list(dict.fromkeys(domains))
    seconds = sources.settings.registry.answer_cache_seconds
    found = await _cached(sources, wanted, now) if seconds else {}
    fetched = await _ask(sources, [domain for domain in wanted if domain not in found], now, within)
    if seconds:
        await _cache(sources, fetched, now, seconds)
    found |= fetched
    found |= await _sold_first(sources, found)
    return [found[domain] for domain in wanted]


async def facts(sources: Sources, domain: str, now: datetime) -> RegistryAnswer:
    """The registry's answer about a listed name: asked when somebody first looks at it, then once a day at most."""
    key = f"facts:{domain}"
    async with sources.database.read() as conn:
        kept = (await store.cached_answers(conn, [key], now)).get(key)
    if kept is not None:
        return from_json(cast(CachedAnswer, kept))
    answer = (await availability(sources, [domain], now, within=_FACTS_WITHIN))[0]
    seconds = _FACTS_FAILED_SECONDS if answer.state == "unknown" else _FACTS_SECONDS
    async with sources.database.write() as conn:
        await store.cache_answers(conn, {key: to_json(answer)}, now, seconds)
    return answer


async def _sold_first(sources: Sources, found: Mapping[str, RegistryAnswer]) -> dict[str, RegistryAnswer]:
    """The meaning of "not found" where the registry sells deleted names first (an auction, under .cz).

    A name that this deployment knows as registered before is `unknown` until the re-check has seen it free for long
    enough. For every other one a note says it: most of them were never registered.
    """
    rules = {
        domain: rule
        for domain, answer in found.items()
        if answer.state == "available" and (rule := rule_of(domain)) is not None and rule.sold_for is not None
    }
    if not rules:
        return {}
    async with sources.database.read() as conn:
        known = await store.known_as_registered(conn, rules)
    return {
        domain: unknown(domain, "sold_first", rule.how_to_buy or "")
        if domain in known
        else replace(found[domain], notes=(*found[domain].notes, rule.how_to_buy or ""))
        for domain, rule in rules.items()
    }


async def _cached(sources: Sources, domains: Sequence[str], now: datetime) -> dict[str, RegistryAnswer]:
    keys = {f"rdap:{domain}": domain for domain in domains}
    async with sources.database.read() as conn:
        cached = await store.cached_answers(conn, keys, now)
    return {keys[key]: from_json(cast(CachedAnswer, answer)) for key, answer in cached.items()}


async def _ask(
    sources: Sources, domains: Sequence[str], now: datetime, within: float
) -> dict[str, RegistryAnswer]:
    if not domains:
        return {}
    under_way = sources.registrations_under_way
    tasks = {
        domain: asyncio.create_task(under_way.ask(domain, partial(sources.registry.ask, domain, now)))
        for domain in domains
    }
    try:
        await asyncio.wait(tasks.values(), timeout=within)
    finally:
        late = [task for task in tasks.values() if task.cancel()]
        await asyncio.gather(*late, return_exceptions=True)
    return {domain: _result(domain, task, within) for domain, task in tasks.items()}


def _result(domain: str, task: asyncio.Task[RegistryAnswer], within: float) -> RegistryAnswer:
    if task.cancelled():
        return unknown(domain, "rate_limited", f"no answer within {within:.0f} s at the registry's pace")
    return task.result()


async def _cache(
    sources: Sources, fetched: Mapping[str, RegistryAnswer], now: datetime, seconds: float
) -> None:
    good: dict[str, CachedAnswer] = {}
    failed: dict[str, CachedAnswer] = {}
    for domain, answer in fetched.items():
        if answer.reason not in _FREE:
            group = failed if answer.reason in _FAILURES else good
            group[f"rdap:{domain}"] = to_json(answer)
    if good or failed:
        async with sources.database.write() as conn:
            await store.cache_answers(conn, good, now, seconds)
            await store.cache_answers(conn, failed, now, min(seconds, _FAILURE_SECONDS))


def to_json(answer: RegistryAnswer) -> CachedAnswer:
    """An answer as plain JSON values for the cache; `from_json` gives the same answer back."""
    return {
        "record": answer.as_json(),
        "notes": list(answer.notes),
        "reason": answer.reason,
        "deleted_at": _text(answer.deleted_at),
        "transferred_at": _text(answer.transferred_at),
        "database_at": _text(answer.database_at),
        "registrar_expires_at": _text(answer.registrar_expires_at),
        "releases_at": _text(answer.releases_at),
        "releases_on": answer.releases_on.isoformat() if answer.releases_on else None,
    }


def from_json(cached: CachedAnswer) -> RegistryAnswer:
    """The answer that `to_json` wrote."""
    record = cached["record"]
    return RegistryAnswer(
        state=record["state"],
        record=Registration(
            domain=record["domain"],
            state=record["state"],
            registrar=record["registrar"],
            registrar_iana_id=record["registrar_iana_id"],
            registered_at=_moment(record["registered_at"]),
            expires_at=_moment(record["expires_at"]),
            updated_at=_moment(record["updated_at"]),
            statuses=tuple(record["statuses"] or ()),
            nameservers=tuple(record["nameservers"] or ()),
            dnssec=record["dnssec"],
        ),
        notes=tuple(cached["notes"]),
        reason=cached["reason"],
        deleted_at=_moment(cached.get("deleted_at")),
        transferred_at=_moment(cached.get("transferred_at")),
        database_at=_moment(cached.get("database_at")),
        releases_at=_moment(cached.get("releases_at")),
        releases_on=date.fromisoformat(on) if (on := cached.get("releases_on")) else None,
        source=record["source"],
        registrar_expires_at=_moment(cached.get("registrar_expires_at")),
    )


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
