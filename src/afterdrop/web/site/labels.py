"""The words the site shows for codes: flags, parts of the score, states, metrics, errors. Pure."""

from __future__ import annotations

from typing import Final

from afterdrop.review.flags.flag_words import FLAGS as FLAGS
from afterdrop.review.flags.flag_words import flag_label as flag_label
from afterdrop.web.problems import Code

PARTS: Final[dict[str, tuple[str, str]]] = {
    "<vendor_c>_dr": ("Domain Rating", "Strength of all links to the domain, 0–100"),
    "trust_flow": ("Trust Flow", "Links from sites that are near trusted ones, 0–100"),
    "ref_domains": ("Referring domains", "How many domains link to it"),
    "<vendor_a>_as": ("Authority score", "A second index's judgement of the links"),
    "<vendor_d>_pagerank": ("Page rank", "Its place in the web graph"),
    "history": ("History", "Share of its years with a page of the site itself"),
    "age": ("Age", "Years since the first archived page"),
    "price": ("Price", "Cheap names add more"),
    "penalty": ("Penalty for flags", "What the found risks take off"),
}
STATUSES: Final = {
    "listed": "Listed",
    "ending_soon": "Ending soon",
    "pending_delete": "Pending delete",
    "available": "Available",
    "ended": "Ended",
}
VERDICTS: Final = {"ok": "No serious risk found", "risky": "Worth a second look"}
TYPES: Final = {
    "bid": "Taking bids",
    "buy_now": "Buy now",
    "auction": "Auction",
    "pending_delete": "Pending delete",
}
METRICS: Final = {
    "domain_rating": "Domain Rating",
    "trust_flow": "Trust Flow",
    "citation_flow": "Citation Flow",
    "tf_cf_ratio": "Trust to citation ratio",
    "referring_domains": "Referring domains",
    "backlinks": "Backlinks",
    "<vendor_a>_authority_score": "Authority score",
    "<vendor_b>_domain_authority": "Domain authority",
    "<vendor_d>_pagerank": "Page rank",
    "<search_engine>_indexed_pages": "Pages in the search engine",
    "archived_urls": "Archived addresses",
    "archive_years": "Years in the archive",
    "archive_first_year": "First year archived",
    "archive_last_year": "Last year archived",
}
EVENTS: Final = {
    "alert.matched": "A new domain matches one of your rules",
    "domain.available": "A followed or matching domain dropped and is free",
    "domain.ending_soon": "A followed or matching domain ends soon",
    "check.completed": "A check you ordered is done",
}
# What each error of the API means, and what to do about it.
ERRORS: Final[dict[Code, tuple[str, str]]] = {
    "unauthenticated": (
        "The API key is missing, mistyped or revoked.",
        "Send the header Authorization: Bearer and a key from the account's API keys page. A lost key cannot be "
        "shown again: delete it and make another.",
    ),
    "no_checks_left": (
        "No domain check credits are left, and the domain was not checked by you in the last seven days.",
        "Wait for next month's credits of the plan, or have some added. Failed checks give theirs back.",
    ),
    "email_unverified": (
        "The account's e-mail address is not confirmed.",
        "Open the link in the mail we sent; after signing in it can be sent again.",
    ),
    "plan_required": (
        "The domain or feature is part of Pro.",
        "upgrade_url leads to the plans. On the free plan five domains a day are open in full.",
    ),
    "not_found": (
        "There is no such resource, it is somebody else's, or the domain is not on the list.",
        "Look at the id or name. A domain can leave the list when spam is found in its past.",
    ),
    "method_not_allowed": ("The path does not accept this method.", "The Allow header names those it does."),
    "limit_reached": (
        "The plan's limit for alert rules, watched domains or webhook endpoints is reached.",
        "Delete one first. GET /me shows the limits and what is used of them.",
    ),
    "validation_failed": (
        "A parameter or the body is missing, unknown or out of range.",
        "fields says what is wrong with each; body stands for the body as a whole. Nothing was done.",
    ),
    "rate_limited": (
        "Too many requests in this minute or day.",
        "Wait the seconds in Retry-After. X-RateLimit-Remaining shows what the minute has left.",
    ),
    "lookup_quota_exceeded": (
        "The hour's quota of looked-up domains is used up.",
        "Wait the seconds in Retry-After. The site's tools and the API count together.",
    ),
    "server_error": ("A fault on our side.", "Try again after a pause; it is safe to repeat the request."),
}
LIFE: Final = {
    "site": "Site",
    "other": "Another owner’s site",
    "holder": "Placeholder",
    "sale": "For sale or paid links",
    "spam": "Spam",
    "error": "Error pages",
    "gap": "Nothing archived",
}
OUTCOMES: Final = {
    "caught": "Caught after the drop",
    "renewed": "Renewed",
    "sold": "Sold",
    "free": "Dropped and free",
    "unknown": "Not known yet",
}
# A flag's icon in static/icons.svg.
ICONS: Final = {
    "dr_inflated": "f-rating",
    "parked": "f-parked",
    "topic_change": "f-topic",
    "lang_change": "f-lang",
    "gap": "f-gap",
    "trademark": "f-tm",
    "not_indexed": "f-noindex",
    "anchor_foreign": "f-anchor",
    "spam": "f-spam",
}
_TABLES: Final = (STATUSES, TYPES, METRICS)


def label(code: str | None) -> str:
    """A code in words."""
    if code is None:
        return "–"
    for table in _TABLES:
        if code in table:
            return table[code]
    return code.replace("_", " ")


def flag_text(flag: str) -> str:
    """What a flag means."""
    return FLAGS.get(flag, ("", ""))[1]
