"""Which pages beside the home page are read where no address tells: of a burst of new addresses, else of any time.

Pure. A front page of headlines or of one picture says less of a site than its articles do, and who fills a lapsed name
or a broken-into site with pages by the thousand adds them within a year.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from afterdrop.review.spam.slugs import slug_of
from afterdrop.sources.archive.cdx_index import ArchivedPage, Index

# So many addresses that were new in one year are a burst.
BURST = 30
_LOOKED_AT = 2


def inner_pages(index: Index) -> tuple[ArchivedPage, ...]:
    """Two pages other than the home page that are rather articles than lists, the one archived last first.

    What has most words in its address is an article in any site's order; where addresses have none, any page will do.
    """
    years = index.first_years()
    years.pop("/", None)
    burst = _burst(years.values())
    chosen = (path for path, year in years.items() if burst is None or year == burst)
    telling = sorted(chosen, key=lambda path: (-slug_of(path).count("-"), path))[:_LOOKED_AT]
    return tuple(page for page in map(index.page_at, telling) if page is not None)


def _burst(years: Iterable[int]) -> int | None:
    """The year after a site's first in which most addresses were new, the last of several; None where few ever were."""
    new = Counter(years)
    most = max(sorted(new)[1:], key=lambda year: (new[year], year), default=None)
    return most if most is not None and new[most] >= BURST else None
