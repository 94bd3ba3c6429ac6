"""The names that scans rejected.

Strangers may read of one rejected for spam: a mask, figures made coarse, no capture. Those who see reports read the
name, why it was rejected, the capture that shows it, and its figures. A name that an operator decided about is told to
nobody. The SQL that reads them follows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Final

import sqlalchemy as sa
from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import TypedDict

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.lists.search_index import fold
from afterdrop.catalogue.masked_rows import DOT, to_fives, to_one_digit
from afterdrop.core.domain_names import tld
from afterdrop.core.json_shapes import DomainName, Timestamp, instant
from afterdrop.core.settings import Settings
from afterdrop.db.dialects import ByCodePoint
from afterdrop.db.tables.catalogue import operator_actions
from afterdrop.db.tables.feeds import candidates, metric_values, scans
from afterdrop.db.tables.review import reviews
from afterdrop.review.history.life import LifeEra, packed, stored_life, story
from afterdrop.sources.metrics.model import DOMAIN_RATING, REFERRING_DOMAINS, TRUST_FLOW, Metric, Metrics

SHOWN: Final = 5
_OF_SITES: Final = frozenset({"site", "other"})


@dataclass(frozen=True, slots=True)
class RejectedName:
    """A name that a scan of `day` rejected for spam."""

    domain: str
    metrics: Metrics
    history: Mapping[str, Any]
    day: str = ""


@dataclass(frozen=True, slots=True)
class Rejection:
    """An entry of "What we rejected today". Nothing in it names the domain or its former sites.

    Exact figures would: Trust Flow and Domain Rating are rounded to fives, referring domains to one digit.
    """

    name: str
    trust_flow: int | None
    domain_rating: int | None
    referring_domains: int | None
    eras: Sequence[LifeEra]
    showed: str


def masked(domain: str) -> str:
    """The name's length, hyphens and extension; of a short or encoded one without the hyphens."""
    extension = tld(domain)
    label = domain.removesuffix(f".{extension}")
    if label.startswith("xn--") or len(label) <= 4:
        return f"{DOT * len(label)}.{extension}"
    return "".join(char if char == "-" else DOT for char in label) + f".{extension}"


