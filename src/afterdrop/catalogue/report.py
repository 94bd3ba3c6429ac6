"""The domain report: the summary and everything that stands behind it, for those who may see it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Literal, cast

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.attribution import named_inputs, named_sources
from afterdrop.catalogue.kit_shapes import RevivalKit
from afterdrop.catalogue.rows import DomainRow, JudgedColumns, ReviewColumns, StoredReport
from afterdrop.catalogue.shapes import (
    BasicReport,
    CheckedListing,
    CheckReport,
    FullReport,
    ReportRegistration,
)
from afterdrop.catalogue.status import is_live
from afterdrop.catalogue.summary import Links, conclusion, summary
from afterdrop.core.json_shapes import instant

# Members of the stored report that the report shows inside other members.
_NESTED: Final = frozenset({"metrics", "revival_pages", "revival_eras"})


class CheckedColumns(ReviewColumns, JudgedColumns):
    """A freshly judged domain in the columns of `domains`: `judged_columns`."""

    domain: str
    life: str | None


def registration(row: DomainRow, now: datetime, links: Links) -> ReportRegistration | None:
    """The registry's state of a domain whose listing has ended; None while it is live.

    `availability` is `unknown` before the first re-check, and while a "not found" still awaits its confirmation.
    """
    if is_live(row["live_until"], now):
        return None
    announced = bool(row["announced"])
    known = row["availability"]
    state: Literal["registered", "dropping", "unknown"] = "unknown"
    if known == "registered" or known == "dropping":  # mypy narrows no `in`
        state = known
    return {
        "availability": "available" if announced else state,
        "checked_at": instant(row["checked_at"]),
        "available_since": instant(row["available_since"]),
        "register_url": links.register(row["domain"]) if announced else None,
        # The registration that ended is kept for comparison; an available domain has none.
        "registrar": None if announced else row["registrar"],
        "registered_at": None if announced else instant(row["registered_at"]),
        "expires_at": None if announced else instant(row["expires_at"]),
        "caught_after_drop": bool(row["caught_after_drop"]),
    }


def report(row: DomainRow, viewer: Viewer, now: datetime, links: Links) -> FullReport | BasicReport:
    """The report of a whole row of the catalogue as `viewer` sees it at `now`.

    With `basic` detail it is the summary: every key a report adds is absent.
    """
    shown = summary(row, viewer, now, links)
    if shown["detail"] == "basic":
        return cast(BasicReport, shown)
    domain, stored = row["domain"], row["report"]
    added = {
        **{key: value for key, value in stored.items() if key not in _NESTED},
        "metrics": {**shown["metrics"], **stored["metrics"]},
        "conclusion": conclusion(row, stored.get("standing", "scored")),
        "webarchive_url": links.archive(domain),
        "registration": registration(row, now, links),
        "rank_on_hunt_day": row["rank_on_hunt_day"],
        "revival_kit": _kit(stored, links.pages(domain)),
    }
    if "score_inputs" in stored:
        added["score_inputs"] = named_inputs(stored["score_inputs"])
    if "fact_sources" in stored:
        added["fact_sources"] = named_sources(stored["fact_sources"])
    return cast(FullReport, {**shown, **added})


def _kit(stored: StoredReport, url: str | None) -> RevivalKit:
    return {"pages": stored["revival_pages"], "url": url, "eras": stored["revival_eras"]}


def check_report(
    checked: CheckedColumns,
    listed: DomainRow | None,
    registered: ReportRegistration,
    viewer: Viewer,
    now: datetime,
    links: Links,
) -> CheckReport:
    """The report of a domain check: always full, whatever the plan.

    `listed` is the domain's row in the catalogue, where it has one that the viewer may know of
    (`store.visible_domain`). `registered` is what the registry answered just now.
    """
    pro = replace(viewer, plan="pro")
    whole: dict[str, Any] = {**_UNLISTED, "live_until": now}
    if listed is not None:
        whole |= listed
    whole |= {**checked, "rank_on_hunt_day": None}
    full = cast(CheckReport, report(cast(DomainRow, whole), pro, now, links))
    if listed is None:
        full["status"] = "available" if registered["availability"] == "available" else "ended"
        full["listing"] = _NO_LISTING.copy()
        full["purchase"] = links.ways(full["domain"], full["status"], _NO_LISTING)
        full["registration"] = registered
        full["revival_kit"] = _kit(checked["report"], None)
    return full


_NO_LISTING: Final[CheckedListing] = {
    "source": None,
    "source_title": None,
    "type": None,
    "price_usd": None,
    "bids": 0,
    "ends_at": None,
    "opens_at": None,
    "day": None,
    "certain": True,
    "url": None,
}
# The columns that a domain outside the catalogue has no values for.
_UNLISTED: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("source", "source_title", "type", "price_usd", "ends_at", "url", "found_at"), None),
    **dict.fromkeys(("certain_from", "next_listing_at", "next_listings"), None),
    **dict.fromkeys(("checked_at", "available_since", "registrar", "registered_at", "expires_at"), None),
    **dict.fromkeys(("open_now", "announced", "caught_after_drop"), False),
    **dict.fromkeys(("availability", "last_open_on", "removed_at"), None),
    "bids": 0,
}
