"""Reading a WHOIS answer (RFC 3912): from the bytes of port 43 to a registration state with its record. Pure.

WHOIS has no format. A name is free only where a whole line is one that registries are known to write for free names
(`data/whois-servers.toml`), and where nothing speaks against it: no fact of a registration, no refusal, no reservation.
An answer that is not understood is `unknown`. Of people nothing is kept but whether the answer names a holder at all.

Servers repeat the name asked for, and whoever asks chooses it. So names are taken out before words are read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from afterdrop.core.json_values import Json
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer, RegistryState, unknown
from afterdrop.sources.registry.rdap_fields import domain_name, is_known, plain_text, status_word
from afterdrop.sources.registry.whois_dates import has_clock, whois_time
from afterdrop.sources.registry.whois_sentences import BLANKS, MARKS, nameless, refusal, says_release

MAX_BYTES = 65_536
MAX_LINES = 1_500
_MAX_LINE = 400
_MAX_ITEMS = 30
# So many lines without a field are no paragraph of terms of use.
_BRIEF = 3

_NAME = re.compile(r"(?<![\w@.-])(?:[^\W_][\w-]{0,62}\.)+[a-z][\w-]{1,62}(?![\w@-])", re.IGNORECASE)
# `key: value`, `key.....: value` and `[Key] value` (JPRS puts a letter and a dot before the bracket).
_FIELD = re.compile(
    r"[*\s]*+(?:[a-z]\.? )?(?:\[([^\]]{1,60})\]|([^:\[\]\s][^:\[\]]{0,59}?)[.\s]*+:(?![/:]))\s*+(.*)",
    re.IGNORECASE,
)
# The value of a record that a field is read for. Holders are not among them.
_WRITTEN = {
    "domain": "domain",
    **dict.fromkeys(("status", "state"), "statuses"),
    "registrar": "registrar",
    **dict.fromkeys(("created", "expires", "updated", "deleted", "release"), "events"),
    "server": "nameservers",
    "dnssec": "dnssec",
}
_REGISTRARS_NAME = re.compile(r"\s*+(?:name|organi[sz]ation)\s*+$", re.IGNORECASE)
# A name server below its heading. A line that tells of the server of this registry has other words before its name.
_LISTED = re.compile(rf"(?:\d{{1,2}}[.)]\s++|[-*]\s++)?{_NAME.pattern}", re.IGNORECASE)
_HEADINGS = frozenset({"nameservers", "name servers", "registrar", "registrant"})


# What a key is about, by how it begins in lower case. The first that fits counts.
_KEYS = tuple(
    (kind, re.compile(f"^(?:{'|'.join(patterns)})"))
    for kind, *patterns in (
        (
            "release",
            r"date out of quarantine|(?:date|time)[ _-]to[ _-]release|free[- ]?date|release date",
            r"(?:scheduled )?delet(?:e|ion)(?: date| on)?$|available(?: on| from)?$",
        ),
        # The day of the request, at the beginning of the redemption (Afnic).
        ("deleted", r"deleted(?: date| on)?$"),
        ("state", r"state$"),
        (
            "status",
            r"(?:domain |registration |registry |registry domain |epp ?|query[_ ]|domain_)?(?:status|state)$",
            r"name status$|status of domain|estado(?: / status)?$|statut$|pending$|domaintype$|\S{0,8}状態$",
        ),
        (
            "registrar",
            # The registry of .kz writes "Curent Registar".
            r"(?:sponsoring |curr?ent |last |domain )?registr?ar(?:[ _-]?name| organi[sz]ation| company)?$",
            r"registered (?:through|by|via)$|registrador$|organisme$|registration service provider$",
        ),
        (
            "created",
            r"(?:domain |record |first |data de registo / )?(?:creat(?:ed?|ion)|registered|activat(?:ed|ion))"
            r"(?!.*(?:\bby\b|through|\bvia\b|-c$|name|email))",
            r"fecha de (?:creaci|activaci|registro)|commencement|assigned|crdate|登録年月日|reg-date",
            r"(?:domain )?registration(?:[ _](?:date|time))?$|domain name commencement|domain_dateregistered",
        ),
        (
            "expires",
            r"(?!.*auto).*(?:expir|paid[- ]till|billed ?until|renewal date|valid(?:ity| until))",
            r"fecha de corte|exp date|有効期限",
        ),
        (
            "updated",
            # A footer tells when the server's own data were renewed.
            r"(?:domain |record |domain_date)?(?:last[ _-]?)?(?:updated?|modif|changed?)"
            r"(?!.*(?: by\b|whois|database|registry|zone))",
            r"最終更新",
        ),
        (
            "server",
            r"(?:current |domain |listed )?(?:n ?serv|name ?serv|dns(?!sec)(?!-)|ns[ _-]?\d*$|host(?: ?name)?s?$)",
            r"(?:primary|secondary)[ _](?:server|dns|name)|domain (?:servers|hosts)|ns_name",
        ),
        ("dnssec", r"dnssec$|ds ?key|signing key$"),
        (
            "domain",
            r"(?:complete |ascii )?(?:domain|dominio|domainname)(?:[ _-]?name)?(?: \(.*\))?$|.*/ domain name$",
            r"nombre de dominio|nom de domaine|query$|domain-ace$|name$",
        ),
        (
            "holder",
            r"(?:domain |nom du )?(?:registrant|owner|holder|titular)|admin(?:istrative|-c| )|tech(?:nical|-c| )",
            r"person\b|descr$|organi[sz]ation$|org$",
        ),
    )
)

_DROPPING = (
    ("redemption", re.compile(r"redemption|pending ?restore|restorable")),
    ("quarantine", re.compile(r"quarantine|no longer required|cooling")),
    ("pending_delete", re.compile(r"pending ?(?:delet|release|purge)|to be (?:deleted|released)|^delete$")),
)  # fmt: skip
# Beside the day of the release these mean that the name is on its way there, and can be restored.
_OUT_OF_USE = re.compile(r"deactivated|suspended|deleted \(")
_RESERVED = re.compile(
    r"\breserv|prohibited string|un ?assignable|can ?not be registered|not (?:be )?open\b|not ?allowed"
    r"|restricted|premium|forbidden|not eligible"
)
_UNAVAILABLE = re.compile(r"\bnot available|unavailable|\bblocked|prohibited|banned|out of service")
_KEPT_BACK = re.compile(f"{_RESERVED.pattern}|{_UNAVAILABLE.pattern}")
# The registry of .ee auctions deleted names, and lets whoever won register one (internet.ee, auctions).
_AT_AUCTION = re.compile(r"^(?:at auction|pending registration)$")
_INVALID = re.compile(r"^(?:\d+ )?invalid|^error\b|does not have any records|syntax")
_TAKEN = re.compile(
    r"(?:\d+ )?(?:registered|active|connect|ok\b|assigned|granted|delegated|paid|in ?use|taken|exist|live|busy"
    r"|registrado|verified|published|hold|expired|suspended|deactivated|client |server |auto renew|failed|locked"
    r"|pending (?:update|transfer|renew)|no ?provider|inactive)"
)
# Beside these words every fact of a registration is one of a name that is no more.
_ABSENT = re.compile(
    r"^(?:\d+ )?(?:free\b|available|avail$|no object|not registered|not found|no match|unregistered)"
)

# `Record expires on 2011-11-09`: a field without a colon, with its date at once.
_ON = re.compile(
    r"\s*+((?:[a-z]++ ){0,3}?(?:created|registered|activated|expires|updated|modified|changed) on)[ .]+"
    r"((?:\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*+[ ,.-]).*)",
    re.IGNORECASE | re.ASCII,
)
# What follows this heading is about the server itself, up to an empty line.
_ABOUT_SERVER = re.compile(r"[*\s]*+whois (?:server|database)[^:]{0,40}+:$", re.IGNORECASE)
# JPRS writes the day until which a name of the second level stays deleted into its state.
_DELETED_UNTIL = re.compile(r"deleted \((\d{4})/(\d\d)/(\d\d)\)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a server writes: the lines that mean free (as `free_line` spells them), and its charset where not UTF-8.

    `zone` is that of times without an offset. `monthly`: a name is suspended for the month before "Expires on" or the
    day of its deletion, and free on the day after it (JPRS, life cycle of .jp domain names).
    """

    free: frozenset[str]
    charset: str = "latin-1"
    month_first: bool = False
    zone: str = "UTC"
    monthly: bool = False


