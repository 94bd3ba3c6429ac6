"""Reading an RDAP answer: from any HTTP answer to a registration state with its record and notes. Pure.

RFC 7480 (HTTP), RFC 9083 (objects), RFC 8056 (status words). Nothing raises: odd input becomes a note, and an answer
that proves nothing becomes the state `unknown` with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from afterdrop.core.json_shapes import Timestamp, instant
from afterdrop.core.json_values import Json
from afterdrop.sources.registry import rdap_fields
from afterdrop.sources.registry.rdap_fields import Notes, plain_text, read_object
from afterdrop.sources.registry.rdap_not_found import what_it_says, word_for_word
from afterdrop.sources.registry.rdap_registrar import registrar, sponsors
from afterdrop.sources.registry.registry_rules import day_opens

DROPPING = frozenset({"pending delete", "redemption period", "pending restore"})
_SEARCHES = ("domainSearchResults", "nameserverSearchResults", "entitySearchResults")
_HTTP_REASONS = {400: "bad_name", 422: "bad_name", 429: "rate_limited"}
# Why a well-formed "not found" does not mean free: by its words.
WORDS_AGAINST = frozenset({"says_more", "reserved", "blocked"})
_NOT_FOUND = WORDS_AGAINST | {"not_found", "premium"}
_HEAD = re.compile(rb"HTTP/[0-9.]+ (\d{3})[^\n]*\n((?:[^\S\n]*+\S[^\n]*+\n)*+)[ \t\r]*+(?:\n|$)")
# NASK's words for a name after termination; its documentation shows them with blanks, its answers with underscores.
_NASK_DELETED = frozenset({"delete_blocked", "to_be_released", "to_be_deleted", "deleted", "terminated"})
_WORD_GAPS = re.compile(r"[\s-]+")
_CONTENT_TYPE = re.compile(rb"^content-type:[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)


RegistryState = Literal["available", "registered", "dropping", "unknown"]
RegistrySource = Literal["rdap", "whois"]


class RegistrationFacts(TypedDict):
    """The registry's facts about a name, with the contract's keys."""

    # Only an answer that was saved elsewhere may name no domain: whoever asks here names one.
    domain: Annotated[
        str | None, WithJsonSchema({"type": "string"}), Field(description="Lowercase, A-labels")
    ]
    state: Annotated[RegistryState, Field(description="The name's state at its registry")]
    registrar: Annotated[str | None, Field(description="The registrar; null if unknown")]
    registrar_iana_id: Annotated[str | None, Field(description="The registrar's IANA id; null if unknown")]
    registered_at: Annotated[Timestamp | None, Field(description="When it was registered; null if unknown")]
    expires_at: Annotated[Timestamp | None, Field(description="Until when it is paid; null if unknown")]
    updated_at: Annotated[Timestamp | None, Field(description="When it last changed; null if unknown")]
    statuses: Annotated[Sequence[str] | None, Field(description="Null when the state is `unknown`")]
    nameservers: Annotated[Sequence[str] | None, Field(description="Null when the state is `unknown`")]
    dnssec: Annotated[bool | None, Field(description="Whether the name is signed; null if unknown")]


class RegistrationRecord(RegistrationFacts):
    """The registry's facts about a name, how it was asked, and the detail that the state hides."""

    source: Annotated[RegistrySource, Field(description="How the registry was asked")]
    # The reason of a `RegistryAnswer`.
    detail: Annotated[
        str | None,
        Field(
            description="Detail of the state: `redemption`, `pending_delete` or `quarantine` of a dropping name;"
            " `reserved`, `refused`, `rate_limited`, `no_rdap` and others of an unknown one"
        ),
    ]
    releases_at: Annotated[
        Timestamp | None,
        Field(description="When the registry releases the name, where it says so"),
    ]


