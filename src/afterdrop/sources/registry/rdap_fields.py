"""The JSON of an RDAP answer and the fields of its domain object (RFC 9083), read tolerantly. Pure.

Every reader takes a member of any type and returns a value; what was odd about it goes to `notes`. The tolerance
follows from real answers of some forty registries and registrars: they write status words as in RDAP, in EPP's
camelCase, in EPP with an explaining URL, in capitals, and some of their own. Other code compares words, so that there
must be one spelling, that of RFC 8056 and RFC 9083.
"""

from __future__ import annotations

import codecs
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache

import idna
import orjson

from afterdrop.core.json_values import Json, JsonObject

_WORDS = (
    "active",
    "add period",
    "administrative",
    "associated",
    "auto renew period",
    "client delete prohibited",
    "client hold",
    "client renew prohibited",
    "client transfer prohibited",
    "client update prohibited",
    "delete prohibited",
    "inactive",
    "locked",
    "obscured",
    "pending create",
    "pending delete",
    "pending renew",
    "pending restore",
    "pending transfer",
    "pending update",
    "private",
    "proxy",
    "redemption period",
    "removed",
    "renew period",
    "renew prohibited",
    "reserved",
    "server delete prohibited",
    "server hold",
    "server renew prohibited",
    "server transfer prohibited",
    "server update prohibited",
    "transfer period",
    "transfer prohibited",
    "update prohibited",
    "validated",
)
# RFC 8056 section 2 (`ok`, `linked`) and spellings met in older registry software.
_OTHER = {
    "ok": "active",
    "linked": "associated",
    "autorenewgraceperiod": "auto renew period",
    "redemptiongraceperiod": "redemption period",
    "pendingdeleterestorable": "redemption period",
    "pendingdeletescheduledforrelease": "pending delete",
}
_KNOWN = {re.sub(r"[^a-z]", "", word): word for word in _WORDS} | _OTHER
_KNOWN_AS_IS = frozenset(_WORDS)

_URL = re.compile(r"https?://", re.IGNORECASE)
_LETTERS = re.compile(r"[A-Za-z]*")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def status_word(raw: str) -> str:
    """One status as its RDAP word in lower case. An unknown status keeps its own words; an empty one is ''.

    >>> status_word("clientTransferProhibited https://icann.org/epp#clientTransferProhibited")
    'client transfer prohibited'
    """
    if raw in _KNOWN_AS_IS:
        return raw
    url = _URL.search(raw)
    text = _before(raw[: url.start()]) if url else raw.strip()
    if url and not text:
        explained = raw[url.start() :].split(maxsplit=1)[0].partition("#")[2]
        text = _LETTERS.match(explained)[0]  # type: ignore[index]  # it matches anything
    squashed = re.sub(r"[^a-z]", "", text.lower())
    return _KNOWN.get(squashed) or " ".join(re.split(r"[\s_-]+", _HUMP.sub(" ", text).lower())).strip()


def _before(url: str) -> str:
    """The text before an explaining URL, without the bracket that opens it."""
    text = url.strip()
    return text[:-1].rstrip() if text.endswith(("(", "<")) else text


def is_known(word: str) -> bool:
    """Whether a normalised word is in the RDAP status registry."""
    return word in _KNOWN_AS_IS


MAX_BODY = 2_000_000
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
MAX_TEXT = 200
MAX_ITEMS = 100
_LABELS = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*")
_PLAIN_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_LEAP_SECOND = re.compile(r"(?<=[T ])(\d\d:\d\d):60", re.ASCII)
_CONTROL = {"Cc", "Cf", "Cs", "Co", "Cn"}


class Notes(list[str]):
    """The oddities of an answer: each note once, and at most twenty."""

    def add(self, text: str) -> None:
        """Note `text` unless it is there already."""
        if text not in self and len(self) < 20:
            self.append(text)


