"""Findings from the words of links to a domain: other languages than its own, spam.

Pure. Shares are by referring domains, so that one site's thousand footers count once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from afterdrop.review.flags.link_flags import CLEAN, UNKNOWN, Unfound
from afterdrop.review.history.findings import Finding
from afterdrop.review.history.life import listed
from afterdrop.review.page.language import language_name, small_words
from afterdrop.review.page.text import QUOTE_CHARS, main_script, shortened

FOREIGN_SCRIPT = 0.2
FOREIGN_LANGUAGE = 0.4
LEAST_DOMAINS = 5
SPAM_SHARE = 0.05
SPAM_REJECT = 0.2
SPAM_ANCHORS = 3
LEAST_OWN = 3
_SCRIPTS = {
    "ja": frozenset({"Han", "Kana", "Latin"}), "zh": frozenset({"Han", "Latin"}),
    "ko": frozenset({"Hangul", "Han", "Latin"}), "th": frozenset({"Thai", "Latin"}),
    "el": frozenset({"Greek", "Latin"}), "he": frozenset({"Hebrew", "Latin"}),
    **dict.fromkeys(("ru", "uk", "bg", "sr", "mk", "be"), frozenset({"Cyrillic", "Latin"})),
    **dict.fromkeys(("ar", "fa", "ur"), frozenset({"Arabic", "Latin"})),
    **dict.fromkeys(("hi", "mr", "ne"), frozenset({"Devanagari", "Latin"})),
}  # fmt: skip
_LATIN = frozenset({"Latin"})
_SCRIPT_NAMES = {"Han": "Chinese characters", "Kana": "Japanese characters"}
_HOST_END = re.compile(r"(?<=.)\.[a-z]{2,}+(?:/|$)")
# Words that links in any language are made of.
_GENERIC_WORDS = (
    "here click link website site web homepage home page read more source visit this www http https url image"
    " img no text empty anchor untitled logo hier aqui ici qui blog view"
)
_GENERIC = frozenset(_GENERIC_WORDS.split())


@dataclass(frozen=True, slots=True)
class Anchor:
    """One link text and from how many domains it comes."""

    text: str
    referring_domains: int


def read_anchors(items: Iterable[object] | None) -> tuple[Anchor, ...] | None:
    """A metric's anchors `{text, referring_domains}`, most domains first; None when nobody was asked.

    Items of another shape are left out.
    """
    if items is None:
        return None
    found = [
        Anchor(str(item.get("text") or ""), count)
        for item in items
        if isinstance(item, Mapping) and isinstance(count := item.get("referring_domains"), int) and count > 0
    ]
    return tuple(sorted(found, key=lambda anchor: (-anchor.referring_domains, anchor.text)))


def spam_share(anchors: Iterable[Anchor] | None, is_spam: Callable[[str], bool]) -> float | None:
    """Share of referring domains whose anchor is spam, 0–1; None with unknown anchors, 0 with none."""
    if anchors is None:
        return None
    known = list(anchors)
    total = sum(anchor.referring_domains for anchor in known)
    bad = sum(anchor.referring_domains for anchor in known if is_spam(anchor.text))
    return round(bad / total, 4) if total else 0.0


def spam_anchors(anchors: Iterable[Anchor] | None, is_spam: Callable[[str], bool]) -> Finding | None:
    """Links bought or planted with spam words.

    Severity 3 (rejects) from SPAM_REJECT of the referring domains and LEAST_DOMAINS of them: such a name was worked
    with. Severity 2 (a second look) from SPAM_SHARE and SPAM_ANCHORS: anyone can point a few at an honest site.
    """
    known = list(anchors or ())
    share = spam_share(known, is_spam) or 0.0
    bad = [anchor for anchor in known if is_spam(anchor.text)]
    domains, total = (sum(anchor.referring_domains for anchor in each) for each in (bad, known))
    if share < SPAM_SHARE or domains < SPAM_ANCHORS:
        return None
    return Finding(
        "spam_anchors",
        3 if share >= SPAM_REJECT and domains >= LEAST_DOMAINS else 2,
        f"{domains:,} of the {total:,} referring domains whose link texts we know ({share:.0%}) link with spam words,"
        f" such as “{shortened(bad[0].text, 80)}”.",
        zone="anchor",
        quote=shortened(bad[0].text, QUOTE_CHARS),
    )


def anchor_foreign(
    anchors: Iterable[Anchor] | None, language: str | None, domain: str, earlier: Iterable[str] = ()
) -> Finding | Unfound:
    """Whether the domain is linked to in a language that its site never spoke.

    Links made for an `earlier` site in its own language are no foreign ones: that change is a flag of its own.

    Anchors that are addresses, generic words, numbers or the domain's own words in any order do not count. Unknown
    without anchors, without the site's language, or with fewer than LEAST_DOMAINS domains to judge by (asked and
    none at all is clean).
    """
    if anchors is None or language is None:
        return UNKNOWN
    known = list(anchors)
    telling = [anchor for anchor in known if _tells(anchor.text, domain)]
    total = sum(anchor.referring_domains for anchor in telling)
    if not telling:
        return CLEAN
    if total < LEAST_DOMAINS:
        return UNKNOWN
    own = {language, *earlier}
    other_script = [anchor for anchor in telling if in_other_script(anchor.text, own)]
    other = [a for a in telling if a in other_script or _speaks_other(a.text, own)]
    for found, least, by_script in ((other_script, FOREIGN_SCRIPT, True), (other, FOREIGN_LANGUAGE, False)):
        domains = sum(anchor.referring_domains for anchor in found)
        if domains >= LEAST_DOMAINS and domains / total >= least:
            names = list(dict.fromkeys(_written_in(a.text, by_script or a in other_script) for a in found))
            spoken = listed([language_name(code) for code in sorted(own)])
            return Finding(
                "anchor_foreign",
                2,
                f"{domains} of the {total} referring domains with meaningful link texts link in {listed(names)}. The"
                f" site was never in {'it' if len(names) == 1 else 'them'}: it was in {spoken}. One link says"
                f" “{shortened(found[0].text, 80)}”.",
                zone="anchor",
                quote=shortened(found[0].text, QUOTE_CHARS),
            )
    return CLEAN


def in_other_script(text: str, languages: Iterable[str]) -> bool:
    """Whether a link text stands in letters that none of these languages is written in."""
    native = frozenset[str]().union(*(_SCRIPTS.get(code, _LATIN) for code in languages))
    script = main_script(text)
    return script is not None and script not in native


def _written_in(text: str, by_script: bool) -> str:
    """The name of a text's script, or of the language that its small words speak for most."""
    if by_script:
        script = main_script(text) or ""
        return _SCRIPT_NAMES.get(script, f"{script} letters")
    scores = small_words(text, pieces_too=False)
    return language_name(max(scores, key=lambda code: (scores[code], code)))


def _is_url(text: str) -> bool:
    """Whether lower-case text without outer blanks is an address, with or without its scheme."""
    return text.startswith(("http:", "https:", "www.")) or (
        len(text.split()) == 1 and _HOST_END.search(text) is not None
    )


def _tells(text: str, domain: str) -> bool:
    stripped = text.strip().lower()
    if not stripped or _is_url(stripped) or main_script(stripped) is None:
        return False
    own = re.sub(r"[^a-z0-9]", "", domain.partition(".")[0])
    if own and own in re.sub(r"[^a-z0-9]", "", stripped):
        return False
    words = set(re.findall(r"\w+", stripped))
    return not all(word in _GENERIC or (len(word) >= LEAST_OWN and word in own) for word in words)


def _speaks_other(text: str, own: Iterable[str]) -> bool:
    """Small words or letters that another language has and the site's languages have not."""
    scores = small_words(text, pieces_too=False)
    best = max(scores.values(), default=0.0)
    return best >= 0.7 and all(scores.get(code, 0.0) < best / 2 for code in own)
