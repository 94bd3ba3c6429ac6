"""Clones: a site's old pages, put up again by who sells links on them.

Pure. A page with several links to a trade of which the old one had nothing is not its owner's, whatever its words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from afterdrop.review.page.lexicon import lexicon
from afterdrop.review.page.planted import ANCHOR_WORDS, VISIBLE_STRONG_LINKS
from afterdrop.review.page.values import PageReading


def sold_links(old: PageReading, new: PageReading) -> Mapping[str, str]:
    """The words of links, or their domains, that a page added for trades that are not its own, with each trade.

    Empty where they are fewer than a page of spam has: a club may have a sponsor.
    """
    known = {link.target_domain for link in old.links}
    told = Counter(hit.term.category for hit in lexicon().hits(old.text, None))
    found: dict[str, str] = {}
    for link in new.links:
        if not link.external or link.target_domain in known or len(link.text.split()) > ANCHOR_WORDS:
            continue
        name = link.target_domain.rpartition(".")[0].replace("-", " ").replace(".", " ")
        trades = [hit.term.category for words in (link.text, name) for hit in lexicon().hits(words, None)]
        if trades and told[trades[0]] < VISIBLE_STRONG_LINKS:
            found[link.text.strip() or link.target_domain] = trades[0]
    return found if len(found) >= VISIBLE_STRONG_LINKS else {}
