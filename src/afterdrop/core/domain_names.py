"""Domain names: normalise them, and reduce host names to registrable domains, for feeds and single requests alike.

Pure. A registrable domain is one label below a public suffix, by the ICANN section of the public suffix
list (publicsuffix.org, algorithm of its "Format" page); private suffixes fold into their parent. Names are
spelled as lowercase A-labels (IDNA 2008 with UTS 46 mapping). An A-label that IDNA 2008 itself would not make, of
symbols or emoji, is taken as it is (RFC 5891, section 5.3): it was registered all the same. It has no Unicode form
here: written in Unicode, such a name is refused, and it is shown as it is spelled.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import idna
import publicsuffixlist

from afterdrop.core.errors import BadName

# Special-use names of RFC 6761, 6762, 7686, 8375 and 9476: never public, so no registry is asked about them.
SPECIAL_USE = frozenset(
    ("local", "localhost", "invalid", "test", "example", "onion", "alt", "internal", "arpa", "home", "corp", "mail",
     "lan")
)  # fmt: skip

# The separators of labels: international names may use any of these.
DOTS = ".\u3002\uff0e\uff61"
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
# Labels that hosts have and domains cannot have, too, each with its dot.
_HOST_LABELS = re.compile(r"(?:[a-z0-9_-]{1,63}\.)+", re.ASCII)
# One label a line.
_LABELS = re.compile(rf"{_LABEL.pattern}(?:\n{_LABEL.pattern})*+", re.ASCII)
# The beginning of a URL that names a host (RFC 3986, section 3): a scheme or none, then two slashes.
_WITH_AUTHORITY = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.ASCII | re.IGNORECASE)
# What programs drop, or read as a slash, before they look for a host: none of it may stand before a URL's path.
_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\\]")
_OUTER_DOTS = re.compile(rf"\A[{DOTS}]|[{DOTS}]{{2}}\Z")
_PLAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]", re.ASCII)


@dataclass(frozen=True)
class Suffixes:
    """The public suffix rules, split by kind, looked up longest first."""

    rules: frozenset[str]
    wildcards: frozenset[str]
    exceptions: frozenset[str]

    @cached_property
    def simple(self) -> frozenset[str]:
        """The suffixes of which every label below, unless it is listed itself, is a registrable domain."""
        public = (rule for rule in self.rules if rule.rpartition(".")[2] not in SPECIAL_USE)
        return frozenset(public) - self.wildcards

    def registrable(self, name: str) -> str | None:
        """The registrable part of a lowercase A-label host name, or None for a bare suffix.

        A name whose top level is on no list falls under the list's implicit rule `*`.
        """
        below: str | None = None
        candidate = name
        while True:
            if candidate in self.exceptions:
                return candidate
            if candidate in self.rules:
                return below
            dot = candidate.find(".")
            if dot < 0:
                return below
            parent = candidate[dot + 1 :]
            if parent in self.wildcards:
                return below
            below, candidate = candidate, parent

    def above(self, name: str) -> str | None:
        """The longest listed suffix that `name` lies below; None when only the implicit rule `*` fits."""
        parent = (self.registrable(name) or "").partition(".")[2]
        listed = parent in self.rules or parent.partition(".")[2] in self.wildcards
        return parent if listed else None


Section = Literal["ICANN", "PRIVATE"]


def read_suffixes(lines: Iterable[str], extra: Iterable[str] = (), section: Section = "ICANN") -> Suffixes:
    """Read one section of a public suffix list file; `extra` adds an operator's own sale zones."""
    rules: set[str] = set()
    wildcards: set[str] = set()
    exceptions: set[str] = set()
    inside = False
    for raw in lines:
        line = raw.strip()
        if line.startswith("//"):
            if f"===BEGIN {section} DOMAINS===" in line:
                inside = True
            elif f"===END {section} DOMAINS===" in line:
                inside = False
            continue
        if not inside or not line:
            continue
        rule = _ascii(line.split()[0].lstrip("!"))
        if line.startswith("!"):
            exceptions.add(rule)
        elif rule.startswith("*."):
            wildcards.add(rule[2:])
        else:
            rules.add(rule)
    rules.update(_ascii(zone.strip(".").lower()) for zone in extra)
    # A wildcard implies its parent: under `*.kobe.jp`, `kobe.jp` itself is no name to register.
    return Suffixes(frozenset(rules | wildcards), frozenset(wildcards), frozenset(exceptions))


def _ascii(rule: str) -> str:
    return rule if rule.isascii() else ".".join(_a_label(part) for part in rule.split("."))


def _a_label(label: str) -> str:
    return label if label.isascii() else idna.encode(label, uts46=True).decode("ascii")


