"""The page that shows every component of the site in its states; the browser tests photograph it in both themes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from starlette.responses import Response

from afterdrop.review.flags.risk_flags import FLAGS
from afterdrop.review.history.life import LifeEra, LifeKind
from afterdrop.web.site.site_request import SiteRequest

COLOURS: Final = (
    *(
        "ground",
        "surface",
        "sunken",
        "hover",
        "selected",
        "line",
        "edge",
        "ink",
        "soft",
        "accent",
        "accent-wash",
    ),
    *("good", "good-wash", "warn", "warn-wash", "bad", "bad-wash", "none", "none-wash"),
    *("era-site", "era-other", "era-sale", "era-holder", "era-spam", "era-error", "era-muted"),
)
_BAKERY: Final[tuple[LifeKind, int, int, str]] = ("site", 2005, 2013, "Old mill bakery")
_LIVES: Final[dict[str, tuple[tuple[LifeKind, int, int, str], ...]]] = {
    "One site all along": (("site", 2004, 2026, "Harris & Sons, craft bread"),),
    "Site, then another owner": (("site", 2006, 2014, "Old mill bakery"), ("other", 2015, 2026, "Yacht charter")),
    "A gap in between": (("site", 2004, 2011, "Bakery"), ("gap", 2012, 2016, ""), ("site", 2017, 2026, "Bakery")),
    "A placeholder at the end": (("site", 2008, 2020, "Bakery"), ("holder", 2021, 2026, "Placeholder")),
    "For sale or paid links": (_BAKERY, ("sale", 2014, 2017, "For sale"), ("site", 2018, 2026, "Bakery")),
    "Error pages": (_BAKERY, ("error", 2015, 2020, "Error pages"), ("site", 2021, 2026, "Bakery")),
    "Spam": (("site", 2004, 2015, "Bakery"), ("spam", 2017, 2026, "Gambling spam")),
    "Nothing archived": (),
}  # fmt: skip


async def components(request: SiteRequest) -> Response:
    """Every component in every state. `theme` in the address forces the light or the dark one."""
    theme = request.http.query_params.get("theme")
    lives = {name: [_era(*each) for each in told] for name, told in _LIVES.items()}
    return request.page(
        "components.html",
        theme=theme if theme in ("light", "dark") else None,
        colours=COLOURS,
        lives=lives,
        flags=(*FLAGS, "spam"),
    )


def _era(kind: LifeKind, first: int, last: int, title: str) -> LifeEra:
    start, end = datetime(first, 3, 1, tzinfo=UTC), datetime(last, 9, 1, tzinfo=UTC)
    owner = {"site": 0, "other": 1}.get(kind)
    return LifeEra(kind, start, end, title, owner, captures=12, language="en" if owner is not None else None)
