"""Reading a WHOIS answer (RFC 3912): from the bytes of port 43 to a registration state with its record. Pure.

WHOIS has no format. A name is free only where a whole line is one that registries are known to write for free names
(`data/whois-servers.toml`), and where nothing speaks against it: no fact of a registration, no refusal, no reservation.
What is not understood is `unknown`. Of people nothing is kept but whether the answer names a holder at all.

Servers repeat the name asked for, and whoever asks chooses it. So names are taken out before words are read.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache

from afterdrop.core.domain_names import unicode_name
from afterdrop.core.json_values import Json
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer, RegistryState, unknown
from afterdrop.sources.registry.rdap_fields import domain_name, plain_text, status_word

MAX_BYTES = 65_536
MAX_LINES = 1_500
_MAX_LINE = 400
_MAX_ITEMS = 30

_NAME = re.compile(r"(?<![\w@.-])(?:[^\W_][\w-]{0,62}\.)+[a-z][\w-]{1,62}(?![\w@-])", re.IGNORECASE)
# A word with a dot inside it: a name, an address or a number. After the full stop of a sentence a capital follows.
_DOTTED = re.compile(
    r"(?<![^\s\"'`<>()\[\],;])[^\s\"'`<>()\[\],;]*?\w\.(?![A-Z][a-z])\w[^\s\"'`<>()\[\],;]*+"
)
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
    **dict.fromkeys(("created", "expires", "updated", "release"), "events"),
    "server": "nameservers",
    "dnssec": "dnssec",
}
_HEADINGS = frozenset({"nameservers", "name servers", "registrar", "registrant"})
_COMMENT = re.compile(r"^[%#*;&>\s]+")
_BLANKS = re.compile(r"\s+")

# What a key is about, by how it begins in lower case. The first that fits counts.
_KEYS = tuple(
    (kind, re.compile(f"^(?:{'|'.join(patterns)})"))
    for kind, *patterns in (
        (
            "release",
            r"date out of quarantine|(?:date|time)[ _-]to[ _-](?:release|delete)|free[- ]?date|release date",
            r"(?:scheduled )?delet(?:ed?|ion)(?: date| on)?$",
        ),
        ("state", r"state$"),
        (
            "status",
            r"(?:domain |registration |registry |registry domain |epp ?|query[_ ]|domain_)?(?:status|state)$",
            r"name status$|status of domain|estado(?: / status)?$|statut$|pending$|domaintype$|\S{0,8}状態$",
        ),
        (
            "registrar",
            r"(?:sponsoring |current |last |domain )?registrar(?:[ _-]?name| organi[sz]ation| company)?$",
            r"registered (?:through|by|via)$|registrador$|organisme$",
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
            r"(?:domain |record |domain_date)?(?:last[ _-]?)?(?:updated?|modif|changed?)(?!.* by\b)",
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
_RESERVED = re.compile(
    r"\breserv|prohibited string|un ?assignable|can ?not be registered|not (?:be )?open\b|not ?allowed"
    r"|restricted|premium|forbidden|not eligible"
)
_UNAVAILABLE = re.compile(r"\bnot available|unavailable|\bblocked|prohibited|banned|out of service")
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

_THROTTLED = re.compile(
    r"(?:quota|limit|rate)\b.{0,80}(?:exceeded|reached)"
    r"|exceeded .{0,60}(?:quota|limit|queries|requests|maximum|number)"
    r"|too many (?:conn|quer|req|look)|only \d+ requests?|try again|still in grace period|slow down|over quota"
    r"|\b440 request denied|wait .{0,30}(?:seconds?|minutes?)|too busy|temporarily unavailable"
    r"|service (?:is )?unavailable"
    r"|under maintenance"
)
_REFUSED = re.compile(
    r"not permitted|access .{0,60}(?:denied|refused)|address .{0,20}(?:blocked|blacklisted|banned)"
    r"|unauthori[sz]ed (?:ip|client|host|quer|request)|not authori[sz]ed|^-\d:|blacklist"
    r"|connection .{0,20}(?:refused|failed)|(?:been|is) (?:banned|denied)|permission denied|request denied"
    r"|internal (?:server )?error|timed? ?out|unable to"
)
# The question is refused, not who asks: the same name is refused to everybody, and every other one is answered.
_NOT_A_QUESTION = re.compile(
    r"\b55000000010\b|(?:solo|only) ac+epta?s? (?:queries|consultas)|malformed"
    r"|invalid (?:input|query|request|domain)"
)
_SAYS_RESERVED = re.compile(
    r"\breserved (?:by|name|domain|list|for)|in the reserved"
    r"|\b(?:domain|name|string)\b.{0,40}\b(?:is|been|has) (?:reserved|prohibited|blocked|restricted|banned)"
    r"|^(?:reserved|restricted|blocked|prohibited|premium|forbidden)(?:$| name| string| domain)"
    r"|can ?not be registered|not available|unavailable"
    r"|not allowed|\bdpml\b|globalblock|is not (?:eligible|registrable)"
)
# Terms of use speak of limits and refusals without being one.
_PROSE = re.compile(
    r"\b(?:you|your|submitting|terms|note|policy|copyright|rights reserved|not be used|permission|purposes?"
    r"|registrants?"
    r"|whois inaccuracy|commercial|are requested|information (?:is|provided)|query limit is)\b"
)

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR_FIRST = re.compile(r"(\d{4})(?:[-./]\s?(\d{1,2})[-./]\s?(\d{1,2})|(\d\d)(\d\d))(?!\d)", re.ASCII)
_DAY_FIRST = re.compile(r"(\d{1,2})[-./](\d{1,2})[-./](\d{4})(?!\d)", re.ASCII)
_DAY_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?[-. /]+([a-z]{3})[a-z]*[-., /]+(\d{4})", re.ASCII)
_MONTH_DAY = re.compile(
    r"(?<![a-z])([a-z]{3})[a-z]*+ ++(\d{1,2})(?:st|nd|rd|th)?\b.{0,40}?\b(\d{4})\b", re.ASCII
)
_CLOCK = re.compile(
    r"(?<!\d)(\d\d):(\d\d)(?::(\d\d))?(?:\.\d+)?(?: ?\(?(?:utc|gmt)? ?([+-]\d\d):?(\d\d))?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a server writes: the lines that mean free (as `free_line` spells them) and its charset where not UTF-8."""

    free: frozenset[str]
    charset: str = "latin-1"
    month_first: bool = False


