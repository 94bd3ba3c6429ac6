"""Hostile requests, made by code: a function a class, each giving `(what it is, bytes to send)`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from encodings.aliases import aliases
from urllib.parse import quote, quote_from_bytes

from tests.hostile.service import Watched

Cases = Iterator[tuple[str, bytes]]
LISTS = ("/domains", "/domains/available", "/domains/archive", "/csv/live", "/api/v1/domains")
PAGES = (*LISTS, "/", "/sign-in", "/tools", "/docs/api", "/checks", "/account/settings", "/admin/accounts")
ENDPOINTS = (
    "/api/v1/domains", "/api/v1/domains/archive", "/api/v1/alerts/matches", "/api/v1/checks", "/api/v1/me",
    "/api/v1/tools/availability", "/api/v1/tools/whois", "/api/v1/tools/dns", "/api/v1/domains/name-1.com/pages",
)  # fmt: skip
PARAMETERS = (
    "q", "min_score", "min_dr", "max_price", "tld", "type", "topic", "lang", "clean", "since", "ending_within_hours",
    "sort", "page", "per_page", "before", "limit", "domains", "domain", "host", "include",
)  # fmt: skip
JSON = b"Content-Type: application/json"
FORM = b"Content-Type: application/x-www-form-urlencoded"
BODIES = ("/api/v1/alerts", "/api/v1/checks", "/api/v1/webhooks", "/mcp")
FORMS = ("/account/filters", "/account/keys", "/account/settings", "/tools", "/checks", "/account/webhooks")
TEXTS = (
    "{:>1500000000}", "{0.__class__.__mro__}", "%s%n", "%(x)s", "${7*7}", "{{7*7}}", "{%raw%}", "' OR 1=1--", "\x00",
    "\n", "\r\nX: y", "\u202e\u2066\u2069", "\u200b\ufeff\u00ad", "\ufdfa" * 60, "e" + "\u0301" * 59, "Z" * 60,
    "İ" * 60,
    "\U0001f469\u200d" * 20, "\U000e0041" * 30, "\U0010ffff", "\ud800", "٣", "²", "½", "１０", "1e9", "-0", "0x10",
    "1_0", "9" * 5000, "-" + "9" * 400, "xn--" + "a" * 59, "xn--99999999", "ｅｘａｍｐｌｅ。com", "ß.com", "a" * 60_000,
    "ü" * 9_000, "." * 9_000, "a." * 9_000, "2026-13-45T99:99:99Z", "0000-00-00", "9999-12-31T23:59:60-23:59", "a@b@c",
    "//evil", "..",
)  # fmt: skip


def format_names(service: Watched) -> Cases:
    """Names of parameters that are format strings, templates or attribute paths."""
    names = (
        "{:>1500000000}",
        "{",
        "}",
        "{}",
        "{0}",
        "{x.__class__}",
        "{0[0]}",
        "{:{}}",
        "%s",
        "%(a)s",
        "{{7*7}}",
    )
    for path in PAGES:
        for name in names:
            yield f"{path} {name}", service.request(f"GET {path}?{quote(name)}={quote(name)}")


def giant_lists(service: Watched) -> Cases:
    """Lists of many items, in queries and bodies."""
    items = {
        "tld": "a{:x}", "topic": "Arts", "lang": "e{:c}", "type": "bid", "domains": "n{}.com", "sort": "score",
    }  # fmt: skip
    for path in (*LISTS, "/api/v1/tools/availability", "/api/v1/tools/domain-rating"):
        for name, item in items.items():
            for count in (101, 15_000):
                value = ",".join(item.format(97 + n % 26 if "c" in item[-3:] else n) for n in range(count))
                yield f"{path} {name} {count}", service.request(f"GET {path}?{name}={value[:65_000]}")
    for name in ("tlds", "topics", "langs", "keywords", "listing_types"):
        for count in (101, 9_000):
            body = json.dumps({"name": "a", name: [f"a{n:x}" for n in range(count)]}).encode()
            yield f"rule {name} {count}", service.request("POST /api/v1/alerts", JSON, body=body)
    for name in ("tld", "topic", "lang", "any", "type"):
        for count in (101, 9_000):
            query = f"{name}%3D" + ",".join(f"a{n:x}" for n in range(count))
            body = f"csrf={service.csrf}&list=live&frequency=daily&name=a&query={query}".encode()
            yield f"filter {name} {count}", service.request("POST /account/filters", FORM, body=body)
    yield "300 names", service.request("GET /domains?" + "&".join(f"x{n}=1" for n in range(300)))
    yield "one name 90 times", service.request("GET /domains?" + "&".join("tld=com" for _ in range(90)))


def giant_heads(service: Watched) -> Cases:
    """Lines and headers of many bytes."""
    for size in (60_000, 66_000, 1_000_000, 10_000_000):
        yield f"path {size}", service.request("GET /" + "a" * size)
        yield f"query {size}", service.request("GET /domains?q=" + "a" * size)
        yield f"key {size}", service.request("GET /api/v1/me", b"X-Key: " + b"a" * size)
        cookies = b"Cookie: " + b"; ".join(b"c%d=1" % n for n in range(size // 9))
        yield f"cookies {size}", service.request("GET /domains", cookies)
        yield f"headers {size}", service.request("GET /domains", *(b"X%d: 1" % n for n in range(size // 9)))
        yield f"name {size}", service.request("GET /domains", b"X" * size + b": 1")
        yield f"method {size}", b"G" * size + b" / HTTP/1.1\r\n\r\n"
        yield f"blank lines {size}", b"\r\n" * (size // 2) + service.request("GET /pricing")
        yield (
            f"tags {size}",
            service.request("GET /api/v1/domains", b"If-None-Match: " + b'"a",' * (size // 4)),
        )


def odd_hosts(service: Watched) -> Cases:
    """Hosts that are none, or somebody else's."""
    hosts = (
        "", " ", "evil.example", "127.0.0.1#evil", "127.0.0.1?x", "127.0.0.1/x", "127.0.0.1\\evil", "a@127.0.0.1",
        "127.0.0.1@evil", "127.0.0.1:99999", "127.0.0.1:-1", "127.0.0.1:٣", "[::1", "::1]", "[v1.x]", "[::1%25evil]",
        "[::ffff:8.8.8.8]", "127.0.0.1, evil.example", "127.0.0.1 evil", ".", "..", "a" * 60_000, "[" * 5000, "%00",
        "ｅvil", "127.1", "2130706433", "0x7f.1", "localhost.", "LOCALHOST%", "xn--", "{0}",
    )  # fmt: skip
    for host in hosts:
        for path in ("/domains", "/api/v1/me"):
            header = b"Host: " + host.encode()
            yield f"{path} {host[:30]}", service.request(f"GET {path}", header, host=False)
    yield "two hosts", service.request("GET /domains", b"Host: evil.example")
    yield "no host", service.request("GET /domains", host=False)
    yield "absolute", service.request("GET http://evil.example/domains")


