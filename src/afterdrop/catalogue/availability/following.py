"""Followed names at their registries: those that the re-check does not ask about, by RDAP or WHOIS, whichever works.

Of a day's WHOIS questions to one server they use at most half of what the re-check leaves to look-ups.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from afterdrop.catalogue.availability import following_store
from afterdrop.catalogue.availability import store as recheck_store
from afterdrop.catalogue.availability.following_rules import FollowedName, decide_followed
from afterdrop.catalogue.availability.following_store import StateRow
from afterdrop.catalogue.availability.recheck import AT_ONCE, LEASE, Inquiry, RecheckContext


@dataclass
class FollowingPass:
    """One pass over the followed names that are due."""

    inquiry: Inquiry
    worker: str
    counts: Counter[str] = field(default_factory=Counter)

    async def run(self) -> Counter[str]:
        """Ask about every name that is due, hosts side by side; gives counts (see `follow`)."""
        inquiry = self.inquiry
        async with inquiry.database.write() as conn:
            self.counts["new"] = await following_store.take_in(conn, inquiry.clock())
        while True:
            async with inquiry.database.write() as conn:
                rows = await following_store.claim(conn, self.worker, inquiry.clock(), LEASE, AT_ONCE)
            if not rows:
                return self.counts
            await inquiry.batch(rows, self._ask)

    async def _ask(self, host: str | None, row: StateRow) -> None:
        inquiry, known = self.inquiry, FollowedName.of(row)
        waits = inquiry.waits.of(row["domain"], known.first_free_at, known.term_ends_at or known.expires_at)
        confirming = known.confirming(inquiry.clock(), waits.gap)
        answer, doubt = await inquiry.ask(host, row["domain"], confirming=confirming)
        now = inquiry.clock()
        async with inquiry.database.write() as conn:
            mass = confirming and await inquiry.mass(conn, host, known.first_free_at, now)
            step = decide_followed(known, answer, replace(doubt, mass=mass), now, waits)
            written = await following_store.settle(conn, row, step, now)
            if written and host is not None:
                first, withheld = step.not_found == "first", step.not_found == "withheld"
                pass_at = recheck_store.pass_start(now, waits.often)
                await recheck_store.count_answer(conn, host, pass_at, turned=first, withheld=withheld)
        self.counts["asked"] += 1
        self.counts["unknown"] += int(answer.state == "unknown")
        self.counts["changed"] += int(written and step.change is not None)


async def follow(context: RecheckContext) -> dict[str, int]:
    """Ask about every followed name that is due; gives counts: new, asked, unknown, changed."""
    sources = context.sources
    inquiry = Inquiry(
        context.database,
        sources.registry.for_following(),
        sources.dns.delegated,
        context.now,
        context.settings.registry,
    )
    return dict(await FollowingPass(inquiry, context.worker).run())
