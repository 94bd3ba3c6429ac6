"""Is a domain registered? One registry answer each, at once over all registries, briefly kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from afterdrop.lookups import cache, registry_rows
from afterdrop.lookups.sources import Sources
from afterdrop.registry.rdap_answer import RegistryAnswer, unknown

# A whole request is answered within this: rows whose registry's pace does not allow it are `unknown`.
ANSWER_WITHIN = 50.0
# Trouble passes sooner than a registration changes, but is not to be asked for again at once.
_TROUBLE_SECONDS = 20.0
_TROUBLE = frozenset({"unreachable", "server_error", "not_registry", "bad_content", "refused"})
# Found out again at no cost to anybody: the bootstrap and the host's block are known here.
_FREE = frozenset({"no_rdap", "rate_limited"})


async def availability(
    sources: Sources, domains: Sequence[str], now: datetime, *, within: float = ANSWER_WITHIN
) -> list[RegistryAnswer]:
    """One answer for each distinct domain (registrable, lowercase A-labels), in the order asked. Never raises for
    a registry's failure: that row is `unknown` with its reason."""
    wanted = list(dict.fromkeys(domains))
    keys = {f"rdap:{domain}": domain for domain in wanted}
    async with sources.database.read() as conn:
        kept = await cache.kept_answers(conn, keys, now)
    found = {keys[key]: registry_rows.from_json(answer) for key, answer in kept.items()}
    asked = await _ask(sources, [domain for domain in wanted if domain not in found], now, within)
    await _keep(sources, asked, now)
    found |= asked
    return [found[domain] for domain in wanted]


async def _ask(
    sources: Sources, domains: Sequence[str], now: datetime, within: float
) -> dict[str, RegistryAnswer]:
    if not domains:
        return {}
    tasks = {domain: asyncio.create_task(sources.rdap.ask(domain, now)) for domain in domains}
    try:
        await asyncio.wait(tasks.values(), timeout=within)
    finally:
        late = [task for task in tasks.values() if task.cancel()]
        await asyncio.gather(*late, return_exceptions=True)
    return {domain: _outcome(domain, task, within) for domain, task in tasks.items()}


def _outcome(domain: str, task: asyncio.Task[RegistryAnswer], within: float) -> RegistryAnswer:
    if task.cancelled():
        return unknown(domain, "rate_limited", f"not answered within {within:.0f} s at the registry's pace")
    return task.result()


async def _keep(sources: Sources, asked: dict[str, RegistryAnswer], now: datetime) -> None:
    seconds = sources.settings.registry.answer_cache_seconds
    good: dict[str, Any] = {}
    trouble: dict[str, Any] = {}
    for domain, answer in asked.items():
        if answer.reason not in _FREE:
            kept = trouble if answer.reason in _TROUBLE else good
            kept[f"rdap:{domain}"] = registry_rows.to_json(answer)
    if good or trouble:
        async with sources.database.write() as conn:
            await cache.keep_answers(conn, good, now, seconds)
            await cache.keep_answers(conn, trouble, now, min(seconds, _TROUBLE_SECONDS))
