"""The sentence at the top of a report: what stood at a domain, told from the eras that its picture shows.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from afterdrop.core.safe_text import blank_controls
from afterdrop.review.history.life import LifeEra
from afterdrop.review.history.samples import name_words, shared_words

# Below this share of the link texts nothing is said of whom they name.
_WORTH_TELLING: Final = 0.05
_WORD: Final = re.compile(r"[^\W_]{2,}")
_PLAIN: Final = {
    "For sale": "for sale",
    "Paid links": "a page of paid links",
    "Placeholder": "a placeholder",
    "Coming soon": "a coming-soon page",
    "Error pages": "error pages",
    "Redirect elsewhere": "a redirect elsewhere",
    "Nothing archived": "nothing archived",
}


def story(
    eras: Sequence[LifeEra], domain: str = "", anchors: Iterable[Mapping[str, Any]] | None = None
) -> str:
    """One sentence from the first era to the last; empty without eras.

    After a change of owner it also says what share of the link texts (`anchors`: `{text, referring_domains}`) still
    names the first one.
    """
    groups: dict[tuple[object, ...], list[LifeEra]] = {}
    for era in eras:
        key = (era.owner,) if era.owner is not None else (era.kind, era.title)
        groups.setdefault(key, []).append(era)
    told = ""
    last: LifeEra | None = None
    for group in groups.values():
        joint = "" if last is None else ", then " if group[0].start >= last.end else "; "
        told += f"{joint}{_what(group)} {_years(group)}"
        last = group[-1]
    if not told:
        return ""
    share = naming_share(eras, domain, anchors)
    if share is not None and share >= _WORTH_TELLING:
        told += f"; {share:.0%} of the link texts still name the first site"
    return told[0].upper() + told[1:] + "."


def naming_share(
    eras: Sequence[LifeEra], domain: str, anchors: Iterable[Mapping[str, Any]] | None
) -> float | None:
    """The share of link texts, weighted by referring domains, that names the first of several owners.

    None where one owner had the site all along, or nobody knows its name or the texts. The words of the domain's own
    name count for no owner.
    """
    if not any(era.kind == "other" for era in eras):
        return None
    brand = (
        {word for era in eras if era.owner == 0 for word in era.brand} - name_words(domain) - shared_words()
    )
    told = [(_words(str(each["text"])), int(each["referring_domains"])) for each in anchors or ()]
    whole = sum(count for _, count in told)
    if not brand or not whole:
        return None
    return sum(count for words, count in told if words & brand) / whole


def _words(text: str) -> set[str]:
    return set(_WORD.findall(blank_controls(text).lower()))


def _what(group: Sequence[LifeEra]) -> str:
    latest = group[-1]
    if latest.owner is None:
        return _PLAIN.get(latest.title or "", (latest.title or latest.kind).lower())
    title = next((era.title for era in reversed(group) if era.title), None)
    topic = next((era.topic for era in reversed(group) if era.topic), None)
    named = f"“{title}”" if title else f"a site about {topic}" if topic else "a site"
    if latest.owner == 0:
        return named
    return (
        f"another owner’s site, {named},"
        if title
        else f"another owner’s site{f' about {topic}' if topic else ''}"
    )


def _years(group: Iterable[LifeEra]) -> str:
    spans: list[list[int]] = []
    for era in group:
        if spans and era.start.year <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], era.end.year)
        else:
            spans.append([era.start.year, era.end.year])
    shown = [str(first) if first == last else f"{first}–{last}" for first, last in spans]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
