"""DNS look-ups: the host that is asked for, and the answers as the contract's DNS result. Pure.

Hosts are public names of two labels or more, underscores allowed. The result has records by type, mail, SPF and DMARC.
A reply has records, no record of that type, no such name, a failing server, or no answer in time. These are kept
apart, because "there is none" and "could not be asked" mean different things to a buyer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from dns.rdata import Rdata
from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.core import domain_names
from afterdrop.core.errors import BadName
from afterdrop.core.json_shapes import Count
from afterdrop.http.public_addresses import is_public

# Service labels (_dmarc, _acme-challenge, selector1._domainkey): letters, digits, hyphens and underscores.
_SERVICE = re.compile(r"(?=[a-z0-9_-]*_)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)


def lookup_host(raw: str) -> str:
    """One host that a request names as lowercase A-labels; its last label has no underscore.

    Raises BadName as `domain_names.as_asked` and `host_name` do.
    """
    labels = domain_names.as_asked(raw).removesuffix(".").lower().split(".")
    services = {place: label for place, label in enumerate(labels[:-1]) if _SERVICE.fullmatch(label)}
    plain = ["s" * len(label) if place in services else label for place, label in enumerate(labels)]
    host = domain_names.host_name(".".join(plain) if services else raw).split(".")
    if len(host) != len(labels) and services:
        raise BadName(raw, "characters", "has dots of another script beside underscores")
    return ".".join(services.get(place, label) for place, label in enumerate(host))


TYPES = ("A", "AAAA", "CNAME", "MX", "NS", "TXT", "SOA", "CAA")
ReplyStatus = Literal["ok", "nxdomain", "servfail", "timeout"]
_MAX_VALUE = 4096
# RFC 7489 section 6.4: WSP, blanks and tabs (RFC 5234 appendix B.1), may stand around "=" and before ";".
_DMARC = re.compile(r"[ \t]*v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DnsRecord:
    """One record: `value` without a trailing dot, `ttl` in seconds, and `extra` for the type's other fields."""

    value: str
    ttl: int
    extra: str | None = None


@dataclass(frozen=True, slots=True)
class DnsReply:
    """The reply to one query. `withheld` counts records that are not shown because their address is not public."""

    outcome: ReplyStatus
    records: tuple[DnsRecord, ...] = ()
    withheld: int = 0


@dataclass(frozen=True, slots=True)
class HostAnswers:
    """Every reply about one host, by type. `dmarc` has the replies for `_dmarc` below the host and its domain."""

    host: str
    replies: Mapping[str, DnsReply]
    dmarc: tuple[DnsReply, ...] = ()


def read_records(rdatas: Iterable[Rdata], ttl: int) -> DnsReply:
    """The records of one answered query: MX by preference, others in the order of their values."""
    found = [read_record(rdata, ttl) for rdata in rdatas]
    shown = [one for one in found if one is not None]
    shown.sort(key=lambda one: (int(one.extra) if one.extra and one.extra.isdecimal() else 0, one.value))
    return DnsReply("ok", tuple(shown), len(found) - len(shown))


def read_record(rdata: Rdata, ttl: int) -> DnsRecord | None:
    """One record; None for an address that is not public (a split-horizon name must not leak)."""
    parts: Any = rdata
    kind = rdata.rdtype.name
    if kind in ("A", "AAAA"):
        return DnsRecord(parts.address, ttl) if is_public(parts.address) else None
    if kind == "MX":
        return DnsRecord(_name(parts.exchange), ttl, str(parts.preference))
    if kind in ("NS", "CNAME"):
        return DnsRecord(_name(parts.target), ttl)
    if kind == "TXT":
        return DnsRecord(_text(b"".join(parts.strings)), ttl)
    if kind == "SOA":
        rest = (parts.serial, parts.refresh, parts.retry, parts.expire, parts.minimum)
        return DnsRecord(_name(parts.mname), ttl, " ".join([_name(parts.rname), *map(str, rest)]))
    if kind == "CAA":
        return DnsRecord(_text(parts.value), ttl, f"{parts.flags} {_text(parts.tag)}")
    return DnsRecord(_text(rdata.to_text().encode()), ttl)


