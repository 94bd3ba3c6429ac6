"""The fixtures of the database's tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import postgres


@pytest.fixture
def empty_url(database_url: str, tmp_path: Path) -> Iterator[str]:
    """A database of this test's own, without any table."""
    if database_url.startswith("sqlite"):
        yield f"sqlite+aiosqlite:///{tmp_path}/empty.sqlite3"
        return
    with postgres.created(os.environ["TEST_DATABASE_URL"], f"t_empty_{os.getpid()}") as url:
        yield url
