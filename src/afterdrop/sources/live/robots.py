"""The pages that a host's robots.txt lets us read. Pure. Sources: RFC 9309; Crawl-delay as most crawlers read it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from protego import Protego

# How robots.txt calls us.
TOKEN: Final = "afterdrop"
# RFC 9309, 2.5: at least so much of a file is read.
MOST_BYTES: Final = 512_000
# A line with the product token that a group is for: `*` alone, or letters, after which a version may follow.
_AGENT: Final = re.compile(r"[ \t]*+user[ -]?agent[ \t]*+:?[ \t]*+(\*(?![^\s#])|[a-z_-]*+)", re.IGNORECASE)
# "Disallow" is misspelt in many ways, of which the parser knows a few.
_RULE: Final = re.compile(r"[ \t]*+(?:d[a-z]*w|allow|crawl[ -]?delay)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Robots:
    """A host's rules for us, as the lines of its file: parsed they take twenty times as much memory.

    `delay` are the seconds between two requests that the host asks for. `unreached` says that the rules could not be
    read: then nothing may be.
    """

    rules: bytes
    delay: float = 0.0
    unreached: bool = False


UNREACHED: Final = Robots(b"User-agent: *\nDisallow: /", unreached=True)


def allows(robots: Robots, url: str) -> bool:
    """Whether we may read the page at `url`. It takes seconds of CPU where a file has thousands of rules."""
    return not robots.rules or Protego.parse(robots.rules.decode()).can_fetch(url, TOKEN)


def read_robots(status: int, body: bytes) -> Robots:
    """The rules in an answer to a request for /robots.txt.

    A host without such a file (4xx) forbids nothing; one that is in trouble (5xx) or asks to be left alone (429)
    forbids everything for now (RFC 9309, 2.3.1.3 and 2.3.1.4).
    """
    if status == 429 or status >= 500:
        return UNREACHED
    if not 200 <= status < 300:
        return Robots(b"")
    rules = _ours(body[:MOST_BYTES].decode("utf-8", "replace").removeprefix("\ufeff"))
    if not rules:
        return Robots(b"")
    delay = Protego.parse(rules).crawl_delay(TOKEN) or 0.0
    return Robots(rules.encode(), max(delay, 0.0))


def _ours(text: str) -> str:
    """The rules of the groups that name us, or of those for everybody where none does (RFC 9309, 2.2.1)."""
    ours, everybodys = list[str](), list[str]()
    meant, named, in_rules = set[str](), False, False
    for line in text.splitlines():
        if agent := _AGENT.match(line):
            if in_rules:
                meant, in_rules = set(), False
            token = agent[1].lower()
            named |= token == TOKEN
            meant |= {token} & {TOKEN, "*"}
        elif _RULE.match(line):
            in_rules = True
            if TOKEN in meant:
                ours.append(line)
            elif meant:
                everybodys.append(line)
    lines = ours if named else everybodys
    return "\n".join(["User-agent: *", *lines]) if lines else ""
