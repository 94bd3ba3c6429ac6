"""Every operation of the API as an ask: `client(report("example.org"))`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypedDict, Unpack
from urllib.parse import quote

from afterdrop_client import models as m
from afterdrop_client.asks import Ask

Event = m.AlertMatchedEvent | m.DomainAvailableEvent | m.DomainEndingSoonEvent | m.CheckCompletedEvent
EventType = Literal["alert.matched", "domain.available", "domain.ending_soon", "check.completed"]


class Filters(TypedDict, total=False):
    """The filters and the order of the lists."""

    q: str
    min_score: int
    min_dr: int
    min_tf: int
    min_ref_domains: int
    min_archive_years: int
    max_price: int
    tld: Iterable[str]
    type: Iterable[Literal["bid", "buy_now", "auction", "pending_delete"]]
    topic: Iterable[str]
    lang: Iterable[str]
    clean: bool
    since: str
    ending_within_hours: int
    sort: Literal["score", "dr", "ending", "newest", "price", "ended"]
    per_page: int


def me() -> Ask[m.Me]:
    """The account, its plan, limits and credits, and the scope of this key."""
    return Ask("GET", "/me")


def stats() -> Ask[m.Stats]:
    """The service's figures."""
    return Ask("GET", "/stats")


def live(**filters: Unpack[Filters]) -> Ask[list[m.Summary]]:
    """Auctions and drops that have not ended."""
    return Ask("GET", "/domains", _listed(filters), paging="page")


def available(**filters: Unpack[Filters]) -> Ask[list[m.Summary]]:
    """Domains that dropped and are free to register."""
    return Ask("GET", "/domains/available", _listed(filters), paging="page")


def archive(**filters: Unpack[Filters]) -> Ask[list[m.Summary]]:
    """Everything that has ended."""
    return Ask("GET", "/domains/archive", _listed(filters), paging="page")


def report(domain: str) -> Ask[m.FullReport | m.BasicReport]:
    """The report of a listed domain."""
    return Ask("GET", f"/domains/{_part(domain)}")


def pages(domain: str, *, content: bool = False) -> Ask[list[m.Page]]:
    """The revival kit of a listed domain."""
    query = {"include": "content"} if content else {}
    return Ask("GET", f"/domains/{_part(domain)}/pages", query, paging="page")


def watched() -> Ask[list[m.Summary]]:
    """The domains you follow."""
    return Ask("GET", "/watchlist")


def watch(domain: str) -> Ask[m.Summary]:
    """Follow a listed domain."""
    return Ask("PUT", f"/watchlist/{_part(domain)}")


def unwatch(domain: str) -> Ask[None]:
    """Stop following a domain."""
    return Ask("DELETE", f"/watchlist/{_part(domain)}")


def rules() -> Ask[list[m.Rule]]:
    """Your alert rules."""
    return Ask("GET", "/alerts")


def create_rule(rule: m.NewRule) -> Ask[m.Rule]:
    """Match every newly listed domain from now on."""
    return Ask("POST", "/alerts", body=rule)


def rule(rule_id: int) -> Ask[m.Rule]:
    """One of your rules."""
    return Ask("GET", f"/alerts/{rule_id}")


def change_rule(rule_id: int, change: m.RuleChange) -> Ask[m.Rule]:
    """Change the members that are sent."""
    return Ask("PATCH", f"/alerts/{rule_id}", body=change)


def delete_rule(rule_id: int) -> Ask[None]:
    """Delete a rule and its matches."""
    return Ask("DELETE", f"/alerts/{rule_id}")


def matches(*, since: str | None = None, before: str | None = None, limit: int = 100) -> Ask[list[m.Match]]:
    """Matches of your alert rules, newest first."""
    query = {"since": since, "before": before, "limit": limit}
    return Ask("GET", "/alerts/matches", query, paging="cursor")


def order_check(domain: str) -> Ask[m.OrderedCheck]:
    """Order a full report of any domain for one credit."""
    return Ask("POST", "/checks", body={"domain": domain})


def check(check_id: str) -> Ask[m.CheckDetail]:
    """A check with its report once it is done."""
    return Ask("GET", f"/checks/{_part(check_id)}")


def checks() -> Ask[list[m.Check]]:
    """The checks you ordered, newest first."""
    return Ask("GET", "/checks", {"per_page": 50}, paging="page")


def preview_checks(domains: Iterable[str]) -> Ask[m.CheckBatchPreview]:
    """The cost of checks of up to 100 domains. Spends nothing."""
    return Ask("POST", "/checks/batch", body={"domains": list(domains)})


def order_checks(domains: Iterable[str], credits: int) -> Ask[m.CheckBatch]:
    """Check up to 100 domains for at most so many credits, or none of them."""
    return Ask("POST", "/checks/batch", body={"domains": list(domains), "credits": credits})


def check_batch(batch_id: str) -> Ask[m.CheckBatch]:
    """Names ordered together and their checks as they are now."""
    return Ask("GET", f"/checks/batch/{_part(batch_id)}")


def whois(domain: str) -> Ask[m.WhoisRecord]:
    """A registration record, live from the registry."""
    return Ask("GET", "/tools/whois", {"domain": domain})


def availability(domains: Iterable[str]) -> Ask[list[m.RegistrationRecord]]:
    """Whether domains are registered, dropping or available."""
    return Ask("GET", "/tools/availability", {"domains": list(domains)})


def domain_rating(domains: Iterable[str]) -> Ask[list[m.RatingRow]]:
    """Domain Ratings."""
    return Ask("GET", "/tools/domain-rating", {"domains": list(domains)})


def dns(host: str) -> Ask[m.DnsResult]:
    """DNS records, mail policies and parking of a host."""
    return Ask("GET", "/tools/dns", {"host": host})


def webhooks() -> Ask[list[m.Endpoint]]:
    """Your webhook endpoints."""
    return Ask("GET", "/webhooks")


def create_webhook(endpoint: m.NewEndpoint) -> Ask[m.CreatedEndpoint]:
    """An address that receives signed events. Its `secret` is shown only in this answer."""
    return Ask("POST", "/webhooks", body=endpoint)


def change_webhook(endpoint_id: int, change: m.EndpointChange) -> Ask[m.Endpoint]:
    """Change the members that are sent."""
    return Ask("PATCH", f"/webhooks/{endpoint_id}", body=change)


def delete_webhook(endpoint_id: int) -> Ask[None]:
    """Delete an endpoint and its deliveries."""
    return Ask("DELETE", f"/webhooks/{endpoint_id}")


def test_webhook(endpoint_id: int) -> Ask[m.Delivery]:
    """Send a test event."""
    return Ask("POST", f"/webhooks/{endpoint_id}/test")


def deliveries(endpoint_id: int) -> Ask[list[m.Delivery]]:
    """The last 50 deliveries."""
    return Ask("GET", f"/webhooks/{endpoint_id}/deliveries")


def events(
    after: str | None = None, *, type: Iterable[EventType] | None = None, limit: int = 100
) -> Ask[list[Event]]:
    """The events of the last 14 days after a cursor; `catch_up` gives them with the cursor to keep."""
    query: dict[str, Any] = {"after": after, "type": list(type) if type else None, "limit": limit}
    return Ask("GET", "/events", query, paging="after")


def _listed(filters: Filters) -> dict[str, Any]:
    """Filters as a query; 100 rows a part unless somebody wants fewer."""
    named: dict[str, Any] = {"per_page": 100, **filters}
    return {
        name: list(value) if name in ("tld", "type", "topic", "lang") else value
        for name, value in named.items()
    }


def _part(text: str) -> str:
    return quote(text, safe="")
