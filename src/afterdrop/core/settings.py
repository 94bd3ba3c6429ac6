"""All settings of an operator as one frozen value. `settings_file.load` reads them once at start."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import time
from email.utils import parseaddr
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

import idna
from pydantic import AfterValidator, Field, SecretStr, field_validator, model_validator

from afterdrop.core.audience import Audience
from afterdrop.core.plan_limits import Plan, Plans
from afterdrop.core.settings_sections import (
    Backup,
    Count,
    Live,
    Log,
    Metrics,
    Operator,
    Purchase,
    Relay,
    Retention,
    Seconds,
    Section,
    Site,
    TimeOfDay,
    Token,
)
from afterdrop.core.web_addresses import is_public


def _search_template(value: str) -> str:
    if not value.startswith(("https://", "http://")) or "{domain}" not in value:
        raise ValueError("must be an address that starts with https:// and contains {domain}")
    return value


# A registrar's search page, with `{domain}` (and, if wanted, `{tld}`) in its address.
SearchTemplate = Annotated[str, AfterValidator(_search_template)]
Origin = Annotated[str, Field(pattern=r"^https?://[^/\s@]+$")]


def _no_setting(value: str) -> str:
    if value.startswith("AFTERDROP_"):
        raise ValueError("is the name of a setting, not of a vendor's key")
    return value


# The name of the variable that a feed or provider file reads a key from.
KeyName = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$"), AfterValidator(_no_setting)]


class Feed(Section):
    """One feed to take in: a shipped preset's name or a TOML file, and what this deployment changes in it."""

    preset: str
    url: str | None = None
    source: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")] | None = None
    permission: str | None = None
    options: dict[str, object] = {}


class Provider(Section):
    """One metric provider: a shipped preset's name or a TOML file, and what this deployment changes in it."""

    preset: str
    url: str | None = None
    per_day: Count | None = None
    per_month: Count | None = None
    permission: str | None = None


# What a scan's hours have room for at the pace of the archive's index, with checks and second questions beside it.
MOST_REVIEWS: Final = 8000


def _at_archives_pace(value: int) -> int:
    if value > MOST_REVIEWS:
        raise ValueError(
            f"must be {MOST_REVIEWS:,} at most: the web archive's index allows no more in a scan's hours"
        )
    return value


def _top_levels(value: dict[str, Any]) -> dict[str, Any]:
    """A registry is asked by its own extension: what is set for `co.gl` would never be read."""
    for name in value:
        if not re.fullmatch(r"[a-z][a-z0-9-]*", name, re.ASCII):
            raise ValueError(f"{name!r} must be an extension of one label in lower case, such as 'gl'")
    return value


class Scan(Section):
    """The daily scan."""

    hour: TimeOfDay = time(15, 30)
    budget_hours: Annotated[float, Field(gt=0)] = 20
    reviews_per_day: Annotated[Count, AfterValidator(_at_archives_pace)] = 2000
    review_valid_days: Count = 30
    reviews_at_once: Annotated[int, Field(ge=1)] = 8
    review_retry_seconds: Seconds = 600
    page_processes: Annotated[int, Field(ge=1)] | None = None
    sale_zones: tuple[str, ...] = ()


class Authority(Section):
    """The authority filter: a name passes when any known metric reaches its threshold."""

    domain_rating: Count = 5
    trust_flow: Count = 5
    referring_domains: Count = 10
    authority_score: Count = 5
    pagerank: float = 2.0
    link_rank: float = 10.0


class Registry(Section):
    """RDAP, WHOIS and the two-hour re-check."""

    bootstrap_url: str = "https://data.iana.org/rdap/dns.json"
    announce_gap_seconds: Seconds = 300
    canaries: dict[str, str] = {}
    register_url: SearchTemplate = "https://porkbun.com/checkout/search?q={domain}"
    register_urls: dict[str, SearchTemplate] = {}
    registration_fees: dict[str, Count] = {}
    answer_cache_seconds: Seconds = 0
    timeout_seconds: Seconds = 15
    shipped_rdap_servers: bool = True
    rdap_servers: Annotated[dict[str, str], AfterValidator(_top_levels)] = {}
    whois: bool = False
    whois_extensions: Annotated[dict[str, bool], AfterValidator(_top_levels)] = {}
    whois_per_day: Count = 500
    whois_relay: Relay = ""


