"""The words the site shows for codes: flags, parts of the score, states, metrics, errors, languages. Pure."""

from __future__ import annotations

from typing import Final

from afterdrop.delivery.events import INTERFACE_EVENTS
from afterdrop.review.flags.risk_flags import FLAG_WORDS
from afterdrop.review.flags.risk_flags import flag_label as flag_label
from afterdrop.review.history.after_life import AfterLifeKind
from afterdrop.review.page.language import language_name as language_name
from afterdrop.web.problems import Code

FLAGS: Final = FLAG_WORDS
PARTS: Final[dict[str, tuple[str, str]]] = {
    "<vendor_c>_dr": ("Domain Rating", "The strength of all links to the domain, 0–100"),
    "trust_flow": ("Trust Flow", "How close its links are to trusted sites, 0–100"),
    "ref_domains": ("Referring domains", "How many domains link to it"),
    "<vendor_a>_as": ("Authority score", "A second index's rating of the links"),
    "<vendor_d>_pagerank": ("Page rank", "Its place in the web graph"),
    "history": ("History", "The share of its years in which its own site stood there"),
    "age": ("Age", "Years since the first archived page"),
    "price": ("Price", "Cheaper names score higher"),
    "penalty": ("Penalty for flags", "Points that its risks take off"),
}
STATUSES: Final = {
    "listed": "Listed",
    "ending_soon": "Ending soon",
    "pending_delete": "Pending delete",
    "available": "Available",
    "ended": "Ended",
}
# What a registry says of a followed name, by stage.
STAGES: Final = {
    None: "Not known yet",
    "active": "Registered",
    "expired": "Expired",
    "redemption": "In redemption",
    "pending_delete": "Pending delete",
    "available": "Free to register",
}
# What changed for one, by change.
REGISTRY_NEWS: Final = {
    "renewed": "Renewed",
    "redemption": "In redemption",
    "pending_delete": "Pending delete",
    "dropped": "Free to register",
    "registered": "Registered anew",
}
# What stands at a name with a new holder.
AFTER_LIVES: Final[dict[AfterLifeKind, str]] = {
    "same": "The same site",
    "other": "Another site",
    "parked": "Parked",
    "for_sale": "For sale",
    "redirected": "Redirected",
    "spam": "Spam",
    "nothing": "No site",
    "unclear": "Could not tell",
}
# What our scan had said of it; a name that nobody scanned has no outcome.
OURS: Final = {
    "published": "Listed",
    "refreshed": "Listed",
    "rejected": "Rejected",
    "": "Never scanned",
}
OUTCOMES: Final = {
    "free": "Dropped and free",
    "sold": "Sold",
    "renewed": "Renewed",
    "caught": "Caught after the drop",
    "unknown": "Not known yet",
}
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
    "<search_engine>_indexed_pages": "Indexed pages",
    "archived_urls": "Archived addresses",
    "archive_years": "Years in the web archive",
    "archive_first_year": "First year archived",
    "archive_last_year": "Last year archived",
}
EVENTS: Final = {
    "alert.matched": "A new domain matches one of your rules",
    "domain.available": "A domain you follow or a rule matches has dropped and is free to register",
    "domain.ending_soon": "A domain you follow or a rule matches ends soon",
    "check.completed": "A check you ordered has finished",
    "registration.renewed": "A domain you follow was renewed",
    "registration.redemption": "A domain you follow is in redemption",
    "registration.pending_delete": "A domain you follow is pending delete",
    "registration.dropped": "A domain you follow that is on no list has dropped and is free to register",
    "registration.registered": "A domain you follow was registered anew after it ended",
    "takeover.seen": "The page at a domain you follow that has a new holder",
}
# What the form for a new endpoint ticks.
DEFAULT_EVENTS: Final = INTERFACE_EVENTS
# The states of deliveries: the word, and what it means.
DELIVERY_STATES: Final[dict[str, tuple[str, str]]] = {
    "failed": ("failed", "Tried as often as we try, or once more for you. None is tried again by itself."),
    "held": (
        "held",
        "Wait until the endpoint is on; then all are sent at once. Drop them first if they are of no use.",
    ),
    "waiting": ("waiting", "On their way. Failures are tried again, up to six times within nine hours."),
    "expired": (
        "expired",
        "Never sent: the listing ended, or 14 days passed.",
    ),
    "delivered": ("delivered", "Your address answered with a 2xx status."),
}
# What each error of the API means, and what to do about it.
ERRORS: Final[dict[Code, tuple[str, str]]] = {
    "unauthenticated": (
        "The API key is missing, mistyped or revoked.",
        "Send the header Authorization: Bearer with a key from your account's API keys page. A lost key cannot be "
        "shown again: delete it and create another.",
    ),
    "no_checks_left": (
        "You have no check credits left, and you have not checked this domain in the last seven days.",
        "Wait for your plan's credits of next month, or ask the operator for more. Failed checks return theirs.",
    ),
    "email_unverified": (
        "The account's e-mail address is not confirmed.",
        "Open the link in the mail we sent. You can have it sent again after you sign in.",
    ),
    "plan_required": (
        "The domain or feature is part of Pro.",
        "upgrade_url leads to the plans. The free plan shows five domains in full every day.",
    ),
    "not_found": (
        "The resource does not exist, belongs to somebody else, or the domain is not on the list.",
        "Check the id or the name. A domain leaves the list when spam is found in its past.",
    ),
    "method_not_allowed": (
        "The path does not accept this method.",
        "The Allow header lists those it does accept.",
    ),
    "limit_reached": (
        "You have reached your plan's limit for alert rules, watched domains or webhook endpoints.",
        "Delete one first. GET /me shows your limits and what you use of them.",
    ),
    "validation_failed": (
        "A parameter or the body is missing, unknown or out of range.",
        "fields says what is wrong with each; body stands for the body as a whole. Nothing was changed.",
    ),
    "rate_limited": (
        "Too many requests in this minute or day.",
        "Wait as many seconds as Retry-After says. X-RateLimit-Remaining shows how many requests this minute has left.",
    ),
    "lookup_quota_exceeded": (
        "You have used up this hour's look-ups.",
        "Wait as many seconds as Retry-After says. The site's tools and the API share one quota.",
    ),
    "server_error": (
        "Something went wrong on our side.",
        "Wait a little and try again. It is safe to repeat the request.",
    ),
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
# What became of a link, by our own look at its page.
LINK_STATES: Final = {
    "there": "still there",
    "removed": "removed",
    "page_gone": "page gone",
    "domain_gone": "site gone",
    "unread": "not known",
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
    """The meaning of a flag."""
    return FLAGS.get(flag, ("", ""))[1]
