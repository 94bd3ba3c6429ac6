"""The table of WHOIS servers: which one is asked about a name, and what its answers mean. Pure.

The rows and their evidence stand in `data/whois-servers.toml`. Only these servers are ever asked, on port 43.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import PurePath

from pydantic import TypeAdapter

from afterdrop.core.domain_names import suffixes
from afterdrop.sources.registry.rdap_answer import RegistryAnswer
from afterdrop.sources.registry.whois_answer import Dialect, parse_whois

_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.ASCII)
_A_LABELS = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class WhoisServer:
    """One row: a server, the extensions that it is asked about, and the lines that mean free; see the file's head."""

    host: str
    extensions: tuple[str, ...]
    free: frozenset[str]
    year: int
    evidence: str
    query: str = "{domain}"
    charset: str = "latin-1"
    month_first: bool = False
    zone: str = "UTC"
    monthly: bool = False
    seconds: float = 2.0
    registrar: bool = False

    @property
    def dialect(self) -> Dialect:
        """How its answers are read."""
        return Dialect(self.free, self.charset, self.month_first, self.zone, self.monthly)

    def question(self, domain: str) -> bytes | None:
        """The line to send for `domain`; None for anything but lowercase A-labels of letters, digits and hyphens."""
        if len(domain) > 253 or not _A_LABELS.fullmatch(domain):
            return None
        return f"{self.query.format(domain=domain)}\r\n".encode("ascii")


@dataclass(frozen=True, slots=True)
class WhoisTable:
    """All rows by host, and the row that is asked by extension."""

    by_host: Mapping[str, WhoisServer]
    by_extension: Mapping[str, WhoisServer]

    def server(self, domain: str) -> WhoisServer | None:
        """The server that is asked about `domain`; None without one, and for names sold under somebody's domain.

        Under `uk.com` the registry of .com knows `uk.com` only: its "no match" says nothing of `shop.uk.com`.
        """
        if suffixes(section="PRIVATE").above(domain) is not None:
            return None
        return self.by_extension.get(domain.rpartition(".")[2])

    def dialect(self, host: str | None) -> Dialect:
        """How an answer of `host` is read: by its row; of a server without one by what all servers write.

        Where the server is not known at all, nothing means free.
        """
        if host is None:
            return Dialect(frozenset())
        if (row := self.by_host.get(host)) is not None:
            return row.dialect
        return Dialect(frozenset().union(*(row.free for row in self.by_host.values())))


@lru_cache(maxsize=1)
def whois_table() -> WhoisTable:
    """The shipped table."""
    document = tomllib.loads(
        files("afterdrop.sources.registry").joinpath("data/whois-servers.toml").read_text(encoding="utf-8")
    )
    rows = TypeAdapter(tuple[WhoisServer, ...]).validate_python(document["servers"])
    return WhoisTable(
        {row.host: row for row in rows}, {extension: row for row in rows for extension in row.extensions}
    )


def is_whois_text(content: bytes) -> bool:
    """Whether a saved answer is WHOIS text: RDAP answers begin with a JSON object or their HTTP head."""
    start = content[:200].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\x00")
    return bool(start) and not start.startswith((b"{", b"HTTP/", b"<"))


def server_of_file(name: str) -> str | None:
    """The server whose answer a file holds: the first folder of `<server>/<tld>/<file>.txt`, wherever that stands."""
    folders = [part.lower() for part in PurePath(name).parts[:-1] if _HOST.fullmatch(part.lower())]
    known = [part for part in folders if part in whois_table().by_host]
    return next(iter(known or folders[-1:]), None)


def read_saved_whois(content: bytes, host: str | None) -> RegistryAnswer:
    """Read a saved WHOIS answer of `host` (None: not known) about whatever domain it names."""
    table = whois_table()
    answer = parse_whois(content, None, table.dialect(host))
    row = table.by_host.get(host or "")
    if answer.state == "available" and row is not None and row.registrar:
        return replace(answer, notes=(*answer.notes, "a registrar's server: it knows its own customers only"))
    return answer
