"""What the service takes as input, and which schema of the description speaks of it.

The service's own readers decide what is taken. `CORPUS` has names and addresses as people, browsers and other
programs write them; `TEXTS` makes more of their pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from hypothesis import strategies as st
from pydantic import BaseModel

from afterdrop.core.domain_names import exact_domain
from afterdrop.core.errors import BadName
from afterdrop.delivery.webhooks.address_rules import address_fault
from afterdrop.sources.dns.answers import lookup_host
from afterdrop.sources.metrics.values import TOPICS
from afterdrop.web.problems import Invalid
from afterdrop.web.schemas.checks import ChecksQuery, NewCheck
from afterdrop.web.schemas.domains import ArchiveQuery, LiveQuery, PagesQuery
from afterdrop.web.schemas.lookups import DnsQuery, NamesQuery, WhoisQuery
from afterdrop.web.schemas.rules import MatchQuery, NewRule, RuleChange
from afterdrop.web.schemas.webhooks import EndpointChange, NewEndpoint
from afterdrop.web.strict_input import read_domain, read_query, validated
from tests.contract.described import readings

NAMES: Final = (
    "example.org", "EXAMPLE.Org", "example.org.", "bücher.de", "BÜCHER.DE", "xn--bcher-kva.de", "правда.рф", "xn--p1ai",
    "例え.jp", "例え。jp", "www．bücher．de", "straße.de", "faß.de", "a_b.example.com", "_dmarc.example.com",
    "selector1._domainkey.example.com", "_25._tcp.mail.example.org", "shop.co.uk", "shop.uk.com", "www.ck", "a.kobe.jp",
    "city.kobe.jp", "1.com", "1-2-3.net", "a--b.com", "3com.com", "x.museum", "ل.الاردن", "نامه‌ای.com", "नेपाल.com",
    " example.org ", "\texample.org\n", "\u00a0bücher.de\u3000", "a.b.c.d.e.f.example.com", f"{'a' * 63}.com",
    ".".join(["a" * 61] * 3) + ".com", "foo.zzzznotld", "sub.example.co.uk", "ⅷ.com", "ﬁne.com", "☃.net", "i❤.ws",
)  # fmt: skip
ADDRESSES: Final = (
    "https://example.org", "https://example.org/", "HTTPS://EXAMPLE.ORG/In", "https://bücher.de/seite",
    "https://example.org:443/x", "https://example.org:1024", "https://example.org:8443/h?a=b&c=%20", "https://a.рф/é",
    "https://example.org:9999/", "https://example.org:60000/", "https://example.org:65535/", "https://example.org:/",
    "https://example.org:08443/", "https://example.org./", 'https://example.org/"quoted"', "https://example.org?x=1",
    "https://xn--bcher-kva.de/[x]{y}|z", "http://127.0.0.1:9000/in", "https://hooks.example.co.uk/~a/!$&'()*+,;=:@",
    "https://a_b.example.com/", "https://user@example.org/", "https://example.org/#x", "https://10.0.0.1/",
    "http://example.org/a/b?c#d", "//example.org/a", "example.org/a/b?c=d#e", "www.example.org:8080/path",
    "ftp://files.example.org/pub", "https://user:pw@example.org:80/a", "https://www.bücher.de:8443/ü?ö#ä",
    "mailto:a@b.com", "example.org?", "https://example.org/a b", "  https://example.org/  ", "https:/example.org",
    "https://example.org\\x", "https://[::1]/", "https://例え。jp/", "https://example.org/\x7f",
)  # fmt: skip
WORDS: Final = (
    "arts", "Arts", "ARTS,business", "com", ".com", "COM,.org", "рф", "co.uk", "xn--p1ai", "ИСПЫТАНИЕ", "укр.", "en",
    "EN,de", "bid", "bid,auction", "0", "1", "30", "100", "007", "true", "false", "2026-11-20", "2026-11-20T08:00Z",
    "2026-11-20t08:00:00.123+02:00", "2024-02-29 12:00:60z", "2026-11-20T08:00:00 02:00", "0001-01-01T00:00:00+23:59",
    "score", "ended", "content", "0-0", "old shop", "ä", " x ", "\u2028x", "💡", "'; --", "a,b", "x" * 60, "y" * 80,
)  # fmt: skip
CORPUS: Final = (*NAMES, *ADDRESSES, *WORDS)

_PIECES = st.sampled_from(
    (*CORPUS, *TOPICS, "www.", "https://", "http://", "//", "/", ":", ":8443", "?", "#", "@", ",", ".", "。", "-", "_",
     " ", "\t", "xn--", "ß", "é", "İ", "ſ", "\u200d", "\u0301", "%20", "\\", '"', "T", "Z", "+02:00", "2024-02-29")
)  # fmt: skip
_LABELS = st.text("abcxyzäßéıжλ中あ-_019", min_size=1, max_size=8)
_MADE_NAMES = st.builds(
    lambda labels, top, dot, edge: edge + dot.join([*labels, top]) + edge,
    st.lists(_LABELS, min_size=1, max_size=3),
    st.sampled_from(("com", "ORG", "co.uk", "de", "рф", "xn--p1ai", "jp", "kobe.jp", "みんな")),
    st.sampled_from((".", "。", "．", "｡")),
    st.sampled_from(("", " ", ".", "\t")),
)
_MADE_ADDRESSES = st.builds(
    lambda scheme, name, port, rest: f"{scheme}{name.strip()}{port}{rest}",
    st.sampled_from(("https://", "HTTPS://", "http://", "//", "", "ftp://")),
    _MADE_NAMES,
    st.one_of(st.just(""), st.just(":"), st.integers(0, 70_000).map(":{}".format)),
    st.one_of(st.just(""), st.text(max_size=12).map("/{}".format), st.text(max_size=12).map("?{}".format)),
)
TEXTS = st.one_of(
    st.sampled_from(CORPUS),
    _MADE_NAMES,
    _MADE_ADDRESSES,
    st.lists(st.one_of(_MADE_NAMES, st.sampled_from(WORDS)), min_size=1, max_size=3).map(",".join),
    st.lists(_PIECES, min_size=1, max_size=3).map("".join),
    st.integers(-1, 800).map(str),
    st.datetimes().map(lambda at: f"{at:%Y-%m-%dT%H:%M:%S}Z"),
    st.text(max_size=12),
)


@dataclass(frozen=True)
class Input:
    """A place where a text goes: whether the service takes it there, its schema, and the text as JSON values.

    A query's text may be read as several types; one of its values must be valid.
    """

    name: str
    schema: dict[str, Any]
    takes: Callable[[str], bool]
    values: Callable[[str], Iterable[Any]]


def _taken(read: Callable[[str], Any]) -> Callable[[str], bool]:
    def takes(text: str) -> bool:
        with suppress(Invalid, BadName):
            return read(text) is not False
        return False

    return takes


def _query(
    parameters: dict[str, Any], name: str, model: type[BaseModel], also: Callable[[Any], Any]
) -> Input:
    def read(text: str) -> None:
        also(getattr(read_query(f"{name}={quote(text)}".encode(), model), name))

    return Input(f"?{name}", parameters[name], _taken(read), readings)


def _queries(
    document: dict[str, Any], path: str, model: type[BaseModel], also: Callable[[Any], Any] = str
) -> Iterator[Input]:
    """Every parameter of a path's GET. `also` raises for what a route refuses after it has read the value."""
    parameters = {each["name"]: each for each in document["paths"][path]["get"]["parameters"]}
    schemas = {name: each["schema"] for name, each in parameters.items() if each["in"] == "query"}
    yield from (_query(schemas, name, model, also) for name in schemas)


