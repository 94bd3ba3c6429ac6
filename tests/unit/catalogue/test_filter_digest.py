"""The digest of a filter, which caches use as a key."""

from __future__ import annotations

from datetime import UTC, datetime

from afterdrop.catalogue.lists.filters import ListFilter

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_equal_filters_have_one_digest_and_others_another() -> None:
    one = ListFilter.of(tld=("com", "org"), q="a")
    assert one.digest() == ListFilter.of(tld=("org", "com"), q="a").digest()
    others = [
        ListFilter.of(tld=("com",), q="a"),
        ListFilter.of(tld=("com", "org")),
        ListFilter.of(topic=("com", "org"), q="a"),
        ListFilter.of(tld=("com", "org"), q="a", clean=True),
        ListFilter.of(tld=("com", "org"), q="a", since=NOW),
    ]
    assert len({one.digest(), *(each.digest() for each in others)}) == 6