@dataclass(slots=True)
class _Facts:
    """What the fields of an answer say about one domain."""

    domain: str | None = None
    # Each status as it is shown, and without names, as it is judged.
    words: dict[str, str] = field(default_factory=dict)
    servers: dict[str, None] = field(default_factory=dict)
    times: dict[str, datetime] = field(default_factory=dict)
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
    text = re.sub(r"[\"'`<>\[\]()]", "", _BLANKS.sub(" ", _COMMENT.sub("", line[:_MAX_LINE])))
    return _NAME.sub("{domain}", text).lower().strip(" .!,:;*-=%#")


def parse_whois(body: bytes, asked: str | None, dialect: Dialect) -> RegistryAnswer:
    """Read one WHOIS answer about `asked` (lowercase A-labels); with None, about the domain that it names.

    `reason` is a short word: not_found where the name is free; redemption, pending_delete or quarantine where it is
    `dropping`; reserved, rate_limited, refused, bad_name, wrong_name or bad_content where it is `unknown`.
    """
    return replace(_read(body, asked, dialect), source="whois")


def written(body: bytes, dialect: Dialect) -> dict[str, Json]:
    """What a WHOIS answer says where the values of its record are read from, as `rdap_answer.written` names them.

    Nothing about people is among it.
    """
    told: defaultdict[str, list[Json]] = defaultdict(list)
    for kind, value in _fields(_decoded(body[:MAX_BYTES], dialect.charset).splitlines()[:MAX_LINES]):
        # A bare "state" may be the one that somebody lives in.
        private = kind == "state" and not _understood(status_word(_nameless(value, None)))
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
    return _judge(facts, others, domain, free=bool(free))


def _judge(facts: _Facts, lines: Sequence[str], domain: str | None, *, free: bool) -> RegistryAnswer:
    words = list(facts.words.values())
    stage = _stage(words)
    said_free = any(_ABSENT.search(word) for word in words)
    if not facts.registered and not stage and (refusal := _refusal(lines, domain, answered=said_free)):
        return unknown(domain, *refusal)
    weak = not facts.registered and any(_UNAVAILABLE.search(word) for word in words)
    if weak or any(_RESERVED.search(word) for word in words):
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


def _refusal(lines: Sequence[str], domain: str | None, *, answered: bool) -> tuple[str, str] | None:
    """The reason and a note, where a line refuses. In paragraphs of terms of use only limits that were met count.

    A server that `answered` with a status refuses nobody: only a reservation counts then.
    """
    for paragraph in _paragraphs(lines, domain):
        prose = any(_PROSE.search(line) for line in paragraph)
        for line in paragraph:
            if not answered and _THROTTLED.search(line) and not _PROSE.search(line):
                return ("rate_limited", "the server asks us to wait")
            if not answered and not prose and _REFUSED.search(line):
                return ("refused", "the server refuses to answer")
            if not answered and not prose and _NOT_A_QUESTION.search(line):
                return ("bad_name", "the server does not take the name for a question")
            if not prose and _SAYS_RESERVED.search(line):
                return ("reserved", "the registry does not let anybody register the name")
    return None


def _paragraphs(lines: Iterable[str], domain: str | None) -> list[list[str]]:
    """The lines without comment marks and names, in lower case, in groups that empty lines part."""
    groups: list[list[str]] = [[]]
    for line in lines:
        text = _BLANKS.sub(" ", _nameless(_COMMENT.sub("", line), domain)).strip().lower()
        if text:
            groups[-1].append(text)
        else:
            groups.append([])
    return groups


