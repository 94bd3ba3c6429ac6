"""A saved RDAP answer: a JSON body, or a whole HTTP answer as `curl -i` and proxies write it. Pure."""

from __future__ import annotations

import re

from afterdrop.registry.rdap_answer import RegistryAnswer, parse_answer

_HEAD = re.compile(rb"HTTP/[0-9.]+ (\d{3})[^\n]*\n((?:[^\S\n]*+\S[^\n]*+\n)*+)[ \t\r]*+(?:\n|$)")
_CONTENT_TYPE = re.compile(rb"^content-type:[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)


def parse_saved(content: bytes) -> RegistryAnswer:
    """Read a saved answer. Who gave it is not known, so a saved "not found" is `unknown`."""
    status: int | None = None
    content_type: str | None = None
    at = 0
    while (head := _HEAD.match(content, at)) is not None:  # a saved redirect has one head after the other
        status = int(head.group(1))
        found = _CONTENT_TYPE.search(head.group(2))
        content_type = found.group(1).decode("latin-1") if found else None
        at = head.end()
    return parse_answer(status, content_type, content[at:], None, from_bootstrap_host=False)