@dataclass(slots=True)
class _Facts:
    """The facts about one domain in the fields of an answer."""

    domain: str | None = None
    # Each status as it is shown, and without names, as it is judged.
    words: dict[str, str] = field(default_factory=dict)
    servers: dict[str, None] = field(default_factory=dict)
    times: dict[str, datetime] = field(default_factory=dict)
    # Whether the release has its hour, and is no bare day.
    release_has_hour: bool = False
    registrar: str | None = None
    dnssec: bool | None = None
    held: bool = False

    @property
    def registered(self) -> bool:
        """Whether anything is said that only a registered name has."""
        return bool(self.registrar or self.servers or self.held or self.times.keys() - {"updated"})


def free_line(line: str) -> str:
    """A line as the table of free lines spells it: lower case, single blanks, `{domain}` for names, no marks around it.

    >>> free_line('%% No match for "U34JEDZCQ.COM".')
    'no match for {domain}'
    """
    text = re.sub(r"[\"'`<>\[\]()]", "", BLANKS.sub(" ", MARKS.sub("", line[:_MAX_LINE])))
    return _NAME.sub("{domain}", text).lower().strip(" .!,:;*-=%#")


def parse_whois(body: bytes, asked: str | None, dialect: Dialect) -> RegistryAnswer:
    """Read one WHOIS answer about `asked` (lowercase A-labels); with None, about the domain that it names.

    `reason` is a short word: not_found where the name is free; redemption, pending_delete or quarantine where it is
    `dropping`; reserved, sold_first, rate_limited, refused, bad_name, wrong_name or bad_content where it is `unknown`.
    """
    return replace(_read(body, asked, dialect), source="whois")


