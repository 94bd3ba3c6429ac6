"""Which domains a filter passes, written out by hand: what SQL, masks and the matching of rules are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, cast
from urllib.parse import urlsplit

from afterdrop.catalogue.drops import DropTime, when
from afterdrop.catalogue.lists.comparisons import Days
from afterdrop.catalogue.lists.filters import ListFilter
from afterdrop.catalogue.lists.search_index import fold, search_text
from afterdrop.catalogue.shapes import ListingJson
from afterdrop.core.domain_names import unicode_name

TIME_FORM = "%Y-%m-%dT%H:%M:%SZ"


def accepts(wanted: ListFilter, summary: Mapping[str, Any], now: datetime) -> bool:
    """Whether the domain of this summary (as its viewer sees it) passes every filter at `now`.

    A filter by outcome needs a `SiteRow`.
    """
    asked = dict(wanted.pairs)
    return (
        _texts(asked, summary)
        and _label(asked, summary["domain"])
        and _figures(asked, summary)
        and _price(asked, summary["listing"]["price_usd"])
        and _times(asked, summary, now)
        and not (asked.get("clean") and (summary["verdict"] != "ok" or summary["flags"]))
        and not (asked.get("no_serious_risk") and "serious" in summary["flag_levels"].values())
        and ("outcome" not in asked or _became(summary) in asked["outcome"])
    )


def _became(summary: Mapping[str, Any]) -> str | None:
    outcome = summary["outcome"]
    return None if outcome is None else str(outcome["became"])


def _texts(asked: Mapping[str, Any], summary: Mapping[str, Any]) -> bool:
    chosen = {
        "tld": summary["tld"],
        "type": summary["listing"]["type"],
        "topic": summary["topic"],
        "lang": summary["language"],
        "source": summary["listing"]["source"],
        "tag": summary["domain"],
    }
    return (
        all(value in asked[name] for name, value in chosen.items() if name in asked)
        and ("marketplace" not in asked or place_of(summary) in asked["marketplace"])
        and summary["tld"] not in asked.get("exclude_tld", ())
        and not any(_found(word, summary) for word in asked.get("exclude", ()))
        and summary["domain"] not in asked.get("unseen", ())
        and summary["domain"] not in asked.get("unrejected", ())
        and ("any" not in asked or any(_found(word, summary) for word in asked["any"]))
        and ("q" not in asked or any(_found(q, summary) for q in asked["q"]))
    )


def place_of(summary: Mapping[str, Any]) -> str:
    """What a list calls the place where a domain is sold, or whoever may catch it."""
    listing = summary["listing"]
    title = listing["source_title"] or listing["source"]
    if summary["status"] in ("ended", "available"):
        return str(title)
    if listing["url"] is None and summary["purchase"]:
        return str(summary["purchase"][0]["place"])
    return str(listing["source_title"] or urlsplit(listing["url"] or "").hostname or title)


def _label(asked: Mapping[str, Any], domain: str) -> bool:
    label = fold(unicode_name(domain)).split(".")[0]
    hyphen, digit = "-" in label, any("0" <= char <= "9" for char in label)
    return (
        asked.get("min_length", 0) <= len(label) <= asked.get("max_length", 99)
        and any(label.startswith(start) for start in asked.get("starts_with", [""]))
        and any(label.endswith(end) for end in asked.get("ends_with", [""]))
        and not (hyphen and ("no_hyphens" in asked or "letters_only" in asked))
        and not (digit and ("no_digits" in asked or "letters_only" in asked))
    )


def _found(q: str, summary: Mapping[str, Any]) -> bool:
    # A match never spans two lines of the search text.
    return "\n" not in q and q in search_text(summary["domain"], summary["title"])


def _figures(asked: Mapping[str, Any], summary: Mapping[str, Any]) -> bool:
    metrics, bids, facts = summary["metrics"], summary["listing"]["bids"], summary.get("facts", {})
    if "not_adult" in asked and facts.get("adult") is not False:
        return False
    least = {
        "min_score": summary["score"],
        "min_dr": metrics["domain_rating"],
        "min_tf": metrics.get("trust_flow"),
        "min_cf": metrics.get("citation_flow"),
        "min_ref_domains": metrics["referring_domains"],
        "min_archive_years": metrics["archive_years"],
        "min_bids": bids,
        "min_valuation": facts.get("valuation_usd"),
        "min_searches": facts.get("search_volume"),
        "min_cpc": _cents(facts.get("cost_per_click_usd")),
        "min_extensions_taken": facts.get("extensions_taken"),
        "min_last_owner_links": summary.get("last_owner_links"),
        "min_live_links": summary.get("live_links"),
        "min_trust_ratio": _ratio(metrics.get("trust_flow"), metrics.get("citation_flow")),
    }
    enough = all(value is not None and value >= asked[name] for name, value in least.items() if name in asked)
    return enough and ("max_bids" not in asked or bids <= asked["max_bids"])


def _cents(usd: float | None) -> int | None:
    return None if usd is None else round(usd * 100)


def _ratio(trust: int | None, citation: int | None) -> float | None:
    """In percent."""
    return None if trust is None or citation is None or citation == 0 else trust / citation * 100


def _price(asked: Mapping[str, Any], price: int | None) -> bool:
    if price is None:
        return not asked.get("priced")
    return "max_price" not in asked or price <= int(asked["max_price"])


def _times(asked: Mapping[str, Any], summary: Mapping[str, Any], now: datetime) -> bool:
    if "since" in asked and summary["found_at"] < asked["since"].strftime(TIME_FORM):
        return False
    first = summary["metrics"]["archive_first_year"]
    oldest = min(now.year - asked.get("min_age", 0), asked.get("max_first_year", now.year))
    if asked.keys() & {"min_age", "max_first_year"} and (first is None or first > oldest):
        return False
    shown = when(cast(ListingJson, summary["listing"]))
    if not asked.keys() & {"ending_within_hours", "ends_by", "drops_on"}:
        return True
    if shown is None or shown.ends <= now or ("drops_on" in asked and summary["status"] != "pending_delete"):
        return False
    hours = asked.get("ending_within_hours")
    soon = hours is None or shown.begins <= now + timedelta(hours=hours)
    return soon and all(_on(asked[name], shown) for name in ("ends_by", "drops_on") if name in asked)


def _on(days: Days, shown: DropTime) -> bool:
    """Whether what is shown of an end is on these days: of a moment the reader's day, else the registry's."""
    day = shown.on(days.zone)
    return (days.first is None or days.first <= day) and day <= days.last