@dataclass(frozen=True, slots=True)
class Registration:
    """The contract's registration record. Times are aware UTC in whole seconds; what is not known is None."""

    domain: str | None
    state: RegistryState = "unknown"
    registrar: str | None = None
    registrar_iana_id: str | None = None
    registered_at: datetime | None = None
    expires_at: datetime | None = None
    updated_at: datetime | None = None
    statuses: tuple[str, ...] = ()
    nameservers: tuple[str, ...] = ()
    dnssec: bool | None = None

    def as_json(self) -> RegistrationFacts:
        """The record with its contract keys; times in the form YYYY-MM-DDTHH:MM:SSZ.

        Lists are empty where the registry says that there are none, and null where the state is not known.
        """
        known = self.state != "unknown"
        return {
            "domain": self.domain,
            "state": self.state,
            "registrar": self.registrar,
            "registrar_iana_id": self.registrar_iana_id,
            "registered_at": instant(self.registered_at),
            "expires_at": instant(self.expires_at),
            "updated_at": instant(self.updated_at),
            "statuses": self.statuses if known else None,
            "nameservers": self.nameservers if known else None,
            "dnssec": self.dnssec,
        }


@dataclass(frozen=True, slots=True)
class RegistryAnswer:
    """One answer of RDAP or WHOIS: the state is `available`, `registered`, `dropping` or `unknown`.

    `reason` is a short word where the state needs one: not_found, premium (available at a premium price),
    redemption, pending_delete, quarantine (dropping), blocked, reserved, says_more ("not found" and other words),
    sold_first ("not found" of a name that its registry auctions first),
    refused, rate_limited, server_error, bad_name, bad_content, wrong_object, wrong_name, not_registry, no_rdap,
    unreachable. `deleted_at`, `transferred_at`, `database_at` and `registrar_expires_at` (RFC 9083, "registrar
    expiration") are events of the answer that are not in the record. `releases_at` is the moment at which the registry
    says that it releases the name, `releases_on` the day, in its own zone, where it says no hour. `raw` is the answer
    itself, for people who compare; it is never stored.
    """

    state: RegistryState
    record: Registration
    notes: tuple[str, ...] = ()
    reason: str = ""
    deleted_at: datetime | None = None
    transferred_at: datetime | None = None
    database_at: datetime | None = None
    releases_at: datetime | None = None
    releases_on: date | None = None
    source: RegistrySource = "rdap"
    registrar_expires_at: datetime | None = None
    raw: bytes = field(default=b"", repr=False, compare=False)

    def as_json(self) -> RegistrationRecord:
        """The contract's record and its extension members."""
        return {
            **self.record.as_json(),
            "source": self.source,
            "detail": self.reason or None,
            "releases_at": instant(self.releases_at or day_opens(self.record.domain, self.releases_on)),
        }


def unknown(asked: str | None, reason: str, *notes: str) -> RegistryAnswer:
    """An answer that proves nothing, with the reason."""
    return RegistryAnswer("unknown", Registration(asked), notes, reason)


def parse_answer(
    http_status: int | None,
    content_type: str | None,
    body: bytes,
    asked: str | None,
    *,
    from_bootstrap_host: bool = True,
    of_any: Set[str] = frozenset(),
) -> RegistryAnswer:
    """Read one RDAP answer about the domain `asked`; with None, about any domain that the document names.

    `http_status` None means a document without its HTTP answer, which is read as 200. `from_bootstrap_host` says that
    the answer came from the server named in IANA's bootstrap file: only its "not found" means available. `of_any` is
    what the server says of any name it does not know (see `said_of_any`): a "not found" is read without it.
    """
    asked = rdap_fields.domain_name(asked) if asked is not None else None
    if http_status == 404:
        return _not_found(content_type, body, asked, from_bootstrap_host, of_any)
    if http_status not in (None, 200, 203):
        return unknown(asked, _reason(http_status), f"the server answered HTTP {http_status}")
    notes = Notes()
    doc = read_object(body, notes)
    if isinstance(doc, str):
        return unknown(asked, "bad_content", *notes, doc)
    if "errorCode" in doc:
        code = _error_code(doc)
        if code == 404:
            return _absent(doc, asked, from_bootstrap_host, notes, of_any)
        return unknown(asked, _reason(code), *notes, f"an error body: {_says(doc)}")
    wrong = _not_a_domain(doc, notes)
    return unknown(asked, "wrong_object", *notes, wrong) if wrong else _registered(doc, asked, notes)


def said_of_any(unused: RegistryAnswer) -> frozenset[str]:
    """The words of a server about any name it does not know: those of its 404 about a name that nobody has.

    Without an error code of 404 in the body it may be a gateway that refuses us, whatever the name.
    """
    doc = read_object(unused.raw, Notes()) if unused.reason in _NOT_FOUND else ""
    if isinstance(doc, str) or _error_code(doc) != 404:
        return frozenset()
    return word_for_word(doc, unused.record.domain)


