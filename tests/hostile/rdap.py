"""Hostile answers of registries and of the archive's index, and texts for mails and agents: all made by code."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

from afterdrop.delivery.mail.smtp import compose
from afterdrop.delivery.mail.store import MailContent
from afterdrop.sources.archive.cdx import read_index
from afterdrop.sources.registry.rdap_answer import parse_answer, parse_saved
from afterdrop.web.mcp.untrusted import visible_json
from tests.hostile.bounded import run
from tests.support.mail_texts import MAIL_TEXTS

# One line each for a member `status`; each with a number of pieces to repeat.
_REPEATED = (
    " ",
    "\t(",
    "https://",
    "(https://x#",
    "a_",
    "aA",
    ",",
    "-",
    "\u2003",
    "clientHold ",
    "https://x\n",
    "<http:",
)


def status_texts(size: int = 8_000) -> Iterator[str]:
    """Status texts that made a pattern walk the same characters again and again."""
    for piece in _REPEATED:
        many = piece * (size // len(piece))
        yield from (many, f"{many}x", f"x{many}\x00", f"client {many} https://{many}#{many}")


def rdap_bodies() -> Iterator[tuple[str, bytes]]:
    """Whole RDAP answers by class."""
    domain: dict[str, Any] = {"objectClassName": "domain", "ldhName": "a.example.com"}

    def body(**more: Any) -> bytes:
        return json.dumps({**domain, **more}).encode()

    yield "status texts", body(status=list(status_texts()))
    yield "one status of a megabyte", body(status=["a," * 500_000])
    yield "300,000 statuses", body(status=["x"] * 300_000)
    yield (
        "texts of a not found",
        json.dumps({"errorCode": 404, "description": ["Not found"] * 150_000}).encode(),
    )
    yield "a long text of a not found", json.dumps({"errorCode": 404, "title": "name " * 390_000}).encode()
    yield "notices of a not found", json.dumps({"errorCode": 404, "notices": [{}] * 400_000}).encode()
    yield (
        "addresses in a not found",
        json.dumps({"errorCode": 404, "description": ["/:a" * 330] * 490}).encode(),
    )
    yield "30,000 events", body(events=[{"eventAction": "x", "eventDate": "2020"}] * 30_000)
    yield "dates of blanks", body(events=[{"eventAction": "x", "eventDate": " " * 64 + "GM"}] * 15_000)
    yield "entities in entities", body(entities=_nested(400))
    yield (
        "wide entities",
        body(
            entities=[{"roles": ["registrar"], "vcardArray": ["vcard", [["fn", {}, "text", "x" * 99]] * 50]}]
            * 250
        ),
    )
    yield (
        "a giant name",
        body(
            entities=[{"roles": ["registrar"], "vcardArray": ["vcard", [["fn", {}, "text", "R " * 500_000]]]}]
        ),
    )
    yield "remarks", body(remarks=[{"title": "name " * 20_000, "description": ["domain " * 20_000] * 10}])
    yield "nameservers", body(nameservers=[{"ldhName": "a." * 100_000}] * 9)
    yield "deep lists", b'{"objectClassName":"domain","ldhName":"a.example.com","status":' + b"[" * 500_000
    yield "deep objects", b'{"a":' * 500_000
    yield "closed deep lists", b"[" * 200_000 + b"]" * 200_000
    yield "a number of a million digits", b'{"ldhName":"a.example.com","x":' + b"9" * 1_000_000 + b"}"
    yield "an exponent", b'{"ldhName":"a.example.com","x":1e999999999}'
    yield "repeated keys", b"{" + b'"status":["x"],' * 100_000 + b'"ldhName":"a.example.com"}'
    yield "half a surrogate", b'{"ldhName":"a.example.com","status":["\\ud800"]}'
    yield "no text", b"\xff\xfe\x00" * 100_000
    yield "heads", b"HTTP/1 200\n\n" * 100_000
    yield "a head of blanks", b"HTTP/1 200\n" + b" " * 1_000_000
    yield "a head of lines", b"HTTP/1 200\n" + b"a \n" * 300_000


def _nested(depth: int) -> list[dict[str, Any]]:
    inner: list[dict[str, Any]] = []
    for _ in range(depth):
        inner = [{"roles": ["registrar"], "entities": inner}]
    return inner


def index_lines() -> Iterator[tuple[str, bytes]]:
    """Answers of the archive's index by class."""
    good = b"com,example)/ 20100101000000 http://example.com/ text/html 200 " + b"A" * 32 + b" 1000\n"
    yield "a line without end", b"com,example)/ " + b"2" * 5_000_000
    yield "blanks", b" " * 5_000_000
    yield "line ends", b"\n" * 5_000_000
    yield "a million fields", b"a " * 1_000_000 + b"\n"
    yield "numbers without end", good.replace(b" 1000", b" " + b"9" * 100_000) * 20
    yield "times without end", good.replace(b"20100101000000", b"2" * 100_000) * 20
    yield "addresses without end", good.replace(b"http://example.com/", b"http://" + b"a." * 50_000) * 20
    yield "JSON rows, deep", b"[" * 1_000_000
    yield "JSON rows, wide", b"[" + b"[]," * 500_000 + b"[]]"
    yield "no text", bytes(range(256)) * 10_000


