"""Every composed page with its label, from which the page model learns, too, and a fingerprint of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from afterdrop.review.page.charset import decode
from afterdrop.review.page.reader import view_page
from afterdrop.review.page.trades import page_words
from tests.unit.review.composed_honest import HONEST
from tests.unit.review.composed_near import NEAR
from tests.unit.review.composed_parked import provider_landers, worded_landers
from tests.unit.review.composed_refused import REFUSED
from tests.unit.review.composed_spam import SPAM
from tests.unit.review.composed_subtle import SUBTLE
from tests.unit.review.fresh import fresh_pages

# The lots of fresh pages that the model has learnt from. The others test it.
LEARNT = 4


def composed_pages() -> Iterator[tuple[str, str, bytes]]:
    """Label, name and bytes of each."""
    for label, pages in (("legit", (*HONEST, *NEAR, *REFUSED)), ("spam", (*SPAM, *SUBTLE))):
        for page in pages:
            yield label, page.name, page.html()
    for lander in (*provider_landers(), *worded_landers()):
        yield "parked", lander.name, lander.body
    for fresh in fresh_pages():
        if fresh.lot <= LEARNT:
            yield fresh.label, f"fresh {fresh.name}", fresh.body


def composed_digest() -> str:
    """A hash of the composed pages' labels and of every phrase that the lists find in them, where, and how telling."""
    digest = hashlib.sha256()
    for label, name, body in composed_pages():
        found = page_words(view_page(decode(body), ""))
        said = sorted(
            f"{trade} {place} {level} {phrase}"
            for trade, tally in found.tallies.items()
            for (place, level), phrases in tally.found.items()
            for phrase in phrases
        )
        digest.update("\n".join((label, name, *said, *sorted(found.publisher_phrases))).encode())
    return digest.hexdigest()
