"""What became of a name, in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from afterdrop.catalogue.visits import VisitRow
from afterdrop.watching.takeover_words import is_news, passed, spans, status_phrase, status_sentence

BEGAN = datetime(2026, 12, 3, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def visit(kind: str | None = "other", day: int = 0, **more: Any) -> VisitRow:
    row: dict[str, Any] = dict.fromkeys(VisitRow.__annotations__)
    row |= {"domain": "a.com", "began_at": BEGAN, "day": day, "visited_at": BEGAN + day * DAY + DAY / 2}
    return VisitRow(**{**row, "kind": kind, **more})  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"registrar": "X Inc.", "registered_at": BEGAN, "dropped_at": BEGAN - 9 * DAY},
         "Registered again on 3 Dec 2026 at X Inc, 9 days after it dropped."),
        ({"registered_at": BEGAN, "dropped_at": BEGAN - DAY},
         "Registered again on 3 Dec 2026, 1 day after it dropped."),
        ({"registered_at": BEGAN, "dropped_at": BEGAN + DAY / 24},
         "Registered again on 3 Dec 2026, on the day it dropped."),
        ({"dropped_at": BEGAN - DAY}, "A new holder since 3 Dec 2026."),
        ({"registered_at": BEGAN - 5 * DAY, "registrar": "Z"}, "Registered again on 28 Nov 2026 at Z."),
        ({"registrar": "Y", "registered_at": BEGAN - 3000 * DAY}, "A new holder since 3 Dec 2026 at Y."),
    ],
)  # fmt: skip
def test_who_has_it_since_when(more: dict[str, Any], sentence: str) -> None:
    assert passed(visit(**more)) == sentence


def test_a_registration_has_one_date_the_registry_s_in_the_reader_s_zone() -> None:
    row = visit(registered_at=BEGAN - DAY, dropped_at=BEGAN - 2 * DAY)
    late = {**row, "registered_at": datetime(2026, 11, 27, 23, 30, tzinfo=UTC)}
    for each, zone, day in (
        (row, "UTC", "2 Dec"),
        (late, "UTC", "27 Nov"),
        (late, "Europe/Berlin", "28 Nov"),
    ):
        [(at, _)] = spans([each])  # type: ignore[list-item]
        assert passed(each, zone).startswith(f"Registered again on {day} 2026,")  # type: ignore[arg-type]
        assert status_sentence(at, each, zone) == f"Since {day} 2026: another site."  # type: ignore[arg-type]
    assert [at for at, _ in spans([visit("unclear")])] == [BEGAN + DAY / 2], "nothing was seen before"
    handed_on = visit(registered_at=BEGAN - 3000 * DAY)
    assert [at for at, _ in spans([handed_on])] == [BEGAN]


@pytest.mark.parametrize(
    ("kind", "more", "words"),
    [
        ("same", {}, "the same site as before"),
        ("spam", {"category": "gambling"}, "spam (gambling)"),
        ("spam", {}, "spam"),
        ("for_sale", {"price": "USD 900"}, "for sale at USD 900"),
        ("for_sale", {}, "for sale"),
        ("redirected", {"leads_to": "b.com"}, "sends its visitors to b.com"),
        ("redirected", {}, "sends its visitors away"),
        (None, {}, "could not be told"),
    ],
)
def test_what_stands_there(kind: str | None, more: dict[str, Any], words: str) -> None:
    assert status_phrase(visit(kind, **more)) == words


def test_the_reason_stands_where_the_kind_does_not_say_it() -> None:
    at = BEGAN + 9 * DAY
    nothing = visit("nothing", note="no server answers")
    assert status_sentence(at, nothing) == "Since 12 Dec 2026: no site (no server answers)."
    forbidden = visit("unclear", note="robots.txt forbids it")
    assert status_sentence(at, forbidden) == "On 12 Dec 2026 it could not be told (robots.txt forbids it)."
    assert status_sentence(at, visit("parked", note="Bodis")) == "Since 12 Dec 2026: a parking page."


def test_news_is_what_differs_from_what_was_told() -> None:
    assert is_news(visit("spam"), None)
    assert not is_news(visit("nothing"), None)
    assert not is_news(visit("unclear"), visit("spam"))
    assert not is_news(visit("spam", 30), visit("spam"))
    assert is_news(visit("nothing", 30), visit("spam"))
    assert is_news(visit("redirected", leads_to="c.com"), visit("redirected", leads_to="b.com"))


def test_what_stood_there_one_after_the_other() -> None:
    seen = [visit("parked"), visit("unclear", 30), visit("spam", 90), visit("spam", 365)]
    later = visit("same", began_at=BEGAN + 800 * DAY, visited_at=BEGAN + 801 * DAY)
    told_of = [(at, row["kind"], row["day"]) for at, row in spans([later, *reversed(seen)])]
    assert told_of == [
        (BEGAN + 800 * DAY, "same", 0),
        (BEGAN + 90 * DAY + DAY / 2, "spam", 365),
        (BEGAN, "parked", 0),
    ]
    silent = spans([visit("other", 30), visit("unclear")])
    assert [(at, row["kind"]) for at, row in silent] == [(BEGAN + 30 * DAY + DAY / 2, "other")]
    assert spans([]) == []
