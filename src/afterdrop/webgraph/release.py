"""A release of the open web graph: its name, its files, and the time it tells of. Pure."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime
from typing import Final, Literal

from afterdrop.webgraph.errors import RanksError

Part = Literal["ranks", "vertices", "edges"]
PAGE: Final = "https://commoncrawl.org/web-graphs"

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?", re.ASCII)
_FILE = re.compile(r"(?P<release>.+)-domain-(?:ranks|vertices|edges)\.txt\.gz")
_WINDOW = re.compile(r".*?(?P<year>20\d\d)(?:-\d\d)?(?:-[a-z]{3})*-(?P<month>[a-z]{3})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def release_name(text: str) -> str:
    """`text` as a release's name (it becomes part of file names and addresses), or RanksError.

    >>> release_name("CC-main-2026-apr-may-jun")
    'cc-main-2026-apr-may-jun'
    """
    name = text.strip().lower()
    if not _NAME.fullmatch(name):
        raise RanksError(text[:80], "is not a release's name, which looks like cc-main-2026-apr-may-jun")
    return name


def release_of_file(file: str) -> str | None:
    """The release in a file's published name, None when the file is called something else.

    >>> release_of_file("cc-main-2026-apr-may-jun-domain-ranks.txt.gz")
    'cc-main-2026-apr-may-jun'
    """
    found = _FILE.fullmatch(file)
    return found["release"].lower() if found and _NAME.fullmatch(found["release"].lower()) else None


def file_name(release: str, part: Part) -> str:
    """How the publisher calls one of the three files."""
    return f"{release}-domain-{part}.txt.gz"


def file_url(base: str, release: str, part: Part) -> str:
    """Where the publisher keeps one of the three files."""
    return f"{base.rstrip('/')}/{release}/domain/{file_name(release, part)}"


def window_end(release: str) -> datetime | None:
    """The last second of the last month a release was crawled in, None when its name does not say.

    A window that runs over New Year names the year it began in.

    >>> window_end("cc-main-2026-apr-may-jun")
    datetime.datetime(2026, 6, 30, 23, 59, 59, tzinfo=datetime.timezone.utc)
    """
    found = _WINDOW.fullmatch(release)
    if found is None:
        return None
    months = [word for word in release.split("-") if word in _MONTHS]
    if found["month"] not in _MONTHS:
        return None
    year, month = int(found["year"]), _MONTHS.index(found["month"]) + 1
    if _MONTHS.index(months[0]) > _MONTHS.index(found["month"]):
        year += 1
    return datetime(year, month, calendar.monthrange(year, month)[1], 23, 59, 59, tzinfo=UTC)


def attribution(release: str) -> dict[str, str]:
    """The credit shown wherever a value of the graph is shown: its publisher and the release."""
    return {"text": f"Link rank: Common Crawl domain-level web graph, release {release}", "url": PAGE}