def written(body: bytes, dialect: Dialect) -> dict[str, Json]:
    """The values of a WHOIS answer from which its record is read, as `rdap_answer.written` names them.

    Nothing about people is among it.
    """
    told: defaultdict[str, list[Json]] = defaultdict(list)
    for kind, value in _fields(_decoded(body[:MAX_BYTES], dialect.charset).splitlines()[:MAX_LINES]):
        # A bare "state" may be the one that somebody lives in.
        private = kind == "state" and not _understood(status_word(nameless(value, None)))
        if (name := _WRITTEN.get(kind)) is not None and not private:
            told[name].append(value[:_MAX_LINE] if name != "events" else f"{kind} {value[:_MAX_LINE]}")
    return dict(told)


def free_lines(body: bytes, dialect: Dialect) -> list[str]:
    """The lines of a WHOIS answer that say that the name is free, as the server wrote them."""
    lines = [
        line[:_MAX_LINE] for line in _decoded(body[:MAX_BYTES], dialect.charset).splitlines()[:MAX_LINES]
    ]
    return [line.strip() for line in lines if free_line(line) in dialect.free]


def _read(body: bytes, asked: str | None, dialect: Dialect) -> RegistryAnswer:
    if len(body) > MAX_BYTES:
        return unknown(asked, "bad_content", f"the answer is longer than {MAX_BYTES} bytes")
    lines = [line[:_MAX_LINE] for line in _decoded(body, dialect.charset).splitlines()]
    if len(lines) > MAX_LINES:
        return unknown(asked, "bad_content", f"the answer has more than {MAX_LINES} lines")
    facts = _facts(lines, dialect, asked)
    if asked is not None and facts.domain is not None and facts.domain != asked:
        return unknown(asked, "wrong_name", f"an answer about {facts.domain}, which was not asked")
    free = [line for line in lines if free_line(line) in dialect.free]
    others = [line for line in lines if line not in free]
    named = [name.lower() for line in free for name in _NAME.findall(line)]
    domain = asked or facts.domain or next(iter(named), None)
    if domain is not None and any(name != domain for name in named):
        return unknown(domain, "wrong_name", "an answer that says free of another name")
    if dialect.monthly:
        _add_monthly_release(facts)
    return _judge(facts, others, domain, free=bool(free))


