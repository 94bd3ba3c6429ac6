"""Replay: which capture an address means, and the response."""

from __future__ import annotations

import pytest

from afterdrop.sandbox import archive_server
from afterdrop.sandbox.archive_server import ReplayAddress
from afterdrop.sandbox.captures import Capture
from tests.unit.sandbox.worlds import role, world

ORIGIN = "http://127.0.0.1:1"
STORY = role("live_bid")
CAPTURES = world().captures(STORY)
LATEST = "99991231235959"


def _first(status: str) -> Capture:
    return next(row for row in CAPTURES if row.status == status and row.urlkey.endswith(")/"))


def _play(path: str) -> archive_server.ReplayResponse:
    address = archive_server.parse_address(path)
    assert address is not None
    return archive_server.replay_response(
        archive_server.nearest(CAPTURES, address, LATEST), address, CAPTURES, ORIGIN
    )


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("/20200101id_/http://a.com/x?y=1", ReplayAddress("20200101", "id_", "http://a.com/x?y=1")),
        ("/2020/a.com", ReplayAddress("2020", "", "a.com")),
        ("/2020if_/https:/a.com/", ReplayAddress("2020", "if_", "https://a.com/")),
    ],
)
def test_addresses(path: str, address: ReplayAddress) -> None:
    assert archive_server.parse_address(path) == address


@pytest.mark.parametrize("path", ["/x", "/*/http://a.com/", "/2020id_", ""])
def test_other_paths_are_no_replay_addresses(path: str) -> None:
    assert archive_server.parse_address(path) is None


def test_spellings_of_an_address_share_a_key() -> None:
    assert (
        ReplayAddress("2020", "", "https://www.a.com:80/B?c").key
        == ReplayAddress("2020", "", "a.com/b?c").key
    )


def test_another_time_redirects_to_the_nearest_capture() -> None:
    row = _first("200")
    near = str(int(row.timestamp) + 1)
    answer = _play(f"/{near}id_/{row.original}")
    assert answer.status == 302
    assert answer.headers["Location"] == f"{ORIGIN}/web/{row.timestamp}id_/{row.original}"
    assert answer.headers["X-Archive-Redirect-Reason"] == f"found capture at {row.timestamp}"


@pytest.mark.parametrize("stamp", ["2", "20200", "20209999", "0000"])
def test_odd_times_still_find_something(stamp: str) -> None:
    assert _play(f"/{stamp}id_/http://{STORY.domain}/").status == 302


def test_raw_replay_is_the_body_with_the_original_headers_aside() -> None:
    row = _first("200")
    answer = _play(f"/{row.timestamp}id_/{row.original}")
    assert answer.status == 200
    assert answer.body == row.page.body
    assert answer.headers["Memento-Datetime"].endswith("GMT")
    assert answer.headers["X-Archive-Orig-Content-Length"] == str(len(row.page.body))
    assert 'rel="original"' in answer.headers["Link"]


def test_plain_replay_has_the_toolbar_and_rewritten_links_and_framed_replay_only_these() -> None:
    row = _first("200")
    plain = _play(f"/{row.timestamp}/{row.original}").body.decode()
    framed = _play(f"/{row.timestamp}if_/{row.original}").body.decode()
    assert "WAYBACK TOOLBAR" in plain and "WAYBACK TOOLBAR" not in framed
    assert f'href="/web/{row.timestamp}/http' in plain
    assert f'href="/web/{row.timestamp}if_/http' in framed


def test_a_revisit_replays_the_body_it_repeats() -> None:
    row = _first("-")
    assert _play(f"/{row.timestamp}id_/{row.original}").body == row.page.body


def test_an_archived_redirect_stays_within_the_archive() -> None:
    row = next(row for story in world().stories for row in world().captures(story) if row.status == "301")
    address = ReplayAddress(row.timestamp, "id_", row.original)
    answer = archive_server.replay_response(row, address, (row,), ORIGIN)
    assert answer.status == 301
    assert answer.headers["Location"] == f"{ORIGIN}/web/{row.timestamp}id_/{row.page.location}"
    assert answer.headers["X-Archive-Orig-Location"] == row.page.location


def test_an_archived_404_has_memento_headers_and_a_missing_page_has_none() -> None:
    row = next(row for story in world().stories for row in world().captures(story) if row.status == "404")
    archived = archive_server.replay_response(
        row, ReplayAddress(row.timestamp, "id_", row.original), (row,), ORIGIN
    )
    assert archived.status == 404 and "Memento-Datetime" in archived.headers
    missing = _play("/2020id_/http://never.com/<b>")
    assert missing.status == 404 and "Memento-Datetime" not in missing.headers
    assert b"<b>" not in missing.body


def test_captures_later_than_now_are_not_found() -> None:
    address = ReplayAddress("2030", "id_", f"http://{STORY.domain}/")
    assert archive_server.nearest(CAPTURES, address, "19990101000000") is None


def test_images_are_never_rewritten() -> None:
    row = next(
        row for story in world().stories for row in world().captures(story) if row.mimetype == "image/png"
    )
    answer = archive_server.replay_response(
        row, ReplayAddress(row.timestamp, "", row.original), (row,), ORIGIN
    )
    assert answer.body == row.page.body
