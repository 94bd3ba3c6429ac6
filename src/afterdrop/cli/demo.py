"""`afterdrop demo`: sandbox, service and worker in one command, with domains in every list."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import run_service, stop_on_signals, worker_context
from afterdrop.cli.demo_accounts import make_accounts
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings
from afterdrop.core.settings_file import load

if TYPE_CHECKING:
    from afterdrop.worker.context import WorkerContext

_EARLIER_DAYS = 3


def demo(
    data_dir: Annotated[
        Path | None, typer.Option(help="Where the data is kept; by default a temporary folder.")
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the service; 0 picks a free one.")
    ] = 8000,
    size: Annotated[int, typer.Option(min=1, help="How many domains the sandbox has.")] = 250,
    seed: Annotated[int, typer.Option(help="Another seed gives other domains.")] = 1,
    credentials: Annotated[
        Path | None, typer.Option(help="A file to which addresses and keys are written as JSON.")
    ] = None,
) -> None:
    """Start a small internet of invented domains, scan it, and serve the result until you stop it."""
    with contextlib.ExitStack() as stack:
        folder = data_dir or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="afterdrop-demo-")))
        folder.mkdir(parents=True, exist_ok=True)
        try:
            run_service(_demo(folder, port, size, seed, credentials))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


async def _demo(folder: Path, port: int, size: int, seed: int, credentials: Path | None) -> None:
    from afterdrop.cli.sockets import bind_socket
    from afterdrop.sandbox.vendor_server import KEYS

    os.environ.update(KEYS)
    # SIGTERM counts as Ctrl-C until the service handles both, so that the sandbox's process and the temporary folder
    # are removed too. (It is not passed on as SIGINT, which a shell's background jobs ignore.)
    this = asyncio.current_task()
    assert this is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    started = clock.monotonic()
    with bind_socket("127.0.0.1", port) as server_socket:
        await _run(folder, server_socket, size, seed, credentials, started)


async def _run(
    folder: Path, server_socket: socket.socket, size: int, seed: int, credentials: Path | None, started: float
) -> None:
    async with _sandbox(folder, size, seed) as sandbox:
        settings = _settings(folder, sandbox.settings, server_socket.getsockname()[1])
        async with worker_context(settings) as context:
            await _run_days(context, sandbox)
            accounts = await make_accounts(context.database, settings, clock.now())
            console.note(f"ready after {clock.monotonic() - started:.0f} s")
            await _serve(context, settings, server_socket, sandbox.url, accounts, credentials)


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


def _settings(folder: Path, sandbox_settings: Path, port: int) -> Settings:
    """Write the demo's settings file: the sandbox's, with the address and folder of this service."""
    file = folder / "afterdrop.toml"
    own = (
        f'site_url = "http://127.0.0.1:{port}"\n'
        f'data_dir = "{folder.as_posix()}"\n'
        "site = { show_rejections = true, visitor_checks = 20 }\n"
        + sandbox_settings.read_text(encoding="utf-8")
    )
    file.write_text(own, encoding="utf-8")
    return load(file=file)


async def _run_days(context: WorkerContext, sandbox: SandboxProcess) -> None:
    """Run scans and re-checks for three earlier days, then for today; the sandbox's clock follows."""
    from afterdrop.catalogue.recheck import recheck
    from afterdrop.scan.run import run_scan

    today = clock.now()
    for back in range(_EARLIER_DAYS, 0, -1):
        moment = today - timedelta(days=back)
        await _set_sandbox_time(context, sandbox, moment)
        then = context.at(lambda at=moment: at)  # type: ignore[misc]  # binds this loop's value
        with console.progress_meter(f"{moment:%Y-%m-%d}") as meter:
            await run_scan(then, progress=meter.show)
            await recheck(then)
    await _set_sandbox_time(context, sandbox, None)
    with console.progress_meter("today") as meter:
        result = await run_scan(context, progress=meter.show)
    await _announce_available(context)
    await _mark_todays_scan_done(context)
    from afterdrop.cli.scan import show_result

    await show_result(context, result, json=False)


async def _set_sandbox_time(context: WorkerContext, sandbox: SandboxProcess, moment: datetime | None) -> None:
    at = None if moment is None else {"now": moment.strftime("%Y-%m-%dT%H:%M:%SZ")}
    async with context.fetcher.session.put(f"{sandbox.url}/_sandbox/now", json=at) as answer:
        answer.raise_for_status()


async def _announce_available(context: WorkerContext) -> None:
    """Ask the registries twice, with the required gap between, so that dropped names are announced as available."""
    from afterdrop.catalogue.recheck import recheck

    await recheck(context)
    await asyncio.sleep(context.settings.registry.announce_gap_seconds + 1)
    await recheck(context)


async def _mark_todays_scan_done(context: WorkerContext) -> None:
    """Mark today's scan as done, so that the timetable does not run a second one."""
    from afterdrop.queue import job_runs
    from afterdrop.queue.timetable import jobs, last_moment

    now = context.now()
    scan = jobs(context.settings.scan.hour, timedelta(hours=2))[0]
    run = job_runs.JobRun(scan.name, last_moment(scan, now), context.worker)
    async with context.database.write() as conn:
        await job_runs.take(conn, run, now, context.lease)
        await job_runs.finish(conn, run, now)


async def _serve(
    context: WorkerContext,
    settings: Settings,
    server_socket: socket.socket,
    sandbox_url: str,
    accounts: dict[str, Any],
    credentials: Path | None,
) -> None:
    from afterdrop.cli.serve import serve_http, warn_about_loosened_guards
    from afterdrop.worker.wiring import make_worker

    stop = asyncio.Event()
    stop_on_signals(stop)  # otherwise SIGTERM would end this process and leave the sandbox's running
    warn_about_loosened_guards(settings)
    working = asyncio.create_task(make_worker(context, stop).run())
    answering = asyncio.create_task(serve_http(settings, context.database, server_socket, stop))
    try:
        await _wait_until_answering(settings, answering)
        if credentials is not None:
            _write_credentials(credentials, settings, sandbox_url, accounts)
        _print_next_steps(settings, accounts, sandbox_url)
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


def _write_credentials(file: Path, settings: Settings, sandbox_url: str, accounts: dict[str, Any]) -> None:
    import orjson

    content = {
        "base_url": settings.base_url,
        "site_url": settings.site_url,
        "sandbox_url": sandbox_url,
        **accounts,
    }
    part = file.with_name(file.name + f".{secrets.token_hex(4)}")
    part.touch(mode=0o600)
    part.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2))
    part.replace(file)


def _print_next_steps(settings: Settings, accounts: dict[str, Any], sandbox_url: str) -> None:
    pro, free = accounts["accounts"]["pro"], accounts["accounts"]["free"]
    console.line("")
    console.line(f"The service answers on {settings.site_url} (sandbox: {sandbox_url}). Try:")
    for path in ("/domains?sort=ending&clean=true", "/domains/available", "/stats"):
        console.line(f"  curl -s -H 'Authorization: Bearer {pro['key']}' '{settings.base_url}{path}'")
    console.line(
        f"  curl -s -H 'Authorization: Bearer {free['key']}' '{settings.base_url}/domains'   # the free plan"
    )
    console.line(f"Sign in as {pro['email']} with {pro['password']}")
    console.line(f"Mails, such as the one to confirm an address, arrive at {sandbox_url}/_sandbox/mail")
    console.line("Stop with Ctrl-C.")
