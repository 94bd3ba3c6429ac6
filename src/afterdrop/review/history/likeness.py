"""How much two texts of one language have in common.

Pure.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import lru_cache

from afterdrop.review.page.identity import third_parties
from afterdrop.review.page.language import function_words

ENOUGH_WORDS = 30
# From here on two pages of a site share much of their text.
MUCH = 0.4
_WORD = re.compile(r"[^\W\d_]{5,}")
_SIGNS = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]{2,}")
# Two titles or owners that share only these share nothing.
_SHARED = (
    "home homepage welcome index page site website web online official main the and for von der die das und"
    " startseite willkommen accueil bienvenue inicio bienvenido benvenuti pagina main untitled document new"
    " com net org www http https info"
    " mail email contact webmaster admin office blog shop store club news online copyright inc ltd gmbh"
)


@lru_cache(maxsize=1)
def shared_words() -> frozenset[str]:
    """Words that name no one: every language's small words, and those of any site's furniture."""
    return frozenset(_SHARED.split()).union(*function_words().words.values())


def likeness(ours: str, theirs: str) -> float | None:
    """Cosine of two texts' content words (pairs of signs where a script has no blanks), None with too few."""
    left, right = content_words(ours), content_words(theirs)
    if min(left.total(), right.total()) < ENOUGH_WORDS:
        return None
    weights = {word: 1 + math.log(count) for word, count in left.items()}
    other = {word: 1 + math.log(count) for word, count in right.items()}
    dot = sum(weight * other[word] for word, weight in weights.items() if word in other)
    return dot / (_norm(weights) * _norm(other))


@lru_cache(maxsize=32)
def content_words(text: str) -> Counter[str]:
    """Words of five letters and more that are not mere grammar, and pairs of signs of unspaced scripts.

    Without makers' lines and sentences of law, which every owner has from the same makers and lawyers.
    """
    lowered = third_parties().owners_text(text[:40_000]).lower()
    words = Counter(word for word in _WORD.findall(lowered) if word < "\u0e00" and word not in shared_words())
    for run in _SIGNS.findall(lowered):
        words.update(run[at : at + 2] for at in range(len(run) - 1))
    return words


def _norm(weights: dict[str, float]) -> float:
    return math.sqrt(sum(weight * weight for weight in weights.values()))
