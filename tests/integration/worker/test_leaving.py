"""`afterdrop worker` in its own process: its first lines, and that SIGTERM stops it gracefully within 10 seconds."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from afterdrop.cli.bootstrap import hang_up
from afterdrop.core import clock
from afterdrop.db.tables.delivery import deliveries
from afterdrop.db.tables.queue import workers
from afterdrop.delivery import events
from tests.support import POSTGRES_IS_LONG, TEST_SECRET, plain_environment, receivers
from tests.support.ports import free_port
from tests.support.receivers import receiver
from tests.support.world import World

# Ten seconds on a calm machine; a busy one took twenty. Whoever waited for the receiver here would take sixty.
LONGEST = 25.0


@asynccontextmanager
async def process(
    url: str, folder: Path, *more: str, **env: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The command, over this database, with nothing else of the machine's settings."""
    plain = plain_environment()
    own = {
        "AFTERDROP_DATABASE_URL": url,
        "AFTERDROP_SECRET_KEYS": TEST_SECRET,
        "AFTERDROP_DATA_DIR": str(folder),
    }
    made = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afterdrop", *more, env={**plain, **own, **env}, cwd=folder,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        # Whoever runs the tests under nohup ignores this signal, and so would every process that they start.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )  # fmt: skip
    try:
        yield made
    finally:
        if made.returncode is None:
            made.kill()
            await made.wait()


async def pending(world: World, url: str, count: int) -> None:
    """Deliveries of an endpoint at `url`, due by the machine's clock."""
    world.now = clock.now()
    account = await world.account()
    await world.endpoint(account, url, last_delivered_at=world.now)
    for number in range(count):
        async with world.database.write() as conn:
            draft = events.EventDraft(account, {"n": number}, f"o{number}")
            await events.record(conn, events.CHECK_COMPLETED, draft, world.now)


@POSTGRES_IS_LONG
@pytest.mark.long
async def test_a_worker_with_deliveries_in_hand_stops_within_ten_seconds(
    world: World, database_url: str, tmp_path: Path
) -> None:
    async with receiver(receivers.hang) as target:
        await pending(world, target.url, 3)
        loopback = {"AFTERDROP_WEBHOOK_ALLOW_LOOPBACK": "1", "AFTERDROP_WEBHOOK__ANSWER_SECONDS": "60"}
        async with process(database_url, tmp_path, "worker", **loopback) as running:
            while len(target.posts) < 3:
                await asyncio.sleep(0.05)
                assert running.returncode is None
            held = await world.rows(deliveries)
            running.send_signal(signal.SIGTERM)
            asked = clock.monotonic()
            out, said = await asyncio.wait_for(running.communicate(), 180)
            took = clock.monotonic() - asked
    assert took <= LONGEST
    assert (running.returncode, out.decode()) == (0, ""), said.decode()
    assert b"WARNING server: webhooks may be delivered to loopback addresses" in said
    assert {row["claimed_by"] for row in held} != {None}
    for row in await world.rows(deliveries):
        assert (row["status"], row["claimed_by"], row["lease_until"]) == ("pending", None, None), "returned"
        assert (row["attempts"], row["tries"]) == (0, 0), "and no attempt is lost"
    [gone] = await world.rows(workers)
    assert gone["stopped_at"] is not None


@POSTGRES_IS_LONG
@pytest.mark.long
async def test_deliveries_that_can_be_finished_are_finished(
    world: World, database_url: str, tmp_path: Path
) -> None:
    async def slowly(_reader: receivers.Reader, writer: receivers.Writer) -> None:
        await asyncio.sleep(2)
        writer.write(receivers.OK)

    async with receiver(slowly) as target:
        await pending(world, target.url, 2)
        env = {"AFTERDROP_WEBHOOK_ALLOW_LOOPBACK": "1"}
        async with process(database_url, tmp_path, "worker", **env) as running:
            while len(target.posts) < 2:
                await asyncio.sleep(0.05)
                assert running.returncode is None
            running.send_signal(signal.SIGTERM)
            await asyncio.wait_for(running.communicate(), LONGEST)
    assert [(row["status"], row["tries"]) for row in await world.rows(deliveries)] == [("delivered", 1)] * 2
    assert len(target.posts) == 2


@POSTGRES_IS_LONG
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_serve_with_its_worker_stops_too(
    world: World, database_url: str, tmp_path: Path, number: signal.Signals
) -> None:
    async with receiver(receivers.hang) as target:
        await pending(world, target.url, 1)
        env = {"AFTERDROP_WEBHOOK_ALLOW_LOOPBACK": "1", "AFTERDROP_WEBHOOK__ANSWER_SECONDS": "60"}
        port = str(free_port())
        async with process(database_url, tmp_path, "serve", "--port", port, **env) as running:
            while not target.posts:
                await asyncio.sleep(0.05)
                assert running.returncode is None
            running.send_signal(number)
            asked = clock.monotonic()
            _, said = await asyncio.wait_for(running.communicate(), 180)
            took = clock.monotonic() - asked
    assert took <= LONGEST and running.returncode == 0
    assert f"{number.name} received: stopping".encode() in said
    assert b"WARNING server: webhooks may be delivered to loopback" in said
    assert {row["claimed_by"] for row in await world.rows(deliveries)} == {None}


async def test_a_closed_terminal_stops_a_worker_unless_nohup_started_it(
    world: World, database_url: str, tmp_path: Path
) -> None:
    async with process(database_url, tmp_path, "worker") as running:
        while not await world.rows(workers):
            await asyncio.sleep(0.1)
            assert running.returncode is None
        running.send_signal(signal.SIGHUP)
        _, said = await asyncio.wait_for(running.communicate(), LONGEST)
    assert running.returncode == 0 and b"SIGHUP received: stopping" in said
    [gone] = await world.rows(workers)
    assert gone["stopped_at"] is not None
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        assert hang_up() == ()
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        assert hang_up() == (signal.SIGHUP,)
    finally:
        signal.signal(signal.SIGHUP, before)


async def test_without_the_setting_loopback_gets_nothing(
    world: World, database_url: str, tmp_path: Path
) -> None:
    async with receiver(receivers.OK) as target:
        await pending(world, target.url, 1)
        async with process(database_url, tmp_path, "worker") as running:
            while not (await world.rows(deliveries))[0]["tries"]:
                await asyncio.sleep(0.1)
                assert running.returncode is None
            running.send_signal(signal.SIGTERM)
            _, said = await asyncio.wait_for(running.communicate(), LONGEST)
    assert b"loopback" not in said
    assert (target.connections, target.posts) == (0, [])
    [row] = await world.rows(deliveries)
    assert (row["status"], row["error"]) == (
        "pending",
        "refused: the host name resolves to an address that is not public",
    )