def agent_texts() -> Iterator[tuple[str, bytes]]:
    """What strangers wrote and an agent would read, as JSON."""
    unseen = "".join(
        map(chr, (0xAD, 0x200B, 0x200D, 0x2028, 0x202E, 0x2066, 0xFE0F, 0xFEFF, 0xE0041, 0x1B, 0))
    )
    yield "characters nobody sees", json.dumps({unseen: [unseen * 100_000], "a": "x" + unseen}).encode()
    yield (
        "tags that spell an order",
        json.dumps(["".join(chr(0xE0000 + ord(c)) for c in "obey") * 50_000]).encode(),
    )
    yield "many members", json.dumps({f"{unseen}{n}": unseen for n in range(50_000)}).encode()
    yield "deep lists", b"[" * 150 + b'"\\u200b"' + b"]" * 150


def mail_bodies() -> Iterator[tuple[str, bytes]]:
    """Subjects and addresses of mails."""
    for number, text in enumerate(MAIL_TEXTS):
        yield f"text {number}", json.dumps(text).encode()
    yield "a subject of a megabyte", json.dumps("é =?utf-8?q?=0a?= " * 50_000).encode()


CLASSES = {
    "registry": rdap_bodies, "index": index_lines, "agents": agent_texts, "mail": mail_bodies,
}  # fmt: skip


def cases() -> Iterator[tuple[str, bytes]]:
    """Every case as `class: what it is`."""
    for name, made in CLASSES.items():
        for case, data in made():
            yield f"{name}: {case}", data


def read(case: str, path: Path) -> str:
    """What the product makes of a case."""
    data = path.read_bytes()
    kind = case.partition(":")[0]
    if kind == "registry":
        answer = parse_answer(200, "application/rdap+json", data, "a.example.com")
        saved = parse_saved(data)
        words = answer.record.statuses or ()
        return f"{answer.state} {answer.reason} {saved.state}, {len(words)} words, {sum(map(len, words))} characters"
    if kind == "index":
        index = read_index(data, "example.com")
        return f"{index.captures} captures, {sum(index.bad.values())} bad"
    if kind == "agents":
        text = json.dumps(visible_json(json.loads(data)), ensure_ascii=False)
        return f"{sum(unicodedata.category(char) in ('Cc', 'Cf', 'Zl', 'Zp') for char in text)} unseen"
    return _headers(json.loads(data))


def _headers(text: str) -> str:
    """The names of a mail's headers as a reader sees them, with a text as its subject."""
    row: MailContent = {
        "id": 1, "created_at": datetime(2026, 11, 22, tzinfo=UTC), "recipient": "a@b.example", "subject": text,
        "text": "t", "html": None, "headers": {"X-More": text},
    }  # fmt: skip
    mail = message_from_bytes(compose(row, f"{text[:50]} <d@b.example>", "b.example"), policy=policy.default)
    return f"{' '.join(sorted(name.lower() for name in mail))}: {len(mail['subject'].splitlines())} line"


if __name__ == "__main__":
    run(cases(), read)