def _bodies(
    model: type[BaseModel], member: str, make: Callable[[str], Any], also: Callable[[str], Any]
) -> Input:
    """A body with a text in a member."""
    more = {"name": "n"} if model is NewRule and member != "name" else {}

    def body(text: str) -> dict[str, Any]:
        return {**more, member: make(text)}

    def read(text: str) -> Any:
        validated(body(text), model, {})
        return also(text)

    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return Input(f"{model.__name__}.{member}", schema, _taken(read), lambda text: [body(text)])


def _address(text: str) -> bool:
    return address_fault(text) is None


def inputs(document: dict[str, Any]) -> list[Input]:
    """Every place of the description that a text goes into."""
    path = next(
        each
        for each in document["paths"]["/domains/{domain}"]["get"]["parameters"]
        if each["name"] == "domain"
    )
    lists: tuple[str, ...] = ("tlds", "topics", "langs", "keywords")
    return [
        *_queries(document, "/domains", LiveQuery),
        *_queries(document, "/domains/archive", ArchiveQuery),
        *_queries(document, "/alerts/matches", MatchQuery),
        *_queries(document, "/checks", ChecksQuery),
        *_queries(document, "/domains/{domain}/pages", PagesQuery),
        *_queries(document, "/tools/whois", WhoisQuery, exact_domain),
        *_queries(document, "/tools/dns", DnsQuery, lookup_host),
        *_queries(document, "/tools/availability", NamesQuery, lambda names: [*map(exact_domain, names)]),
        Input("{domain}", path["schema"], _taken(exact_domain), lambda text: [text]),
        *(_bodies(model, "name", str, str) for model in (NewRule, RuleChange)),
        *(
            _bodies(model, name, lambda text: [text], str)
            for model in (NewRule, RuleChange)
            for name in lists
        ),
        *(_bodies(model, "url", str, _address) for model in (NewEndpoint, EndpointChange)),
        _bodies(NewCheck, "domain", str, lambda text: read_domain(text, ())),
    ]