def plain_text(value: object) -> str:
    """A string as one clean line of at most 200 characters; anything else is ''."""
    if not isinstance(value, str):
        return ""
    if value.isalnum() and len(value) <= MAX_TEXT:
        return value
    kept = value[: 4 * MAX_TEXT]
    if not kept.isprintable():
        kept = "".join(
            " " if char.isspace() else char
            for char in kept
            if char.isspace() or unicodedata.category(char) not in _CONTROL
        )
    return " ".join(kept.split())[:MAX_TEXT]


class Unreadable(str):
    """Why a body is not JSON."""

    __slots__ = ()


def read_object(body: bytes, notes: Notes) -> JsonObject | str:
    """The JSON object of a body, or a sentence that says why there is none."""
    if len(body) > MAX_BODY:
        return f"the answer is longer than {MAX_BODY} bytes"
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            notes.add("the answer starts with a byte order mark")
            body = body.removeprefix(codecs.BOM_UTF8).decode(encoding, "replace").encode()
            break
    try:
        doc = orjson.loads(body)
    except orjson.JSONDecodeError:
        doc = _read_loosely(body, notes)
    if isinstance(doc, dict):
        return doc
    return doc if isinstance(doc, Unreadable) else f"a JSON {type(doc).__name__}, not an object"


def _read_loosely(body: bytes, notes: Notes) -> Json:
    """Some servers write raw control characters, or Latin-1, into JSON strings."""
    start = body[:200].lstrip()
    if not start:
        return Unreadable("the answer is empty")
    if start.startswith(b"<"):
        return Unreadable("the answer is HTML or XML, not JSON")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        text = body.decode("latin-1")
        notes.add("the answer is not UTF-8")
    try:
        doc: Json = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        return Unreadable(f"the answer is not JSON, or is cut short ({plain_text(str(error))[:80]})")
    notes.add("the answer is not strict JSON")
    return doc


def items(value: object, what: str, notes: Notes) -> list[Json]:
    """A member that should be an array: the array, one value as an array of one, or [] with a note."""
    if isinstance(value, list):
        if len(value) > MAX_ITEMS:
            notes.add(f"more than {MAX_ITEMS} {what}: the first {MAX_ITEMS} are read")
        return value[:MAX_ITEMS]
    if value is None:
        return []
    if isinstance(value, str | dict):
        notes.add(f"{what} is not an array")
        return [value]
    notes.add(f"{what} has the wrong type")
    return []


def objects(value: object, what: str, notes: Notes) -> Iterator[JsonObject]:
    """The JSON objects of a member that should be an array of them."""
    for item in items(value, what, notes):
        if isinstance(item, dict):
            yield item
        elif item is not None:
            notes.add(f"{what} holds something that is not an object")


def domain_name(value: object) -> str | None:
    """A domain name as lowercase A-labels without a trailing dot, or None when it is no name."""
    if not isinstance(value, str) or len(value) > 1000:
        return None
    text = value.strip().rstrip(".").lower()
    if not text.isascii():
        try:
            text = idna.encode(value.strip(), uts46=True).decode("ascii").rstrip(".").lower()
        except (idna.IDNAError, UnicodeError):
            return None
    return text if len(text) <= 253 and _LABELS.fullmatch(text) else None


def object_name(doc: Mapping[str, Json], notes: Notes) -> str | None:
    """The name of a domain or nameserver object: `ldhName`, else `unicodeName`."""
    name = domain_name(doc.get("ldhName"))
    if name is None:
        name = domain_name(doc.get("unicodeName"))
        if name is not None:
            notes.add("ldhName is missing or not a name: unicodeName is used")
    return name


def timestamp(value: object) -> datetime | None:
    """An RDAP date (RFC 3339) as aware UTC in whole seconds; a time without zone is UTC; None when it is no date.

    RFC 3339 section 5.6 lets `T` and `Z` be in lower case.
    Registries write years before 1971 for "not known". A leap second becomes the second before.
    """
    if not isinstance(value, str) or not 8 <= len(value) <= 64:
        return None
    text = value
    if not _PLAIN_TIME.fullmatch(value):
        text = value.strip().upper()
        if text[-3:] in ("UTC", "GMT"):
            text = f"{text[:-3].rstrip()}Z"
        text = re.sub(r" (?=[+-]\d)", "", text)
    try:
        moment = datetime.fromisoformat(_LEAP_SECOND.sub(r"\1:59", text) if ":60" in text else text)
        if moment.tzinfo is not UTC:
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    if moment.microsecond:
        moment = moment.replace(microsecond=0)
    return moment if moment.year > 1970 else None


