"""Headers of any size are read or refused in bounded memory."""

from __future__ import annotations

import pytest

from tests.hostile.bounded import outcomes

READ = {
    "four fields of 64 kB": "read: 200, 2 bytes",
    "900 short fields": "read: 200, 2 bytes",
    "a body of 60 MB in chunks": f"read: 200, {60_000 * 1_024} bytes",
    "60 MB of interim answers": "read: 200, 2 bytes",  # each is forgotten when the next comes
}


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_headers_of_any_size_are_read_or_refused_in_bounds() -> None:
    found = {outcome.case: outcome for outcome in outcomes("answers")}
    assert {case: (one.died, one.told) for case, one in found.items() if one.died} == {}
    assert {case: one.grown for case, one in found.items() if one.grown > 30} == {}
    assert {case: one.told for case, one in found.items() if case in READ} == READ
    others = {case: one.told for case, one in found.items() if case not in READ}
    assert {case: told for case, told in others.items() if not told.startswith("refused: ")} == {}
