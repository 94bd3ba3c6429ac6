"""`afterdrop demo` and `sandbox`: the invented internet, alone or with service, worker and domains in every list."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from afterdrop.cli import console, demo_desk, demo_reviews
from afterdrop.cli.bootstrap import run_service, stop_on_signals, worker_context
from afterdrop.cli.console import line
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.json_shapes import instant
from afterdrop.core.settings import Settings
from afterdrop.core.settings_file import load
from afterdrop.core.settings_sections import Log

if TYPE_CHECKING:
    from afterdrop.sandbox.expected import ExpectedWorld
    from afterdrop.worker_context import WorkerContext


def sandbox(
    seed: Annotated[int, typer.Option(help="Another seed gives other domains.")] = 1,
    size: Annotated[int, typer.Option(min=1, help="How many domains it has.")] = 250,
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Its first port, followed by the next ones; 0 picks free ones."),
    ] = 0,
    data_dir: Annotated[
        Path | None, typer.Option(help="A folder for the sandbox's day and its truth.")
    ] = None,
    settings_out: Annotated[
        Path | None, typer.Option(help="Write a settings file there with which the service uses the sandbox.")
    ] = None,
    ready_file: Annotated[Path | None, typer.Option(help="Write the address there once it answers.")] = None,
) -> None:
    """Serve a world of invented domains on 127.0.0.1 until interrupted."""
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve_sandbox(seed, size, port, data_dir, settings_out, ready_file))


async def _serve_sandbox(
    seed: int, size: int, port: int, data_dir: Path | None, settings_out: Path | None, ready_file: Path | None
) -> None:
    from afterdrop.sandbox import settings_toml, start

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with start(seed, size, port, data_dir=data_dir) as running:
        if settings_out is not None:
            _write(settings_out, settings_toml(running))
        line(f"sandbox of {size} domains (seed {seed}, day {running.world.day}) on {running.url}")
        line(f"truth: {running.url}/_sandbox/truth   log: {running.url}/_sandbox/log")
        if ready_file is not None:
            _write(ready_file, running.url + "\n")
        await stop.wait()


def _write(file: Path, text: str) -> None:
    """Write a file in one step, so that a process that waits for it never reads half of it."""
    part = file.with_name(file.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)


_NOTICE: Final = "A demo: every name here is invented, and names of your own cannot be checked."
_EARLIER_DAYS: Final = 3
# World, accounts, reviews, a scan a day and today's, registries, desk.
_STEPS = 6 + _EARLIER_DAYS
_SHOWN: Final = 5
# Events of real feeds that the made-up days lack.
DEMO_SCENES: Final = ("closeouts", "may_drop")


@dataclass(frozen=True, slots=True)
class Choice:
    """The options of a demo: its world, the file for its keys, and a file of reviews if it only makes those."""

    size: int
    seed: int
    credentials: Path | None
    reviews_out: Path | None


def demo(
    data_dir: Annotated[
        Path | None, typer.Option(help="The folder for the data; by default a temporary one.")
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the service; 0 picks a free one.")
    ] = 8000,
    size: Annotated[int, typer.Option(min=1, help="How many domains the sandbox has.")] = 450,
    seed: Annotated[
        int, typer.Option(help="Another seed gives other domains; it takes longer to start.")
    ] = 1,
    credentials: Annotated[
        Path | None, typer.Option(help="A file to which addresses and keys are written as JSON.")
    ] = None,
    reviews_out: Annotated[
        Path | None,
        typer.Option(help="Review every name now, write the reviews to this file for later demos, and stop."),
    ] = None,
) -> None:
    """Start a small internet of invented domains, scan it, and serve the result until you stop it."""
    chosen = Choice(size, seed, credentials, reviews_out)
    with contextlib.ExitStack() as stack:
        folder = data_dir or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="afterdrop-demo-")))
        folder.mkdir(parents=True, exist_ok=True)
        try:
            run_service(_demo(folder, port, chosen))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


async def _demo(folder: Path, port: int, chosen: Choice) -> None:
    from afterdrop.cli.sockets import bind_socket
    from afterdrop.sandbox.vendor_server import KEYS

    os.environ.update(KEYS)
    # SIGTERM counts as Ctrl-C until the service handles both, so that the sandbox's process and the temporary folder
    # are removed too. (It is not passed on as SIGINT, which a shell's background jobs ignore.)
    this = asyncio.current_task()
    assert this is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    # Warnings and alarms about invented days would bury what a person needs; Operator and `status` show
    # them.
    console.set_up_logs(Log(level="error"), service=True)
    logging.getLogger("afterdrop.operator").setLevel(logging.CRITICAL)
    with bind_socket("127.0.0.1", port, "another --port (with make: PORT=8001)") as server_socket:
        await _run(folder, server_socket, chosen, clock.monotonic())


async def _run(folder: Path, server_socket: socket.socket, chosen: Choice, started: float) -> None:
    from afterdrop.cli.scan import show_list

    async with AsyncExitStack() as stack:
        with console.progress_meter(f"1 of {_STEPS}: making an internet of invented domains") as meter:
            sandbox = await stack.enter_async_context(_sandbox(folder, chosen.size, chosen.seed))
            # Write the demo's settings file: the sandbox's, with the address and folder of this service.
            port = server_socket.getsockname()[1]
            file = folder / "afterdrop.toml"
            own = (
                f'site_url = "http://127.0.0.1:{port}"\n'
                f'data_dir = "{folder.as_posix()}"\n'
                f'site = {{ show_rejections = true, visitor_checks = 20, notice = "{_NOTICE}" }}\n'
                # Receivers are on loopback too; a delivery that fails has failed for good within seconds.
                "webhook = { allow_loopback = true, retry_waits = [1, 2, 4] }\n"
                + sandbox.settings.read_text(encoding="utf-8")
            )
            file.write_text(own, encoding="utf-8")
            settings = load(file=file)
            context = await stack.enter_async_context(worker_context(settings))
            meter.begin(f"2 of {_STEPS}: making accounts")
            accounts = await demo_desk.make_accounts(context.database, settings, clock.now())
            await _fill(context, sandbox, chosen, accounts["accounts"]["pro"]["email"], meter)
            if chosen.reviews_out is not None:
                count = await demo_reviews.write(context, chosen.reviews_out, chosen.seed)
        if chosen.reviews_out is not None:
            console.line(f"{count} reviews written to {chosen.reviews_out}")
            return
        await show_list(context, _SHOWN)
        console.note(f"ready after {clock.monotonic() - started:.0f} s")
        await _serve(context, server_socket, sandbox.url, accounts, chosen.credentials)


async def _fill(
    context: WorkerContext, sandbox: SandboxProcess, chosen: Choice, email: str, meter: console.ProgressMeter
) -> None:
    """Fill the lists, and a member's desk."""
    first = clock.now() - timedelta(days=_EARLIER_DAYS)
    await demo_desk.watch_for_names(context, sandbox.url, email, first)
    async with context.fetcher.session.put(f"{sandbox.url}/_sandbox/faults", json=DEMO_SCENES) as answer:
        answer.raise_for_status()
    if chosen.reviews_out is None:
        meter.begin(f"3 of {_STEPS}: storing reviews that were made ahead")
        day = date.fromisoformat((await _truth(context, sandbox))["day"])
        found = demo_reviews.read(chosen.seed, day, context.settings.archive.replay_url)
        await demo_reviews.store(context, found, first)
    await _run_days(context, sandbox, meter)
    if chosen.reviews_out is None:
        meter.begin(f"{_STEPS} of {_STEPS}: filling the desk of a member")
        # Names whose links are too weak for any list: only a check reviews them.
        truth = (await _truth(context, sandbox))["domains"]
        await demo_desk.fill_desk(
            context, email, [domain for domain, each in truth.items() if each["outcome"] == "below_filter"]
        )


