"""Whether a report's evidence agrees with itself: dates, intervals, captures, eras, and quotes with their pages."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import pairwise
from typing import Any

from afterdrop.catalogue.rows import StoredReport
from afterdrop.review.history.life import LifeEra, at, stored_life
from afterdrop.review.page.text import unspaced_letters

# The words of an archived page by its address there; None where there is no such capture.
Pages = Callable[[str], str | None]
_BETWEEN = re.compile(r"between (\d{4}-\d\d-\d\d)\b.*? and (\d{4}-\d\d-\d\d)\b")
_FROM_TO = re.compile(r"from (\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d)")
_STAMP = re.compile(r"/(\d{8})\d{6}(?:id_)?/")
_MARKUP = re.compile(r"</?[a-z][^<>]*>?|[a-z]+=\"|\.(?:css|js)\b|[{};]\s*$")
_QUOTED = re.compile(r"“([^“”]+)”")
_FLAGS = ("lang_change", "topic_change")


def no_pages(url: str) -> str | None:
    """Nothing is known of any page."""
    return None


def evidence_contradictions(report: StoredReport, pages: Pages = no_pages) -> list[str]:
    """What contradicts in a stored report's evidence, one line each."""
    history: Mapping[str, Any] = report["history"] or {}
    findings: list[Mapping[str, Any]] = list(history.get("findings") or ())
    eras = stored_life(history)
    return [
        *_dates(findings),
        *_told_twice(findings),
        *_changes(findings, eras),
        *_second_changes(report, findings),
        *_counts(report, eras),
        *(line for finding in findings for line in _quotes(finding, pages)),
        *(line for note in report["review_notes"] for line in _cut_words(note, _words_of(findings, pages))),
    ]


def _dates(findings: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for finding in findings:
        day = (finding["at"] or "")[:10]
        told = _BETWEEN.search(finding["note"])
        if told and day and not told[1] <= day <= told[2]:
            yield f"{day} is not between {told[1]} and {told[2]}"
        for when, url in (
            (finding["at"], finding["url"]),
            (finding.get("before"), finding.get("before_url")),
        ):
            stamp = _STAMP.search(url or "")
            if when and stamp and stamp[1] != when[:10].replace("-", ""):
                yield f"a finding of {when[:10]} opens the capture of {stamp[1]}"


def _told_twice(findings: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    told = Counter((finding["note"], finding["url"]) for finding in findings)
    yield from (f"stands {count} times: {note}" for (note, _), count in told.items() if count > 1)


def _changes(findings: Iterable[Mapping[str, Any]], eras: Iterable[LifeEra]) -> Iterable[str]:
    """Each change once, as the eras tell it, with the captures around it."""
    told = [
        (found, _BETWEEN.search(found["note"])) for found in findings if found["code"].endswith("_change")
    ]
    spans = Counter(found.groups() for _, found in told if found)
    yield from (
        f"the change of {first} to {last} stands {n} times" for (first, last), n in spans.items() if n > 1
    )
    yield from (
        f"no capture before the change of {one['at'][:10]}" for one, _ in told if not one.get("before_url")
    )
    sites = [era for era in eras if era.owner is not None]
    for old, new in pairwise(sites):
        span = f"{old.end:%Y-%m-%d}", f"{new.start:%Y-%m-%d}"
        if old.owner != new.owner and span not in spans:
            yield f"the eras change from {span[0]} to {span[1]}, no finding does"


def _second_changes(report: StoredReport, findings: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    notes = {check["flag"]: check["note"] for check in report["risk_checks"] if check["result"] == "found"}
    for finding in findings:
        for flag in _FLAGS:
            raised = flag == finding["code"] or flag in (finding.get("changed") or ())
            span = _BETWEEN.search(finding["note"])
            if raised and span and flag in notes and span[0] not in notes[flag]:
                yield f"the risk {flag} does not tell of the change of {finding['at'][:10]}"


def _counts(report: StoredReport, eras: Iterable[LifeEra]) -> Iterable[str]:
    history: Mapping[str, Any] = report["history"] or {}
    if sum(era["captures"] for era in history.get("eras", ())) > history.get("captures", 0):
        yield "the eras have more captures than there are"
    stood = [(f"{era.start:%Y-%m-%d}", f"{era.end:%Y-%m-%d}") for era in eras if era.kind == "spam"]
    told = _FROM_TO.search(report["spam"]["note"])
    for first, last in stood if told else ():
        if told and not (told[1] <= first and last <= told[2]) and first <= told[2] and told[1] <= last:
            yield f"spam from {told[1]} to {told[2]}, but an era of {first} to {last}"


def _quotes(finding: Mapping[str, Any], pages: Pages) -> Iterable[str]:
    quoted, zone = finding["quote"], finding["zone"]
    if zone in ("url", "anchor"):
        return
    if _MARKUP.search(quoted):
        yield f"a quote of {finding['code']} is HTML: {quoted}"
    text = pages(finding["url"]) if quoted else None
    if text is not None and not _whole(quoted, text):
        yield f"not whole words of the page of {finding['at'][:10]}: {quoted}"
    if finding["code"].endswith("_change"):
        known = [text for url in (finding["url"], finding.get("before_url")) if (text := pages(url or ""))]
        yield from _cut_words(finding["note"], " ".join(known))


def _words_of(findings: Iterable[Mapping[str, Any]], pages: Pages) -> str:
    return " ".join(pages(finding["url"]) or "" for finding in findings if finding["zone"] != "url")


def _cut_words(note: str, text: str) -> Iterable[str]:
    """Quotes of a note that no page has in whole words."""
    for quoted in _QUOTED.findall(note) if text.strip() else ():
        if not _whole(quoted.strip("…"), text):
            yield f"a note cuts a word: “{quoted}”"


def _whole(quoted: str, text: str) -> bool:
    words = " ".join(quoted.split())
    # A script without blanks has no words to cut.
    begun, ended = ("" if unspaced_letters(sign) else r"\w" for sign in (words[:1], words[-1:]))
    bounded = (rf"(?<!{begun})" if begun else "") + re.escape(words) + (rf"(?!{ended})" if ended else "")
    return words == "untitled" or re.search(bounded, text) is not None


def words_of_page(body: bytes, charset: str) -> str:
    """What a page says, visible or in its head, with one blank between words."""
    source = body.decode(charset or "utf-8", "replace")
    source = re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", source)
    source = re.sub(r"<meta[^>]* content=\"([^\"]*)\"[^>]*>", r" \1 ", source)
    plain = re.sub(r"</?(?:b|i|em|strong|a|span|font|small)\b[^>]*>", "", source)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", plain)).split())


def time_of(url: str) -> tuple[datetime, str] | None:
    """The time and the address of a capture in an archive's address."""
    found = re.search(r"/(\d{14})(?:id_)?/https?://[^/]+(/.*)?$", url)
    stamp = found[1] if found else ""
    return (at(f"{stamp[:8]}T{stamp[8:]}"), found[2] or "/") if found else None
