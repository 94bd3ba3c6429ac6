"""The meaning of a WHOIS answer's sentences: refusals, reservations, and names that are about to be released. Pure.

Servers repeat the name asked for, and whoever asks chooses it. So names are taken out before words are read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from afterdrop.core.domain_names import unicode_name

# A word with a dot inside it: a name, an address or a number. After the full stop of a sentence a capital follows.
_DOTTED = re.compile(
    r"(?<![^\s\"'`<>()\[\],;])[^\s\"'`<>()\[\],;]*?\w\.(?![A-Z][a-z])\w[^\s\"'`<>()\[\],;]*+"
)
# What stands before the text of a comment.
MARKS = re.compile(r"^[%#*;&>\s]+")
BLANKS = re.compile(r"\s+")
_THROTTLED = re.compile(
    r"(?:quota|limit|rate)\b.{0,80}(?:exceeded|reached|hit\b|too high)"
    r"|(?:exceed(?:ed|s)|reached) .{0,60}(?:quota|limit|rate|queries|requests|maximum|number)"
    r"|too (?:many|frequent) (?:conn|quer|req|look)|only \d+ requests?|try again|still in grace period|slow down"
    r"|over quota|\b440 request denied|wait .{0,30}(?:seconds?|minutes?|before|until)|throttl|too busy"
    r"|temporarily unavailable"
    r"|service (?:is )?unavailable"
    r"|under maintenance"
)
_REFUSED = re.compile(
    r"not permitted|access .{0,60}(?:denied|refused)|address .{0,20}(?:blocked|blacklisted|banned)"
    r"|unauthori[sz]ed (?:ip|client|host|quer|request)|not authori[sz]ed|^-\d:|blacklist"
    r"|connection .{0,20}(?:refused|failed)|(?:been|is) (?:banned|denied)|permission denied|request denied"
    r"|internal (?:server )?error|timed? ?out|unable to"
)
# The question is refused, not who asks: the same name is refused to everybody, and every other one is answered.
_NOT_A_QUESTION = re.compile(
    r"\b55000000010\b|(?:solo|only) ac+epta?s? (?:queries|consultas)|malformed"
    r"|invalid (?:input|query|request|domain)"
)
_SAYS_RESERVED = re.compile(
    r"\breserved (?:by|name|domain|list|for)|in the reserved"
    r"|\b(?:domain|name|string)\b.{0,40}\b(?:is|been|has) (?:reserved|prohibited|blocked|restricted|banned)"
    r"|^(?:reserved|restricted|blocked|prohibited|premium|forbidden)(?:$| name| string| domain)"
    r"|can ?not be registered|not available|unavailable"
    r"|not allowed|\bdpml\b|globalblock|is not (?:eligible|registrable)"
)
# The name is deleted, and nobody but registrars can have it yet.
_SAYS_SOLD_FIRST = re.compile(r"available for application|\bdrop ?zone\b")
# Terms of use speak of limits and refusals without being one.
_PROSE = re.compile(
    r"\b(?:you|your|submitting|terms|note|policy|copyright|rights reserved|not be used|permission|purposes?"
    r"|registrants?"
    r"|whois inaccuracy|commercial|are requested|information (?:is|provided)|query limit is)\b"
)

_SAYS_RELEASE = re.compile(
    r"\b(?:is|will be|about) to be (?:released|deleted)\b|\bto be released after termination\b"
)


def refusal(
    lines: Sequence[str], domain: str | None, *, answered: bool, brief: bool
) -> tuple[str, str] | None:
    """The reason and a note, where a line refuses. In paragraphs of terms of use only limits that were met count.

    A server that `answered` with a status refuses nobody: only a reservation counts then. An answer of a few lines
    (`brief`) has no terms of use: it may speak to whoever asks all the same.
    """
    for paragraph in _paragraphs(lines, domain):
        terms = [] if brief else [line for line in paragraph if _PROSE.search(line)]
        prose = bool(terms)
        for line in paragraph:
            if not answered and _THROTTLED.search(line) and line not in terms:
                return ("rate_limited", "the server asks us to wait")
            if not answered and not prose and _REFUSED.search(line):
                return ("refused", "the server refuses to answer")
            if not answered and not prose and _NOT_A_QUESTION.search(line):
                return ("bad_name", "the server does not take the name for a question")
            if not prose and _SAYS_SOLD_FIRST.search(line):
                return ("sold_first", "the registry offers the deleted name to registrars alone")
            if not prose and _SAYS_RESERVED.search(line):
                return ("reserved", "the registry does not let anybody register the name")
    return None


def _paragraphs(lines: Iterable[str], domain: str | None) -> list[list[str]]:
    """The lines without comment marks and names, in lower case, in groups that empty lines part."""
    groups: list[list[str]] = [[]]
    for line in lines:
        text = BLANKS.sub(" ", nameless(MARKS.sub("", line), domain)).strip().lower()
        if text:
            groups[-1].append(text)
        else:
            groups.append([])
    return groups


def nameless(text: str, domain: str | None) -> str:
    """A text with `{domain}` for every name in it, also for `domain` without its extension."""
    bare = _DOTTED.sub("{domain}", unicodedata.normalize("NFKC", text))
    return _label(domain).sub(" {domain} ", bare) if domain else bare


@lru_cache(maxsize=64)
def _label(domain: str) -> re.Pattern[str]:
    """The first label of a name (A-labels) in both spellings, where it cannot be a word of the server's own.

    A plain word is taken for the label only in quotes or as the value of a field, unless it would refuse by itself.
    """
    patterns = []
    for label in {name.partition(".")[0] for name in (domain, unicode_name(domain))}:
        word = re.escape(label)
        if "-" in label or any(test.search(label) for test in (_THROTTLED, _REFUSED, _NOT_A_QUESTION)):
            patterns.append(rf"(?<![\w-]){word}(?![\w-])")
        else:
            patterns.append(rf"(?<=[\"'`<(\[]){word}(?=[\"'`>)\]])|:\s*+{word}\s*+$")
    return re.compile("|".join(patterns), re.IGNORECASE)


def says_release(lines: Sequence[str], domain: str | None) -> bool:
    """Whether a line says that the name is about to be released. Paragraphs of terms of use do not count."""
    return any(
        _SAYS_RELEASE.search(line)
        for paragraph in _paragraphs(lines, domain)
        if not any(_PROSE.search(each) for each in paragraph)
        for line in paragraph
    )
