"""Separates the text that strangers wrote from what the service says. Pure.

Somebody may write titles, anchors, archived pages, registrars' names and DNS records for a model to read. In an answer
they stand under `untrusted_text` and nowhere else. The rest is listed here by name; a member that is not,
a future one included, goes under `untrusted_text`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from afterdrop.core.json_shapes import instant
from afterdrop.sources.registry.rdap_fields import is_known

UNTRUSTED: Final = "untrusted_text"
# fmt: off
SUMMARY: Final = frozenset({
    "domain", "tld", "status", "score", "verdict", "flags", "flag_levels", "conclusion", "topic", "language", "metrics",
    "listing", "purchase", "found_at", "open", "detail", "report_url",
})
REPORT: Final = SUMMARY | {
    "standing", "score_breakdown", "score_confidence", "score_version", "score_inputs", "top_referring_domains",
    "topic_estimated", "rank_on_hunt_day", "revival_kit", "link_eras", "links_today", "cc_rank", "webarchive_url",
    "attributions",
}
# Of a rejected name: reasons and evidence quote the old site.
REJECTED: Final = frozenset({"domain", "rejected_at", "spam", "trust_flow", "domain_rating", "referring_domains"})
PAGE: Final = frozenset({"era", "captures", "last_capture", "words", "has_content"})
REGISTRATION: Final = frozenset({
    "domain", "state", "availability", "checked_at", "available_since", "register_url", "registrar_iana_id",
    "registered_at", "expires_at", "updated_at", "nameservers", "dnssec", "caught_after_drop",
    "drop_estimate", "source", "detail", "releases_at",
})
DNS: Final = frozenset({"host", "has_mail", "spf", "dmarc", "parked_at", "status", "errors", "withheld"})
CHECK: Final = frozenset({
    "id", "domain", "status", "created_at", "finished_at", "score", "verdict", "report_url", "would_list",
    "queue_position",
})
# fmt: on
# Characters that a person does not see and a model reads: what Unicode calls ignorable (zero-width ones, fillers,
# variation selectors, tags, overrides), annotations, and line separators that are no line ends.
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible_json(value: Any) -> Any:
    """A value as JSON: times as the API writes them, texts without the control and invisible characters in them."""
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, str):
        return "".join(c for c in _UNSEEN.sub("", value) if c in "\n\t" or unicodedata.category(c) != "Cc")
    if isinstance(value, Mapping):
        return {visible_json(name): visible_json(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [visible_json(item) for item in value]
    return value


def _separated(item: Mapping[str, Any], own: frozenset[str]) -> dict[str, Any]:
    """The members named in `own`, and all others under `untrusted_text`."""
    ours = {name: value for name, value in item.items() if name in own}
    theirs = {name: value for name, value in item.items() if name not in own}
    return _joined(ours, theirs)


def _joined(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    return {**ours, **({UNTRUSTED: theirs} if theirs else {})}


def _published(item: Mapping[str, Any], own: frozenset[str]) -> dict[str, Any]:
    """The same for a domain on a list: the addresses in `listing` and `purchase` are texts of its feed.

    A row without flags has no `flag_levels`, and one without a day to drop on no `listing.day`, which leaves room for
    more rows in an answer.
    """
    row = _separated({name: item[name] for name in item if name != "flag_levels" or item[name]}, own)
    theirs: dict[str, Any] = row.pop(UNTRUSTED, {})
    if "url" in (row.get("listing") or {}):
        row["listing"] = {
            name: value
            for name, value in row["listing"].items()
            if name != "url" and (name != "day" or value is not None)
        }
        theirs["listing_url"] = item["listing"]["url"]
    if row.get("purchase"):
        row["purchase"] = [{name: way[name] for name in way if name != "url"} for way in row["purchase"]]
        theirs["purchase_urls"] = [way["url"] for way in item["purchase"]]
    return _joined(row, theirs)


def summary(item: Mapping[str, Any]) -> dict[str, Any]:
    """A domain summary."""
    return _published(item, SUMMARY)


def listed(item: Mapping[str, Any]) -> dict[str, Any]:
    """A summary with its `outcome`, where there is one: what became of the domain, and by whom it was caught."""
    row = summary({name: value for name, value in item.items() if name != "outcome"})
    outcome = item["outcome"]
    if outcome is not None:
        row["outcome"] = {"became": outcome["became"], "days": outcome["days"]}
        if outcome["registrar"]:
            row[UNTRUSTED] = {**row.get(UNTRUSTED, {}), "registrar": outcome["registrar"]}
    return row


def rejected(item: Mapping[str, Any]) -> dict[str, Any]:
    """A rejected name."""
    return _separated(item, REJECTED)


def report(item: Mapping[str, Any]) -> dict[str, Any]:
    """A domain report: figures and verdicts outside, every text that quotes the old site or its links untrusted."""
    row = _published(item, REPORT)
    theirs: dict[str, Any] = row.pop(UNTRUSTED, {})
    checks = theirs.pop("risk_checks", None)
    spam = theirs.pop("spam", None)
    anchors = theirs.pop("anchors", None)
    if checks is not None:
        row["risk_checks"] = [{k: v for k, v in check.items() if k != "note"} for check in checks]
        theirs["risk_notes"] = {check["flag"]: check["note"] for check in checks}
    if spam is not None:
        row["spam"] = spam["result"]
        theirs["spam_note"] = spam["note"]
    if anchors is not None:
        known = None if anchors["top"] is None else sum(each["referring_domains"] for each in anchors["top"])
        row["anchors"] = {"spam_share": anchors["spam_share"], "known": known}
        theirs["anchors"] = anchors["top"]
    if "registration" in theirs:
        found = theirs.pop("registration")
        row["registration"] = None if found is None else registration(found)
    return {**row, UNTRUSTED: theirs}


def page(item: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A page of the revival kit, numbered from 1: even its path is a stranger's text."""
    return {"number": number, **_separated(item, PAGE)}


def registration(item: Mapping[str, Any]) -> dict[str, Any]:
    """A registration in any of its shapes. The registrar's name and the registry's own status words are untrusted."""
    row = _separated(item, REGISTRATION)
    if "statuses" in item:
        words = item["statuses"]
        row["statuses"] = None if words is None else [word for word in words if is_known(word)]
        own = [word for word in words or () if not is_known(word)]
        theirs = {**row.pop(UNTRUSTED), "statuses": own}
        if not own:
            del theirs["statuses"]
        if theirs:
            row[UNTRUSTED] = theirs
    return row


def dns(item: Mapping[str, Any]) -> dict[str, Any]:
    """DNS records: anybody may write anything into their zone."""
    return _separated(item, DNS)


def match(item: Mapping[str, Any]) -> dict[str, Any]:
    """A match of an alert rule, whose name is the account's own."""
    return {**item, "domain": summary(item["domain"])}


def check(item: Mapping[str, Any]) -> dict[str, Any]:
    """A domain check; with its report where it is done."""
    row = _separated(item, CHECK)
    theirs: dict[str, Any] = row.pop(UNTRUSTED, {})
    for name, shaped in (("registration", registration), ("report", report)):
        if name in theirs:
            found = theirs.pop(name)
            row[name] = None if found is None else shaped(found)
    return _joined(row, theirs)


def batch_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """One name of a batch of checks."""
    return {**item, "check": None if item["check"] is None else check(item["check"])}