def _add_monthly_release(facts: _Facts) -> None:
    """The day after the suspended month of a name under JPRS, where the answer tells that month."""
    words = list(facts.words.values())
    deleted = next(filter(None, map(_DELETED_UNTIL.search, words)), None)
    expires = facts.times.get("expires")
    if deleted is not None:
        until = whois_time("-".join(deleted.groups()))
    elif "suspended" in words:
        until = expires
    elif "to be suspended" in words and expires is not None:  # for the month after that
        until = (expires + timedelta(days=32)).replace(day=1) - timedelta(days=1)
    else:
        until = None
    if until is not None:
        facts.times["release"] = until + timedelta(days=1)


def _judge(facts: _Facts, lines: Sequence[str], domain: str | None, *, free: bool) -> RegistryAnswer:
    words = list(facts.words.values())
    stage = _stage(words) or _said_stage(facts, lines, domain)
    said_free = any(_ABSENT.search(word) for word in words)
    if not facts.registered and not stage:
        brief = not free and facts == _Facts() and sum(map(bool, map(str.strip, lines))) <= _BRIEF
        if refused := refusal(lines, domain, answered=said_free, brief=brief):
            return unknown(domain, *refused)
    if not facts.registered and any(_AT_AUCTION.search(word) for word in words):
        return unknown(domain, "sold_first", "the registry sells the deleted name at an auction of its own")
    if not facts.registered and any(map(_KEPT_BACK.search, words)):
        return unknown(domain, "reserved", "the registry does not let anybody register the name")
    if any(_INVALID.search(word) for word in words):
        return unknown(domain, "bad_name", "the registry says that the name is not valid")
    taken = facts.registered or stage or any(_TAKEN.match(word) for word in words)
    if taken and (free or said_free):
        return unknown(domain, "bad_content", "the answer says free and registered at once")
    if taken:
        return _registered(facts, domain, stage)
    if free:
        return RegistryAnswer("available", Registration(domain, "available"), (), "not_found")
    return unknown(domain, "bad_content", "the answer is not understood")


def _stage(words: Iterable[str]) -> str:
    """Why a name is dropping, as a detail word; '' when it is not."""
    for stage, pattern in _DROPPING:
        if any(pattern.search(word) for word in words):
            return stage
    return ""


def _said_stage(facts: _Facts, lines: Sequence[str], domain: str | None) -> str:
    """A stage that no status word tells: by the day of release beside it, or in a line of its own."""
    words = facts.words.values()
    if "release" in facts.times and any(_OUT_OF_USE.match(word) for word in words):
        return "redemption"
    return "pending_delete" if says_release(lines, domain) else ""


def _registered(facts: _Facts, domain: str | None, stage: str) -> RegistryAnswer:
    state: RegistryState = "dropping" if stage else "registered"
    record = Registration(
        domain=domain,
        state=state,
        registrar=facts.registrar,
        registered_at=facts.times.get("created"),
        expires_at=facts.times.get("expires"),
        updated_at=facts.times.get("updated"),
        statuses=tuple(facts.words),
        nameservers=tuple(facts.servers),
        dnssec=facts.dnssec,
    )
    release = facts.times.get("release")
    return RegistryAnswer(
        state,
        record,
        (),
        stage,
        deleted_at=facts.times.get("deleted"),
        releases_at=release if facts.release_has_hour else None,
        releases_on=release.date() if release and not facts.release_has_hour else None,
    )


def _decoded(body: bytes, charset: str) -> str:
    for name in ("utf-8", charset):
        try:
            return body.decode(name)
        except UnicodeDecodeError:
            continue
    return body.decode("latin-1")