def read_again(answer: RegistryAnswer, of_any: Set[str]) -> RegistryAnswer:
    """An answer whose reason is one of `WORDS_AGAINST`, read without what its server says of any name."""
    again = parse_answer(404, "application/rdap+json", answer.raw, answer.record.domain, of_any=of_any)
    return replace(again, raw=answer.raw)


def written(body: bytes) -> dict[str, Json]:
    """The values of an RDAP answer from which its record is read, by their names; the dates as `events`."""
    notes = Notes()
    doc = read_object(body, notes)
    if isinstance(doc, str):
        return {}
    members = ("handle", "publicIds", "vcardArray")
    return {
        "domain": doc.get("ldhName"),
        "statuses": doc.get("status"),
        "registrar": [{name: entity.get(name) for name in members} for entity in sponsors(doc, notes)],
        "events": doc.get("events"),
        "nameservers": doc.get("nameservers"),
        "dnssec": doc.get("secureDNS"),
    }


def parse_saved(content: bytes) -> RegistryAnswer:
    """Read a saved answer: a JSON body, or a whole HTTP answer as `curl -i` and proxies write it.

    Its server is not known, so a saved "not found" is `unknown`.
    """
    status: int | None = None
    content_type: str | None = None
    at = 0
    while (head := _HEAD.match(content, at)) is not None:  # a saved redirect has several heads
        status = int(head.group(1))
        found = _CONTENT_TYPE.search(head.group(2))
        content_type = found.group(1).decode("latin-1") if found else None
        at = head.end()
    return parse_answer(status, content_type, content[at:], None, from_bootstrap_host=False)


def _reason(code: int | None) -> str:
    if code is None or 200 <= code < 400:
        return "bad_content"
    return _HTTP_REASONS.get(code) or ("server_error" if code >= 500 else "refused")


def _error_code(doc: Mapping[str, Json]) -> int | None:
    """`errorCode` as a number. One registry writes it as text."""
    code = plain_text(str(doc.get("errorCode")))
    return int(code) if re.fullmatch(r"\d{3}", code, re.ASCII) else None


def _says(doc: Mapping[str, Json]) -> str:
    return plain_text(
        " ".join([str(doc.get("errorCode")), *_texts(doc.get("title"), doc.get("description"))])
    )


def _texts(*values: object) -> Iterator[str]:
    for value in values:
        for item in value if isinstance(value, list) else [value]:
            if text := plain_text(item):
                yield text


def _not_found(
    content_type: str | None, body: bytes, asked: str | None, from_bootstrap_host: bool, of_any: Set[str]
) -> RegistryAnswer:
    kind = (content_type or "").partition(";")[0].strip().lower()
    notes = Notes()
    if not body.strip():
        if "html" in kind:
            return unknown(asked, "bad_content", "HTTP 404 from a web page, not from RDAP")
        return _absent({}, asked, from_bootstrap_host, notes, of_any)
    if "json" not in kind:
        return unknown(
            asked, "bad_content", f"HTTP 404 with content type {plain_text(kind) or 'missing'}, not RDAP"
        )
    doc = read_object(body, notes)
    if isinstance(doc, str):
        return unknown(asked, "bad_content", *notes, f"HTTP 404, and {doc}")
    code = _error_code(doc)
    if "objectClassName" in doc or code not in (None, 404):
        return unknown(asked, "bad_content", *notes, f"HTTP 404 contradicts its body: {_says(doc)}")
    return _absent(doc, asked, from_bootstrap_host, notes, of_any)


def _absent(
    doc: Mapping[str, Json], asked: str | None, from_bootstrap_host: bool, notes: Notes, of_any: Set[str]
) -> RegistryAnswer:
    """A well-formed "not found": available, unless it says anything else or comes from another server."""
    if not from_bootstrap_host:
        return unknown(
            asked,
            "not_registry",
            *notes,
            "says not found, but not known to come from the registry's own server",
        )
    said = what_it_says(doc, asked, of_any)
    if said.fate == "not_found":
        return RegistryAnswer("available", Registration(asked, "available"), tuple(notes), "not_found")
    if said.fate == "premium":
        notes.add(f"available at a premium price: {said.text}")
        return RegistryAnswer("available", Registration(asked, "available"), tuple(notes), "premium")
    return unknown(asked, said.fate, *notes, f"not found, but the registry says more: {said.text}")