def _nameless(text: str, domain: str | None) -> str:
    """A text with `{domain}` for every name in it, also for `domain` without its extension."""
    bare = _DOTTED.sub("{domain}", unicodedata.normalize("NFKC", text))
    return _label(domain).sub(" {domain} ", bare) if domain else bare


@lru_cache(maxsize=64)
def _label(domain: str) -> re.Pattern[str]:
    """The first label of a name (A-labels) in both spellings, where it cannot be a word of the server's own.

    A plain word is taken for the label only in quotes or as the value of a field, unless it would refuse by itself.
    """
    patterns = []
    for label in {name.partition(".")[0] for name in (domain, unicode_name(domain))}:
        word = re.escape(label)
        if "-" in label or any(test.search(label) for test in (_THROTTLED, _REFUSED, _NOT_A_QUESTION)):
            patterns.append(rf"(?<![\w-]){word}(?![\w-])")
        else:
            patterns.append(rf"(?<=[\"'`<(\[]){word}(?=[\"'`>)\]])|:\s*+{word}\s*+$")
    return re.compile("|".join(patterns), re.IGNORECASE)


def _stage(words: Iterable[str]) -> str:
    """Why a name is dropping, as a detail word; '' when it is not."""
    for stage, pattern in _DROPPING:
        if any(pattern.search(word) for word in words):
            return stage
    return ""


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
    return RegistryAnswer(state, record, (), stage, releases_at=facts.times.get("release") if stage else None)


def _decoded(body: bytes, charset: str) -> str:
    for name in ("utf-8", charset):
        try:
            return body.decode(name)
        except UnicodeDecodeError:
            continue
    return body.decode("latin-1")


def _fields(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The kind and value of every field. Indented lines below a key without a value are its values."""
    section = ""
    for line in lines:
        text = line.strip()
        if text.startswith(("%", "#")) or not text:
            continue
        found = None if section == "server" and _NAME.match(text) else _FIELD.match(line)
        if found is not None:
            kind, value = _kind(found[1] or found[2]), found[3].strip()
            section = "" if value else kind
            if kind and value:
                yield kind, value
        elif text.lower() in _HEADINGS:
            section = _kind(text)
        elif section:
            yield section, text


def _kind(key: str) -> str:
    """What a key is about; '' for everything else. The registry of .cl writes the English key in brackets."""
    plain = _BLANKS.sub(" ", key).strip(" .-*").lower()
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
            _add_statuses(facts, value, asked or facts.domain, any_word=kind == "status")
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
        elif (moment := whois_time(value, month_first=dialect.month_first)) is not None:
            earlier = facts.times.setdefault(kind, moment)
            facts.times[kind] = max(earlier, moment) if kind == "release" else earlier
    return facts


def _name_in(value: str) -> str | None:
    """The domain name at the beginning of a value."""
    found = _NAME.match(value.strip("[]()<>,;\"' ."))
    return domain_name(found[0]) if found else None


def _add_statuses(facts: _Facts, value: str, domain: str | None, *, any_word: bool) -> None:
    """Add the status words of a value. A bare "state" may be the one that somebody lives in."""
    for part in re.split(r"(?<!\s)\s++/\s+|,\s*", value)[:_MAX_ITEMS]:
        word, judged = plain_text(status_word(part)), plain_text(status_word(_nameless(part, domain)))
        if word and len(facts.words) < _MAX_ITEMS and (any_word or _understood(judged)):
            facts.words[word] = judged


def _understood(word: str) -> bool:
    known = (_TAKEN.match, _ABSENT.search, _RESERVED.search, _UNAVAILABLE.search, _INVALID.search)
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


def whois_time(value: str, *, month_first: bool = False) -> datetime | None:
    """A date, or a date with its time, as aware UTC; a time without an offset is UTC; None when it is no date.

    A date of two numbers and a year is read day first, unless the server writes the month first.
    """
    text = value.lower()
    parts: tuple[str, str, str]
    if found := _YEAR_FIRST.search(text):
        parts = (found[1], found[2] or found[4], found[3] or found[5])
    elif found := _DAY_FIRST.search(text):
        parts = (found[3], found[1], found[2]) if month_first else (found[3], found[2], found[1])
    elif (found := _DAY_MONTH.search(text)) and found[2] in _MONTHS:
        parts = (found[3], str(_MONTHS.index(found[2]) + 1), found[1])
    elif (found := _MONTH_DAY.search(text)) and found[1] in _MONTHS:
        parts = (found[3], str(_MONTHS.index(found[1]) + 1), found[2])
    else:
        return None
    clock = _CLOCK.search(text)
    hours, minutes, seconds = (int(part or 0) for part in clock.group(1, 2, 3)) if clock else (0, 0, 0)
    offset = (
        timedelta(hours=int(clock[4]), minutes=int(clock[4][0] + clock[5]))
        if clock and clock[4]
        else timedelta()
    )
    year, month, day = map(int, parts)
    try:
        zone = timezone(offset)
        moment = datetime(year, month, day, hours, minutes, min(seconds, 59), tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if moment.year > 1970 else None