class Archive(Section):
    """The archives: which are asked, and where the Wayback Machine and the files of Common Crawl are.

    `least` archives must have answered before a name counts as clean.
    """

    wayback: bool = True
    common_crawl: bool = False
    least: Annotated[int, Field(ge=1, le=2)] = 1
    cdx_url: str = "https://web.archive.org/cdx/search/cdx"
    replay_url: str = "https://web.archive.org/web"
    public_url: str = "https://web.archive.org/web"
    timeout_seconds: Seconds = 60
    crawl_url: str = "https://data.commoncrawl.org"
    crawls_url: str = "https://index.commoncrawl.org/collinfo.json"

    @model_validator(mode="after")
    def _enough_archives(self) -> Archive:
        if self.wayback + self.common_crawl < self.least:
            raise ValueError(
                f"{self.wayback + self.common_crawl} of wayback and common_crawl are on, but least is {self.least}"
            )
        return self

    @property
    def pace_keys(self) -> tuple[str, ...]:
        """The keys in `pace.hosts` of the archives that are on: index and captures of one, the files of the other."""
        index, captures, files = (
            urlsplit(url).netloc for url in (self.cdx_url, self.replay_url, self.crawl_url)
        )
        return (f"{index}/cdx", captures) * self.wayback + (files,) * self.common_crawl


class Review(Section):
    """The history review: the operator's own trade marks, looked for beside the shipped famous ones."""

    marks: tuple[str, ...] = ()


class HostPace(Section):
    """How fast this deployment asks one host, all its workers together."""

    per_second: Annotated[float, Field(gt=0)] = 1.0
    at_once: Annotated[int, Field(ge=1)] = 2


ARCHIVE_PACE: Final = {
    "web.archive.org/cdx": HostPace(per_second=0.33, at_once=1),
    "web.archive.org": HostPace(per_second=8, at_once=4),
    # Who asks its files by two connections is refused for hours.
    "data.commoncrawl.org": HostPace(per_second=1, at_once=1),
}


class Pace(Section):
    """Pace per host key: exact host (with port) first, then the default."""

    default: HostPace = HostPace()
    hosts: dict[str, HostPace] = ARCHIVE_PACE

    @field_validator("hosts", mode="before")
    @classmethod
    def _beside_the_archive(cls, given: object) -> Any:
        """Keep the archive's pace where the operator gives none: a table of other hosts must not drop it."""
        if not isinstance(given, dict):
            return given
        known = {host: pace.model_dump() for host, pace in ARCHIVE_PACE.items()}
        changed = {
            host: {**known.get(host, {}), **pace} if isinstance(pace, dict) else pace
            for host, pace in given.items()
        }
        return {**known, **changed}

    def of(self, key: str) -> HostPace:
        """The pace set for `key`, else for its host, else the default."""
        return self.hosts.get(key) or self.hosts.get(key.partition("/")[0]) or self.default


class Dns(Section):
    """Resolvers asked for look-ups, as address or address:port."""

    resolvers: tuple[str, ...] = ("1.1.1.1", "8.8.8.8", "9.9.9.9")
    timeout_seconds: Seconds = 4


class Rates(Section):
    """Exchange rates for prices in other currencies."""

    url: str = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"


def _a_labels(host: str) -> str:
    """A host as it stands in what is sent: browsers and mail servers know Unicode ones as A-labels only."""
    return host if host.isascii() else idna.encode(host, uts46=True).decode("ascii")


def _sent_host(host: str) -> str:
    try:
        return _a_labels(host)
    except UnicodeError as error:
        raise ValueError(f"has a host that is no domain name ({error})") from None


_LABEL: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)


