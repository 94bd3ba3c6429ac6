"""What a mail says of a domain, from its summary. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from afterdrop.catalogue.purchase import marketplace
from afterdrop.delivery.mail.message import MailButton, MailDomain, mail_figures
from afterdrop.review.flags.flag_words import flag_label

_BY_BIDS: Final = frozenset({"bid", "auction"})


def mail_domain(domain: Mapping[str, Any], rejected: str | None = None) -> MailDomain:
    """A domain of a summary as mails show it. `rejected` is why it was, in a sentence: then no score and no offer."""
    ways = [] if rejected else domain["purchase"]
    button = MailButton(ways[0]["label"], ways[0]["url"], affiliate=ways[0]["affiliate"]) if ways else None
    return MailDomain(
        name=domain["domain"],
        report_url=domain["report_url"],
        title=domain["title"],
        score=None if rejected else domain["score"],
        rejected=rejected,
        figures=mail_figures(domain["metrics"]),
        flags=tuple(flag_label(flag).lower() for flag in domain["flags"]),
        risky=domain["verdict"] == "risky",
        offer="" if rejected else _offer(domain),
        place=marketplace(domain),
        deadline=_deadline(domain),
        ends_at=domain["listing"]["ends_at"],
        button=button,
    )


def _offer(domain: Mapping[str, Any]) -> str:
    """Price and bids in words; empty where there is no price."""
    listing = domain["listing"]
    price = listing["price_usd"]
    if domain["status"] == "available":
        return "" if price is None else f"About ${price:,} to register"
    if listing["type"] not in _BY_BIDS:
        return "" if price is None else f"${price:,}"
    bids = f"{listing['bids']:,} bid{'' if listing['bids'] == 1 else 's'}"
    return f"{'No price yet' if price is None else f'${price:,}'}, {bids}"


def _deadline(domain: Mapping[str, Any]) -> str:
    """What happens at the listing's end; empty where nothing does any more."""
    words = {"available": "", "ended": "Ended", "pending_delete": "Drops"}
    return words.get(domain["status"], "Ends")
