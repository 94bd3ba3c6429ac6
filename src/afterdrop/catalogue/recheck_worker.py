"""The registry re-check as a job: what is due is asked, politely, and announced by the two-404s rule."""

from __future__ import annotations

from collections import Counter
from typing import Protocol

from afterdrop.catalogue.recheck import recheck_pass
from afterdrop.lookups.sources import Sources
from afterdrop.queue.context import QueueContext


class RecheckContext(QueueContext, Protocol):
    """What the registry re-check needs."""

    @property
    def sources(self) -> Sources:
        """Registries and resolvers."""
        ...


async def recheck(context: RecheckContext) -> Counter[str]:
    """One pass over every ended domain that is due; gives its counts."""
    return await recheck_pass(
        context.database,
        context.sources.rdap,
        context.sources.dns.delegated,
        context.now,
        context.worker,
        context.settings.registry,
    )
