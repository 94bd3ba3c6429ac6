"""Attacks on accounts against a started service, bounded in memory and time."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.hostile.accounts import OWNER, PASSWORD, TOKENS, Attack, attacks, odd_fields
from tests.support.running import run
from tests.support.speed import slowness
from tests.support.started import Started, started

pytestmark = [pytest.mark.long, pytest.mark.timeout(3_600)]

MOST_MIB = 400
# Of processor time, the start included: a password that is looked at costs some 0.2.
MOST_SECONDS = 60


@dataclass
class Attacker:
    """A client that may say where it comes from: the service trusts the proxy it stands in for."""

    service: Started
    http: httpx2.AsyncClient
    csrf: str = ""

    async def open(self, path: str) -> httpx2.Response:
        """Open a page and take its form token."""
        page = await self.http.get(self.service.url + path, headers={"X-Forwarded-For": "192.0.2.1"})
        found = re.search(r'name="csrf" value="([^"]+)"', page.text)
        self.csrf = found.group(1) if found else self.csrf
        return page

    async def send(self, path: str, fields: dict[str, str], host: str = "192.0.2.1") -> int:
        """Send a form from an address; the status of the answer."""
        answer = await self.http.post(
            self.service.url + path, data={**fields, "csrf": self.csrf}, headers={"X-Forwarded-For": host}
        )
        return answer.status_code

    def bounded(self) -> None:
        """What an attack may cost."""
        assert self.service.peak_mib < MOST_MIB
        assert self.service.cpu_seconds < MOST_SECONDS * slowness()
        print(f"{self.service.peak_mib} MiB, {self.service.cpu_seconds:.1f} s")


@asynccontextmanager
async def attacked(folder: Path) -> AsyncIterator[Attacker]:
    """A service with the owner's account, made and given its password over its own forms."""
    async with (
        started(
            folder,
            "--no-worker",
            AFTERDROP_TRUSTED_PROXIES="127.0.0.1",
            AFTERDROP_DATABASE_URL=f"sqlite:///{folder}/afterdrop.sqlite3",
        ) as service,
        httpx2.AsyncClient(timeout=150) as http,
    ):
        attacker = Attacker(service, http)
        await attacker.open("/sign-up")
        assert await attacker.send("/sign-up", {"email": OWNER, "password": PASSWORD}) == 200
        yield attacker
        attacker.bounded()


def newest_link(folder: Path) -> str:
    """The link in the newest mail: what the owner alone reads."""
    with closing(sqlite3.connect(f"file:{folder / 'afterdrop.sqlite3'}?mode=ro", uri=True)) as db:
        [text] = db.execute("SELECT text FROM mails ORDER BY id DESC LIMIT 1").fetchone()
    found = re.search(r"https?://[^/\s]+(/(?:verify|reset)/\S+)", text)
    assert found, text
    return found.group(1)


def kept(folder: Path, question: str) -> int:
    """A number from the service's database."""
    with closing(sqlite3.connect(f"file:{folder / 'afterdrop.sqlite3'}?mode=ro", uri=True)) as db:
        return int(db.execute(question).fetchone()[0])


@pytest.mark.parametrize("attack", list(attacks()), ids=lambda attack: attack.name)
async def test_guessing_is_bounded_and_the_owner_still_gets_in(tmp_path: Path, attack: Attack) -> None:
    async with attacked(tmp_path) as attacker:
        await attacker.open("/sign-in")
        right = {"email": OWNER, "password": PASSWORD}
        async with httpx2.AsyncClient(timeout=150) as own:
            mine = Attacker(attacker.service, own)
            await mine.open("/sign-in")
            assert await mine.send("/sign-in", right, "192.0.2.200") == 303
            seen = Counter([await attacker.send("/sign-in", fields, host) for host, fields in attack.guesses])
            assert seen == {422: attack.let_through, 429: len(attack.guesses) - attack.let_through}
            await mine.open("/account/data")
            assert await mine.send("/sign-out", {}, "192.0.2.200") == 303
            await mine.open("/sign-in")
            assert await mine.send("/sign-in", right, "192.0.2.201") == 303, "the owner's own browser"
        if attack.name != "200 addresses":
            stranger = await attacker.send("/sign-in", right, "192.0.2.202")
            assert stranger == 303, "the owner at another machine"


async def test_guesses_at_once_count_as_many(tmp_path: Path) -> None:
    async with attacked(tmp_path) as attacker:
        await attacker.open("/sign-in")
        wrong = {"email": OWNER, "password": "wrong password"}
        seen = Counter(await asyncio.gather(*(attacker.send("/sign-in", wrong) for _ in range(60))))
        assert seen == {422: 5, 429: 55}


async def test_links_used_at_once_count_once(tmp_path: Path) -> None:
    async with attacked(tmp_path) as attacker:
        link = newest_link(tmp_path)
        await attacker.open(link)
        # who signed up in this browser is signed in with it, and led on
        assert set(await asyncio.gather(*(attacker.send(link, {}) for _ in range(20)))) == {303}
        assert kept(tmp_path, "SELECT count(*) FROM accounts WHERE verified_at IS NOT NULL") == 1
        await attacker.open("/forgotten")
        assert await attacker.send("/forgotten", {"email": OWNER}) == 200
        link = newest_link(tmp_path)
        await attacker.open(link)
        chosen = [{"password": f"password number {number}"} for number in range(20)]
        seen = Counter(await asyncio.gather(*(attacker.send(link, each) for each in chosen)))
        assert seen == {303: 1, 410: 19}
        assert kept(tmp_path, "SELECT token_version FROM accounts") == 1


async def test_sign_ups_at_once_make_one_account(tmp_path: Path) -> None:
    async with attacked(tmp_path) as attacker:
        await attacker.open("/sign-up")
        new = {"email": "new@members.example", "password": "a good long password"}
        hosts = [f"198.51.100.{number}" for number in range(12)]
        seen = Counter(await asyncio.gather(*(attacker.send("/sign-up", new, host) for host in hosts)))
        assert seen == {200: 6, 429: 6}
        assert kept(tmp_path, "SELECT count(*) FROM accounts WHERE email = 'new@members.example'") == 1
        assert kept(tmp_path, "SELECT count(*) FROM mails WHERE recipient = 'new@members.example'") == 6


@pytest.mark.parametrize("path", ["/sign-in", "/sign-up", "/forgotten"])
async def test_odd_fields_are_refused_like_wrong_ones(tmp_path: Path, path: str) -> None:
    async with attacked(tmp_path) as attacker:
        await attacker.open(path)
        for number, fields in enumerate(odd_fields()):
            status = await attacker.send(path, fields, f"198.51.100.{number}")
            assert status in (200, 413, 422), (number, status)
    assert "Traceback" not in attacker.service.said


@pytest.mark.parametrize("token", TOKENS)
async def test_a_start_refuses_a_token_that_could_be_guessed(tmp_path: Path, token: str) -> None:
    environ = {"AFTERDROP_OPERATOR_TOKEN": token, "AFTERDROP_DATA_DIR": str(tmp_path / "data")}
    code, said = await run(sys.executable, "-m", "afterdrop", "serve", folder=str(tmp_path), **environ)
    assert code == 2
    assert "environment: AFTERDROP_OPERATOR_TOKEN: must have at least 32 characters" in said
    assert "a" * 10 not in said
    assert not (tmp_path / "data").exists()
