"""Every hostile capture file is read or refused within its memory and time."""

from __future__ import annotations

import pytest

from afterdrop.sources.archive.warc import BODY_BYTES
from tests.hostile.bounded import outcomes

# What must be read, and how: the others are read as far as they go, or refused.
READ = {
    "codings: zstd: 60 GB of zeros": f"{BODY_BYTES} bytes, {{}}",
    "codings: zstd: a window of 2 GB": "broken content coding",
    "codings: br: 300 MB of zeros": f"{BODY_BYTES} bytes, {{}}",
    "codings: nested: four codings around a page": "103 bytes, {}",
    "codings: nested: five codings": "broken content coding",
    "bombs: a header of 4 MB, 100 times": "not_archived, {}",
    "bombs: an address of 60 kB, 6,000 times": "record without a time or a web address: 6000",
    "bombs: 200,000 captures": "the rest was not read': 1",
    "bombs: 6,000 revisits of a long address": "not_archived, {}",
    "revisits: of itself": "not_archived",
    "revisits: of each other": "not_archived",
    "revisits: of one page, 20,000 times": "33 bytes, {}",
}


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_every_hostile_capture_file_is_read_or_refused_in_bounds() -> None:
    found = {outcome.case: outcome for outcome in outcomes("captures")}
    assert {case: (one.died, one.told) for case, one in found.items() if one.died} == {}
    assert {case: one.grown for case, one in found.items() if one.grown > 150} == {}
    assert {case: one.seconds for case, one in found.items() if one.seconds > 10} == {}
    assert all(one.told.startswith(("refused: ", "read: ")) for one in found.values())
    for case, words in READ.items():
        assert words in found[case].told, (case, found[case].told)
