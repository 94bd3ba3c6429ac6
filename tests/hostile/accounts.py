"""Attacks on accounts: guessing from many addresses, links used many times at once, fields no form ever sends.

Made by code; every attack is a list of requests to send, each with the address it is sent from and the form's fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

OWNER = "owner@members.example"
PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class Attack:
    """Guesses, and how many of them may be looked at at most."""

    name: str
    guesses: list[tuple[str, dict[str, str]]]
    let_through: int


def guess(number: int, email: str = OWNER) -> dict[str, str]:
    """One wrong password."""
    return {"email": email, "password": f"wrong password {number}"}


def attacks() -> Iterator[Attack]:
    """Guessing, by where it comes from. Each begins where nothing is counted yet, against an account of its own."""
    yield Attack("one address", [("203.0.113.5", guess(n)) for n in range(40)], 5)
    yield Attack(
        "one address, many accounts",
        [("203.0.113.5", guess(n, f"member-{n}@members.example")) for n in range(60)],
        30,
    )
    yield Attack("200 addresses", [(f"198.51.100.{n}", guess(n)) for n in range(200)], 100)
    yield Attack("one /64", [(f"2001:db8:7:7::{n:x}", guess(n)) for n in range(60)], 5)
    yield Attack(
        "one /48, many accounts",
        [(f"2001:db8:8:{n:x}::1", guess(n, f"member-{n}@members.example")) for n in range(200)],
        120,
    )
    yield Attack("mapped IPv4", [(f"::ffff:203.0.113.{n % 2}", guess(n)) for n in range(40)], 10)
    # The left of the header is the attacker's to write, the right is the proxy's.
    yield Attack("forged hops", [(f"10.9.8.{n}, 203.0.113.6", guess(n)) for n in range(40)], 5)
    yield Attack("no address at all", [(f"host-{n}.example", guess(n)) for n in range(40)], 5)
    yield Attack(
        "spellings of one account",
        [("203.0.113.5", guess(n, OWNER.upper() if n % 2 else f" {OWNER} ")) for n in range(40)],
        5,
    )


def odd_fields() -> Iterator[dict[str, str]]:
    """Fields no browser sends: far too long, empty, of characters that databases and logs stumble over."""
    long = "a" * 200_000
    for email in (
        "",
        long,
        f"{long}@members.example",
        f"owner@{long}.example",
        "\x00",
        "\ud7ff@x.example",
        "a@b",
    ):
        yield {"email": email, "password": "x"}
    for password in ("", long, "\x00" * 5000, "\u202e" * 5000, "𒐫" * 50_000):
        yield {"email": OWNER, "password": password}
    yield {"email": "owner@members.example\r\nBcc: all@x.example", "password": "x"}
    yield {"email": OWNER, "password": "x", "next": "//evil.example/" + long}
    yield {}


# Operator tokens a start refuses.
TOKENS = ["x", "short-token", "a" * 31, "a" * 31 + " ", " " * 32, "é" * 32]
