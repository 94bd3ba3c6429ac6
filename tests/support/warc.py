"""Records of WARC files."""

from __future__ import annotations

PAGE = b"<html><title>Hello</title></html>"


def http(body: bytes = PAGE, *headers: str, status: str = "200 OK") -> bytes:
    """An archived answer: status line, headers, body."""
    lines = [f"HTTP/1.1 {status}", *(headers or ("Content-Type: text/html; charset=utf-8",)), "", ""]
    return "\r\n".join(lines).encode() + body


def record(block: bytes, kind: str = "response", **fields: str) -> bytes:
    """A WARC record around `block`; `fields` change its header or, empty, leave one out."""
    given = {
        "WARC-Type": kind,
        "WARC-Target-URI": "http://example.com/",
        "WARC-Date": "2013-05-06T07:08:09Z",
        "Content-Length": str(len(block)),
        **{name.replace("_", "-"): value for name, value in fields.items()},
    }
    head = "WARC/1.0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
    return head.encode() + b"\r\n" + block + b"\r\n\r\n"