def superb(metrics: Mapping[str, Metrics], most: int = SHOWN) -> list[str]:
    """The names whose figures look best: by trust and strength of their links, then by how many there are."""
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
    eras = [_unnamed(era) for era in stored_life(name.history)]
    return Rejection(
        masked(name.domain),
        to_fives(name.metrics.number(TRUST_FLOW)),
        to_fives(name.metrics.number(DOMAIN_RATING)),
        to_one_digit(name.metrics.number(REFERRING_DOMAINS)),
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


class RejectedEvidence(TypedDict):
    """The finding, where it stands, and the capture that shows it."""

    note: Annotated[str, Field(description="The finding, in a sentence")]
    quote: Annotated[
        str, Field(description="Text of the capture, word for word; empty where nothing was quoted")
    ]
    at: Annotated[Timestamp | None, Field(description="Time of the capture")]
    url: Annotated[str, Field(description="The capture; empty where the finding is about addresses alone")]


class RejectedSummary(TypedDict):
    """A name that a scan rejected."""

    domain: DomainName
    rejected_at: Annotated[Timestamp, Field(description="When the scan rejected it")]
    spam: Annotated[bool, Field(description="Whether spam was the reason")]
    reasons: Annotated[list[str], Field(description="Short sentences, the weightiest first")]
    life: Annotated[str, Field(description="The life of the name, packed as in the lists")]
    evidence: Annotated[
        RejectedEvidence | None, Field(description="The weightiest finding; null where none accuses the name")
    ]
    trust_flow: Annotated[float | None, Field(description="Trust Flow, 0-100")]
    domain_rating: Annotated[float | None, Field(description="Domain Rating, 0-100")]
    referring_domains: Annotated[
        float | None, Field(description="How many domains have at least one link to the name")
    ]


@dataclass(frozen=True, slots=True)
class RejectedFilter:
    """Which rejected names: `q` is part of the name, `extension` what it ends with; `spam` only those with spam."""

    q: str = ""
    extension: str = ""
    spam: bool = False

    @classmethod
    def of(cls, q: str | None, extension: str | None, *, spam: bool) -> RejectedFilter:
        """The filter as people write it: in any case, the extension with or without its dot."""
        return cls(fold(q or "").strip(), (extension or "").strip().strip(".").lower(), spam)


def evidence_of(history: Mapping[str, Any]) -> RejectedEvidence | None:
    """The weightiest finding of a stored review that accuses, one that a capture shows before others."""
    accusing = [each for each in history.get("findings") or () if each.get("severity", 0) >= _ACCUSES]
    found = max(
        accusing, key=lambda each: (each["severity"], bool(each["url"]), bool(each["quote"])), default=None
    )
    if found is None:
        return None
    return {"note": found["note"], "quote": found["quote"], "at": found["at"], "url": found["url"]}


# From this severity on a finding speaks against the name.
_ACCUSES: Final = 2
WITHDRAW: Final = "withdraw"
READMIT: Final = "readmit"
# After each of these an operator has spoken about the name, and only a later READMIT shows it again.
_DECISIONS: Final = ("remove", "restore", "ban", WITHDRAW, READMIT)
_ROLES: Final = (TRUST_FLOW, DOMAIN_RATING, REFERRING_DOMAINS)
# How many of the strongest are looked at for the few that are shown.
_LOOKED_AT: Final = 200
# A scan may reject nothing that is worth showing; then the one before is asked, so far back.
_SCANS: Final = 7


async def rejected_names(conn: AsyncConnection, *, most: int = SHOWN) -> list[RejectedName]:
    """The most impressive names that the newest scan with such names rejected for spam.

    Names that an operator decided about are left out.
    """
    undecided = sa.func.coalesce(_last_decision(), READMIT) == READMIT
    for scan_id in await _finished_scans(conn):
        if found := await _rejected(conn, [scan_id], undecided, most):
            return found
    return []


async def rejected_list(
    conn: AsyncConnection, wanted: RejectedFilter, *, page: int, per_page: int
) -> tuple[list[RejectedSummary], int]:
    """A page of the rejected names, the newest first, and how many there are."""
    c = candidates.c
    conditions = _told()
    if wanted.q:
        conditions.append(c.domain.contains(wanted.q, autoescape=True))
    if wanted.extension:
        conditions.append(c.domain.endswith(f".{wanted.extension}", autoescape=True))
    if wanted.spam:
        conditions.append(reviews.c.spam.is_(True))
    total = await conn.scalar(sa.select(sa.func.count()).select_from(_REVIEWED).where(*conditions))
    order = (c.settled_at.desc(), c.authority.desc(), ByCodePoint(c.domain))
    rows = _SUMMARIES.where(*conditions).order_by(*order).limit(per_page).offset((page - 1) * per_page)
    return await _summaries(conn, rows), total or 0


async def rejected_among(conn: AsyncConnection, names: Sequence[str]) -> dict[str, RejectedSummary]:
    """The summaries of those of these names that were rejected, by name. At most 1,000 names a call."""
    rows = _SUMMARIES.where(*_told(), candidates.c.domain.in_(names))
    return {row["domain"]: row for row in await _summaries(conn, rows)}


def tells_rejected(viewer: Viewer, settings: Settings) -> bool:
    """Whether this viewer is told what was rejected."""
    return settings.site.rejected_names and viewer.plan == "pro"


_REVIEWED: Final = candidates.join(reviews, reviews.c.domain == candidates.c.domain)
_SUMMARIES: Final = sa.select(
    candidates.c.domain, candidates.c.settled_at, candidates.c.reasons, reviews.c.spam, reviews.c.history
).select_from(_REVIEWED)


def _told() -> list[sa.ColumnElement[bool]]:
    """The rejected names that a reader of reports is told about."""
    c = candidates.c
    undecided = sa.func.coalesce(_last_decision(), READMIT) == READMIT
    return [c.state == "settled", c.outcome == "rejected", c.settled_at.is_not(None), undecided]


async def _summaries(conn: AsyncConnection, chosen: sa.Select[Any]) -> list[RejectedSummary]:
    rows = (await conn.execute(chosen)).all()
    metrics = await _metrics(conn, [row.domain for row in rows])
    return [_summary(row, metrics[row.domain]) for row in rows]


def _summary(row: Any, metrics: Metrics) -> RejectedSummary:
    rejected_at: datetime = row.settled_at
    return {
        "domain": row.domain,
        "rejected_at": instant(rejected_at),
        "spam": row.spam,
        "reasons": list(row.reasons or ()),
        "life": packed(stored_life(row.history)),
        "evidence": evidence_of(row.history),
        "trust_flow": metrics.number(TRUST_FLOW),
        "domain_rating": metrics.number(DOMAIN_RATING),
        "referring_domains": metrics.number(REFERRING_DOMAINS),
    }


async def withdrawn_names(conn: AsyncConnection, *, most: int) -> list[RejectedName]:
    """Names of the last scans that operators withdrew."""
    return await _rejected(conn, await _finished_scans(conn), _last_decision() == WITHDRAW, most)


async def _finished_scans(conn: AsyncConnection) -> Sequence[int]:
    finished = sa.select(scans.c.id).where(scans.c.finished_at.is_not(None))
    return (await conn.execute(finished.order_by(scans.c.id.desc()).limit(_SCANS))).scalars().all()


async def _rejected(
    conn: AsyncConnection, scan_ids: Sequence[int], decided: sa.ColumnElement[bool], most: int
) -> list[RejectedName]:
    c = candidates.c
    chosen = (
        sa.select(c.domain, scans.c.day)
        .join(reviews, reviews.c.domain == c.domain)
        .join(scans, scans.c.id == c.scan_id)
        .where(c.scan_id.in_(scan_ids), c.state == "settled", c.outcome == "rejected")
        .where(reviews.c.spam.is_(True), decided)
        .order_by(c.authority.desc(), ByCodePoint(c.domain))
        .limit(_LOOKED_AT)
    )
    days = {domain: day for domain, day in await conn.execute(chosen)}
    metrics = await _metrics(conn, list(days))
    names = superb(metrics, most)
    past = sa.select(reviews.c.domain, reviews.c.history).where(reviews.c.domain.in_(names))
    histories = {domain: history for domain, history in await conn.execute(past)}
    return [RejectedName(name, metrics[name], histories[name], days[name]) for name in names]


async def rejected_last(conn: AsyncConnection, most: int) -> list[str]:
    """The names that scans rejected last."""
    c = candidates.c
    chosen = sa.select(c.domain).where(
        c.state == "settled", c.outcome == "rejected", c.settled_at.is_not(None)
    )
    return list(await conn.scalars(chosen.order_by(c.settled_at.desc(), ByCodePoint(c.domain)).limit(most)))


def _last_decision() -> sa.ScalarSelect[str]:
    action = operator_actions.c
    return (
        sa.select(action.action)
        .where(action.domain == candidates.c.domain, action.action.in_(_DECISIONS))
        .order_by(action.id.desc())
        .limit(1)
        .correlate(candidates)
        .scalar_subquery()
    )


async def _metrics(conn: AsyncConnection, names: Sequence[str]) -> dict[str, Metrics]:
    """The figures of the names."""
    value = metric_values.c
    chosen = sa.select(metric_values).where(value.domain.in_(names), value.role.in_(_ROLES))
    found: dict[str, list[Metric]] = defaultdict(list)
    for row in (await conn.execute(chosen)).mappings():
        found[row["domain"]].append(Metric(**{name: row[name] for name in Metric.__slots__}))
    return {name: Metrics.of(found[name]) for name in names}
