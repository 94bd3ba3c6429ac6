"""What several suites share: services, worlds, fake servers, rows. No test is in here."""

import os
from typing import Final

import pytest

TEST_SECRET = "uM0cZ8QmYv1pQ3s7w9yB2dF4hJ6kL8nP0rT2vX4zA6c="
# The exit code of a run with forbidden skips. pytest does not use it: no second run of what failed makes up for a skip.
FORBIDDEN_SKIPS = 6
# Whose deployment it is, where a test does not say.
AUDIENCE: Final = {"AFTERDROP_AUDIENCE": "public"}

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


def plain_environment(drop: str | tuple[str, ...] = "AFTERDROP_") -> dict[str, str]:
    """This process's environment without settings, but for the one that every command asks for."""
    return {key: value for key, value in os.environ.items() if not key.startswith(drop)} | AUDIENCE
