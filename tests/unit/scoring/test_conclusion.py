"""One table says what a domain comes to: its word, its colour, its sentence."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from afterdrop.catalogue.summary import conclusion as of_row
from afterdrop.review.flags.risk_flags import FLAGS
from afterdrop.review.history.life import packed_kinds
from afterdrop.scoring.colours import tone
from afterdrop.scoring.conclusion import (
    CONCLUSIONS,
    VERDICTS,
    conclude,
    grades,
    gravest,
    has_score,
    level,
    levels,
    past_of,
    severities,
    verdict_beside,
)
from afterdrop.scoring.judge import Judgement
from afterdrop.sources.metrics.model import NOTHING_KNOWN
from tests.support.histories import parked, sample
from tests.support.told_reports import casino, judged, metrics, nothing, row_values, steady, turned

SCORES = {"none": None, "under": 44, "low": 45, "mid": 60, "high": 75}
FLAGGED: dict[str, dict[str, str]] = {
    "none": {}, "minor": {"gap": "info"}, "caution": {"topic_change": "risk"},
    "serious": {"gap": "info", "anchor_foreign": "risk"},
}  # fmt: skip
# Standing, past, gravest flag, verdict, band -> conclusion and colour; `*` is any. The first line that fits holds.
TABLE = """
rejected  *       *        *      *      rejected           bad
unknown   unread  *        *      *      unread             low
unknown   *       *        *      *      unknown            none
scored    *       serious  *      *      serious_risk       bad
scored    unread  *        *      *      unread             low
scored    none    *        *      *      unread             low
scored    bare    *        *      *      nothing_to_revive  low
scored    site    *        *      under  weak               low
scored    site    *        risky  *      second_look        warn
scored    site    *        ok     high   clean              high
scored    site    *        ok     mid    clean              mid
scored    site    *        ok     low    clean              low
scored    site    *        ok     none   clean              low
"""
RULES = [line.split() for line in TABLE.strip().splitlines()]
CELLS = list(
    product(
        ("scored", "rejected", "unknown"),
        ("site", "bare", "unread", "none"),
        FLAGGED,
        ("ok", "risky"),
        SCORES,
    )
)


def expected(cell: tuple[str, ...]) -> tuple[str, str]:
    for *keys, concluded, colour in RULES:
        if all(key in ("*", value) for key, value in zip(keys, cell, strict=True)):
            return concluded, colour
    raise AssertionError(cell)


def test_every_cell_of_the_table() -> None:
    assert len(CELLS) == 3 * 4 * 4 * 2 * 5
    for standing, past, worst, verdict, band in CELLS:
        cell: Any = (standing, SCORES[band], verdict, FLAGGED[worst], past)
        found = conclude(*cell)
        assert (found, tone(found, SCORES[band])) == expected((standing, past, worst, verdict, band)), cell


def test_only_a_clean_name_can_be_green_and_a_serious_flag_never_is() -> None:
    for found, score in product(CONCLUSIONS, range(101)):
        assert tone(found, score) not in ("high", "mid") or found == "clean"
    assert {flag for flag in FLAGS if grades(flag)[0].level == "serious"} == {
        "dr_inflated", "trademark", "anchor_foreign",
    }  # fmt: skip


def test_the_word_of_a_flag_follows_from_what_it_takes_off() -> None:
    for flag in FLAGS:
        found = grades(flag)
        assert [each.level for each in found] == [
            "serious" if each.share >= 0.2 else "caution" if each.share >= 0.1 else "minor" for each in found
        ]
    assert [(each.level, round(each.share, 3)) for each in grades("parked")] == [
        ("caution", 0.1),
        ("minor", 0.04),
    ]
    # A flag is found with no other severity than these, whatever was found.
    assert {len(grades(flag)) for flag in FLAGS if flag != "parked"} == {1}


def test_a_flag_is_as_grave_as_was_found_otherwise_as_usual() -> None:
    new: Any = "of_another_version"
    assert severities(["parked", "trademark", new], {"parked": "risk"}) == {
        "parked": "risk", "trademark": "risk", new: "info",
    }  # fmt: skip
    assert levels(severities(["parked", "gap"], {})) == {"parked": "minor", "gap": "minor"}
    assert level(new, "risk") == "caution"


def test_what_stands_beside_a_score_has_the_colour_of_the_gravest() -> None:
    assert gravest("serious_risk", []) == "serious"
    assert gravest("clean", ["minor", "caution"]) == gravest("second_look", ["minor"]) == "caution"
    assert gravest("clean", ["minor"]) == gravest("clean", []) == "minor"


def test_every_conclusion_has_words_of_its_own() -> None:
    assert len({words.word for words in VERDICTS.values()}) == len(VERDICTS) == 8
    assert all(words.sentence.endswith(".") for words in VERDICTS.values())
    assert [each for each in CONCLUSIONS if not has_score(each)] == ["unread", "rejected", "unknown"]
    assert (verdict_beside("clean"), verdict_beside("weak")) == ("", "Too weak to list")


@pytest.mark.parametrize(
    ("life", "past"),
    [
        ("s200403201509", "site"),
        ("o200403201509h201601201701", "site"),
        ("x201901202001", "site"),
        ("f200403201509h201601201701", "bare"),
        ("e200403201509g201601201701", "bare"),
        ("g201601201701", "unread"),
        ("", "unread"),
    ],
)
def test_what_was_read_of_a_life(life: str, past: str) -> None:
    assert past_of(packed_kinds(life), captured=True) == past
    assert past_of(packed_kinds(life), captured=False) == "none"


def for_sale() -> Judgement:
    """Parked all its life, with links."""
    return judged([sample(f"{year}-03", parked()) for year in range(2005, 2021)], metrics())


def unread() -> Judgement:
    return judged([sample("2010-01", failure="timeout")], metrics())


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (steady, "clean"),
        (turned, "second_look"),
        (casino, "rejected"),
        (nothing, "unknown"),
        (for_sale, "nothing_to_revive"),
        (unread, "unread"),
    ],
)
def test_a_row_of_the_catalogue_is_clean_only_if_it_would_list(
    make: Callable[[], Judgement], found: str
) -> None:
    made = make()
    columns: Any = row_values(made)
    assert of_row(columns, made.standing) == found
    assert found != "clean" or not made.refusals


OF_HISTORY = ("parked", "topic_change", "lang_change", "gap")


def test_a_past_that_could_not_be_read_is_not_clean() -> None:
    made = judged([sample("2010-01", failure="timeout")], NOTHING_KNOWN)
    assert (made.standing, made.history_concludes) == ("unknown", "unread")
    assert {check.result for check in made.checks if check.flag in OF_HISTORY} == {"unknown"}
    assert made.learned_nothing
    assert made.reject_reasons == ["No archived page of it could be read.", "No link figure is known."]
    assert nothing().history_concludes == "unknown"
    assert casino().history_concludes == "rejected"
    assert casino().reject_reasons == [casino().refusals[0].sentence]
    assert steady().history_concludes == "clean"
