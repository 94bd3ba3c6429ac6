"""What the tests of the archive's client share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four rows are as many as are read."""
    monkeypatch.setattr("afterdrop.sources.archive.wayback.ROW_LIMIT", 4)
