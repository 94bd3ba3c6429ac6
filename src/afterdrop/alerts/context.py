"""What the queue of matching and the jobs of mails and reminders need from their worker."""

from __future__ import annotations

from typing import Protocol

from afterdrop.accounts.secret_box import SecretBox
from afterdrop.queue.context import QueueContext


class AlertsContext(QueueContext, Protocol):
    """A queue's context, with the keys that sign the links in mails."""

    @property
    def secret_box(self) -> SecretBox:
        """The deployment's secret keys."""
        ...