@lru_cache(maxsize=8)
def suffixes(extra: tuple[str, ...] = (), section: Section = "ICANN") -> Suffixes:
    """The shipped public suffix list (the publicsuffixlist package keeps it current), read once a process."""
    path = Path(publicsuffixlist.__file__).with_name("public_suffix_list.dat")
    with path.open(encoding="utf-8") as lines:
        return read_suffixes(lines, extra, section)


def host_name(raw: str) -> str:
    """One host name as lowercase A-labels without outer dots or blanks.

    U-labels are converted by IDNA 2008; A-labels are taken as they are if they are Punycode (RFC 5891, 5.3; RFC 3492).

    >>> host_name("XN--N3H.net")
    'xn--n3h.net'

    Raises BadName with reason empty, too_long, address, characters, label, idna, single_label or special_use.
    """
    text = raw.strip().strip(".").lower()
    if len(text) <= 253 and _PLAIN.fullmatch(text) and "xn--" not in text:
        return _public(text)
    text = _a_labels(raw)
    if ":" in text or re.fullmatch(r"[0-9.]+", text):
        raise BadName(raw, "address", "is an IP address or has a port, not a domain name")
    if not re.fullmatch(r"[a-z0-9.-]+", text, re.ASCII):
        raise BadName(raw, "characters", "contains characters that a domain name cannot have")
    for label in text.split("."):
        if not _LABEL.fullmatch(label):
            raise BadName(raw, "label", "has a part that is empty, too long, or starts or ends with a hyphen")
        if label.startswith("xn--") and (fault := _fake(label)):
            raise BadName(raw, "idna", f"has an invalid A-label ({fault})")
    return _public(text)


def web_host(raw: str, zones: tuple[str, ...] = ()) -> str:
    """A host name as `host_name` gives it, also one that only a host can have.

    Labels below the registrable domain may have `_` or a hyphen at an end: the DNS has them (RFC 2181, section 11).
    """
    try:
        return host_name(raw)
    except BadName as bad:
        if bad.reason not in ("characters", "label"):
            raise
        text = _a_labels(raw)
        domain = suffixes(zones).registrable(text) or ""
        if not _PLAIN.fullmatch(domain) or not _HOST_LABELS.fullmatch(text.removesuffix(domain)):
            raise
    host_name(domain)
    return text


def _a_labels(raw: str) -> str:
    """A name in lower case as A-labels of whatever characters, without outer dots or blanks."""
    text = raw.strip().strip(".").lower()
    if not text:
        raise BadName(raw, "empty", "is empty")
    if len(text) > 1000:
        raise BadName(raw, "too_long", "is longer than a domain name can be (253 characters)")
    if not text.isascii():
        try:
            text = ".".join(
                _a_label(label) for label in idna.uts46_remap(text, std3_rules=False).split(".")
            ).strip(".")
        except (idna.IDNAError, UnicodeError) as error:
            raise BadName(raw, "idna", f"is not a valid internationalised name ({error})") from None
    if len(text) > 253:
        raise BadName(raw, "too_long", "is longer than a domain name can be (253 characters)")
    return text


def as_asked(raw: str) -> str:
    """A host name as a request spells it; feeds are read less strictly. One dot may end it.

    Raises BadName for a blank, a control character or a backslash anywhere, and for other dots around it.
    """
    _only_safe(raw)
    if _OUTER_DOTS.search(raw):
        raise BadName(raw, "label", "begins with a dot, or ends with several")
    return raw


def _only_safe(text: str) -> None:
    if _UNSAFE.search(text):
        raise BadName(text, "characters", "contains a blank, a control character or a backslash")


def _fake(label: str) -> str | None:
    """The fault of a lowercase `xn--` label that stands for no text (a fake A-label of RFC 5890, 2.3.2.1).

    None for every other, also where IDNA 2008 does not allow the characters: RFC 5891, section 5.3, leaves that test
    to who shows them, and section 5.4 asks for it of U-labels only.
    """
    try:
        text = label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return "it is not Punycode"
    # A surrogate is half a character (and cannot be encoded again); a control character stands for no sign at all.
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in text):
        return "it has a control character or half a character"
    # Several spellings may decode to one text (RFC 3492): only that which encoding gives is its name.
    return None if text.encode("punycode").decode("ascii") == label[4:] else "another spelling means the same"


def _public(text: str) -> str:
    top = text.rpartition(".")[2]
    if top == text:
        raise BadName(text, "single_label", "is no domain name: it has no extension, such as .com")
    if top.isdigit():
        raise BadName(text, "address", "ends in a number: an IP address, not a domain name")
    if top in SPECIAL_USE:
        raise BadName(text, "special_use", f"ends in .{top}, which is reserved and never public")
    return text


