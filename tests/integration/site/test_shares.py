"""A percentage of links never stands alone: the same sentence says of how many it is."""

from __future__ import annotations

import re

import pytest

from tests.support import told_reports
from tests.support.browser import Browser, words
from tests.support.service import Service, row

_SHARE = re.compile(r"\d+(?:\.\d)?%(?! off)[^.%]*")


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("path", ["/domains/turned.com", "/domains?open=turned.com", "/compare?d=turned.com"])
async def test_every_share_of_links_has_its_base(
    service: Service, browser: Browser, path: str, single: bool
) -> None:
    made = told_reports.row_values(told_reports.turned())
    made["report"]["metrics"] |= {"backlinks": 1584}
    made["report"]["anchors"]["spam_share"] = 0.125
    if single:
        made["report"]["links"] = [
            {
                "domain": "a.org",
                "text": "x",
                "target": None,
                "first_seen": None,
                "last_seen": None,
                "era": None,
            }
        ]
    await service.show(row("turned.com", **made))
    await browser.sign_in("pro")
    said = words(await browser.get(path))
    shares = [each for each in _SHARE.findall(said) if "link" in each or "earned" in each]
    assert shares
    whole = "the 488 links we know" + ("" if single else " by text") + ", of 1,584 in all"
    assert all(whole in each or "links known by text" in each or "were earned by" in each for each in shares)
    if path == "/domains/turned.com":
        assert f"Of {whole}, 268 (55%) were earned by" in said
        assert "Nobody knows who earned the other 157 (32%)." in said
        assert "spam words in 12.5% of the 488 links known by text" in said
