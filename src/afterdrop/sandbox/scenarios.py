"""Who appears in a world: fifty parts, repeated as often as the world's size needs.

Pure. The first ten parts alone give a small world with something live, something dropped, something spoilt.
Days are counted from the world's day (0); a listing is in the feeds from 00:00Z of its first day.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from afterdrop.sandbox.story import Sale

Fate = Literal[
    "won", "renewed", "caught", "caught_later", "free", "stuck", "blocked", "delegated", "registry_404", "restored",
    "kept",
]  # fmt: skip
Strength = Literal["strong", "good", "poor", "weak", "unknown"]


@dataclass(frozen=True, slots=True)
class Part:
    """One role: how it is sold, from when to when, what becomes of it, and what its past was."""

    name: str
    sale: Sale
    first: int
    last: int | None
    fate: Fate
    past: str
    strength: Strength
    tlds: tuple[str, ...] = ()
    feed: str = ""


_COM = ("com", "com", "net")

# Every entry is one part with its variants; the n-th round through the fifty takes the n-th variant.
_CAST: tuple[tuple[Part, ...], ...] = (
    (Part("live_bid", "bid", -2, 3, "won", "honest", "good"),),
    (
        Part("dropped_free", "drop", -5, -1, "free", "honest", "good", _COM, "dropcatch_dropping"),
        Part("dropped_caught_later", "drop", -5, -2, "caught_later", "honest", "good", _COM, "dropcatch_dropping"),
        Part("dropped_free", "drop", -5, -1, "free", "honest", "good", _COM, "dropcatch_dropping"),
        Part("dropped_delegated", "drop", -5, -1, "delegated", "honest", "good", _COM, "dropcatch_dropping"),
    ),
    (Part("spam_casino", "bid", -3, 4, "won", "casino", "strong"),),
    (
        Part("live_drop", "drop", 0, 3, "caught", "honest", "good", _COM, "dropcatch_dropping"),
        Part("live_drop", "drop", -1, 4, "free", "honest", "good", ("co.uk", "uk"), "nominet_uk"),
        Part("live_drop", "drop", 0, 2, "free", "honest", "good", _COM, "snapnames_deleting"),
        Part("live_drop", "drop", 0, 5, "free", "honest", "good", ("se",), "iis_se"),
    ),
    (Part("weak", "bid", -3, 5, "won", "honest", "weak"),),
    (Part("flag_gap", "auction", -3, 6, "kept", "gap", "strong"),),
    (
        Part("ended_won", "bid", -4, -1, "won", "honest", "good", _COM),
        Part("ended_won", "bid", -5, -2, "won", "honest", "good", _COM),
    ),
    (Part("live_buy_now", "buy_now", 0, None, "kept", "honest", "good"),),
    (Part("parked_always", "bid", -2, 3, "won", "parked_always", "poor"),),
    (Part("live_auction", "auction", 0, 5, "kept", "honest", "good"),),
    (Part("weak", "bid", -1, 3, "won", "honest", "weak"),),
    (
        Part("ended_caught", "drop", -5, -1, "caught", "honest", "good", _COM, "dropcatch_dropping"),
        Part("ended_caught", "drop", -5, -2, "caught", "honest", "good", _COM, "dropcatch_dropping"),
    ),
    (Part("withdrawn_renewed", "bid", -5, 2, "renewed", "honest", "good", _COM),),
    (
        Part("odd_stuck", "drop", -5, -1, "stuck", "honest", "good", ("org",), "snapnames_deleting"),
        Part("odd_registry_404", "auction", -5, -1, "registry_404", "honest", "good", ("biz",), "sedo_auctions"),
        Part("odd_blocked", "drop", -5, -1, "blocked", "honest", "good", ("xyz",), "dropcatch_dropping"),
        Part("odd_no_rdap", "auction", -5, -1, "kept", "honest", "good", ("de",), "sedo_auctions"),
        Part("odd_restored", "drop", -5, -1, "restored", "honest", "good", _COM, "snapnames_deleting"),
    ),
    (
        Part("spam_pharma", "bid", -3, 4, "won", "pharma", "good"),
        Part("spam_replica", "bid", -2, 4, "won", "replica", "good"),
        Part("spam_payday", "bid", 0, 4, "won", "payday", "good"),
        Part("spam_essay", "bid", -1, 4, "won", "essay", "good"),
    ),
    (Part("spam_japanese", "bid", -3, 4, "won", "japanese", "good"),),
    (
        Part("flag_lang_change", "bid", 0, 4, "won", "lang_change", "strong"),
        Part("flag_topic_change", "bid", -1, 4, "won", "topic_change", "strong"),
        Part("flag_parked", "buy_now", -2, None, "kept", "parked_late", "strong"),
    ),
    (
        Part("flag_dr_inflated", "bid", -2, 4, "won", "inflated", "good", (), "namecheap_market"),
        Part("flag_anchor_foreign", "bid", 0, 4, "won", "anchor_foreign", "strong"),
        Part("flag_trademark", "auction", -1, 5, "kept", "trademark", "strong"),
        Part("flag_not_indexed", "bid", -1, 3, "won", "not_indexed", "good", (), "godaddy_auctions"),
    ),
    (Part("coming_bid", "bid", 1, 6, "won", "honest", "good"),),
    (Part("coming_drop", "drop", 2, 6, "free", "honest", "good", _COM, "dropcatch_dropping"),),
    (Part("low_score", "bid", -2, 4, "won", "sparse", "poor"),),
    (
        Part("spam_injected", "bid", -2, 4, "won", "injected", "good"),
        Part("spam_anchors", "bid", -1, 4, "won", "spam_anchors", "good"),
    ),
    (
        Part("spam_doorway", "drop", -1, 3, "free", "doorway", "good", _COM, "snapnames_deleting"),
        Part("spam_adult", "bid", -2, 4, "won", "adult", "good"),
        Part("spam_casino_between", "bid", -3, 4, "won", "casino_between", "strong"),
        Part("spam_warez", "bid", -2, 4, "won", "warez", "good"),
        Part("spam_crypto", "auction", 0, 4, "kept", "crypto", "good"),
    ),
    (Part("parked_always", "drop", -1, 3, "free", "parked_always", "poor", _COM, "dropcatch_dropping"),),
    (Part("no_metrics", "bid", -2, 5, "won", "young", "unknown", (), "dynadot_auctions"),),
    (Part("no_metrics", "drop", -1, 4, "free", "young", "unknown", _COM, "dropcatch_dropping"),),
    (
        Part("honest_redesign", "bid", 0, 4, "won", "redesign", "good"),
        Part("honest_bilingual", "auction", -1, 5, "kept", "bilingual", "good"),
        Part("honest_news", "bid", 0, 5, "won", "hard_news", "good"),
        Part("honest_clinic", "bid", -1, 5, "won", "hard_clinic", "good"),
    ),
    (Part("weak", "drop", -3, 6, "free", "honest", "weak", ("co.uk", "org.uk", "uk"), "nominet_uk"),),
    (Part("weak", "drop", -3, 8, "free", "honest", "weak", ("se",), "iis_se"),),
    (Part("weak", "drop", 0, 0, "free", "honest", "weak", ("pl",), "dns_pl"),),
    *((Part("weak", "drop", first, last, "free", "honest", "weak", (), "dropcatch_dropping"),)
      for first, last in ((-5, -1), (-4, 0), (-3, 1), (-1, 3), (0, 4), (1, 5), (2, 6))),
    *((Part("weak", "bid", first, last, "won", "young", "weak"),)
      for first, last in ((-4, -1), (-3, 2), (-2, 4), (-1, 5), (0, 3), (1, 7), (2, 6))),
    *((Part("weak", "auction", first, last, "kept", "young", "weak"),) for first, last in ((-3, 3), (-1, 5), (1, 7))),
    *((Part("weak", "buy_now", first, None, "kept", "parked_always", "weak"),) for first in (-3, 0)),
    (Part("weak", "drop", -2, 3, "free", "young", "weak", _COM, "snapnames_deleting"),),
)  # fmt: skip

ROUND = len(_CAST)


def part(index: int) -> Part:
    """The part the `index`-th domain of a world plays."""
    variants = _CAST[index % ROUND]
    return variants[(index // ROUND) % len(variants)]