def _fields(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The kind and value of every field. Lines below a key without a value are its values, as name servers are.

    Below the heading of a registrar its name has a key of its own (.be, .ee, .eu, .it).
    """
    section = ""
    about_server = False
    for line in lines:
        text = line.strip()
        about_server = bool(text) and (about_server or _ABOUT_SERVER.match(text) is not None)
        if about_server or text.startswith(("%", "#")) or not text:
            continue
        found = None if section == "server" and _NAME.match(text) else _ON.match(line) or _FIELD.match(line)
        if found is not None:
            key, value = found[1] or found[2], found[found.re.groups].strip()
            if section == "registrar" and value and _REGISTRARS_NAME.match(key):
                yield section, value
                continue
            kind = _kind(key)
            section = kind if kind == "server" or not value else ""
            if kind and value:
                yield kind, value
        elif text.lower() in _HEADINGS:
            section = _kind(text)
        elif section and (section != "server" or _LISTED.match(text)):
            yield section, text


def _kind(key: str) -> str:
    """The subject of a key; '' for everything else. The registry of .cl writes the English key in brackets."""
    plain = BLANKS.sub(" ", key).strip(" .-*").lower()
    for text in (plain, plain.partition("(")[2]):
        if text and (kind := next((kind for kind, pattern in _KEYS if pattern.match(text)), "")):
            return kind
    return ""


def _facts(lines: Iterable[str], dialect: Dialect, asked: str | None) -> _Facts:
    facts = _Facts()
    for kind, value in _fields(lines):
        if kind == "domain":
            facts.domain = facts.domain or _name_in(value)
        elif kind in ("status", "state"):
            # Add the status words of a value. A bare "state" may be the one that somebody lives in.
            domain = asked or facts.domain
            any_word = kind == "status"
            for part in re.split(r"(?<!\s)\s++/\s+|,\s*", value)[:_MAX_ITEMS]:
                # A status of EPP without what a registry remarks on it in brackets ("Secured by … Registry
                # Lock").
                before, bracket, _ = part.partition("(")
                part = before if bracket and is_known(status_word(before)) else part
                word, judged = plain_text(status_word(part)), plain_text(status_word(nameless(part, domain)))
                if word and len(facts.words) < _MAX_ITEMS and (any_word or _understood(judged)):
                    facts.words[word] = judged
        elif kind == "registrar":
            facts.registrar = facts.registrar or _worth(value)
        elif kind == "server":
            name = next(
                (name for name in map(_name_in, value.split()) if name not in (None, facts.domain)), None
            )
            if name and len(facts.servers) < _MAX_ITEMS:
                facts.servers[name] = None
        elif kind == "holder":
            facts.held = facts.held or _worth(value) is not None
        elif kind == "dnssec":
            facts.dnssec = _signed(value)
        elif (moment := whois_time(value, month_first=dialect.month_first, zone=dialect.zone)) is not None:
            # The first time of each kind counts; of several days of release the last.
            has_hour = has_clock(value)
            known = facts.times.get(kind)
            if known is None or (kind == "release" and moment > known):
                facts.times[kind] = moment
                if kind == "release":
                    facts.release_has_hour = has_hour
    return facts


def _name_in(value: str) -> str | None:
    """The domain name at the beginning of a value."""
    found = _NAME.match(value.strip("[]()<>,;\"' ."))
    return domain_name(found[0]) if found else None


def _understood(word: str) -> bool:
    known = (
        _TAKEN.match,
        _ABSENT.search,
        _RESERVED.search,
        _UNAVAILABLE.search,
        _INVALID.search,
        _DELETED_UNTIL.match,
    )
    return bool(_stage([word])) or any(test(word) for test in known)


def _worth(value: str) -> str | None:
    """A value that says something: not a dash, "none" or "not available"."""
    text = plain_text(value)
    return (
        None
        if re.fullmatch(
            r"[-.\s]*|none|null|n/a|not (?:available|known|shown|applicable).*", text, re.IGNORECASE
        )
        else text
    )


def _signed(value: str) -> bool | None:
    text = value.lower()
    if re.match(r"unsigned|no\b|inactive|not ?signed", text):
        return False
    return True if re.match(r"signed|yes|active", text) else None
