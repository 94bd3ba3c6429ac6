"""Every endpoint of the interface and beyond it: path template and method, and a call of each."""

from __future__ import annotations

_TABLE = """
GET /me
GET /stats
GET /domains
GET /domains/available
GET /domains/archive
GET /domains/{domain}
GET /domains/{domain}/pages
GET /watchlist
PUT /watchlist/{domain}
DELETE /watchlist/{domain}
GET /alerts
POST /alerts
GET /alerts/matches
GET /alerts/{id}
PATCH /alerts/{id}
DELETE /alerts/{id}
POST /checks
GET /checks
GET /checks/{id}
GET /tools/whois
GET /tools/availability
GET /tools/domain-rating
GET /tools/dns
GET /webhooks
POST /webhooks
GET /webhooks/{id}
PATCH /webhooks/{id}
DELETE /webhooks/{id}
POST /webhooks/{id}/test
GET /webhooks/{id}/deliveries
"""


# Additions to the interface; docs/integrate/api.md lists them under "Beyond the interface".
_BEYOND = """
POST /watchlist
POST /checks/batch
GET /checks/batch/{id}
GET /events
GET /exports/live
GET /exports/available
GET /exports/archive
GET /domains/rejected
"""


def table() -> list[tuple[str, str]]:
    """(path template, method) of every endpoint of the interface."""
    return _lines(_TABLE)


def beyond() -> list[tuple[str, str]]:
    """(path template, method) of every endpoint that the interface does not have."""
    return _lines(_BEYOND)


def _lines(text: str) -> list[tuple[str, str]]:
    return [(line.split()[1], line.split()[0]) for line in text.split("\n") if line]


def every_call(number: str = "1", check: str = "chk_01M7X67AFG1870J58GQ2EP02DX") -> list[tuple[str, str]]:
    """(method, path) of a call of every endpoint."""
    calls = []
    for template, method in (*table(), *beyond()):
        path = template.replace("{domain}", "a.com")
        path = path.replace("/checks/batch/{id}", "/checks/batch/bat_01M7X67AFG1870J58GQ2EP02DX")
        path = path.replace("/checks/{id}", f"/checks/{check}").replace("{id}", number)
        calls.append((method, path))
    return calls
