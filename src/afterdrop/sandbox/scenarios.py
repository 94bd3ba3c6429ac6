"""The fifty scenarios of a world's domains, repeated as often as its size needs.

Pure. The first ten alone make a small world with live, dropped and spam domains.
Days are counted from the world's day (0); a listing is in the feeds from 00:00Z of its first day.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from afterdrop.sandbox.story import SaleType

Ending = Literal[
    "won", "renewed", "caught", "caught_later", "free", "stuck", "blocked", "delegated", "registry_404", "restored",
    "kept",
]  # fmt: skip
Strength = Literal["strong", "good", "poor", "weak", "unknown"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario: how and when a domain is offered, how that ends, its history and the strength of its links."""

    name: str
    sale: SaleType
    first: int
    last: int | None
    ending: Ending
    past: str
    strength: Strength
    tlds: tuple[str, ...] = ()
    feed: str = ""


_COM = ("com", "com", "net")

# Every entry holds one scenario's variants; the n-th round through the fifty takes the n-th variant.
_SCENARIOS: tuple[tuple[Scenario, ...], ...] = (
    (Scenario("live_bid", "bid", -2, 3, "won", "honest", "good"),),
    (
        Scenario("dropped_free", "drop", -5, -1, "free", "honest", "good", _COM, "dropcatch_dropping"),
        Scenario("dropped_caught_later", "drop", -5, -2, "caught_later", "honest", "good", _COM, "dropcatch_dropping"),
        Scenario("dropped_free", "drop", -5, -1, "free", "honest", "good", ("se",), "iis_se"),
        Scenario("dropped_delegated", "drop", -5, -1, "delegated", "honest", "good", _COM, "dropcatch_dropping"),
    ),
    (Scenario("spam_casino", "bid", -3, 4, "won", "casino", "strong"),),
    (
        Scenario("live_drop", "drop", 0, 3, "caught", "honest", "good", _COM, "dropcatch_dropping"),
        Scenario("live_drop", "drop", -1, 4, "free", "honest", "good", ("co.uk", "uk"), "nominet_uk"),
        Scenario("live_drop", "drop", 0, 2, "free", "honest", "good", _COM, "snapnames_deleting"),
        Scenario("live_drop", "drop", 0, 5, "free", "honest", "good", ("se",), "iis_se"),
    ),
    (Scenario("weak", "bid", -3, 5, "won", "honest", "weak"),),
    (Scenario("flag_gap", "auction", -3, 6, "kept", "gap", "strong"),),
    (
        Scenario("ended_won", "bid", -4, -1, "won", "honest", "good", _COM),
        Scenario("ended_won", "bid", -5, -2, "won", "honest", "good", _COM),
    ),
    (Scenario("live_buy_now", "buy_now", 0, None, "kept", "honest", "good"),),
    (Scenario("parked_always", "bid", -2, 3, "won", "parked_always", "poor"),),
    (Scenario("live_auction", "auction", 0, 5, "kept", "honest", "good"),),
    (Scenario("weak", "bid", -1, 3, "won", "honest", "weak"),),
    (
        Scenario("ended_caught", "drop", -5, -1, "caught", "honest", "good", _COM, "dropcatch_dropping"),
        Scenario("ended_caught", "drop", -5, -2, "caught", "honest", "good", _COM, "dropcatch_dropping"),
    ),
    (Scenario("withdrawn_renewed", "bid", -5, 2, "renewed", "honest", "good", _COM),),
    (
        Scenario("odd_stuck", "drop", -5, -1, "stuck", "honest", "good", ("org",), "snapnames_deleting"),
        Scenario("odd_registry_404", "auction", -5, -1, "registry_404", "honest", "good", ("biz",), "sedo_auctions"),
        Scenario("odd_blocked", "drop", -5, -1, "blocked", "honest", "good", ("xyz",), "dropcatch_dropping"),
        Scenario("odd_no_rdap", "auction", -5, -1, "kept", "honest", "good", ("de",), "sedo_auctions"),
        Scenario("odd_restored", "drop", -5, -1, "restored", "honest", "good", _COM, "snapnames_deleting"),
    ),
    (
        Scenario("spam_pharma", "bid", -3, 4, "won", "pharma", "good"),
        Scenario("spam_replica", "bid", -2, 4, "won", "replica", "good"),
        Scenario("spam_payday", "bid", 0, 4, "won", "payday", "good"),
        Scenario("spam_essay", "bid", -1, 4, "won", "essay", "good"),
    ),
    (Scenario("spam_japanese", "bid", -3, 4, "won", "japanese", "good"),),
    (
        Scenario("flag_lang_change", "bid", 0, 4, "won", "lang_change", "strong"),
        Scenario("flag_topic_change", "bid", -1, 4, "won", "topic_change", "strong"),
        Scenario("flag_parked", "buy_now", -2, None, "kept", "parked_late", "strong"),
    ),
    (
        Scenario("flag_dr_inflated", "bid", -2, 4, "won", "inflated", "good", (), "namecheap_market"),
        Scenario("flag_anchor_foreign", "bid", 0, 4, "won", "anchor_foreign", "strong"),
        Scenario("flag_trademark", "auction", -1, 5, "kept", "trademark", "strong"),
        Scenario("flag_not_indexed", "bid", -1, 3, "won", "not_indexed", "good", (), "godaddy_auctions"),
    ),
    (Scenario("coming_bid", "bid", 1, 6, "won", "honest", "good"),),
    (Scenario("coming_drop", "drop", 2, 6, "free", "honest", "good", _COM, "dropcatch_dropping"),),
    (Scenario("low_score", "bid", -2, 4, "won", "sparse", "poor"),),
    (
        Scenario("spam_injected", "bid", -2, 4, "won", "injected", "good"),
        Scenario("spam_anchors", "bid", -1, 4, "won", "spam_anchors", "good"),
    ),
    (
        Scenario("spam_doorway", "drop", -1, 3, "free", "doorway", "good", _COM, "snapnames_deleting"),
        Scenario("spam_adult", "bid", -2, 4, "won", "adult", "good"),
        Scenario("spam_casino_between", "bid", -3, 4, "won", "casino_between", "strong"),
        Scenario("spam_warez", "bid", -2, 4, "won", "warez", "good"),
        Scenario("spam_crypto", "auction", 0, 4, "kept", "crypto", "good"),
    ),
    (Scenario("parked_always", "drop", -1, 3, "free", "parked_always", "poor", _COM, "dropcatch_dropping"),),
    (Scenario("no_metrics", "bid", -2, 5, "won", "young", "unknown", (), "dynadot_auctions"),),
    (Scenario("no_metrics", "drop", -1, 4, "free", "young", "unknown", _COM, "dropcatch_dropping"),),
    (
        Scenario("honest_redesign", "bid", 0, 4, "won", "redesign", "good"),
        Scenario("honest_bilingual", "auction", -1, 5, "kept", "bilingual", "good"),
        Scenario("honest_news", "bid", 0, 5, "won", "hard_news", "good"),
        Scenario("honest_clinic", "bid", -1, 5, "won", "hard_clinic", "good"),
    ),
    (Scenario("weak", "drop", -3, 6, "free", "honest", "weak", ("co.uk", "org.uk", "uk"), "nominet_uk"),),
    (Scenario("weak", "drop", -3, 8, "free", "honest", "weak", ("se",), "iis_se"),),
    (Scenario("weak", "drop", 0, 0, "free", "honest", "weak", ("pl",), "dns_pl"),),
    *((Scenario("weak", "drop", first, last, "free", "honest", "weak", (), "dropcatch_dropping"),)
      for first, last in ((-5, -1), (-4, 0), (-3, 1), (-1, 3), (0, 4), (1, 5), (2, 6))),
    *((Scenario("weak", "bid", first, last, "won", "young", "weak"),)
      for first, last in ((-4, -1), (-3, 2), (-2, 4), (-1, 5), (0, 3), (1, 7), (2, 6))),
    *((Scenario("weak", "auction", first, last, "kept", "young", "weak"),)
      for first, last in ((-3, 3), (-1, 5), (1, 7))),
    *((Scenario("weak", "buy_now", first, None, "kept", "parked_always", "weak"),) for first in (-3, 0)),
    (Scenario("weak", "drop", -2, 3, "free", "young", "weak", _COM, "snapnames_deleting"),),
)  # fmt: skip

SCENARIO_COUNT = len(_SCENARIOS)


# The rounds from this one on are richer: what is too weak to be listed in the others is on sale with a good history,
# some of it ends today or tomorrow, and one name had three owners.
RICH_ROUND: Final = 5


def scenario_at(index: int) -> Scenario:
    """The scenario of a world's domain number `index`."""
    turn, place = divmod(index, SCENARIO_COUNT)
    variants = _SCENARIOS[place]
    scenario = variants[turn % len(variants)]
    return _richer(scenario, turn - RICH_ROUND) if turn >= RICH_ROUND else scenario


def _richer(scenario: Scenario, turn: int) -> Scenario:
    if scenario.name.startswith("flag_topic_change"):
        return replace(scenario, name="flag_three_owners", past="three_owners")
    if scenario.strength != "weak" or (scenario.last is not None and scenario.last < 0):
        return scenario
    last = turn % 2 if scenario.sale == "bid" and scenario.last == 2 else scenario.last
    ending = "caught" if scenario.sale == "drop" and last == 0 else scenario.ending
    return replace(
        scenario, name=f"live_{scenario.sale}", last=last, ending=ending, past="honest", strength="good"
    )
