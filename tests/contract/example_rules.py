"""What the contract says of answers beyond their schemas: how members of one answer belong together. Pure.

A rule takes an object that has its members, and the time it was answered. It yields what is wrong in a few words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from afterdrop.core.domain_names import exact_domain, tld
from afterdrop.core.errors import BadName
from afterdrop.web.problems import STATUS

Rule = Callable[[dict[str, Any], datetime], Iterator[str]]
_RULES: Final[list[tuple[frozenset[str], Rule]]] = []
_DAY: Final = timedelta(hours=24)


def _rule(*members: str) -> Callable[[Rule], Rule]:
    """The rule speaks of objects that have all these members."""

    def add(rule: Rule) -> Rule:
        _RULES.append((frozenset(members), rule))
        return rule

    return add


def broken(value: Any, now: datetime, where: str = "") -> Iterator[str]:
    """Every rule that an answer, or anything in it, breaks."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from broken(item, now, f"{where}[{number}]")
    if isinstance(value, dict):
        for members, rule in _RULES:
            if members <= set(value):
                yield from (f"{where}: {fault}" for fault in rule(value, now))
        for name, item in value.items():
            yield from broken(item, now, f"{where}.{name}")


def moment(text: str) -> datetime:
    """A time as the contract writes it."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


@_rule("domain", "tld", "status", "listing", "detail")
def _domain(shown: dict[str, Any], now: datetime) -> Iterator[str]:
    name, status, offer = shown["domain"], shown["status"], shown["listing"]
    if exact_domain(name) != name or shown["tld"] != tld(name):
        yield "no registrable domain, or another extension"
    if shown["found_at"] and shown["score"] < 45:
        yield "published with a score below 45"
    if status != _status(offer["type"], offer["ends_at"], now) and status != "available":
        yield f"status {status} with an offer {offer['type']} that ends at {offer['ends_at']}"
    if offer["type"] == "pending_delete" and offer["price_usd"] is not None and status != "available":
        yield "a pending delete has no price"
    if status == "available" and (offer["bids"] or name not in offer["url"]):
        yield "an available domain leads to a registrar, and has no bids"
    trust = {"trust_flow", "citation_flow"} & set(shown["metrics"])
    if len(trust) != (2 if shown["detail"] == "full" else 0):
        yield "trust figures stand with full detail only"
    if not shown["report_url"].endswith(f"/domains/{name}"):
        yield "report_url leads elsewhere"


def _status(kind: str, ends_at: str | None, now: datetime) -> str:
    ends = moment(ends_at) if ends_at else None
    if ends is not None and ends <= now:
        return "ended"
    if kind == "pending_delete":
        return "pending_delete"
    return "ending_soon" if ends is not None and ends - now < _DAY else "listed"


@_rule("risk_checks", "registration", "anchors")
def _report(shown: dict[str, Any], now: datetime) -> Iterator[str]:
    found = [check for check in shown["risk_checks"] if check["result"] == "found"]
    if [check["flag"] for check in found] != shown["flags"]:
        yield "flags are not those whose check found something"
    if shown["verdict"] == "ok" and any(check["severity"] == "risk" for check in found):
        yield "ok with a risk"
    if (shown["registration"] is None) != (shown["status"] not in ("available", "ended")):
        yield "a registration stands once the listing has ended, and not before"
    counts = [anchor["referring_domains"] for anchor in shown["anchors"]["top"] or []]
    if counts != sorted(counts, reverse=True):
        yield "anchors.top is not in order"
    for name in shown["top_referring_domains"] or []:
        if not _is_domain(name):
            yield f"{name!r} is no referring domain"
    for parent in (flow["topic"] for flow in shown["topical_trust_flow"] or []):
        if "/" not in parent:
            yield f"{parent!r} is no topic of the form Parent/Child"
    if shown["domain"] not in shown["webarchive_url"]:
        yield "webarchive_url leads elsewhere"


def _is_domain(name: str) -> bool:
    try:
        return exact_domain(name) == name
    except BadName:
        return False


@_rule("archive_years", "archive_first_year", "archive_last_year")
def _years(figures: dict[str, Any], now: datetime) -> Iterator[str]:
    count, first, last = (
        figures[name] for name in ("archive_years", "archive_first_year", "archive_last_year")
    )
    if count and not count <= last - first + 1 <= now.year:
        yield "more years than lie between the first and the last"


@_rule("id", "domain", "status", "created_at", "finished_at", "report_url")
def _check(check: dict[str, Any], now: datetime) -> Iterator[str]:
    done, ended = check["status"] == "done", check["status"] in ("done", "failed")
    if ended != (check["finished_at"] is not None):
        yield f"{check['status']} with finished_at {check['finished_at']}"
    elif ended and not moment(check["created_at"]) <= moment(check["finished_at"]) <= now:
        yield "finished before it was ordered, or later than now"
    if not done and (check["score"] is not None or check["verdict"] is not None):
        yield "a score before it is done"
    if "queue_position" in check and check["status"] != "queued":
        yield "a place in the queue, but not queued"
    if not check["report_url"].endswith(f"/checks/{check['id']}"):
        yield "report_url leads elsewhere"


@_rule("id", "would_list", "reject_reasons", "report")
def _found(check: dict[str, Any], now: datetime) -> Iterator[str]:
    report = check["report"]
    if (report is not None) != (check["status"] == "done"):
        yield "a report stands once it is done"
    if report and (report["score"], report["verdict"]) != (check["score"], check["verdict"]):
        yield "the report has another score"
    if check["would_list"] is not None and check["would_list"] == bool(check["reject_reasons"]):
        yield "reasons against a domain that would list, or none against one that would not"


@_rule("email", "plan", "limits")
def _account(me: dict[str, Any], now: datetime) -> Iterator[str]:
    limits = tuple(me[name]["limit"] for name in ("alerts", "watchlist", "webhooks"))
    if limits != ((10, None, 3) if me["plan"] == "pro" else (0, 3, 0)):
        yield f"plan {me['plan']} with limits {limits}"
    if (me["plan_renews_at"] is None) != (me["plan"] == "free"):
        yield "a free plan does not renew"
    credits = me["checks"]
    if credits["available"] != credits["from_plan_this_month"] + credits["welcome"] + credits["purchased"]:
        yield "credits do not add up"


@_rule("used", "limit")
def _allowance(found: dict[str, Any], now: datetime) -> Iterator[str]:
    if found["limit"] is not None and found["used"] > found["limit"]:
        yield "more than allowed"


@_rule("total", "page", "per_page", "pages")
def _pages(meta: dict[str, Any], now: datetime) -> Iterator[str]:
    if meta["pages"] != -(-meta["total"] // meta["per_page"]):
        yield "another number of pages"
    if ("locked" in meta) > (meta.get("plan") == "free"):
        yield "something locked on Pro"


@_rule("data", "meta")
def _list(answer: dict[str, Any], now: datetime) -> Iterator[str]:
    meta = answer["meta"]
    if "next_cursor" in meta:
        return
    if len(answer["data"]) != min(meta["per_page"], meta["total"] - (meta["page"] - 1) * meta["per_page"]):
        yield "another number of items than meta says"
    states = {
        "live": {"listed", "ending_soon", "pending_delete"},
        "available": {"available"},
        "archive": {"ended", "available"},
    }
    if "list" in meta and not {item["status"] for item in answer["data"]} <= states[meta["list"]]:
        yield "a domain on the wrong list"


@_rule("url", "events", "active", "disabled_at")
def _endpoint(endpoint: dict[str, Any], now: datetime) -> Iterator[str]:
    if endpoint["disabled_at"] and endpoint["active"]:
        yield "switched off, but active"


@_rule("event", "attempts", "delivered_at")
def _delivery(delivery: dict[str, Any], now: datetime) -> Iterator[str]:
    if (delivery["status"] == "delivered") != (delivery["delivered_at"] is not None):
        yield f"{delivery['status']} with delivered_at {delivery['delivered_at']}"
    if delivery["status"] == "delivered" and not (200 <= delivery["response_code"] < 300):
        yield "delivered with a refusal"


@_rule("state", "statuses", "registrar")
def _registration(record: dict[str, Any], now: datetime) -> Iterator[str]:
    if (record["statuses"] is None) != (record["state"] == "unknown"):
        yield "statuses are null when the state is unknown, and only then"
    if record["state"] in ("available", "unknown") and record["registrar"] is not None:
        yield "a registrar of nothing"
    if record["registered_at"] and record["expires_at"] and record["registered_at"] >= record["expires_at"]:
        yield "expired before it was registered"


@_rule("earliest", "latest", "exact")
def _estimate(window: dict[str, Any], now: datetime) -> Iterator[str]:
    if window["earliest"] and window["earliest"] > window["latest"]:
        yield "a window that ends before it begins"


@_rule("host", "records", "has_mail", "spf")
def _dns(found: dict[str, Any], now: datetime) -> Iterator[str]:
    records = found["records"]
    if set(records) != {"A", "AAAA", "CNAME", "MX", "NS", "TXT", "SOA", "CAA"}:
        yield "other record types"
    mail = (
        {mx["value"] for mx in records["MX"]} != {"."}
        if records["MX"]
        else bool(records["A"] or records["AAAA"])
    )
    if not found["errors"] and found["has_mail"] != mail:
        yield "mail without MX or address, or the other way round"
    if "TXT" not in found["errors"] and found["spf"] != any(
        "v=spf1" in txt["value"] for txt in records["TXT"]
    ):
        yield "SPF without its record, or the other way round"


@_rule("code", "message", "docs")
def _error(error: dict[str, Any], now: datetime) -> Iterator[str]:
    if error["code"] not in STATUS or not error["docs"].endswith(f"/docs/errors#{error['code']}"):
        yield "docs lead elsewhere"
    if ("upgrade_url" in error) != (error["code"] == "plan_required"):
        yield "upgrade_url stands on plan_required only"
    if ("fields" in error) != (error["code"] == "validation_failed"):
        yield "fields stand on validation_failed only"


@_rule("domain", "hours_left", "ends_at")
def _reminder(told: dict[str, Any], now: datetime) -> Iterator[str]:
    left = moment(told["ends_at"]) - now
    if not timedelta() < left <= timedelta(hours=told["hours_left"]):
        yield f"{told['hours_left']} hours left of {left}"
    if told["ends_at"] != told["domain"]["listing"]["ends_at"]:
        yield "another end than the listing's"


@_rule("availability", "available_since", "register_url")
def _after(registration: dict[str, Any], now: datetime) -> Iterator[str]:
    free = registration["availability"] == "available"
    if free != (registration["available_since"] is not None and registration["register_url"] is not None):
        yield "an available domain has a time and a registrar, and no other has"
    if free and registration["registrar"] is not None:
        yield "an available domain has no registrar of record"


_PLACEHOLDERS: Final = re.compile(r"text|string|item \d+", re.IGNORECASE)


def placeholders(value: Any, where: str = "") -> Iterator[str]:
    """Texts that a tool made up instead of a service."""
    if isinstance(value, str) and _PLACEHOLDERS.fullmatch(value):
        yield f"{where}: {value!r}"
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in pairs:
        yield from placeholders(item, f"{where}.{name}")
