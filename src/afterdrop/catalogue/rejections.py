"""What strangers may read of a name rejected for spam: a mask, public figures, no capture. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from afterdrop.core.domain_names import tld
from afterdrop.metrics.model import DOMAIN_RATING, REFERRING_DOMAINS, TRUST_FLOW, Metrics
from afterdrop.review.history.life import LifeEra, life
from afterdrop.review.history.story import story

SHOWN: Final = 5
_DOT: Final = "•"
_OF_SITES: Final = frozenset({"site", "other"})


@dataclass(frozen=True, slots=True)
class RejectedName:
    """A name that a scan of `day` rejected for spam, with the metrics that everybody may see."""

    domain: str
    metrics: Metrics
    history: Mapping[str, Any]
    day: str = ""


@dataclass(frozen=True, slots=True)
class Rejection:
    """An entry of "What we rejected today". Nothing in it names the domain or its former sites."""

    name: str
    trust_flow: int | float | None
    domain_rating: int | float | None
    referring_domains: int | float | None
    eras: Sequence[LifeEra]
    showed: str


def masked(domain: str) -> str:
    """The name with its first and last letter and its hyphens only; of a short name nothing but its length."""
    extension = tld(domain)
    label = domain.removesuffix(f".{extension}")
    if label.startswith("xn--") or len(label) <= 4:
        return f"{_DOT * len(label)}.{extension}"
    inner = "".join(char if char == "-" else _DOT for char in label[1:-1])
    return f"{label[0]}{inner}{label[-1]}.{extension}"


def superb(metrics: Mapping[str, Metrics], most: int = SHOWN) -> list[str]:
    """The names whose public figures look best: by trust and strength of their links, then by how many there are."""
    order = {name: _looks(known) for name, known in metrics.items()}
    ranked = sorted(sorted(order), key=lambda name: order[name], reverse=True)
    return [name for name in ranked if any(order[name])][:most]


def _looks(metrics: Metrics) -> tuple[float, float]:
    trust, strength, links = (
        metrics.number(role) or 0 for role in (TRUST_FLOW, DOMAIN_RATING, REFERRING_DOMAINS)
    )
    return trust + strength, links


def rejection(name: RejectedName) -> Rejection:
    """The entry of a name."""
    eras = [_unnamed(era) for era in life(name.history)]
    return Rejection(
        masked(name.domain),
        name.metrics.number(TRUST_FLOW),
        name.metrics.number(DOMAIN_RATING),
        name.metrics.number(REFERRING_DOMAINS),
        eras,
        _showed(eras),
    )


def _unnamed(era: LifeEra) -> LifeEra:
    """The era without what leads to its site: a title or a capture would undo the mask."""
    title = None if era.kind in _OF_SITES else era.title
    return replace(era, title=title, url="", brand=(), excerpt=None)


def _showed(eras: Sequence[LifeEra]) -> str:
    spam = [era for era in eras if era.kind == "spam"]
    if not spam:
        return "Spam on inner pages."
    captures = sum(era.captures or 0 for era in spam)
    seen = f" Spam on {captures:,} capture{'' if captures == 1 else 's'}." if captures else ""
    return story(eras) + seen
