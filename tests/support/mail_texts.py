"""Texts that must not become more than text in a mail, and a domain that mails are about."""

from __future__ import annotations

from typing import Any

# What a rule's name, a title or a site's name may hold to become a header, a recipient or a body.
MAIL_TEXTS = (
    "=?utf-8?q?a=0d=0aBcc:_all=40example.org=0d=0a=0d=0abody?=",
    "=?utf-8?b?YQ0KQmNjOiBhbGxAZXhhbXBsZS5vcmcNCg0KYm9keQ==?=",
    "x =?us-ascii?Q?=0d=0aBcc:_x=40y.example?= y",
    "==?utf-8?q?a=0aTo:_z=40y.example?=",
    "=?utf-8?q?=3d=3futf-8=3fq=3fa=3d0aBcc:x=3f=3d?=",
    "=?utf-8*en?q?a=0a?= =?unknown?x?y?= =?utf-8?q?=ff=fe?=",
    "a\r\nBcc: all@example.org\r\n\r\nbody",
    "a\u2028Bcc: x@y.example\u2029\u0085\x0b\x0c\x1c\x1d\x1eTo: z@y.example",
    'x", <evil@y.example>, "y',
    "a" * 5_000,
    "é" * 5_000,
    "Content-Type: text/html\n\n<b>x</b>",
)

DOMAIN: dict[str, Any] = {
    "domain": "alpine-hut.com", "status": "ending_soon", "score": 61, "verdict": "ok",
    "title": "Alpine Hut", "flags": [], "flag_levels": {}, "conclusion": "clean",
    "metrics": {
        "trust_flow": 27, "citation_flow": 22, "domain_rating": 48, "referring_domains": 1752,
        "archive_years": 18,
    },
    "listing": {
        "source": "market_a", "source_title": "Harbour Auctions", "type": "bid", "price_usd": 1200, "bids": 1,
        "ends_at": "2026-11-21T18:00:00Z", "opens_at": None, "day": None, "certain": True, "url": "https://market.example/1",
    },
    "purchase": [{
        "kind": "bid", "place": "Harbour Auctions", "label": "Bid at Harbour Auctions",
        "url": "https://market.example/1", "affiliate": False,
    }],
    "report_url": "https://drops.example/domains/alpine-hut.com",
}  # fmt: skip
