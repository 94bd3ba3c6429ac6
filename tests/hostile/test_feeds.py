"""Every hostile feed file is read or refused within its memory and time, and a refusal says what and why."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.hostile.bounded import outcomes

# Containers that are refused as such; what is not here may also be read, with its bad rows counted.
REFUSED = {
    "bombs: zip of zeros, bzip2": "packed with bzip2",
    "bombs: zip of zeros, lzma": "packed with lzma",
    "bombs: a member of 1.3 GB, bzip2": "packed with bzip2",
    "bombs: zip of short lines": "more than 200 times its size",
    "bombs: zip of one long line": "a line longer than",
    "bombs: zip in zip in zip": "holds a zip file",
    "bombs: gzip of gzip of gzip": "holds a gzip file",
    "bombs: bzip2": "holds a bzip2 file",
    "bombs: xz": "holds a xz file",
    "broken: quine": "holds a gzip file",
    "broken: zip of 100,000 empty members": "list of members is longer",
    "csv: a field of 30 MB": "a line longer than",
    "json: deep lists": "a row larger than",
    "json: deep objects": "no JSON array",
    "xml: entities in entities": "document type",
    "xml: an attribute of 30 MB": "a tag or comment longer",
    "xml: a comment of 30 MB": "a tag or comment longer",
    "xml: a name of 30 MB": "a tag or comment longer",
    "xml: many children": "a row with more than",
}


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_every_hostile_feed_is_read_or_refused_in_bounds() -> None:
    found = {outcome.case: outcome for outcome in outcomes("feeds")}
    died = {case: (one.died, one.told) for case, one in found.items() if one.died}
    assert not died
    assert {case: one.grown for case, one in found.items() if one.grown > 150} == {}
    for case, one in found.items():
        assert one.told.startswith(("refused: sample: ", "refused: sample has", "read: ")), (case, one.told)
        assert one.told.isprintable() and len(one.told) < 900, (case, one.told)
    for case, words in REFUSED.items():
        assert words in found[case].told, (case, found[case].told)
    counts = Counter(case.partition(":")[0] for case in found)
    assert all(counts[name] >= 5 for name in ("bombs", "broken", "csv", "money", "json", "xml")), counts
    for name, number in counts.items():
        print(f"{name}: {number} cases, {sum(found[c].seconds for c in found if c.startswith(name)):.1f} s")