def ehlo_name(host: str) -> str | None:
    """The name that a client on this host gives at EHLO: its full name as A-labels, or its address as a literal.

    None for a name of one label, such as `localhost`, and for what is no host. Source: RFC 5321, 4.1.1.1 and 4.1.3.
    """
    plain = host.lower().strip("[]").removeprefix("ipv6:").removesuffix(".")
    with suppress(ValueError):
        address = ip_address(plain.partition("%")[0])
        return f"[IPv6:{address}]" if address.version == 6 else f"[{address}]"
    with suppress(UnicodeError):
        name = _a_labels(plain)
        labels = name.split(".")
        known = len(name) <= 253 and all(map(_LABEL.fullmatch, labels))
        return name if known and len(labels) > 1 and not labels[-1].isdigit() else None
    return None


def _ehlo_name(value: str) -> str:
    if value and ehlo_name(value) is None:
        raise ValueError("must be a full host name, such as drops.example.com, or an IP address")
    return ehlo_name(value) or ""


# Its host, at the end of `a@host` and of `Name <a@host>`.
_SENDER_HOST: Final = re.compile(r"(?<=@)[^@<>\s]+(?=>?\s*\Z)")


def _sender(value: str) -> str:
    sender = _SENDER_HOST.sub(lambda host: _sent_host(host[0]), value)
    if not parseaddr(sender)[1].isascii():
        raise ValueError("must be one address, in ASCII before its @, such as Drops <drops@drops.example>")
    return sender


class Mail(Section):
    """SMTP. Without `host` mails are kept and readable with `afterdrop outbox`.

    `ehlo_name` is who we say we are to the mail server; empty: the host of `site_url`.
    """

    host: str = ""
    port: Annotated[int, Field(ge=1, le=65535)] = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str = ""
    password: str = ""
    sender: Annotated[str, AfterValidator(_sender)] = "Afterdrop <afterdrop@localhost>"
    ehlo_name: Annotated[str, AfterValidator(_ehlo_name)] = ""


class Webhook(Section):
    """Delivery of events to receivers."""

    slug: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")] = "service"
    retry_waits: tuple[Seconds, ...] = (60, 300, 1800, 7200, 21600)
    answer_seconds: Seconds = 8
    lease_seconds: Seconds = 60
    allow_loopback: bool = False


class Server(Section):
    """The limits of `afterdrop serve` on a connection before and while it answers."""

    head_seconds: Annotated[float, Field(gt=0)] = 10
    body_seconds: Annotated[float, Field(gt=0)] = 30
    keep_alive_seconds: Annotated[int, Field(ge=1)] = 75
    drain_seconds: Annotated[float, Field(ge=0)] = 0
    connections: Annotated[int, Field(ge=1)] = 512


class Ranks(Section):
    """The local table of link ranks: its directory, and where releases are downloaded from.

    `releases_url` is the publisher's list of releases, the newest first.
    """

    dir: Path | None = None
    url: str = "https://data.commoncrawl.org/projects/hyperlinkgraph"
    releases_url: str = "https://index.commoncrawl.org/graphinfo.json"


# How a listener that takes both families sees IPv4.
_MAPPED: Final = IPv6Network("::ffff:0:0/96")


def _proxy_network(given: str) -> IPv4Network | IPv6Network:
    """A network, with the host bits of an address in it cleared; one of mapped addresses is one of IPv4."""
    network = ip_network(given, strict=False)
    if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
        first = int(network.network_address) - int(_MAPPED.network_address)
        return IPv4Network((first, network.prefixlen - _MAPPED.prefixlen))
    return network


def _all_of_ipv4(network: IPv4Network | IPv6Network) -> bool:
    return _MAPPED.subnet_of(network) if isinstance(network, IPv6Network) else network.prefixlen == 0


def _proxies(value: tuple[str, ...]) -> tuple[str, ...]:
    try:
        networks = [_proxy_network(given) for given in value]
    except ValueError:
        networks = []
    if len(networks) < len(value) or any(map(_all_of_ipv4, networks)):
        raise ValueError("must be addresses or networks of proxies, such as 127.0.0.1 or 10.0.0.0/24")
    return tuple(str(n.network_address if n.num_addresses == 1 else n) for n in networks)


