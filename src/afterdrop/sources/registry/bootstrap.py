"""Which RDAP server answers for a name: IANA's bootstrap file for DNS (RFC 9224). Pure.

A name whose extension is not in the file has no known server. We never guess one: the "not found" of a wrong server
would read as available.
"""

from __future__ import annotations

import email.utils
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from urllib.parse import urlsplit

import orjson

from afterdrop.core.errors import UpstreamError
from afterdrop.core.json_values import Json

_MIN_FRESH = timedelta(minutes=5)
_MAX_FRESH = timedelta(days=7)
_DEFAULT_FRESH = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """A bootstrap file: base URLs (ending in `/`) by lowercase A-label suffix, and its publication date."""

    publication: str
    bases: Mapping[str, str]

    def base(self, domain: str) -> str | None:
        """The base URL for `domain` (lowercase A-labels): the longest match of whole labels, or None."""
        suffix = domain
        while suffix:
            if (found := self.bases.get(suffix)) is not None:
                return found
            suffix = suffix.partition(".")[2]
        return None


def read_bootstrap(content: bytes, subject: str = "RDAP bootstrap", *, fewest: int = 1) -> Bootstrap:
    """Read a bootstrap file. UpstreamError `bad_content` when it is not one, or has fewer than `fewest` extensions.

    Of several servers the first https one counts. Malformed entries are skipped.
    """
    try:
        doc = orjson.loads(content)
    except orjson.JSONDecodeError:
        raise UpstreamError(subject, "bad_content", "is not JSON") from None
    services = doc.get("services") if isinstance(doc, dict) else None
    if not isinstance(services, list):
        raise UpstreamError(subject, "bad_content", "is no bootstrap file: it has no list of services")
    bases: dict[str, str] = {}
    for service in services:
        suffixes, base = _service(service)
        if base:
            bases.update(dict.fromkeys(suffixes, base))
    if len(bases) < fewest:
        raise UpstreamError(subject, "bad_content", f"names servers for only {len(bases)} extensions")
    return Bootstrap(str(doc.get("publication") or "")[:40], bases)


def _service(service: Json) -> tuple[list[str], str | None]:
    if not isinstance(service, list) or len(service) < 2:
        return [], None
    listed, servers = service[:2]
    if not isinstance(listed, list) or not isinstance(servers, list):
        return [], None
    suffixes = [one.strip(".").lower() for one in listed if isinstance(one, str) and one.strip(".")]
    urls = sorted(
        (url for url in servers if isinstance(url, str) and _usable(url)),
        key=lambda url: not url.startswith("https://"),
    )
    return suffixes, (urls[0].rstrip("/") + "/" if urls else None)


def _usable(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https")
        and bool(parts.hostname)
        and not parts.query
        and "@" not in parts.netloc
    )


def fresh_until(headers: Mapping[str, str], fetched_at: datetime) -> datetime:
    """Until when a fetched file is fresh by its Cache-Control or Expires: 5 minutes to 7 days."""
    lowered = {key.lower(): value for key, value in headers.items()}
    control = lowered.get("cache-control", "").lower()
    age = re.search(r"(?<![a-z-])max-age\s*=\s*\"?(\d{1,9})", control)
    if "no-store" in control or "no-cache" in control:
        lasts = _MIN_FRESH
    elif age:
        spent = lowered.get("age", "").strip()
        lasts = timedelta(seconds=int(age.group(1)) - (int(spent[:9]) if spent.isdecimal() else 0))
    else:
        lasts = _until_expires(lowered.get("expires"), fetched_at)
    return fetched_at + min(max(lasts, _MIN_FRESH), _MAX_FRESH)


def _until_expires(expires: str | None, fetched_at: datetime) -> timedelta:
    if not expires:
        return _DEFAULT_FRESH
    try:
        moment = email.utils.parsedate_to_datetime(expires)
    except (ValueError, TypeError):
        return _MIN_FRESH  # RFC 9111 section 5.3: an invalid date means already expired
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - fetched_at


@lru_cache(maxsize=1)
def shipped_rdap_servers() -> Mapping[str, str]:
    """RDAP base URLs by extension that IANA's file does not name; the evidence stands in `data/rdap-servers.toml`."""
    document = tomllib.loads(
        files("afterdrop.sources.registry").joinpath("data/rdap-servers.toml").read_text(encoding="utf-8")
    )
    return {extension: row["base"] for row in document["servers"] for extension in row["extensions"]}


@lru_cache(maxsize=1)
def shipped_bootstrap() -> Bootstrap:
    """The copy of IANA's file that comes with Afterdrop, for the first start and for machines that cannot fetch it."""
    return read_bootstrap(
        files("afterdrop.sources.registry").joinpath("data/iana-rdap-dns.json").read_bytes()
    )