async def _truth(context: WorkerContext, sandbox: SandboxProcess) -> ExpectedWorld:
    async with context.fetcher.session.get(f"{sandbox.url}/_sandbox/truth") as answer:
        truth: ExpectedWorld = await answer.json()
    return truth


@dataclass(frozen=True)
class SandboxProcess:
    """A running sandbox process: its address and the settings file that it wrote."""

    url: str
    settings: Path


@asynccontextmanager
async def _sandbox(folder: Path, size: int, seed: int) -> AsyncIterator[SandboxProcess]:
    """Run `afterdrop sandbox` as a process of its own, so that the service meets it over the network only."""
    ready, settings = folder / "sandbox.ready", folder / "sandbox.toml"
    ready.unlink(missing_ok=True)
    options = {"--seed": seed, "--size": size, "--settings-out": settings, "--ready-file": ready}
    words = [str(word) for pair in options.items() for word in pair]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afterdrop", "sandbox", *words, "--data-dir", str(folder / "sandbox"),
        stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        while not ready.exists():
            if process.returncode is not None:
                raise AfterdropError("sandbox", f"did not start (exit code {process.returncode})")
            await asyncio.sleep(0.05)
        yield SandboxProcess(ready.read_text(encoding="utf-8").strip(), settings)
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def _run_days(context: WorkerContext, sandbox: SandboxProcess, meter: console.ProgressMeter) -> None:
    """Run scans and re-checks for three earlier days, then for today; the sandbox's clock follows."""
    from afterdrop.catalogue.availability.recheck import recheck
    from afterdrop.scan.run import run_scan

    today = clock.now()
    for back in range(_EARLIER_DAYS, 0, -1):
        moment = today - timedelta(days=back)
        await _set_sandbox_time(context, sandbox, moment)
        then = context.at(lambda at=moment: at)  # type: ignore[misc]  # binds this loop's value
        meter.begin(f"{3 + _EARLIER_DAYS - back + 1} of {_STEPS}: scanning {moment:%Y-%m-%d}")
        await run_scan(then, progress=meter.show)
        await recheck(then)
    await _set_sandbox_time(context, sandbox, None)
    meter.begin(f"{_STEPS - 2} of {_STEPS}: scanning today")
    await run_scan(context, progress=meter.show)
    meter.begin(f"{_STEPS - 1} of {_STEPS}: asking the registries")
    await _announce_available(context)
    # Mark today's scan as done, so that the timetable does not run a second one.
    from afterdrop.queue import job_runs
    from afterdrop.queue.timetable import jobs, last_moment

    now = context.now()
    scan = jobs(context.settings.scan.hour)[0]
    run = job_runs.JobRun(scan.name, last_moment(scan, now), context.worker)
    async with context.database.write() as conn:
        await job_runs.take(conn, run, now, context.lease)
        await job_runs.finish(conn, run, now)


