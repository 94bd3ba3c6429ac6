"""Marks in a page's source."""

from __future__ import annotations

from afterdrop.review.page.source import marks_of


def test_marks_are_counted_in_any_case_by_name() -> None:
    found = marks_of("<IMG src=a><img src=b><script>ga('UA-1-1')</script>★ <BUTTON>\udc80")
    assert found == {"picture": 2, "script": 1, "google property": 1, "star": 1, "button": 1}
    assert not marks_of("")