def odd_encodings(service: Watched) -> Cases:
    """Percent signs that lead nowhere, and bytes that are no text."""
    parts = (
        "%", "%%", "%zz", "%0", "%00", "%0d%0aX:y", "%ff%fe", "%c0%ae%c0%ae", "%ed%a0%80", "%f5%80%80%80", "%u0041",
        "%2f", "%5c", "%2e%2e%2f", "%25%32%65", "%" * 9000, "%41" * 20_000, "%ff" * 20_000, "+" * 60_000, "&" * 60_000,
        "=" * 60_000, ";" * 60_000, "%3d%26" * 9000, "#", "?" * 9000, "/" * 60_000, "../" * 20_000,
    )  # fmt: skip
    for part in parts:
        for path in (
            "/domains/",
            "/domains?q=",
            "/domains?",
            "/csv/",
            "/static/",
            "/docs/",
            "/verify/",
            "/reset/",
        ):
            yield f"{path}{part[:12]}", service.request(f"GET {path}{part}")
        for path in (
            "/api/v1/domains/",
            "/api/v1/domains?q=",
            "/api/v1/checks/",
            "/api/v1/alerts/",
            "/api/v1/",
        ):
            yield f"{path}{part[:12]}", service.request(f"GET {path}{part}")
        fields = f"csrf={service.csrf}&name={part}&tool=whois&domain={part}".encode()
        yield f"form {part[:12]}", service.request("POST /tools", FORM, body=fields[:65_000])


def unicode_everywhere(service: Watched) -> Cases:
    """Every kind of text in every parameter, path and form field."""
    for text in TEXTS:
        escaped = quote_from_bytes(text.encode("utf-8", "surrogatepass"))[:60_000]
        for name in PARAMETERS:
            yield f"site {name} {text[:9]!a}", service.request(f"GET /domains?{name}={escaped}")
        for path in ENDPOINTS:
            every = "&".join(f"{name}={escaped[: 50_000 // len(PARAMETERS)]}" for name in PARAMETERS)
            yield f"{path} {text[:9]!a}", service.request(f"GET {path}?{every}")
        for path in (
            "/domains/",
            "/checks/",
            "/unsubscribe/",
            "/verify/",
            "/api/v1/watchlist/",
        ):
            yield f"{path} {text[:9]!a}", service.request(f"GET {path}{escaped}")
        for path in FORMS:
            names = (
                "name",
                "query",
                "frequency",
                "domain",
                "domains",
                "url",
                "zone",
                "digest_hour",
                "min_score",
                "host",
            )
            fields = "&".join(f"{name}={escaped[:6000]}" for name in names)
            body = f"csrf={service.csrf}&list=live&tool=dns&{fields}".encode()
            yield f"form {path} {text[:9]!a}", service.request(f"POST {path}", FORM, body=body[:65_000])