def _name(name: object) -> str:
    """A name without its trailing dot; the root (a null MX) stays `.`."""
    return str(name).rstrip(".").lower() or "."


def _text(raw: bytes) -> str:
    return raw[:_MAX_VALUE].decode("utf-8", "replace").replace("\x00", "\ufffd")


class DnsRecordJson(TypedDict):
    """One record."""

    value: str
    ttl: Count
    extra: Annotated[str | None, Field(description="The priority of an MX record")]


class DnsResult(TypedDict):
    """The records of a host, and what they show."""

    host: str
    records: Annotated[
        dict[str, list[DnsRecordJson]], Field(description="By type: A, AAAA, CNAME, MX, NS, TXT, SOA, CAA")
    ]
    has_mail: Annotated[
        bool | None, Field(description="Null if no name server answered the query for MX records")
    ]
    spf: Annotated[bool | None, Field(description="Null if the query for TXT records got no answer")]
    dmarc: Annotated[
        bool | None, Field(description="Null if the query for the policy at `_dmarc` got no answer")
    ]
    parked_at: Annotated[str | None, Field(description="The parking provider, if the domain is parked")]
    status: Annotated[
        ReplyStatus, Field(description="Extension: `ok` if any query was answered, otherwise the reason")
    ]
    errors: Annotated[
        dict[str, ReplyStatus], Field(description="Extension: queries without an answer, by record type")
    ]
    withheld: Annotated[
        Count,
        Field(description="Extension: how many records are not shown because their address is not public"),
    ]


def dns_result(answers: HostAnswers, parked_at: str | None) -> DnsResult:
    """The contract's DNS result, with the `status` of the name as a whole and `errors` by type.

    `records` holds a list for each type that was answered; it is empty for a name that does not exist. `has_mail`,
    `spf` and `dmarc` are null when the query they depend on was not answered.
    """
    replies = answers.replies
    status = _status(replies.values())
    # An alias can point at a name that does not exist, but the alias itself exists.
    usable = ("ok", "nxdomain") if status == "ok" else ()
    answered = {kind: reply for kind, reply in replies.items() if reply.outcome in usable}
    return {
        "host": answers.host,
        "records": {
            kind: [{"value": one.value, "ttl": one.ttl, "extra": one.extra} for one in reply.records]
            for kind, reply in answered.items()
        },
        "has_mail": _known(replies.get("MX"), has_mail),
        "spf": _known(replies.get("TXT"), has_spf),
        "dmarc": _dmarc(answers.dmarc),
        "parked_at": parked_at,
        "status": status,
        "errors": {
            kind: reply.outcome for kind, reply in replies.items() if reply.outcome in ("servfail", "timeout")
        },
        "withheld": sum(reply.withheld for reply in answered.values()),
    }


def _status(replies: Iterable[DnsReply]) -> ReplyStatus:
    """`ok` when any query had an answer, else `nxdomain` if a reply said so, else why there was no answer."""
    outcomes = {reply.outcome for reply in replies}
    for outcome in ("ok", "nxdomain", "servfail"):
        if outcome in outcomes:
            return outcome
    return "timeout"


def _known(reply: DnsReply | None, judge: Callable[[Iterable[DnsRecord]], bool]) -> bool | None:
    if reply is None or reply.outcome in ("servfail", "timeout"):
        return None
    return judge(reply.records)


def has_mail(mx: Iterable[DnsRecord]) -> bool:
    """Whether the host accepts mail. A null MX (RFC 7505: one record whose exchange is the root) means no."""
    return any(record.value != "." for record in mx)


def has_spf(txt: Iterable[DnsRecord]) -> bool:
    """Whether an SPF policy is published (RFC 7208 section 4.5)."""
    return any(record.value.lower().split(" ")[0] == "v=spf1" for record in txt)


def has_dmarc(txt: Iterable[DnsRecord]) -> bool:
    """Whether a DMARC policy is published (RFC 7489 section 6.4)."""
    return any(_DMARC.match(record.value) for record in txt)


def _dmarc(replies: tuple[DnsReply, ...]) -> bool | None:
    if any(has_dmarc(reply.records) for reply in replies):
        return True
    return (
        None if any(reply.outcome in ("servfail", "timeout") for reply in replies) or not replies else False
    )
