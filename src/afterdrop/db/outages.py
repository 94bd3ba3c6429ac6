"""Outages of the database: what counts as one, and one line in the log for each instead of one for each attempt."""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa
from prometheus_client import Counter

from afterdrop.core import clock
from afterdrop.core.safe_text import one_line
from afterdrop.db.conflicts import is_conflict

log = logging.getLogger("afterdrop.database")

FAILURES: Final = Counter(
    "afterdrop_database_failures_total", "Attempts that failed because the database did not answer."
)
# How often an outage that goes on is told, and how long nothing may fail before it counts as over.
_TOLD_EVERY: Final = 300.0
_QUIET: Final = 1.0


def is_outage(error: BaseException) -> bool:
    """Whether the database was unavailable: gone, restarting, locked by others or full.

    A wrong statement is none, and neither is a conflict of two transactions.
    """
    if isinstance(error, sa.exc.TimeoutError):
        return True  # no connection of the pool is free
    if not isinstance(error, sa.exc.DBAPIError):
        return False
    if getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR:
        return False  # SQLite reports a wrong statement as an OperationalError too
    if is_conflict(error):
        return False
    operational = isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError)
    return operational or error.connection_invalidated


def outage_text(error: BaseException) -> str:
    """The driver's message on one line, without the statement and its values."""
    return one_line(getattr(error, "orig", None) or type(error).__name__)


# What PostgreSQL and SQLite say when they cannot be used, and what it means to an operator.
_REMEDIES: Final = (
    ("connection refused", "nothing listens at {host}: is PostgreSQL running, and is the address right?"),
    (
        "no such file or directory",
        "nothing listens at {host}: is PostgreSQL running, and is the address right?",
    ),
    ("timeout expired", "{host} does not answer: is the address right, and does a firewall let it through?"),
    ("translate host name", "there is no host {host}: is the address right?"),
    ("password authentication failed", "PostgreSQL refuses the password of {user}"),
    ("no password supplied", "PostgreSQL wants a password of {user}; put it into the address"),
    (
        "peer authentication failed",
        "PostgreSQL lets {user} in only as that user of this machine; use a password",
    ),
    ("no pg_hba.conf entry", "PostgreSQL's pg_hba.conf does not let {user} in from this machine"),
    ("role", "PostgreSQL has no user {user}: `sudo -u postgres createuser --pwprompt {user}`"),
    ("database", "PostgreSQL has no database {name}: `sudo -u postgres createdb --owner {user} {name}`"),
    ("permission denied", "{user} may not create tables: `sudo -u postgres createdb --owner {user} {name}`"),
    ("too many clients", "PostgreSQL has no connection left: raise its max_connections"),
    ("file is not a database", "the file is not a database: restore a backup, or move it away"),
    ("malformed", "the file is damaged: restore a backup"),
    (
        "unable to open database file",
        "the file cannot be opened: is its folder there, and may this user write it?",
    ),
    ("readonly database", "this user may not write the file"),
    ("locked", "another process has locked the file"),
)
_MISSING: Final = frozenset({"role", "database"})


def remedy(url: sa.URL, error: BaseException) -> str:
    """Why a database cannot be used and what to do about it, in words; the driver's text where that is not known."""
    said = outage_text(error)
    text = said.lower()
    for sign, words in _REMEDIES:
        if sign in text and (sign not in _MISSING or (f'{sign} "' in text and "does not exist" in text)):
            host = url.host or url.query.get("host") or "this machine"
            return words.format(host=f"{host}:{url.port or 5432}", user=url.username, name=url.database)
    return f"cannot be used: {said}"


@dataclass
class Outage:
    """The outage this process is in, if any: since when, how many attempts failed, when one last did."""

    since: float | None = None
    attempts: int = 0
    last: float = 0.0
    told: float = 0.0

    def failed(self, error: BaseException) -> None:
        """Count an attempt that failed because of the outage; the first is told, and one every five minutes."""
        now = clock.monotonic()
        if self.since is None:
            self.since, self.attempts, self.told = now, 0, now
            log.error("the database is not answering (%s); waiting for it", outage_text(error))
        elif now - self.told >= _TOLD_EVERY:
            self.told = now
            log.error(
                "the database has not answered for %.0f s, and %s attempts failed (%s)",
                now - self.since, f"{self.attempts:,}", outage_text(error),
            )  # fmt: skip
        self.attempts += 1
        FAILURES.inc()
        self.last = now

    def answered(self) -> None:
        """Tell the end of the outage, unless other attempts fail still."""
        if self.since is None:
            return
        now = clock.monotonic()
        if now - self.last >= _QUIET:
            log.warning(
                "the database is answering again after %.0f s; %s attempts failed",
                now - self.since,
                f"{self.attempts:,}",
            )
            self.since = None


# One for the process, as its log is.
outage: Final = Outage()
