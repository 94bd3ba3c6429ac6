"""No regular expression of the tree takes more than linear time on any text made to slow it down."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys

import pytest

from tests.hostile.patterns import Found, _stop, slow

# Patterns that are no literals: an operator's own in a feed file (they see the first 2,000 characters of a text), our
# own words about parking, what the sandbox is asked for by the product's clients, and the name of a dump's schema.
MADE = {
    """afterdrop.db.postgres_tools: re.compile(f'(?<![\\\\w$".])(?:{names})\\\\.'.encode())""",
    "afterdrop.feeds.converters: re.compile(argument)",
    "afterdrop.feeds.row_batches: re.compile(argument)",
    "afterdrop.feeds.csv_rows: re.compile(pattern)",
    "afterdrop.feeds.spec: re.compile(pattern)",
    "afterdrop.review.page.parked: re.compile(f'(?:^|[^a-z0-9-]){re.escape(site)}(?:$|[^a-z0-9-])')",
    "afterdrop.sandbox.cdx: re.compile(pattern)",
    "afterdrop.sources.archive.zipnum: re.compile(b'^' + re.escape(surt) + b'[),:].*', re.MULTILINE)",
    "afterdrop.sources.metrics.provider_answer: re.sub(names, '…', said, flags=re.IGNORECASE)",
    "afterdrop.sources.registry.whois_sentences: re.compile('|'.join(patterns), re.IGNORECASE)",
    "afterdrop.sources.registry.rdap_not_found: re.compile(pattern, re.IGNORECASE)",
    "afterdrop.sandbox.control_server: re.compile(request.query.get('path', ''))",
    "afterdrop.sandbox.state: re.compile(str(item.get('path', '')))",
    "afterdrop.sandbox.state: re.compile(str(item.get('server', '')))",
    "afterdrop.web.site.templates: re.split('(' + '|'.join(map(re.escape, wanted)) + ')', shown)",
}


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("place", range(4))
def test_every_pattern_is_linear(place: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.patterns", str(place)],
        capture_output=True,
        text=True,
        check=True,
        timeout=3_500,
    )
    *faults, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert not faults, "\n".join(f"{fault['name']}: {fault}" for fault in faults)
    assert last["patterns"] > 130
    assert set(last["made"]) == MADE


@pytest.mark.long
@pytest.mark.parametrize(
    ("pattern", "walks"),
    [
        (r"\s*[(<]?\s*https?://\S*.*$", True),
        (r"https?://[^\s#]*#([A-Za-z]+)", True),
        (r"(\d+)(?:[?#].*)?$", True),
        (r"<([^>]*)>", True),
        (r"(?:a+)+b", False),
        (r"\d*\s*[;,]?\s*url\s*=\s*x", True),
    ],
)
def test_the_texts_find_what_is_slow(pattern: str, walks: bool) -> None:
    before = signal.signal(signal.SIGVTALRM, _stop)
    try:
        assert slow(Found("made", re.compile(pattern, re.DOTALL), walks)) is not None
        assert slow(Found("made", re.compile(r"(?<!\d)\d++x"), walks)) is None
    finally:
        signal.signal(signal.SIGVTALRM, before)
