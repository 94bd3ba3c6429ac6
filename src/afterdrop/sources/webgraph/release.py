"""A release of the open web graph: its name, its files, and the time of its data. Pure."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime
from typing import Final, Literal

from afterdrop.sources.webgraph.errors import RanksError

Part = Literal["ranks", "vertices", "edges"]
PAGE: Final = "https://commoncrawl.org/web-graphs"

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?", re.ASCII)
_FILE = re.compile(r"(?P<release>.+)-domain-(?:ranks|vertices|edges)\.txt\.gz")
_WINDOW = re.compile(r".*?(?P<year>20\d\d)(?:-\d\d)?(?:-[a-z]{3})*-(?P<month>[a-z]{3})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def release_name(text: str) -> str:
    """`text` as the name of a release, which becomes part of file names and URLs. RanksError when it is not one.

    >>> release_name("CC-main-2026-apr-may-jun")
    'cc-main-2026-apr-may-jun'
    """
    name = text.strip().lower()
    if not _NAME.fullmatch(name):
        raise RanksError(text[:80], "is not a release's name, which looks like cc-main-2026-apr-may-jun")
    return name


def release_of_file(file: str) -> str | None:
    """The release in a file's published name; None when the file has another name.

    >>> release_of_file("cc-main-2026-apr-may-jun-domain-ranks.txt.gz")
    'cc-main-2026-apr-may-jun'
    """
    found = _FILE.fullmatch(file)
    return found["release"].lower() if found and _NAME.fullmatch(found["release"].lower()) else None


def file_name(release: str, part: Part) -> str:
    """The publisher's name of one of the three files."""
    return f"{release}-domain-{part}.txt.gz"


def file_url(base: str, release: str, part: Part) -> str:
    """The URL of one of the three files at the publisher."""
    return f"{base.rstrip('/')}/{release}/domain/{file_name(release, part)}"


def window_end(release: str) -> datetime | None:
    """The last second of the last month in which a release was crawled; None when its name does not say.

    A window that runs over New Year has the year in which it began.

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
    """The credit for the publisher and the release, shown with every value of the graph."""
    return {"text": f"Link rank: Common Crawl domain-level web graph, release {release}", "url": PAGE}