def plain_domains(names: Sequence[object], zones: tuple[str, ...] = ()) -> list[str | None]:
    """Each name that is a registrable domain as `registrable_domain` spells it, and None for every other.

    For lists of a million names, most of which are plain: their labels are looked at together.
    """
    listed = suffixes(zones)
    texts = [name if type(name) is str else "" for name in names]
    lower = "\n".join(texts).lower().split("\n")
    texts = lower if len(lower) == len(texts) else [text.lower() for text in texts]
    cut = [text.partition(".") for text in texts]
    labels = "\n".join([label for label, _, _ in cut])
    if not _LABELS.fullmatch(labels) or "xn--" in labels:
        cut = [(label, dot, suffix if _is_plain(label) else "") for label, dot, suffix in cut]
    plain = [suffix in listed.simple for _, _, suffix in cut]
    if all(plain) and listed.rules.isdisjoint(texts):
        return list(texts)
    return [text if ok and text not in listed.rules else None for text, ok in zip(texts, plain, strict=True)]


def _is_plain(label: str) -> bool:
    return _LABEL.fullmatch(label) is not None and not label.startswith("xn--")


def registrable_domain(raw: str, zones: tuple[str, ...] = ()) -> str:
    """Normalise a host name and reduce it to its registrable domain.

    >>> registrable_domain("WWW.Bücher.DE.")
    'xn--bcher-kva.de'
    >>> registrable_domain("my_blog.bücher.de")
    'xn--bcher-kva.de'

    Raises BadName; reason `suffix` for a bare public suffix.
    """
    host = web_host(raw, zones)
    found = suffixes(zones).registrable(host)
    if found is None:
        raise BadName(raw, "suffix", "is a public suffix, not a domain name below one")
    return found


def unlisted_zone(host: str, zones: tuple[str, ...] = ()) -> str | None:
    """The private suffix (`uk.com`) that a lowercase A-label host lies below, unless it is among the sale `zones`.

    Somebody sells or gives away the names below it, so that the host says nothing about the registrable domain.
    """
    zone = suffixes((), "PRIVATE").above(host)
    domain = suffixes(zones).registrable(host)
    if zone is None or domain is None:
        return None
    return zone if zone == domain or zone.endswith(f".{domain}") else None


def exact_domain(raw: str, zones: tuple[str, ...] = ()) -> str:
    """A registrable domain that a request names: no reduction. BadName reason `subdomain` for a host below one."""
    host = host_name(as_asked(raw))
    found = suffixes(zones).registrable(host)
    if found is None:
        raise BadName(raw, "suffix", "is a public suffix, not a domain name below one")
    if found != host:
        raise BadName(raw, "subdomain", f"is a host name; the registrable domain is {found}")
    return found


def domain_of_url(raw: str, zones: tuple[str, ...] = ()) -> str:
    """The registrable domain of a URL, a host or a domain that a request names (what `POST /checks` accepts).

    Raises BadName also for a mail address (reason `characters`) and an extension that does not exist (`extension`).
    """
    found = registrable_domain(as_asked(_host_of(raw)), zones)
    top = found.rpartition(".")[2]
    if top not in suffixes(zones).rules:
        raise BadName(raw, "extension", f"ends in .{top}, an extension that does not exist")
    return found


def _host_of(raw: str) -> str:
    scheme = _WITH_AUTHORITY.match(raw)
    _only_safe(before_path := re.split(r"[/?#]", raw[scheme.end() if scheme else 0 :], maxsplit=1)[0])
    if scheme is None:
        if "@" in before_path:
            raise BadName(raw, "characters", "is a mail address, not a host name or a URL")
        return re.sub(r":[0-9]*$", "", before_path)
    if "[" in before_path:
        raise BadName(raw, "address", "is an IP address, not a domain name")
    with suppress(ValueError):
        if host := urlsplit(raw).hostname:
            return host
    raise BadName(raw, "characters", "is a URL without a host name")


def tld(domain: str) -> str:
    """The extension of a registrable domain: everything after its first label (`co.uk` is one extension)."""
    return domain.partition(".")[2]


def unicode_name(domain: str) -> str:
    """The Unicode form of an A-label domain; a label that IDNA 2008 does not decode (RFC 5891, 5.4) stays as it is.

    >>> unicode_name("xn--bcher-kva.de"), unicode_name("xn--n3h.net")
    ('bücher.de', 'xn--n3h.net')
    """
    return ".".join(_unicode_label(label) for label in domain.split("."))


def _unicode_label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return idna.decode(label)
    except (idna.IDNAError, UnicodeError):
        return label
