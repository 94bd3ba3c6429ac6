"""Lines of text from a stream of bytes, in bounded memory.

Pure. Bytes that are not in the feed's encoding become U+FFFD: the row they spoil is then counted, the file goes on.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from afterdrop.core.errors import FeedError
from afterdrop.feeds.containers import CHUNK, ByteSource

MAX_LINE = 1 << 20


def text_lines(stream: ByteSource, encoding: str, subject: str) -> Iterator[str]:
    """Every line without its end. FeedError when one is longer than a mebibyte: then it is no list of lines."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    rest = ""
    while chunk := stream.read(CHUNK):
        lines = (rest + decoder.decode(chunk)).split("\n")
        rest = lines.pop()
        if len(rest) > MAX_LINE:
            raise FeedError(subject, f"has a line longer than {MAX_LINE} characters: not a list of lines")
        for line in lines:
            yield line[:-1] if line.endswith("\r") else line
    rest += decoder.decode(b"", final=True)
    if rest:
        yield rest.removesuffix("\r")
