"""A deployment's database, with workers over it."""

from __future__ import annotations

import pytest

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from tests.support.world import World


@pytest.fixture
def world(database: Database, settings: Settings) -> World:
    """A worker's context over an empty database, and its clock."""
    return World(database, settings)
