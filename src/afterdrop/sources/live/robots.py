"""What a host's robots.txt lets us read. Pure. Sources: RFC 9309; Crawl-delay as most crawlers read it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from protego import Protego

# How robots.txt calls us.
TOKEN: Final = "afterdrop"
# RFC 9309, 2.5: at least so much of a file is read.
MOST_BYTES: Final = 512_000
_AGENT: Final = re.compile(r"(?im)^([ \t]*user[ -]?agent[ \t]*:?[ \t]*)([^#\r\n]*)")
_ALL: Final = Protego.parse("")
_NONE: Final = Protego.parse("User-agent: *\nDisallow: /")


@dataclass(frozen=True, slots=True)
class Robots:
    """A host's rules for us. `unreached` says that they could not be read: then nothing may be."""

    rules: Protego
    unreached: bool = False

    def allows(self, url: str) -> bool:
        """Whether we may read the page at `url`."""
        return self.rules.can_fetch(url, TOKEN)

    @property
    def delay(self) -> float:
        """The seconds between two requests that the host asks for, 0 where it asks for none."""
        return max(self.rules.crawl_delay(TOKEN) or 0.0, 0.0)


UNREACHED: Final = Robots(_NONE, unreached=True)


def read_robots(status: int, body: bytes) -> Robots:
    """The rules in an answer to a request for /robots.txt.

    A host without such a file (4xx) forbids nothing; one that is in trouble (5xx) or asks to be left alone (429)
    forbids everything for now (RFC 9309, 2.3.1.3 and 2.3.1.4).
    """
    if status == 429 or status >= 500:
        return UNREACHED
    if not 200 <= status < 300:
        return Robots(_ALL)
    text = body[:MOST_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
    return Robots(Protego.parse(_AGENT.sub(_ours, text)))


def _ours(line: re.Match[str]) -> str:
    """A group's line without the names of others: a file that names thousands would take minutes to read."""
    name = line[2].strip().lower()
    return line[0] if name == "*" else f"{line[1]}{TOKEN if TOKEN in name else 'other'}"
