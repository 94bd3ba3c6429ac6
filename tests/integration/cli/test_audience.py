"""Who uses a deployment: nothing starts before it was said, and every door of a public one refuses own_use sources."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from afterdrop.accounts import members, store
from afterdrop.cli.commands import app
from afterdrop.core import clock
from afterdrop.core.audience import MEMBERS_PLAN, UNSET
from afterdrop.core.errors import SettingsError, SettingsFaults
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from tests.support import TEST_SECRET, kept_releases
from tests.support.ports import free_port

REFUSED = ["feeds: sedo_auctions", "feeds: godaddy_auctions"]
FEEDS = "".join(
    f"[[feeds]]\npreset = '{name}'\n" for name in ("sedo_auctions", "nominet_uk", "godaddy_auctions")
)
PROVIDER = "[[providers]]\npreset = 'majestic'\n[[providers]]\npreset = 'open_pagerank'\n"


def run(folder: Path, *words: str, **environ: str) -> Result:
    """A command in a folder with a settings file."""
    given = {
        "AFTERDROP_SITE_URL": f"http://127.0.0.1:{free_port()}",
        "AFTERDROP_AUDIENCE": "public",
        "AFTERDROP_SETTINGS": str(folder / "afterdrop.toml"),
        "AFTERDROP_SECRET_KEYS": TEST_SECRET,
        **environ,
    }
    return CliRunner(env=given).invoke(app, list(words))


def write(folder: Path, text: str) -> None:
    (folder / "afterdrop.toml").write_text("contact = 'mailto:you@example.org'\n" + text, encoding="utf-8")


@pytest.mark.parametrize("words", [("serve",), ("worker",), ("migrate",), ("scan",), ("feeds", "list")])
def test_nothing_starts_before_somebody_said_who_uses_it(
    tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AFTERDROP_AUDIENCE")
    write(tmp_path, "")
    runner = CliRunner(env={"AFTERDROP_SETTINGS": str(tmp_path / "afterdrop.toml")})
    ended = runner.invoke(app, list(words))
    assert isinstance(ended.exception, SettingsError)
    assert str(ended.exception) == f"audience: {UNSET}"
    assert [path.name for path in tmp_path.iterdir()] == ["afterdrop.toml"], "nothing was made"


@pytest.mark.parametrize(
    "words",
    [
        ("serve",),
        ("serve", "--no-worker"),
        ("worker",),
        ("scan",),
        ("scan", "--dry-run"),
        ("registries",),
    ],
)
def test_every_door_of_a_public_service_refuses_feeds_for_own_use(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    write(tmp_path, FEEDS)
    assert run(tmp_path, "migrate").exit_code == 0
    ended = run(tmp_path, *words)
    assert isinstance(ended.exception, SettingsFaults), ended.output
    assert [where for where, _ in ended.exception.faults] == REFUSED


def test_a_feed_is_not_tried_and_a_provider_not_asked_either(tmp_path: Path) -> None:
    write(tmp_path, PROVIDER)
    assert run(tmp_path, "migrate").exit_code == 0
    tried = run(tmp_path, "feeds", "try", "snapnames_deleting", "--url", "no.csv")
    assert str(tried.exception).startswith("feeds: snapnames_deleting: its licence is for your own use")
    for words in (
        ("serve", "--no-worker"),
        ("status",),
        ("rating", "a.com"),
        ("providers", "try", "majestic", "a.com"),
    ):
        ended = run(tmp_path, *words)
        assert str(ended.exception).startswith("providers: majestic: its licence is"), words
    permitted = PROVIDER.replace("'majestic'\n", "'majestic'\npermission = 'the vendor, 2026'\n")
    write(tmp_path, permitted)
    assert run(tmp_path, "status").exit_code == 0


def test_the_list_of_feeds_and_the_doctor_name_every_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    feeds = FEEDS.replace("[[feeds]]\npreset = 'nominet_uk'\n", "")
    write(tmp_path, feeds + PROVIDER)
    listed = json.loads(run(tmp_path, "feeds", "list", "--json").stdout)
    assert [(feed["name"], feed["usable"]) for feed in listed["configured"]] == [
        ("sedo_auctions", False),
        ("godaddy_auctions", False),
    ]
    assert {feed["name"] for feed in listed["presets"] if feed["usable"]} >= {"nominet_uk", "iis_se"}
    for environ, state in (({"AFTERDROP_AUDIENCE": "public"}, "fails"), ({}, "warns")):
        monkeypatch.setattr("afterdrop.cli.doctor._check_connections", nothing_more)
        monkeypatch.delenv("AFTERDROP_AUDIENCE", raising=False)
        runner = CliRunner(env={"AFTERDROP_SETTINGS": str(tmp_path / "afterdrop.toml"), **environ})
        ended = runner.invoke(app, ["doctor", "--json"])
        assert ended.exit_code == 1
        found = [(one["name"], one["state"]) for one in json.loads(ended.stdout) if one["part"] == "audience"]
        assert found[-3:] == [(name, state) for name in [*REFUSED, "providers: majestic"]]
        assert [name for name, _ in found[:-3]] == ([] if environ else ["none"])


async def nothing_more(*_: object) -> list[object]:
    """What the doctor asks of hosts is tested elsewhere."""
    return []


async def test_a_team_does_not_become_public_and_takes_in_those_who_were_counted(
    tmp_path: Path, database: Database, settings: Settings
) -> None:
    write(tmp_path, f"database_url = '{settings.database_url}'\n")
    async with database.write() as conn:
        for name, operator in (("me", True), ("ann", False), ("bob", False)):
            new = members.NewAccount(f"{name}@b.example", operator=operator)
            await members.create_account(conn, new, now=clock.now(), welcome=0)
    assert (await asyncio.to_thread(run, tmp_path, "status")).exit_code == 0
    for number in ((), ("--accounts", "3")):
        ended = await asyncio.to_thread(run, tmp_path, "migrate", *number, AFTERDROP_AUDIENCE="team")
        assert "2 accounts of others would see everything; `afterdrop migrate --accounts 2`" in str(
            ended.exception
        )
    assert (
        await asyncio.to_thread(run, tmp_path, "migrate", "--accounts", "2", AFTERDROP_AUDIENCE="team")
    ).exit_code == 0
    async with database.read() as conn:
        ann = await members.find_account(conn, "ann@b.example")
    assert ann.plan(clock.now() + MEMBERS_PLAN - timedelta(days=1)) == "pro"
    assert (await asyncio.to_thread(run, tmp_path, "status", AFTERDROP_AUDIENCE="team")).exit_code == 0
    ended = await asyncio.to_thread(run, tmp_path, "status")
    assert str(ended.exception) == (
        "audience: cannot become public: this database is a team's; begin with another data_dir"
    )
    made = await asyncio.to_thread(
        run, tmp_path, "account", "create", "eve@b.example", "--json", AFTERDROP_AUDIENCE="team"
    )
    assert json.loads(made.stdout)["plan"] == "pro"
    async with database.read() as conn:
        assert (await store.read_versions(conn))["audience"] == 1


def test_what_a_public_service_forgets_of_1_x_leaves_no_file_either(tmp_path: Path) -> None:
    rows = kept_releases.kept("1.0.0")
    rows["mails"][0]["reserved"] = True
    kept_releases.begin(f"sqlite+aiosqlite:///{tmp_path}/afterdrop.sqlite3", "1.0.0", rows)
    write(tmp_path, f"data_dir = '{tmp_path}'\n")
    left = [tmp_path / "spool" / "own.csv", *(tmp_path / "lists" / name for name in ("public", "operators"))]
    for file in left:
        file.parent.mkdir(exist_ok=True)
        file.write_text("a.com", encoding="utf-8")
    refused = run(tmp_path, "serve", "--no-worker")
    assert "with `afterdrop migrate --forget-own-use` it is deleted" in str(refused.exception)
    assert all(file.exists() for file in left)
    ended = run(tmp_path, "migrate", "--forget-own-use")
    assert ended.exit_code == 0, ended.exception
    assert "forgotten: 1 mails\n" in ended.stdout
    assert not any(file.exists() for file in left)
