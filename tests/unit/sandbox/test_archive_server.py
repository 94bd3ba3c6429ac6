"""Replay as those see it who follow a report's links, and the index as the service asks for it."""

from __future__ import annotations

import pytest

from afterdrop.sandbox import archive_server, cdx
from afterdrop.sandbox.captures import Capture
from tests.unit.sandbox.worlds import role, world

CAPTURES = world().captures(role("live_bid"))
PAGE = next(row for row in CAPTURES if row.status == "200" and row.urlkey.endswith(")/"))


def _play(capture: Capture, modifier: str = "", later: int = 0) -> archive_server.ReplayResponse:
    path = f"/{int(capture.timestamp) + later}{modifier}/{capture.original}"
    address = archive_server.parse_address(path)
    assert address is not None
    found = archive_server.nearest(CAPTURES, address, "99991231235959")
    return archive_server.replay_response(found, address, CAPTURES, "http://127.0.0.1:1")


def test_readers_see_a_toolbar_and_links_within_the_archive_and_the_service_the_page() -> None:
    shown = _play(PAGE).body.decode()
    assert "WAYBACK TOOLBAR" in shown
    assert f'href="/web/{PAGE.timestamp}/http' in shown
    assert _play(PAGE, "id_").body == PAGE.page.body


def test_another_time_redirects_to_the_nearest_capture() -> None:
    answer = _play(PAGE, "id_", later=1)
    assert answer.status == 302
    assert answer.headers["Location"] == f"http://127.0.0.1:1/web/{PAGE.timestamp}id_/{PAGE.original}"


@pytest.mark.parametrize("status", ["200", "301", "404"])
def test_what_is_archived_says_so_and_redirects_stay_within_the_archive(status: str) -> None:
    captures = (row for story in world().stories for row in world().captures(story))
    row = next(row for row in captures if row.status == status)
    address = archive_server.ReplayAddress(row.timestamp, "id_", row.original)
    answer = archive_server.replay_response(row, address, (row,), "http://127.0.0.1:1")
    assert answer.status == int(status) and answer.headers["Memento-Datetime"].endswith("GMT")
    inside = f"http://127.0.0.1:1/web/{row.timestamp}id_/{row.page.location}" if status == "301" else None
    assert answer.headers.get("Location") == inside
    missing = archive_server.replay_response(None, address, (), "http://127.0.0.1:1")
    assert missing.status == 404 and "Memento-Datetime" not in missing.headers


def test_addresses_and_times_without_a_capture() -> None:
    assert archive_server.parse_address("/*/http://a.com/") is None
    address = archive_server.ReplayAddress("20300101000000", "id_", f"http://{role('live_bid').domain}/")
    assert archive_server.nearest(CAPTURES, address, "19990101000000") is None


ROWS: list[cdx.Row] = [
    ("com,a)/", "20100105000000", "http://a.com:80/", "text/html", "200", "AAA", "100"),
    ("com,a)/", "20100106000000", "http://a.com/", "warc/revisit", "-", "AAA", "10"),
    ("com,a)/", "20150105000000", "https://a.com/", "text/html", "200", "CCC", "120"),
    ("com,a)/logo.png", "20150105000001", "https://a.com/logo.png", "image/png", "200", "DDD", "900"),
    ("com,a)/news/x", "20150105000002", "https://a.com/news/x", "text/html", "404", "EEE", "60"),
]


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ({"matchType": "exact"}, [0, 1, 2]),
        ({"matchType": "exact", "collapse": "timestamp:6"}, [0, 2]),
        ({"matchType": "exact", "limit": "1"}, [0]),
        ({"matchType": "domain", "from": "2015"}, [2, 3, 4]),
        ({"matchType": "domain", "filter": "!mimetype:(image|video)/.*"}, [0, 1, 2, 4]),
        ({"matchType": "exact", "url": "b.com"}, []),
    ],
)
def test_the_index_answers_what_is_asked(query: dict[str, str], places: list[int]) -> None:
    lines = cdx.answer_query(ROWS, {"url": "a.com", **query}).decode().splitlines()
    assert lines == [" ".join(ROWS[place]) for place in places]