def _not_a_domain(doc: Mapping[str, Json], notes: Notes) -> str | None:
    """Why the object is not a domain; None when it is one."""
    kind = plain_text(doc.get("objectClassName"))
    if kind.lower() == "domain":
        return None
    if kind:
        return f"an object of class {kind!r}, not a domain"
    for key in _SEARCHES:
        if key in doc:
            found = doc[key]
            count = len(found) if isinstance(found, list) else 0
            return f"a search result ({key}, {count} found), not one domain"
    if any(isinstance(doc.get(key), str) for key in ("ldhName", "unicodeName")) and _domain_members(doc):
        notes.add("objectClassName is missing: read as a domain by its members")
        return None
    return "an object without objectClassName, not a domain" if doc else "an empty object"


def _domain_members(doc: Mapping[str, Json]) -> bool:
    """Members only a domain has: registries before RFC 7483 sent no objectClassName."""
    if any(key in doc for key in ("nameservers", "nameServers", "secureDNS", "variants")):
        return "ipAddresses" not in doc
    return "expiration" in rdap_fields.event_times(doc, Notes()) or bool(sponsors(doc, Notes()))


def _registered(doc: Mapping[str, Json], asked: str | None, notes: Notes) -> RegistryAnswer:
    name = rdap_fields.object_name(doc, notes)
    if name is None:
        given = plain_text(doc.get("ldhName")) or plain_text(doc.get("unicodeName"))
        if asked is not None and given:
            return unknown(asked, "wrong_name", *notes, f"an answer about {given!r}")
        notes.add(f"the object's name is not a domain name: {given!r}" if given else "the object has no name")
    elif asked is not None and name != asked:
        return unknown(asked, "wrong_name", *notes, f"an answer about {name}, which was not asked")
    words = rdap_fields.statuses(doc, notes)
    times = rdap_fields.event_times(doc, notes)
    dropping = bool(DROPPING.intersection(words))
    if not dropping and _delete_candidate(doc, words):
        notes.add("a FRED registry shows only the name: it is about to be deleted")
        words, dropping = ("pending delete",), True
    if not dropping and (state_of_nask := _nask_state(doc)) in _NASK_DELETED:
        notes.add(f"NASK says {state_of_nask}: the name is released within days")
        words, dropping = (*words, "pending delete"), True
    sponsor, iana_id = registrar(doc, name or asked, notes)
    state: RegistryState = "dropping" if dropping else "registered"
    record = Registration(
        domain=name or asked,
        state=state,
        registrar=sponsor,
        registrar_iana_id=iana_id,
        registered_at=_pick(times, "registration", first=True),
        expires_at=_pick(times, "expiration"),
        updated_at=_pick(times, "lastchanged") or _pick(times, "lastupdate"),
        statuses=words,
        nameservers=rdap_fields.nameservers(doc, notes),
        dnssec=rdap_fields.dnssec(doc, notes),
    )
    return RegistryAnswer(
        state,
        record,
        tuple(notes),
        deleted_at=_pick(times, "deletion"),
        transferred_at=_pick(times, "transfer"),
        database_at=_pick(times, "lastupdateofrdapdatabase"),
        registrar_expires_at=_pick(times, "registrarexpiration"),
    )


def _pick(times: Mapping[str, list[datetime]], action: str, *, first: bool = False) -> datetime | None:
    """The time of an action. An answer can have it more than once: the latest counts, for registrations the first."""
    found = times.get(action)
    return (min(found) if first else max(found)) if found else None


def _nask_state(doc: Mapping[str, Json]) -> str:
    """The state that NASK (.pl) tells beside the status words, which stay `active` after termination."""
    return _WORD_GAPS.sub("_", plain_text(doc.get("nask0_state")).lower())


def _delete_candidate(doc: Mapping[str, Json], words: tuple[str, ...]) -> bool:
    conformance = doc.get("rdapConformance")
    fred = isinstance(conformance, list) and any(str(level).startswith("fred_") for level in conformance)
    return fred and not words and not doc.get("events") and not doc.get("entities")
