"""The error of link ranks, and how DuckDB and byte counts show in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from afterdrop.core.errors import AfterdropError


class RanksError(AfterdropError):
    """A file of the graph, or the disk, does not allow an import. The subject names the file, the message the place.

    The table in use stays in use.
    """


def sized(number: int) -> str:
    """A number of bytes for a message.

    >>> sized(68_400_000), sized(1_250_000_000)
    ('68.4 MB', '1.2 GB')
    """
    return f"{number / 1e6:.1f} MB" if number < 10**9 else f"{number / 1e9:.1f} GB"


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt for Ctrl-C while DuckDB works: DuckDB itself raises a RuntimeError."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise
