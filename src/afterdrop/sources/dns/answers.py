"""DNS look-ups: the host that is asked for, and the answers as the contract's DNS result. Pure.

Hosts are public names of two labels or more, underscores allowed. The result has records by type, mail, SPF and DMARC.
A reply has records, no record of that type, no such name, a failing server, or no answer in time. These are kept
apart, because "there is none" and "could not be asked" mean different things to a buyer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
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
_ADDRESSES = ("A", "AAAA")
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
    """Every reply about one host, by type. `dmarc` has the replies for the host's `dmarc_names`."""

    host: str
    replies: Mapping[str, DnsReply]
    dmarc: tuple[DnsReply, ...] = ()


def dmarc_names(host: str) -> list[str]:
    """The names at which a host's DMARC policy may stand: the tree walk of RFC 9989 section 4.10, at most eight.

    The host is the first, then come its parents. Where it has more than eight labels, the second has its last seven.
    """
    labels = host.split(".")
    lengths = [len(labels), *range(min(len(labels) - 1, 7), 0, -1)]
    return [".".join(["_dmarc", *labels[-length:]]) for length in lengths]


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

    value: Annotated[str, Field(description="The value of the record")]
    ttl: Annotated[Count, Field(description="Seconds for which it may be kept")]
    extra: Annotated[
        str | None,
        Field(
            description="The priority of an MX record, the other fields of SOA and CAA records, "
            "or `implicit MX` of addresses that take the host's mail because it has no MX record"
        ),
    ]


class DnsResult(TypedDict):
    """The records of a host, and what they show."""

    host: Annotated[str, Field(description="The host that was asked about")]
    records: Annotated[
        dict[str, list[DnsRecordJson]], Field(description="By type: A, AAAA, CNAME, MX, NS, TXT, SOA, CAA")
    ]
    has_mail: Annotated[
        bool | None,
        Field(
            description="True for MX records, or an address without any. Null if the queries got no answer"
        ),
    ]
    spf: Annotated[bool | None, Field(description="Null if the query for TXT records got no answer")]
    dmarc: Annotated[
        bool | None,
        Field(
            description="Whether the host or a parent has a policy. Null if a query at `_dmarc` got no answer"
        ),
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
    implicit = "MX" in answered and not answered["MX"].records
    notes = dict.fromkeys(_ADDRESSES, "implicit MX") if implicit else {}
    return {
        "host": answers.host,
        "records": {
            kind: [
                {"value": one.value, "ttl": one.ttl, "extra": one.extra or notes.get(kind)}
                for one in reply.records
            ]
            for kind, reply in answered.items()
        },
        "has_mail": has_mail(replies),
        "spf": has_spf(replies["TXT"].records) if _answered(replies["TXT"]) else None,
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


def _answered(*replies: DnsReply) -> bool:
    return all(reply.outcome in ("ok", "nxdomain") for reply in replies)


def has_mail(replies: Mapping[str, DnsReply]) -> bool | None:
    """Whether the host accepts mail; None if that was not answered.

    A null MX (RFC 7505: one record whose exchange is the root) means no. Without an MX record, mail goes to the host's
    addresses (RFC 5321 section 5.1).
    """
    if not _answered(replies["MX"]):
        return None
    if mx := replies["MX"].records:
        return any(record.value != "." for record in mx)
    addresses = [replies[kind] for kind in _ADDRESSES]
    if any(reply.records for reply in addresses):
        return True
    return False if _answered(*addresses) else None


def has_spf(txt: Iterable[DnsRecord]) -> bool:
    """Whether one SPF policy is published. Several are an error, and none applies (RFC 7208 section 4.5)."""
    return sum(record.value.lower().split(" ")[0] == "v=spf1" for record in txt) == 1


def has_dmarc(txt: Iterable[DnsRecord]) -> bool:
    """Whether one DMARC policy is published. Several at one name are all discarded (RFC 9989 section 4.10)."""
    return sum(_DMARC.match(record.value) is not None for record in txt) == 1


def _dmarc(replies: tuple[DnsReply, ...]) -> bool | None:
    """Whether any step of the tree walk found a policy. Its `psd` says only which one applies, not whether one does."""
    if any(has_dmarc(reply.records) for reply in replies):
        return True
    return False if replies and _answered(*replies) else None
