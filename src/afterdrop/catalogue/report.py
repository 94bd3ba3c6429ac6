"""The domain report: the summary and everything that stands behind it, for those who may see it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from afterdrop.accounts.plans import Viewer
from afterdrop.catalogue.status import is_live
from afterdrop.catalogue.summary import Links, instant, summary

# Members of the stored report that are not its own JSON members but parts of others.
_APART = frozenset({"metrics", "revival_pages"})


def registration(row: Mapping[str, Any], now: datetime, links: Links) -> dict[str, Any] | None:
    """What the registry says of a domain whose listing has ended; None while it is live.

    `availability` is `unknown` before the first re-check, and while a "not found" still awaits its confirmation.
    """
    if is_live(row["live_until"], now):
        return None
    announced = bool(row["announced"])
    state = row["availability"] if row["availability"] in ("registered", "dropping") else "unknown"
    return {
        "availability": "available" if announced else state,
        "checked_at": instant(row["checked_at"]),
        "available_since": instant(row["available_since"]),
        "register_url": links.register(row["domain"]) if announced else None,
        # The registration that ended is kept to compare with; it is not one of a free name.
        "registrar": None if announced else row["registrar"],
        "registered_at": None if announced else instant(row["registered_at"]),
        "expires_at": None if announced else instant(row["expires_at"]),
        "caught_after_drop": bool(row["caught_after_drop"]),
    }


def report(row: Mapping[str, Any], viewer: Viewer, now: datetime, links: Links) -> dict[str, Any]:
    """The report of a whole row of the catalogue as `viewer` sees it at `now`.

    With `basic` detail it is the summary: every key a report adds is absent.
    """
    shown = summary(row, viewer, now, links)
    if shown["detail"] == "basic":
        return shown
    domain = row["domain"]
    return {
        **shown,
        **_stored(shown, row["report"]),
        "webarchive_url": links.archive(domain),
        "registration": registration(row, now, links),
        "rank_on_hunt_day": row["rank_on_hunt_day"],
        "revival_kit": {"pages": row["report"]["revival_pages"], "url": links.pages(domain)},
    }


def _stored(shown: Mapping[str, Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    members = {key: value for key, value in stored.items() if key not in _APART}
    return {**members, "metrics": {**shown["metrics"], **stored["metrics"]}}


def check_report(
    row: Mapping[str, Any],
    listed: Mapping[str, Any] | None,
    registered: Mapping[str, Any],
    viewer: Viewer,
    now: datetime,
    links: Links,
) -> dict[str, Any]:
    """The report of a domain check: always full, whatever the plan.

    `row` is the domain's freshly vetted name, `vetting.facts` and `vetting.view`, `listed` its row in the
    catalogue where it has one that the viewer may know of (`store.look`). `registered` is what the registry
    answered just now, in the shape of `registration`.
    """
    pro = Viewer(viewer.account_id, "pro", viewer.operator)
    whole = {**_UNLISTED, "live_until": now, **(listed or {}), **row, "rank_on_hunt_day": None}
    full = report(whole, pro, now, links)
    if listed is not None:
        return full
    return {
        **full,
        "status": "available" if registered["availability"] == "available" else "ended",
        "listing": {**dict.fromkeys(("source", "type", "price_usd"), None), "bids": 0}
        | dict.fromkeys(("ends_at", "url"), None),
        "registration": dict(registered),
        "revival_kit": {"pages": row["report"]["revival_pages"], "url": None},
    }


_UNLISTED: Mapping[str, Any] = {
    **dict.fromkeys(("source", "type", "price_usd", "ends_at", "url", "turns_at", "later", "found_at"), None),
    **dict.fromkeys(("checked_at", "available_since", "registrar", "registered_at", "expires_at"), None),
    **dict.fromkeys(("gated", "open_now", "announced", "caught_after_drop"), False),
    **dict.fromkeys(("availability", "last_open_on", "removed_at"), None),
    "bids": 0,
}
