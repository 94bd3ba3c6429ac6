"""How a domain can be bought: the deed, at whom, and at which address. Pure: `shipped_catchers` reads its file once.

Lists, reports, mails and agents' answers show these ways and make no links of their own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field
from typing_extensions import ReadOnly, TypedDict

from afterdrop.catalogue.status import Status
from afterdrop.core.domain_names import tld
from afterdrop.core.web_addresses import site_name, web_address
from afterdrop.feeds.spec import ListingType

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings

Deed = Literal["bid", "buy", "backorder", "register"]
MOST_WAYS: Final = 4
_DEEDS: Final[Mapping[str, Deed]] = {"bid": "bid", "auction": "bid", "buy_now": "buy"}


class Way(TypedDict):
    """One way to buy a domain."""

    kind: Annotated[Deed, Field(description="The deed")]
    place: Annotated[str, Field(description="Marketplace, catcher or registrar")]
    label: Annotated[str, Field(description="The text of a button")]
    url: Annotated[str, Field(description="Where to go")]
    # The address tells the place that this site sent the buyer, and pays for it.
    affiliate: Annotated[
        bool, Field(description="Whether the address carries this site's affiliate parameter")
    ]


class Offer(TypedDict):
    """The members of the listing shown that a way to buy needs, in a row or in JSON."""

    source: ReadOnly[str | None]
    source_title: ReadOnly[str | None]
    type: ReadOnly[ListingType | None]
    url: ReadOnly[str | None]


class Placed(Offer):
    """The same with the domain's extension."""

    tld: ReadOnly[str]


class Offered(TypedDict):
    """A domain of a summary or a report with the listing it shows."""

    status: ReadOnly[Status]
    listing: ReadOnly[Offer]


@dataclass(frozen=True, slots=True)
class Catcher:
    """A service that takes backorders. `url` may have `{domain}`."""

    name: str
    url: str


@dataclass(frozen=True, slots=True)
class Places:
    """The catchers by extension and the affiliate parameters by host that a deployment knows besides its listings."""

    catchers: Mapping[str, Sequence[Catcher]] = field(default_factory=dict)
    affiliate: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings) -> Places:
        """The places of these settings: catchers that they name for an extension replace the shipped ones."""
        own = by_extension(catcher.model_dump() for catcher in settings.purchase.catchers)
        return cls({**shipped_catchers(), **own}, settings.purchase.affiliate)


@lru_cache(maxsize=1)
def shipped_catchers() -> Mapping[str, Sequence[Catcher]]:
    """The catchers of the shipped file, by extension."""
    path = Path(__file__).parent / "data" / "catchers.toml"
    return by_extension(tomllib.loads(path.read_text(encoding="utf-8"))["catchers"])


def by_extension(catchers: Iterable[Mapping[str, Any]]) -> dict[str, Sequence[Catcher]]:
    """Catchers as files name them (`name`, `url`, `extensions`), by extension in the order given."""
    found: dict[str, list[Catcher]] = {}
    for each in catchers:
        for extension in each["extensions"]:
            found.setdefault(extension, []).append(Catcher(each["name"], each["url"]))
    return dict(found)


def ways(domain: str, state: Status, offer: Offer, register_url: str, places: Places) -> list[Way]:
    """How to buy a domain in this state, the best way first; empty once it is sold or gone.

    `offer` is the listing shown. A registry's list sells nothing, so its rows have no address: catchers stand in.
    """
    if state == "ended":
        return []
    if state == "available":
        return _way("register", "", register_url, places)
    if state != "pending_delete":
        return _way(_DEEDS[offer["type"] or ""], called(offer), offer["url"], places)
    found = _way("backorder", called(offer), offer["url"], places)
    for catcher in places.catchers.get(tld(domain), ()):
        if catcher.name.casefold() not in {way["place"].casefold() for way in found}:
            found += _way("backorder", catcher.name, catcher.url.replace("{domain}", domain), places)
    return found[:MOST_WAYS]


def marketplace(domain: Offered) -> str:
    """Where a domain of a summary is offered, as people call it; empty where nobody offers it."""
    return "" if domain["status"] == "available" else called(domain["listing"])


def first_place(offer: Placed, places: Places) -> str:
    """Where the live list leads who wants to buy: of what drops without an address, to the first catcher."""
    catchers = (
        () if offer["url"] or offer["type"] != "pending_delete" else places.catchers.get(offer["tld"], ())
    )
    return next((catcher.name for catcher in catchers), called(offer))


def called(offer: Offer) -> str:
    """The name people use for a listing's place: its feed's, else the host it leads to, else its identifier."""
    return str(offer.get("source_title") or site_name(offer["url"]) or offer["source"] or "")


def _way(kind: Deed, place: str, url: str | None, places: Places) -> list[Way]:
    """The way, none where the address may not become a link."""
    parts = web_address(url)
    if parts is None or url is None:
        return []
    name = place or site_name(url) or ""
    parameter = _parameter(parts.hostname or "", places.affiliate)
    if parameter:
        own = {piece.partition("=")[0] for piece in parameter.split("&")}
        kept = [piece for piece in parts.query.split("&") if piece and piece.partition("=")[0] not in own]
        url = parts._replace(query="&".join([*kept, parameter])).geturl()
    label = f"{kind.capitalize()} at {name}"
    return [{"kind": kind, "place": name, "label": label, "url": url, "affiliate": bool(parameter)}]


def _parameter(host: str, affiliate: Mapping[str, str]) -> str | None:
    """The affiliate parameter of a host: its own, else that of the domain it lies below."""
    if not affiliate:
        return None
    labels = host.split(".")
    names = (".".join(labels[at:]) for at in range(len(labels)))
    return next((affiliate[name] for name in names if name in affiliate), None)
