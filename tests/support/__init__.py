"""What several suites share: services, worlds, fake servers, rows. No test is in here."""

import os
from typing import Final

import pytest

TEST_SECRET = "uM0cZ8QmYv1pQ3s7w9yB2dF4hJ6kL8nP0rT2vX4zA6c="
# The exit code of a run with forbidden skips. pytest does not use it: no second run of what failed makes up for a skip.
FORBIDDEN_SKIPS = 6

# For a test, or a whole module as its `pytestmark`, that is slow and hardly about SQL: on PostgreSQL it is `long`.
POSTGRES_IS_LONG: Final = pytest.mark.parametrize(
    "database_url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)], indirect=True
)

# For a long test of what hardly depends on the database, or whose shorter twin runs on the other one.
ON_SQLITE: Final = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
ON_POSTGRES: Final = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


def examples(many: int) -> int:
    """How many examples a slow property is tried with: `many` in `make check-long`, a fifth of them otherwise."""
    return many if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else many // 5
