"""What can go wrong with link ranks."""

from __future__ import annotations

from afterdrop.errors import AfterdropError


class RanksError(AfterdropError):
    """A file of the graph, or the disk, is not what an import needs: the subject names it, the message says where.

    The table in use stays in use.
    """
