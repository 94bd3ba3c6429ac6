"""The world of these tests."""

from __future__ import annotations

import pytest

from afterdrop.db.engine import Database
from afterdrop.settings import Settings
from tests.integration.matching.world import World


@pytest.fixture
def world(database: Database, settings: Settings) -> World:
    """A worker over an empty database."""
    return World(database, settings)
