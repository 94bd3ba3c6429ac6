"""Several processes over one database: keys, plans and counters agree within a second, and counters survive."""

from __future__ import annotations

import asyncio
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
import sqlalchemy as sa

from afterdrop.accounts import members, store
from afterdrop.accounts.account import Account
from afterdrop.accounts.rate_limit_store import RateLimitStore, prune
from afterdrop.core import clock
from afterdrop.core.plan_limits import Plans
from afterdrop.db.engine import Database
from afterdrop.db.tables.accounts import usage_counters
from tests.support import POSTGRES_IS_LONG
from tests.support.ports import free_port

Node = tuple[str, asyncio.subprocess.Process]


@asynccontextmanager
async def node(url: str) -> AsyncIterator[Node]:
    """A node that answers, as its base address and its process."""
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.integration.web.node", url, str(port)
    )
    base = f"http://127.0.0.1:{port}/api/v1"
    async with httpx2.AsyncClient() as http:
        while not await _answers(http, base):
            assert process.returncode is None, "the node ended before it answered"
            await asyncio.sleep(0.05)
    try:
        yield base, process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            await process.wait()


async def _answers(http: httpx2.AsyncClient, base: str) -> bool:
    try:
        return (await http.get(f"{base}/openapi.json")).status_code == 200
    except httpx2.TransportError:
        return False


@pytest.fixture
async def nodes(database_url: str) -> AsyncIterator[list[str]]:
    """Two nodes over the test's database."""
    async with AsyncExitStack() as stack:
        yield [(await stack.enter_async_context(node(database_url)))[0] for _ in range(2)]


async def member(database: Database, *, pro: bool = True) -> tuple[Account, str, int]:
    """An account, a key of it, and the key's id."""
    now = clock.now()
    async with database.write() as conn:
        account = await members.create_account(
            conn,
            members.NewAccount(
                f"{secrets.token_hex(4)}@nodes.example",
                verified=True,
                plan_until=now + timedelta(days=1) if pro else None,
            ),
            now=now,
            welcome=1,
        )
        issued = await members.issue_key(conn, account.id, "k", entropy=secrets.token_bytes(32), now=now)
    return account, issued.key.text, issued.id


class Asking:
    """Asks nodes with one key."""

    def __init__(self, http: httpx2.AsyncClient, key: str) -> None:
        self.http = http
        self.headers = {"Authorization": f"Bearer {key}"}

    async def me(self, base: str) -> httpx2.Response:
        return await self.http.get(f"{base}/me", headers=self.headers)


async def within_a_second(done: Callable[[], Awaitable[bool]]) -> None:
    """Wait for `done`, at most a second and the time of the slowest answer, which is the machine's share."""
    start, slowest = clock.monotonic(), 0.0
    while True:
        asked = clock.monotonic()
        if await done():
            return
        slowest = max(slowest, clock.monotonic() - asked)
        assert asked - start <= 1.0 + slowest, "not within a second"
        await asyncio.sleep(0.02)


@POSTGRES_IS_LONG
async def test_two_processes_notice_changes_and_share_counters(database: Database, nodes: list[str]) -> None:
    """One test for all, because starting two processes costs more than everything they do."""
    async with httpx2.AsyncClient() as http:
        await _revocation(database, nodes, http)
        await _deletion(database, nodes, http)
        await _counters(database, nodes, http)


async def _revocation(database: Database, nodes: list[str], http: httpx2.AsyncClient) -> None:
    account, key, key_id = await member(database)
    asking = Asking(http, key)

    async def everywhere(status: int, plan: str = "") -> bool:
        answers = [await asking.me(base) for base in nodes]
        plans = {a.json()["data"]["plan"] for a in answers if a.status_code == 200}
        return {a.status_code for a in answers} == {status} and plans <= {plan}

    assert await everywhere(200, "pro")
    async with database.write() as conn:
        await members.set_plan(conn, account.id, None)
    await within_a_second(lambda: everywhere(200, "free"))
    async with database.write() as conn:
        await store.change_account(conn, account.id, verified_at=None)
    await within_a_second(lambda: everywhere(403))
    async with database.write() as conn:
        await members.verify_account(conn, account.id, clock.now())
        await members.revoke_key(conn, account.id, key_id)
    await within_a_second(lambda: everywhere(401))


async def _deletion(database: Database, nodes: list[str], http: httpx2.AsyncClient) -> None:
    """Counters of an account that is gone do not keep the others from being saved."""
    account, key, _ = await member(database)
    asking = Asking(http, key)
    assert [(await asking.me(base)).status_code for base in nodes] == [200, 200]
    async with database.write() as conn:
        await store.delete_account(conn, account.id)

    async def refused() -> bool:
        return [(await asking.me(base)).status_code for base in nodes] == [401, 401]

    await within_a_second(refused)


async def _counters(database: Database, nodes: list[str], http: httpx2.AsyncClient) -> None:
    _, key, _ = await member(database)
    asking = Asking(http, key)
    for _ in range(5):
        for base in nodes:
            assert (await asking.me(base)).status_code == 200
    await asyncio.sleep(1.2)
    today = [(await asking.me(base)).json()["data"]["limits"]["requests_today"] for base in nodes]
    assert today[0] == 11
    assert today[1] in (11, 12)


