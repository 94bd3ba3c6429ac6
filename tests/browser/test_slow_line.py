"""A page that comes over a slow line in pieces is painted once, and nothing on it moves."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from shutil import copyfile

import pytest
from playwright.async_api import Browser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from afterdrop.web.app import create_app
from tests.browser import conftest
from tests.browser.conftest import IN_CHROMIUM, open_page, served
from tests.browser.test_every_page import SHIFT_NOTICED, WATCH_SHIFTS, shift
from tests.support.rows import NOW

pytestmark = IN_CHROMIUM

PIECE, PAUSE = 3000, 0.03


def in_pieces(app: ASGIApp, pieces: Counter[str]) -> ASGIApp:
    """The same site, whose pages come uncompressed, 3,000 bytes every 30 ms; they are counted by path."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def piecewise(message: Message) -> None:
            body = message.get("body", b"")
            for start in range(0, len(body) - PIECE, PIECE):
                await send({**message, "body": body[start : start + PIECE], "more_body": True})
                await asyncio.sleep(PAUSE)
                pieces[scope["path"]] += 1
            await send(
                {**message, "body": body[max(0, (len(body) - 1) // PIECE * PIECE) :]} if body else message
            )

        if scope["type"] != "http" or scope["path"].startswith("/static/"):
            return await app(scope, receive, send)
        kept = [header for header in scope["headers"] if header[0] != b"accept-encoding"]
        return await app({**scope, "headers": kept}, receive, piecewise)

    return answer


@pytest.mark.parametrize("width", [360, 1280])
async def test_nothing_moves(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sqlite_template: Path, chromium: Browser, width: int
) -> None:
    copyfile(sqlite_template, tmp_path / "site.sqlite3")
    monkeypatch.setattr(conftest, "create_app", lambda context: in_pieces(create_app(context), pieces))
    pieces: Counter[str] = Counter()
    moved: dict[str, object] = {}
    async with served(tmp_path) as site:
        page = await open_page(chromium, site, width=width)
        await page.add_init_script(WATCH_SHIFTS)
        await page.clock.set_fixed_time(NOW)
        await site.sign_in(page, "pro")
        checks = [f"/checks/{site.made[name]}" for name in ("done", "steady", "casino", "nothing")]
        for path in ("/domains", "/domains/available", "/drops", "/account/watchlist", "/desk", *checks):
            await page.goto(site.url + path)
            shifted, what = await shift(page)
            assert pieces[path] > 1, path
            if shifted > SHIFT_NOTICED:
                moved[path] = [shifted, what]
    assert moved == {}
