"""A worker that delivers to receivers on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from afterdrop.core.settings import Settings, Webhook
from afterdrop.db.engine import Database
from afterdrop.delivery.webhooks.send import open_sender
from tests.support.world import World


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Loopback allowed, an impatient answer limit."""
    return settings.model_copy(update={"webhook": Webhook(allow_loopback=True, answer_seconds=0.3)})


@pytest.fixture
async def world(database: Database, settings: Settings) -> AsyncIterator[World]:
    """A worker over an empty database, with a way out."""
    made = World(database, settings)
    async with open_sender(settings.webhook, lambda: made.now.timestamp()) as sender:
        made.context = replace(made.context, sender=sender)
        yield made
