"""The page about own feeds and providers: its files are read by the commands that it names."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from typer.testing import CliRunner

from afterdrop.cli import bootstrap
from afterdrop.cli.commands import app

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "operate" / "sources.md").read_text(encoding="utf-8")
BLOCKS = {name: text for name, text in re.findall(r"^```\w+ ([^\n]+)\n(.*?)^```", PAGE, re.M | re.S)}
PAGES = {
    "1": [{"name": "page-one.com", "id": 7, "price": {"amount": 12.5, "currency": "EUR"}, "bids": 2}],
    "2": [{"name": "page-two.com", "id": 8, "price": {"amount": 1, "currency": "USD"}, "bids": 0}],
}


@asynccontextmanager
async def the_examples() -> AsyncIterator[str]:
    """The marketplace and the vendor of the page, with their keys; yields their origin."""

    async def lots(request: web.Request) -> web.StreamResponse:
        assert request.headers["Authorization"] == "Bearer m-key"
        rows = PAGES.get(request.query["page"], [])
        ends = {"ends": "2026-12-24T18:00:00Z", "link": "https://market.example/7"}
        return web.json_response({"lots": [{**row, **ends} for row in rows]})

    async def metrics(request: web.Request) -> web.StreamResponse:
        assert request.headers["X-Key"] == "v-key"
        known = {"alpine-hut.com": {"rating": 34, "links": 120}}
        asked = request.query["domains"].split(",")
        return web.json_response(
            {"results": [{"domain": each, **known[each]} for each in asked if each in known]}
        )

    served = web.Application()
    served.add_routes([web.get("/api/lots", lots), web.get("/metrics", metrics)])
    runner = web.AppRunner(served, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the page, in a folder."""
    for name, text in BLOCKS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AFTERDROP_AUDIENCE", "team")
    monkeypatch.setattr(bootstrap.chosen, "settings", None)
    monkeypatch.setenv("MARKET_KEY", "m-key")
    monkeypatch.setenv("VENDOR_KEY", "v-key")
    return tmp_path


async def test_the_pages_examples_are_read_as_it_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)  # a file's own paths follow the file
    async with the_examples() as origin:
        monkeypatch.setenv("AFTERDROP_TRUSTED_ORIGINS", origin)
        monkeypatch.setenv("AFTERDROP_PACE__DEFAULT__PER_SECOND", "500")
        monkeypatch.setenv("AFTERDROP_DATA_DIR", str(folder / "data"))
        for name in ("json_market.toml", "vendor.toml"):
            text = re.sub(r"https://(market|vendor)\.example", origin, BLOCKS[name])
            (folder / name).write_text(text, encoding="utf-8")
        await _shown("migrate")
        for command in (name for name in BLOCKS if " try " in name):
            group, verb, file = command.split()
            names = ("alpine-hut.com", "unknown.org") if group == "providers" else ()
            said = await _shown(group, verb, str(folder / file), *names)
            for expected in BLOCKS[command].splitlines():
                assert expected in said, said


async def _shown(*words: str) -> str:
    ran = await asyncio.to_thread(CliRunner().invoke, app, list(words))
    assert ran.exit_code == 0, ran.output
    return ran.stdout


def test_the_values_of_the_csv_are_what_they_mean(folder: Path) -> None:
    shown = CliRunner().invoke(app, ["feeds", "try", "csv_market.toml"]).stdout.splitlines()
    first = next(line for line in shown if "alpine-hut.com" in line).split("\t")
    assert first[1:8] == [
        "alpine-hut.com", "auction", "1250.50", "EUR", "1204", "2026-12-24T17:00:00Z", "domain_rating=34"
    ]  # fmt: skip


async def test_a_wrong_parameter_reads_the_first_page_alone_and_a_wrong_path_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with the_examples() as origin:
        monkeypatch.setenv("AFTERDROP_TRUSTED_ORIGINS", origin)
        monkeypatch.setenv("AFTERDROP_PACE__DEFAULT__PER_SECOND", "500")
        plain = BLOCKS["json_market.toml"].replace("https://market.example/api", f"{origin}/api")
        own = folder / "own.toml"
        one = plain.replace('query = "page"', 'query = "p"').replace("/api/lots", "/api/lots?page=1")
        own.write_text(one, encoding="utf-8")
        shown = await _shown("feeds", "try", "own.toml")
        assert "page-one.com" in shown and "page-two.com" not in shown
        own.write_text(plain.replace('path = "lots"', 'path = "rows"'), encoding="utf-8")
        ran = await asyncio.to_thread(CliRunner().invoke, app, ["feeds", "try", "own.toml"])
        assert "has no list of rows at 'rows'" in str(ran.exception), ran.output