def event_times(doc: Mapping[str, Json], notes: Notes) -> dict[str, list[datetime]]:
    """The times of the object's own events in the order given, by lowercase action without blanks (`lastchanged`)."""
    found: dict[str, list[datetime]] = {}
    for event in objects(doc.get("events"), "events", notes):
        value = event.get("eventAction")
        action = _squashed(value) if isinstance(value, str) and len(value) <= MAX_TEXT else ""
        moment = timestamp(event.get("eventDate"))
        if moment is None:
            notes.add(
                f"the date of event {action or '?'} cannot be read: {plain_text(event.get('eventDate'))!r}"
            )
        elif action:
            found.setdefault(action, []).append(moment)
    return found


@lru_cache(maxsize=256)
def _squashed(action: str) -> str:
    return re.sub(r"[\s_-]", "", plain_text(action).lower())


def statuses(doc: Mapping[str, Json], notes: Notes) -> tuple[str, ...]:
    """The object's status words in RDAP spelling, each once and in the order given."""
    words: dict[str, None] = {}
    for item in items(doc.get("status"), "status", notes):
        if not isinstance(item, str):
            notes.add("status holds something that is not text")
            continue
        for part in item.split(",", MAX_ITEMS)[:MAX_ITEMS] if "," in item else (item,):
            if is_known(part):
                words[part] = None
                continue
            word = plain_text(status_word(part[: 4 * MAX_TEXT]))
            if not word:
                continue
            if not is_known(word):
                notes.add(f"status not in the RDAP registry: {word!r}")
            words[word] = None
    return tuple(words)


def nameservers(doc: Mapping[str, Json], notes: Notes) -> tuple[str, ...]:
    """The object's nameservers by name, each once and in the order given; empty when it has none."""
    found: dict[str, None] = {}
    for server in _servers(doc, notes):
        raw: Json = server if isinstance(server, str) else None
        if isinstance(server, dict):
            raw = server.get("ldhName") or server.get("unicodeName")
        first = raw.split() if isinstance(raw, str) else []
        name = domain_name(first[0]) if first else None
        if name is None:
            notes.add("a nameserver without a usable name is left out")
        else:
            found[name] = None
    return tuple(found)


def _servers(doc: Mapping[str, Json], notes: Notes) -> list[Json]:
    if doc.get("nameservers") is not None:
        return items(doc["nameservers"], "nameservers", notes)
    if doc.get("nameServers") is not None:  # the spelling of the drafts before RFC 7483
        return items(doc["nameServers"], "nameservers", notes)
    for key in ("fred_nsset", "cznic_nsset"):  # FRED (.cz and others) groups them in a set of its own
        nsset = doc.get(key)
        if isinstance(nsset, dict):
            return items(nsset.get("nameservers", nsset.get("nameServers")), "nameservers", notes)
    return []


def dnssec(doc: Mapping[str, Json], notes: Notes) -> bool | None:
    """Whether the delegation is signed; None when the registry does not say (`zoneSigned` means something else)."""
    secure = doc.get("secureDNS")
    if secure is None:
        return None
    if not isinstance(secure, dict):
        notes.add("secureDNS is not an object")
        return None
    signed = secure.get("delegationSigned")
    if isinstance(signed, bool):
        return signed
    if isinstance(signed, str) and signed.strip().lower() in ("true", "false"):
        notes.add("delegationSigned is text")
        return signed.strip().lower() == "true"
    if secure.get("dsData") or secure.get("keyData"):
        return True
    if signed is not None:
        notes.add("delegationSigned is not a boolean")
    return None
