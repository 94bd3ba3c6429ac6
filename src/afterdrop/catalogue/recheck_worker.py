"""The registry re-check as a job: what is due is asked, politely, and announced by the two-404s rule."""

from __future__ import annotations

from collections import Counter

from afterdrop.catalogue.recheck import recheck_pass
from afterdrop.worker.context import Gear


async def recheck(gear: Gear) -> Counter[str]:
    """One pass over every ended domain that is due; gives its counts."""
    return await recheck_pass(
        gear.database,
        gear.sources.rdap,
        gear.sources.dns.delegated,
        gear.now,
        gear.worker,
        gear.settings.registry,
    )
