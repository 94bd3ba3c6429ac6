"""`afterdrop providers`: list and try, against the local vendors."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from afterdrop.cli.providers import providers_app
from afterdrop.db.migrate import upgrade
from tests.integration.sources.metrics.vendors import KEYS, Truth, Vendors


@pytest.fixture
def settings_file(tmp_path: Path, vendors: Vendors, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AFTERDROP_AUDIENCE", "team")
    path = tmp_path / "afterdrop.toml"
    host = vendors.url.removeprefix("http://")
    path.write_text(
        f'data_dir = "{tmp_path}"\ntrusted_origins = ["{vendors.url}"]\n'
        f'[pace.hosts."{host}"]\nper_second = 1000\n'
        f'[[providers]]\npreset = "open_pagerank"\nurl = "{vendors.url}/pagerank"\nper_day = 3\n'
        '[[providers]]\npreset = "moz_jsonrpc"\n',
        encoding="utf-8",
    )
    upgrade(
        f"sqlite+aiosqlite:///{tmp_path}/afterdrop.sqlite3"
    )  # spending is counted, so there must be a database
    monkeypatch.setenv("AFTERDROP_SETTINGS", str(path))
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    return path


async def run(*words: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, providers_app, list(words))


async def test_list_says_who_is_ready_and_what_was_spent(settings_file: Path, vendors: Vendors) -> None:
    got = await run("list", "--json")
    rows = [json.loads(row) for row in got.stdout.splitlines()]
    assert [(row["provider"], row["configured"], row["missing"]) for row in rows] == [
        ("open_pagerank", True, []),
        ("moz_jsonrpc", False, ["MOZ_TOKEN"]),
    ]
    text = (await run("list")).stdout
    assert [row["evidence"] for row in rows] == ["code", "code"]
    assert "semrush: documents only" in text
    assert "needs MOZ_TOKEN" in text and "0 of 3" in text and "majestic" in text


async def test_try_shows_values_and_says_when_the_budget_is_used_up(
    settings_file: Path, vendors: Vendors
) -> None:
    vendors.truth = {"a.com": Truth(pagerank=4.2)}
    got = await run("try", "open_pagerank", "A.com", "b.org")
    assert got.exit_code == 0, got.output
    assert "a.com: vendor_d_pagerank 4.2" in got.stdout and "b.org: not known there" in got.stdout
    assert "2 names asked, 2 units; 1 left of the budget" in got.stdout
    assert "  vendor_d_pagerank is read from open_page_rank: 4.2\n" in got.stdout
    assert '  answered: {"domain":"a.com","found":true,"open_page_rank":4.2}' in got.stdout
    again = await run("try", "open_pagerank", "a.com", "b.org", "--json")
    assert again.exit_code == 1
    told = [json.loads(row) for row in again.stdout.splitlines()]
    assert told[0]["written"] == {"vendor_d_pagerank": 4.2}
    assert told[1] == {
        "domain": "b.org", "provider": "open_pagerank", "metrics": None, "written": {}, "answer": None
    }  # fmt: skip
    assert told[-1]["units_left"] == 0
    assert told[-1]["remarks"] == ["names not asked because the budget is used up: 1"]


async def test_try_names_the_missing_key_and_refuses_what_is_no_domain(
    settings_file: Path, vendors: Vendors
) -> None:
    missing = await run("try", "moz_jsonrpc", "a.com")
    assert str(missing.exception) == "moz_jsonrpc: needs MOZ_TOKEN in the environment"
    wrong = await run("try", "open_pagerank", "www.a.com")
    assert "is a host name; the registrable domain is a.com" in str(wrong.exception)
    assert vendors.asked == []
