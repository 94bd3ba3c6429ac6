"""What each error of the API means and what to do about it. Pure."""

from __future__ import annotations

from typing import Final

from afterdrop.web.problems import Code

FAULTS: Final[dict[Code, tuple[str, str]]] = {
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
