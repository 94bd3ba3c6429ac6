"""The language and topic of texts, for those who change the words of languages and topics.

python -m bench.text [--json] < FILE
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Annotated

import orjson
import typer
from bench.commands import run

from afterdrop.cli import console
from afterdrop.review.page.language import detect_language
from afterdrop.review.page.topics import topic_of_text


def review_text(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Read lines of {"text": …} on standard input; print {"language", "topic"} for each, in order.

    A line that is not such an object gets nulls and an "error"; the command continues.
    """
    for answer in read_texts(sys.stdin):
        if json:
            sys.stdout.write(orjson.dumps(answer).decode() + "\n")
        else:
            console.line("\t".join(str(answer.get(key) or "-") for key in ("language", "topic", "error")))
    sys.stdout.flush()


def read_texts(lines: Iterable[str]) -> Iterator[dict[str, str | None]]:
    """The result for each line that is not blank."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            text = orjson.loads(line)["text"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            text = None
        if not isinstance(text, str):
            yield {
                "language": None,
                "topic": None,
                "error": f'line {number} is not an object with a string "text"',
            }
            continue
        language = detect_language(text).language
        yield {"language": language, "topic": topic_of_text(text, language)}


if __name__ == "__main__":
    run(review_text)
