"""Who warns of a trade, teaches about it or finances firms is honest; who sells under such a cover is not."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from afterdrop.review.page.reader import read_page
from afterdrop.review.page.trades import is_spam, is_suspect
from afterdrop.review.page.values import Weighed

PAGES = tomllib.loads(Path(__file__).with_name("lessons.toml").read_text("utf-8"))
SOLD = Weighed(
    points=20, density=8, strong=5, medium=3, guards=6, headed=2, explicit=False, reported=7, words=80
)


def verdict(page: Mapping[str, str]) -> str:
    head = f'<title>{page["title"]}</title><meta name="description" content="{page["description"]}">'
    body = f'<!doctype html><html lang="{page["lang"]}"><meta charset="utf-8">{head}<body>{page["body"]}'
    return read_page(body.encode(), url="http://tarn.example/").verdict


@pytest.mark.parametrize("page", PAGES["honest"], ids=lambda page: page["name"])
def test_who_warns_or_teaches_sells_nothing(page: Mapping[str, str]) -> None:
    assert verdict(page) == "clean"


@pytest.mark.parametrize("page", PAGES["cover"], ids=lambda page: page["name"])
def test_warnings_are_no_cover_for_who_sells(page: Mapping[str, str]) -> None:
    assert verdict(page) == page.get("verdict", "spam")


def test_a_report_is_a_cover_only_where_the_head_sells_and_the_trade_outweighs_it() -> None:
    assert is_spam(SOLD)
    assert is_suspect(SOLD)
    for report in (replace(SOLD, headed=1), replace(SOLD, strong=3), replace(SOLD, guards=9)):
        assert not is_spam(report)
        assert not is_suspect(report)
