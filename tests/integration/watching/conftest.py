"""The world of these tests."""

from __future__ import annotations

import pytest

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from tests.support.world import World


@pytest.fixture
def world(database: Database, settings: Settings) -> World:
    """A worker over an empty database."""
    return World(database, settings)
