"""The demo's reviews that were made ahead: moved to another day, and still what a review of the sandbox finds."""

from __future__ import annotations

import lzma
from datetime import date
from pathlib import Path
from typing import Any

import orjson
import pytest

from afterdrop.cli import demo_reviews
from afterdrop.review.history.domain_history import History
from afterdrop.sandbox.world import make_stories

SHIPPED = orjson.loads(lzma.decompress(demo_reviews.FILE.read_bytes()))
ARCHIVE = "http://127.0.0.1:1234/web"
HISTORY: dict[str, Any] = {
    "domain": "old.com",
    "first_year": 2010,
    "good_years": [2010, 2011],
    "captures": 2010,
    "eras": [{"start": "2010-02-28T23:00:00Z", "url": "archive:/20100228230000/https://old.com/2010-02-28x"}],
    "pages": [{"last_capture": "2010-02-28", "timestamp": "20100228230000"}],
    "note": "The page of 2010-12-31 and of 2010-13-99",
}


def written(folder: Path) -> Path:
    made = {"seed": 1, "day": "2026-11-23", "histories": [HISTORY]}
    (folder / "reviews").write_bytes(lzma.compress(orjson.dumps(made)))
    return folder / "reviews"


def test_dates_years_and_links_move_with_the_demos_day(tmp_path: Path) -> None:
    [moved] = demo_reviews.read(1, date(2027, 11, 24), ARCHIVE, written(tmp_path))
    assert moved["first_year"] == 2011
    assert moved["good_years"] == [2011, 2012]
    assert moved["captures"] == 2010
    assert moved["eras"] == [
        {"start": "2011-03-01T23:00:00Z", "url": f"{ARCHIVE}/20110301230000/https://old.com/2010-02-28x"}
    ]
    assert moved["pages"] == [{"last_capture": "2011-03-01", "timestamp": "20110301230000"}]
    assert moved["note"] == "The page of 2012-01-01 and of 2010-13-99"


def test_another_world_has_no_reviews_made_ahead(tmp_path: Path) -> None:
    assert demo_reviews.read(2, date(2026, 11, 23), ARCHIVE, written(tmp_path)) == []
    assert demo_reviews.read(1, date(2026, 11, 23), ARCHIVE, tmp_path / "none") == []


@pytest.mark.parametrize("late", [0, 400])
def test_the_shipped_reviews_are_of_the_demos_names_and_agree_with_its_truth(late: int) -> None:
    """When this fails, the review has learned something: `make demo-reviews` makes them anew."""
    day = date.fromordinal(date.fromisoformat(SHIPPED["day"]).toordinal() + late)
    stories = {story.domain: story for story in make_stories(1, 450, day)}
    histories = [History.from_dict(each) for each in demo_reviews.read(1, day, ARCHIVE)]
    assert len(histories) > 200
    for history in histories:
        story = stories[history.domain]
        told = any(reason.startswith("spam:") and reason != "spam:anchors" for reason in story.reasons)
        assert history.spam == told, history.domain
        sites = [era for era in history.eras if era.owner is not None]
        if not told:
            brands = {era.brand for era in story.eras if era.scene == "site"}
            assert len({era.owner for era in sites}) == len(brands), history.domain
        for page in history.pages:
            assert page.last_capture.replace("-", "") == page.timestamp[:8], history.domain
        seen = history.last_capture
        assert seen is not None and abs((seen - story.eras[-1].end).days) < 400, history.domain
    assert "127.0.0.1" not in orjson.dumps(SHIPPED["histories"]).decode()
