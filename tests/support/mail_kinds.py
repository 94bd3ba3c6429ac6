"""A mail of every kind, as people get them."""

from __future__ import annotations

from typing import Any

from afterdrop.catalogue.life_line import mail_life
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.message import (
    MailDomain,
    MailFrame,
    MailMessage,
    MatchedDomain,
    RegistryNews,
    TakeoverNews,
)
from afterdrop.watching.notices import mail_domain
from tests.support.mail_texts import DOMAIN
from tests.support.rows import NOW

FRAME = MailFrame(
    "Afterdrop", "https://drops.example", "Europe/Berlin", "https://drops.example/unsubscribe/abc"
)
CHECKED = "2026-11-21T18:00:00Z"
_UNKNOWN = dict.fromkeys(("domain_rating", "referring_domains", "archive_years"))
_DROP: dict[str, Any] = {
    "domain": "larchmoor.uk",
    "status": "pending_delete",
    "listing": {
        **DOMAIN["listing"],
        "type": "pending_delete",
        "price_usd": None,
        "source_title": "The registry",
        "certain": False,
    },
    "purchase": [{**DOMAIN["purchase"][0], "label": "Backorder at a catcher", "affiliate": True}],
}


NEWS = RegistryNews(
    *("larchmoor.uk", "pending_delete", CHECKED),
    expires_at="2026-10-01T12:00:00Z",
    drops=("2026-11-25", "2026-11-26"),
    register_url=None,
)
TAKEOVER = TakeoverNews(
    *("larchmoor.uk", "spam (gambling)"),
    "Registered again on 3 December 2026 at Some Registrar, 9 days after it dropped.",
    "Best online casino " + "w" * 120,
    ("welcome bonus " * 15, "no deposit spins"),
    CHECKED,
    "https://drops.example/domains/larchmoor.uk/takeover",
)


def domains() -> list[MailDomain]:
    """Domains in every state that a mail knows, one with the longest of names."""
    return [
        mail_domain(DOMAIN, life=mail_life("s200403201509f201602201706o201901202509", NOW)),
        mail_domain(
            {
                **{
                    **DOMAIN,
                    "domain": "w" * 63 + ".com",
                    "flag_levels": {"topic_change": "caution", "gap": "minor"},
                },
                **{"verdict": "risky", "conclusion": "second_look"},
            }
        ),
        mail_domain({**DOMAIN, "domain": "xn--bcher-kva.de", "title": None}),
        mail_domain({**DOMAIN, **_DROP}),
        mail_domain({**DOMAIN, "score": None, "conclusion": "unknown", "purchase": [], "metrics": _UNKNOWN}),
        mail_domain(DOMAIN, "Spam stood there from 2019 to 2021: casino pages under the old name."),
    ]


def every_kind() -> dict[str, MailMessage]:
    """One mail of every kind, by its name."""
    found = [MatchedDomain(domain, ["English crafts"]) for domain in domains()]
    free = mail_domain({**DOMAIN, "status": "available"})
    made = (
        message.instant_matches(FRAME, found),
        message.digest(FRAME, found, more=7),
        message.weekly(FRAME, domains()[:5], 310),
        message.reminder(FRAME, found[1].domain, 24, "watchlist"),
        message.drop_notice(FRAME, free, CHECKED, "alert"),
        message.registry_notice(FRAME, NEWS),
        message.takeover_notice(FRAME, TAKEOVER),
        message.checks(FRAME, domains(), "https://drops.example/checks/batch/bat_1"),
        message.endpoint_off(FRAME, "https://hooks.example.org/" + "a" * 120, 15, "timeout"),
        message.verification(FRAME, "https://drops.example/verify/t"),
        message.password_reset(FRAME, "https://drops.example/reset/t"),
        message.announcement(FRAME, "API v1 ends", "On 2027-12-01 v1 goes.\nUse v2.\n\nThank you."),
        message.operator(
            FRAME, "Afterdrop: 1 alarm", "New:\n  the queue of checks waits\n\nOver:\n  disk full"
        ),
    )
    return {mail.kind: mail for mail in made}
