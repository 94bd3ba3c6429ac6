"""Hostile registries, index answers and texts are read within bounds, and nothing of them gets where it should not."""

from __future__ import annotations

import pytest

from tests.hostile.bounded import outcomes

MAIL_HEADERS = [
    *(
        "auto-submitted",
        "content-transfer-encoding",
        "content-type",
        "date",
        "from",
        "message-id",
        "mime-version",
    ),
    *("subject", "to", "x-more"),
]


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_every_hostile_answer_is_read_in_bounds() -> None:
    found = {outcome.case: outcome for outcome in outcomes("rdap")}
    assert {case: (one.died, one.told) for case, one in found.items() if one.died} == {}
    assert {case: one.grown for case, one in found.items() if one.grown > 200} == {}
    quick = {
        case: one.seconds for case, one in found.items() if case.startswith("registry") and one.seconds > 3
    }
    assert not quick, "registries' answers are read on the event loop"
    told = {case: one.told for case, one in found.items()}
    for case, words in told.items():
        kind = case.partition(":")[0]
        if kind == "registry":
            count = int(words.split(", ")[1].split()[0])
            assert count <= 2_000, (case, words)
        if kind == "agents":
            assert words == "0 unseen", case
        if kind == "mail":
            assert words.split(":")[0].split() == MAIL_HEADERS, (case, words)
    assert len(told) > 45
