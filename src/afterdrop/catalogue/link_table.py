"""The table of links to a domain: each link with the owner who earned it, and whether it is there today. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from afterdrop.catalogue.link_shapes import AnchorJson, LinkEras, LinkJson, LinksToday, LinkToday
from afterdrop.review.flags.anchors import in_other_script, read_anchors, spam_share
from afterdrop.review.flags.link_owners import Evidence, Link, LinkShares, era_of_text, read_links, shares
from afterdrop.review.page.planted import spam_anchor
from afterdrop.scoring.judge import Judgement
from afterdrop.sources.metrics.model import ANCHORS, LINKS, LINKS_TODAY


@dataclass(frozen=True, slots=True)
class KnownLinks:
    """Links and link texts with the owners who earned them; None where they are not known.

    `last_share`: the last owner's, in percent. `spam_share`: that of spam words among the texts. `today`: which links
    are there today.
    """

    links: list[LinkJson] | None
    anchors: list[AnchorJson] | None
    eras: LinkEras | None
    last_share: int | None
    spam_share: float | None
    today: LinksToday | None


def known_links(judgement: Judgement) -> KnownLinks:
    """The links to a judged domain, each with its owner and with what our own look found on its page."""
    history, metrics = judgement.history, judgement.metrics
    addresses = [(page.era, page.path) for page in history.pages]
    evidence = Evidence.of(history.domain, history.owners, history.life, addresses)
    single = read_links(metrics.items(LINKS))
    planted = _planted(judgement)
    links = [link if planted(link.text) else evidence.credit(link) for link in single or ()]
    looked = metrics.items(LINKS_TODAY)
    pages = {item["page"]: item for item in looked or ()}
    texts = read_anchors(metrics.items(ANCHORS))
    anchors = [Link(anchor.text, count=anchor.referring_domains) for anchor in texts or ()]
    credited = [
        anchor if planted(anchor.text) else replace(anchor, era=era_of_text(anchor, links, evidence))
        for anchor in anchors
    ]
    owners = shares(links or credited, evidence)
    return KnownLinks(
        None if single is None else [_link_json(link, pages.get(link.page)) for link in links],
        None if texts is None else [_anchor_json(anchor) for anchor in credited],
        None if owners is None else _link_eras(owners),
        None if owners is None else round(100 * owners.share(owners.last)),
        spam_share(texts, lambda text: spam_anchor(text) is not None),
        None if looked is None else _counted(looked, {link.page for link in links}),
    )


def _planted(judgement: Judgement) -> Callable[[str], bool]:
    """Whether nobody earned a link with this text: spam, or one of many in letters that no site of the name had."""
    history, foreign = judgement.history, "anchor_foreign" in judgement.flags
    sites = [era.language for era in history.eras if era.kind == "site"]
    spoken = [language for language in (history.language, *sites) if language]
    return lambda text: spam_anchor(text) is not None or (foreign and in_other_script(text, spoken))


def _link_json(link: Link, seen: Mapping[str, Any] | None) -> LinkJson:
    first, last = (day.isoformat() if day else None for day in (link.first_seen, link.last_seen))
    return {
        "domain": link.domain,
        "page": link.page,
        "rating": link.rating,
        "nofollow": link.nofollow,
        "text": link.text,
        "target": link.target,
        "first_seen": first,
        "last_seen": last,
        "era": link.era,
        "today": None if seen is None else _today(seen),
    }


def _today(seen: Mapping[str, Any]) -> LinkToday:
    return {
        "state": seen["state"],
        "looked_at": seen["at"],
        "text": seen["text"],
        "nofollow": seen["nofollow"],
        "sponsored": seen["sponsored"],
        "place": seen["place"],
        "note": seen["note"],
    }


def _counted(looked: Sequence[Mapping[str, Any]], linking: Collection[str | None]) -> LinksToday | None:
    # Of some linking sites the home page alone is known: that it has no link says nothing of their other pages.
    telling = [item for item in looked if item["state"] != "unread" or item["page"] in linking]
    if not telling:
        return None
    states = Counter(item["state"] for item in telling)
    return {
        "looked_at": max(item["at"] for item in telling),
        "pages": len(telling),
        "there": states["there"],
        "followed": sum(item["state"] == "there" and not item["nofollow"] for item in telling),
        "removed": states["removed"],
        "page_gone": states["page_gone"],
        "domain_gone": states["domain_gone"],
        "unread": states["unread"],
    }


def _anchor_json(anchor: Link) -> AnchorJson:
    return {"text": anchor.text, "referring_domains": anchor.count, "era": anchor.era}


def _link_eras(owners: LinkShares) -> LinkEras:
    return {
        "known": owners.known,
        "unknown": owners.unknown,
        "last_era": owners.last,
        "eras": [
            {"era": era, "links": links, "share": round(owners.share(era), 4)}
            for era, links in owners.by_era.items()
        ],
    }