async def _set_sandbox_time(context: WorkerContext, sandbox: SandboxProcess, moment: datetime | None) -> None:
    at = None if moment is None else {"now": instant(moment)}
    async with context.fetcher.session.put(f"{sandbox.url}/_sandbox/now", json=at) as answer:
        answer.raise_for_status()


async def _announce_available(context: WorkerContext) -> None:
    """Ask the registries twice, with the required gap between, so that dropped names are announced as available."""
    from afterdrop.catalogue.availability.recheck import recheck

    await recheck(context)
    await asyncio.sleep(context.settings.registry.announce_gap_seconds + 1)
    await recheck(context)


async def _serve(
    context: WorkerContext,
    server_socket: socket.socket,
    sandbox_url: str,
    accounts: demo_desk.DemoAccounts,
    credentials: Path | None,
) -> None:
    from afterdrop.cli.serve import serve_http
    from afterdrop.worker.wiring import make_worker

    settings, stop = context.settings, asyncio.Event()
    stop_on_signals(stop)  # otherwise SIGTERM would end this process and leave the sandbox's running
    working = asyncio.create_task(make_worker(context, stop).run())
    answering = asyncio.create_task(serve_http(settings, context.database, server_socket, stop))
    try:
        await _wait_until_answering(settings, answering)
        if credentials is not None:
            import orjson

            content = {
                "base_url": settings.base_url,
                "site_url": settings.site_url,
                "sandbox_url": sandbox_url,
                **accounts,
            }
            part = credentials.with_name(credentials.name + f".{secrets.token_hex(4)}")
            part.touch(mode=0o600)
            part.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2))
            part.replace(credentials)
        link = await demo_desk.sign_in_link(context, accounts["accounts"]["pro"]["email"])
        for text in demo_desk.next_steps(settings, accounts, link, sandbox_url):
            console.line(text)
        await asyncio.wait([working, answering], return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop.set()
        await answering
        await working


async def _wait_until_answering(settings: Settings, answering: asyncio.Task[None]) -> None:
    """Wait until the service answers. This request passes by our own guard, which refuses loopback addresses."""
    import aiohttp

    async with aiohttp.ClientSession() as session:
        while not answering.done():
            with contextlib.suppress(OSError, aiohttp.ClientError):
                async with session.get(f"{settings.base_url}/openapi.json") as answer:
                    if answer.status == 200:
                        return
            await asyncio.sleep(0.1)
    answering.result()
    raise AfterdropError(settings.site_url, "the service ended before it answered")