def odd_names(service: Watched) -> Cases:
    """Names and addresses that one program reads as another host than the next."""
    marks = (
        "\t",
        "\n",
        "\r\n",
        "\\",
        "\\@",
        " ",
        "..",
        "\u3002",
        "\x00",
        "\x85",
        "\u2028",
        "\ufeff",
        "@" * 9000,
    )
    for mark in (*marks, "\t" * 1900, "." * 1900, "\\" * 1900, " " * 60_000):
        for form in (
            "{0}a.com",
            "a.com{0}",
            "a{0}b.com",
            "http://a{0}.com/",
            "https://evil.com{0}a.com/",
            "//{0}a.com",
        ):
            name = form.format(mark)
            body = json.dumps({"domain": name}).encode()
            yield f"check {name[:20]!a}", service.request("POST /api/v1/checks", JSON, body=body)
            body = json.dumps({"domains": [name] * min(100, 60_000 // len(body) or 1), "credits": 0}).encode()
            yield f"batch {name[:20]!a}", service.request("POST /api/v1/checks/batch", JSON, body=body)
            escaped = quote(name, safe="")[:20_000]
            yield f"report {name[:20]!a}", service.request(f"GET /api/v1/domains/{escaped}")
            yield f"page {name[:20]!a}", service.request(f"GET /domains/{escaped}")
            yield f"host {name[:20]!a}", service.request(f"GET /api/v1/tools/dns?host={escaped}")
            fields = f"csrf={service.csrf}&tool=whois&domain={escaped}".encode()
            yield f"form {name[:20]!a}", service.request("POST /tools", FORM, body=fields)


def json_bombs(service: Watched) -> Cases:
    """Bodies that are deep, long, twice told or no JSON."""
    texts = {
        "deep arrays": b"[" * 60_000, "closed arrays": b"[" * 30_000 + b"]" * 30_000, "deep": b'{"a":' * 10_000,
        "closed objects": b'{"a":' * 9_000 + b"1" + b"}" * 9_000, "digits": b'{"min_score":' + b"9" * 60_000 + b"}",
        "exponent": b'{"min_score":1e999999999}', "fraction": b'{"min_score":0.' + b"0" * 60_000 + b"1}",
        "nan": b'{"min_score":NaN}', "infinity": b'{"min_score":-Infinity}',
        "long": b'{"name":"' + b"a" * 60_000 + b'"}',
        "members": b"{" + b",".join(b'"a%d":1' % n for n in range(6000)) + b"}",
        "twice": b'{"name":"a","name":"b"}', "twice deep": b'{"name":{"a":1,"a":2}}',
        "many times": b"{" + b",".join(b'"name":"a"' for _ in range(6000)) + b"}",
        "escapes": b'{"name":"' + b"\\u0041" * 10_000 + b'"}', "surrogate": b'{"name":"\\ud800"}',
        "colliding": b"{" + b",".join(b'"%s":1' % (b"\\u0000" * n) for n in range(140)) + b"}",
        "bom": b"\xef\xbb\xbf{}", "utf-16": '{"name":"a"}'.encode("utf-16"), "bytes": b"\xff" * 60_000, "null": b"null",
        "list": b"[]", "text": b'"a"', "blank": b" " * 60_000, "nothing": b"\x00", "comment": b"{/*" + b"*" * 60_000,
        "too large": b" " * 2_000_000 + b"{}", "quotes": b'"' * 60_000, "backslashes": b'{"name":"' + b"\\" * 60_000,
        "batch": b"[" + b",".join(b'{"jsonrpc":"2.0","method":"ping","id":1}' for _ in range(1000)) + b"]",
        "prototype": b'{"__proto__":{"a":1},"constructor":1,"__class__":"x","name":"a"}',
    }  # fmt: skip
    accept = b"Accept: application/json, text/event-stream"
    for what, text in texts.items():
        for path in BODIES:
            yield f"{path} {what}", service.request(f"POST {path}", JSON, accept, body=text)
        yield f"PATCH {what}", service.request("PATCH /api/v1/alerts/1", JSON, body=text)
        if text.startswith(b"{"):
            call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_domains","arguments":'
            yield f"tool {what}", service.request("POST /mcp", JSON, accept, body=call + text + b"}}")
    for mark in ("Content-Type: text/plain", "Content-Type: ", "Content-Type: " + "application/json;" * 3000):
        yield mark[:40], service.request("POST /api/v1/alerts", mark.encode(), body=b"{}")


def odd_forms(service: Watched) -> Cases:
    """Forms with many, repeated, huge or no fields, and with tokens that are none."""
    bodies = {
        "many": "&".join(f"a{n}=1" for n in range(6000)), "repeated": "&".join(["name=a"] * 390), "empty": "&" * 60_000,
        "huge": "name=" + "a" * 64_000, "too large": "name=" + "a" * 3_000_000, "lines": "keywords=" + "%0a" * 20_000,
        "commas": "tlds=" + "," * 60_000, "names": "domains=" + "%20".join(f"n{n}.com" for n in range(5000)),
    }  # fmt: skip
    for path in FORMS:
        for what, body in bodies.items():
            sent = f"csrf={service.csrf}&do=preview&tool=availability&{body}".encode()
            yield f"{path} {what}", service.request(f"POST {path}", FORM, body=sent)
        for token in ("", "a" * 60_000, "{0}", "é.é", f"{service.csrf}x", "." * 9000):
            sent = f"csrf={quote(token)}&name=a".encode()
            yield f"{path} token {token[:9]}", service.request(f"POST {path}", FORM, body=sent)


def odd_charsets(service: Watched) -> Cases:
    """Bodies in every codec that Python has a name for, and in none."""
    names = {name for pair in aliases.items() for name in pair} | {
        "undefined",
        "idna",
        "punycode",
        "unicode_escape",
    }
    odd = ("\x01", "..", "utf-8; charset=punycode", '"', '"utf-8', "a" * 60_000, "';" * 30_000, '";' * 30_000)
    fields = {"csrf": service.csrf, "tool": "dns", "host": "n" * 60_000 + "-é"}
    parts = "".join(
        f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'
        for name, text in fields.items()
    )
    form = (parts + "--b--\r\n").encode()
    for charset in [*sorted(names), *odd]:
        kind = f"Content-Type: multipart/form-data; boundary=b; charset={charset}"
        yield f"form {charset[:20]}", service.request("POST /tools", kind.encode(), body=form)
        kind = f"Content-Type: application/json; charset={charset}"
        for path in BODIES:
            yield (
                f"{path} {charset[:20]}",
                service.request(f"POST {path}", kind.encode(), body=b'{"name":"a"}'),
            )


def odd_framing(service: Watched) -> Cases:
    """Lengths that contradict each other, chunks that are none, and what is no HTTP."""
    chunked = b"Transfer-Encoding: chunked"
    starts = {
        "two lengths": (b"Content-Length: 5", b"Content-Length: 6"), "both": (b"Content-Length: 5", chunked),
        "negative": (b"Content-Length: -1",), "huge": (b"Content-Length: 99999999999999999999",),
        "te": (b"Transfer-Encoding: x",),
        "list": (b"Content-Length: 5, 5",), "folded": (b"X: a\r\n b",), "nul": (b"X: \x00",), "no colon": (b"X",),
        "upgrade": (b"Connection: upgrade", b"Upgrade: h2c"), "expect": (b"Expect: 100-continue",),
        "expect x": (b"Expect: x",),
    }  # fmt: skip
    for what, headers in starts.items():
        for path in ("/api/v1/alerts", "/tools"):
            yield f"{path} {what}", service.request(f"POST {path}", JSON, *headers) + b"hello\r\n\r\n"
    for what, body in {
        "size": b"ffffffffffffffff\r\nx", "no size": b"zz\r\n", "extension": b"1;" + b"a" * 500_000,
        "ends": b"0\r\n\r\n",
        "trailer": b"0\r\nX: " + b"a" * 500_000, "trailers": b"0\r\n" + b"X: 1\r\n" * 100_000, "zeros": b"0" * 200_000,
        "small": b"1\r\n{\r\n" * 70_000,
    }.items():  # fmt: skip
        yield f"chunks {what}", service.request("POST /api/v1/alerts", JSON, chunked) + body
    for raw in (
        b"\x16\x03\x01\x02\x00",
        b"\x00" * 70_000,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET\r\n\r\n",
        b"\xff" * 9000,
    ):
        yield f"raw {raw[:8]!r}", raw + b"\r\n\r\n"
    ahead = service.request("GET /docs/api").replace(b"Connection: close\r\n", b"")
    yield "10 ahead", ahead * 10 + service.request("GET /pricing")
    yield "5000 ahead", ahead * 5000
    yield "many hosts ahead", b"GET / HTTP/1.1\r\n\r\n" * 100_000


CLASSES: tuple[Callable[[Watched], Cases], ...] = (
    format_names, giant_lists, giant_heads, odd_hosts, odd_encodings, unicode_everywhere, odd_names, json_bombs,
    odd_forms, odd_charsets, odd_framing,
)  # fmt: skip
