"""The context of reviews: archives, pages as they stand today, and the processes that read both."""

from __future__ import annotations

from typing import Protocol

from afterdrop.queue.loop import QueueContext
from afterdrop.review.page.pool import PagePool
from afterdrop.sources.archive.archives import Archives
from afterdrop.sources.live.pages import LivePages


class ReviewContext(QueueContext, Protocol):
    """The context in which a domain is reviewed and its links are looked at."""

    @property
    def archives(self) -> Archives:
        """The archives that are switched on."""
        ...

    @property
    def live(self) -> LivePages:
        """The pages of strangers' hosts."""
        ...

    @property
    def pages(self) -> PagePool:
        """The processes that read pages."""
        ...