class Settings(Section):
    """Everything an operator can set. `file` is where it came from, for messages.

    An operator has to say the deployment's `audience`; settings read without any have the stricter one.
    """

    file: str = ""
    audience: Audience = "public"
    site_url: str = "http://127.0.0.1:8000"
    site_name: str = "Afterdrop"
    data_dir: Path = Path("afterdrop-data")
    database_url: str = ""
    database_connections: Annotated[int, Field(ge=2, le=500)] = 20
    secret_keys: tuple[str, ...] = ()
    trusted_origins: tuple[Origin, ...] = ()
    trusted_proxies: Annotated[tuple[str, ...], AfterValidator(_proxies)] = ()
    allow_http: bool = False
    operator_token: Token = ""
    keys: dict[KeyName, SecretStr] = {}
    sign_up: Literal["open", "invite", "closed"] = "open"
    contact: str = ""
    feeds: tuple[Feed, ...] = ()
    providers: tuple[Provider, ...] = ()
    plans: Plans = Plans()
    scan: Scan = Scan()
    authority: Authority = Authority()
    registry: Registry = Registry()
    purchase: Purchase = Purchase()
    archive: Archive = Archive()
    review: Review = Review()
    pace: Pace = Pace()
    dns: Dns = Dns()
    rates: Rates = Rates()
    mail: Mail = Mail()
    webhook: Webhook = Webhook()
    ranks: Ranks = Ranks()
    live: Live = Live()
    site: Site = Site()
    server: Server = Server()
    log: Log = Log()
    metrics: Metrics = Metrics()
    operator: Operator = Operator()
    backup: Backup = Backup()
    retention: Retention = Retention()
    worker_lease_seconds: Seconds = 120

    @field_validator("site_url")
    @classmethod
    def _plain_site_url(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc or parts.query:
            raise ValueError("must be http(s)://host[:port] without user, query or fragment")
        if parts.path.strip("/") or parts.fragment:
            raise ValueError("must have no path: the service needs a host name (or a port) of its own")
        host = _sent_host(parts.hostname)
        port = "" if parts.port is None else f":{parts.port}"
        return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}"

    @model_validator(mode="before")
    @classmethod
    def _team_by_invitation(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("audience") == "team":
            return {"sign_up": "invite", **values}
        return values

    @model_validator(mode="after")
    def _closed_team(self) -> Settings:
        if self.audience == "team" and self.sign_up == "open":
            raise ValueError('sign_up: must be "invite" or "closed" where audience is "team"')
        return self

    @model_validator(mode="after")
    def _encrypted_in_public(self) -> Settings:
        parts = urlsplit(self.site_url)
        if parts.scheme == "http" and is_public(parts.hostname or "") and not self.allow_http:
            raise ValueError(
                "site_url: must be https:// on a public address, where keys and passwords would travel in clear text"
                " (or set AFTERDROP_ALLOW_HTTP=1, if you know why)"
            )
        return self

    @model_validator(mode="after")
    def _keys_with_postgres(self) -> Settings:
        if self.database_url.startswith("postgres") and not self.secret_keys:
            raise ValueError(
                "secret_keys: required with PostgreSQL (AFTERDROP_SECRET_KEYS, first encrypts, all decrypt)"
            )
        return self

    @property
    def base_url(self) -> str:
        """The API's base address."""
        return f"{self.site_url}/api/v1"

    @property
    def proxy_unknown(self) -> bool:
        """Whether the site needs a proxy for TLS and none is configured: all visitors would have its address."""
        return self.site_url.startswith("https://") and not self.trusted_proxies

    @property
    def ehlo_name(self) -> str:
        """Our name to the mail server: a full name or an address literal, never a name of one label."""
        return self.mail.ehlo_name or ehlo_name(urlsplit(self.site_url).hostname or "") or "[127.0.0.1]"

    @property
    def user_agent(self) -> str:
        """The User-Agent of outbound requests, with the operator's contact."""
        return f"afterdrop/1.0 (+{self.contact or self.site_url})"

    def plan(self, name: str) -> Plan:
        """The limits of the plan `free` or `pro`."""
        return self.plans.pro if name == "pro" else self.plans.free