async def _today(http: httpx2.AsyncClient, base: str, key: str) -> int:
    found: int = (await Asking(http, key).me(base)).json()["data"]["limits"]["requests_today"]
    return found


@POSTGRES_IS_LONG
@pytest.mark.long
@pytest.mark.parametrize(("how", "rest"), [(signal.SIGTERM, 0.0), (signal.SIGKILL, 0.8)])
async def test_me_05_li_06_day_counters_survive_a_restarted_process(
    database: Database, database_url: str, how: signal.Signals, rest: float
) -> None:
    """Told to stop, a process saves everything; killed, it forgets no more than its last half second."""
    _, key, _ = await member(database)
    async with httpx2.AsyncClient() as http:
        async with node(database_url) as (base, process):
            counts = [await _today(http, base, key) for _ in range(7)]
            await asyncio.sleep(rest)
            process.send_signal(how)
            await process.wait()
        async with node(database_url) as (base, _):
            assert [*counts, await _today(http, base, key)] == list(range(1, 9))


async def _room_in_the_minute(seconds: int) -> None:
    """Wait for the next minute when this one ends within `seconds`."""
    left = 60 - clock.now().second
    if left <= seconds:
        await asyncio.sleep(left)


@POSTGRES_IS_LONG
async def test_li_01_li_10_two_nodes_agree_within_a_seconds_traffic(
    database: Database, nodes: list[str]
) -> None:
    """30 a minute on both together: more goes through only while one has not heard of the other, a second at most."""
    _, key, _ = await member(database, pro=False)
    async with httpx2.AsyncClient() as http:
        asking = Asking(http, key)
        assert [(await asking.me(base)).status_code for base in nodes] == [200, 200]
        await _room_in_the_minute(30)
        minute, passed, asked, second = clock.now().minute, 0, 0, 0
        began = clock.monotonic()
        # A busy machine answers fewer in eight seconds than twice what both may let through.
        while clock.monotonic() - began < 8 or (asked <= 60 and clock.monotonic() - began < 25):
            for base in nodes:
                status = (await asking.me(base)).status_code
                asked += 1
                passed += status == 200
            second = second or (asked if clock.monotonic() - began >= 1 else 0)
            await asyncio.sleep(0.1)
        assert clock.now().minute == minute, "the machine is too slow for this test"
        assert asked > 60
        # Exact on one node; two let through at most what came within a second before they agreed.
        assert 28 <= passed <= 30 + second
        assert [(await asking.me(base)).status_code for base in nodes] == [429, 429]


NOW = datetime(2026, 11, 20, 18, tzinfo=UTC)


async def test_counters_survive_a_restart(database: Database) -> None:
    account, _, _ = await member(database)
    plan = Plans().pro
    first, second = RateLimitStore(database), RateLimitStore(database)
    meter = await first.limiter(account.id, NOW)
    for _ in range(7):
        meter.take_request(plan, int(NOW.timestamp()))
    meter.take_lookups(plan, 20, int(NOW.timestamp()))
    await first.save(NOW)
    again = await second.limiter(account.id, NOW)
    assert again.requests_today(int(NOW.timestamp())) == 7
    assert again.lookups_this_hour(int(NOW.timestamp())) == 20
    assert again.take_request(plan, int(NOW.timestamp())).remaining == 112
    await second.save(NOW)
    meter.take_request(plan, int(NOW.timestamp()))
    await first.save(NOW)
    assert meter.requests_today(int(NOW.timestamp())) == 9


async def _fails(*_: object) -> None:
    raise sa.exc.OperationalError("statement", {}, Exception("the database went away"))


async def test_a_failed_round_is_made_up_for(database: Database) -> None:
    account, _, key_id = await member(database)
    usage = RateLimitStore(database)
    meter = await usage.limiter(account.id, NOW)
    meter.take_request(Plans().pro, int(NOW.timestamp()))
    usage.key_used(key_id)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "touch_keys", _fails)
        with pytest.raises(sa.exc.SQLAlchemyError):
            await usage.save(NOW)
    await usage.save(NOW)
    async with database.read() as conn:
        (key,) = await members.list_keys(conn, account.id)
    assert key["last_used_at"] == NOW
    assert (await RateLimitStore(database).limiter(account.id, NOW)).requests_today(int(NOW.timestamp())) == 1


async def test_old_windows_are_pruned(database: Database) -> None:
    account, _, _ = await member(database)
    usage = RateLimitStore(database)
    meter = await usage.limiter(account.id, NOW)
    for ago in (100, 1, 0):
        epoch = int((NOW - timedelta(days=ago)).timestamp())
        meter.take_request(Plans().pro, epoch)
        meter.take_lookups(Plans().pro, 1, epoch)
    await usage.save(NOW)
    async with database.write() as conn:
        assert await prune(conn, NOW) == 2 + 1 + 1
    async with database.read() as conn:
        kept = (await conn.execute(sa.select(usage_counters.c.kind))).scalars().all()
    assert sorted(kept) == ["day", "day", "lookups", "lookups", "minute"]


async def test_a_deleted_accounts_id_is_never_given_away(database: Database) -> None:
    first, _, _ = await member(database)
    async with database.write() as conn:
        await store.delete_account(conn, first.id)
    second, _, _ = await member(database)
    assert second.id > first.id
