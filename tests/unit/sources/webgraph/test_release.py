"""A release's name, files and time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from afterdrop.sources.webgraph.errors import RanksError
from afterdrop.sources.webgraph.release import (
    file_name,
    file_url,
    release_name,
    release_of_file,
    window_end,
)

RELEASE = "cc-main-2026-apr-may-jun"


@pytest.mark.parametrize(
    "text", ["", "../../etc/passwd", "a/b", "a b", "-a", "a-", "x" * 81, "ü", "a\n", "a.b"]
)
def test_a_name_that_could_lead_elsewhere_is_refused(text: str) -> None:
    if text.strip() == "a":
        assert release_name(text) == "a"
        return
    with pytest.raises(RanksError, match="not a release's name"):
        release_name(text)


def test_names_files_and_addresses() -> None:
    assert release_name(" CC-MAIN-2026-apr-may-jun ") == RELEASE
    assert file_name(RELEASE, "edges") == f"{RELEASE}-domain-edges.txt.gz"
    assert (
        file_url("https://x.example/g/", RELEASE, "ranks")
        == f"https://x.example/g/{RELEASE}/domain/{RELEASE}-domain-ranks.txt.gz"
    )
    assert release_of_file(file_name(RELEASE, "vertices")) == RELEASE
    assert release_of_file("ranks.txt.gz") is None
    assert release_of_file("a b-domain-ranks.txt.gz") is None


@pytest.mark.parametrize(
    ("release", "end"),
    [
        (RELEASE, datetime(2026, 6, 30, 23, 59, 59, tzinfo=UTC)),
        ("cc-main-2025-26-nov-dec-jan", datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC)),
        ("cc-main-2025-nov-dec-jan", datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC)),
        ("cc-main-2024-feb-apr-may", datetime(2024, 5, 31, 23, 59, 59, tzinfo=UTC)),
        ("cc-main-2024-feb", datetime(2024, 2, 29, 23, 59, 59, tzinfo=UTC)),
        ("cc-main-2024-xyz", None),
        ("mine", None),
    ],
)
def test_the_time_of_a_releases_data(release: str, end: datetime | None) -> None:
    assert window_end(release) == end
