"""Probes, metrics and request ids: of a service in process on both databases, and of one started as a command."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
import pytest
from starlette.responses import PlainTextResponse

from afterdrop.cli.http_server import run_server, server_config
from afterdrop.cli.sockets import admit_no_more, bind_socket
from afterdrop.core.settings import Mail, Settings
from afterdrop.core.settings_sections import Metrics
from afterdrop.db import engine
from afterdrop.queue import job_runs
from afterdrop.web import http_protocol
from afterdrop.web.probes import Probes
from afterdrop.worker.observation import Deployment
from tests.support.database_outage import away
from tests.support.ports import free_port
from tests.support.service import SITE, Service, clock, code, row, service
from tests.support.started import started

__all__ = ["clock", "service"]  # fixtures
TOKEN = "t" * 32
PASSWORD = "mail-password-9f1c"
ANY_HOST = {"Host": "10.0.0.7:8000"}


@pytest.fixture
def more_settings() -> dict[str, Any]:
    return {"metrics": Metrics(token=TOKEN), "mail": Mail(host="127.0.0.1", password=PASSWORD)}


async def probe(service: Service, path: str, **headers: str) -> Any:
    """Ask a probe as a load balancer does: by address, without a key."""
    return await service.http.get(f"{SITE}{path}", headers={**ANY_HOST, **headers})


async def test_probes_are_answered_to_any_host_and_nothing_else_is(service: Service) -> None:
    waiting = await probe(service, "/healthz")
    assert (waiting.status_code, waiting.text) == (503, "loading\n")
    ready = await probe(service, "/readyz")
    assert (ready.status_code, ready.json()) == (
        503, {"ready": False, "database": "answers", "schema": "current", "workers": 0, "lists": "loading"}
    )  # fmt: skip
    await service.context.snapshots.made()
    ready = await probe(service, "/readyz")
    assert (ready.status_code, ready.json()["lists"]) == (200, "in memory")
    assert (await probe(service, "/healthz")).text == "alive\n"
    assert (await probe(service, "/api/v1/me")).status_code == 400
    assert (await probe(service, "/healthz/")).status_code == 400


async def test_metrics_need_their_token_and_hold_no_secret(service: Service) -> None:
    assert code(await service.get("/domains/nothing.com")) == (404, "not_found")
    async with service.database.write() as conn:
        await job_runs.beat(conn, "worker-1", service.clock.now)
    for header in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}):
        assert (await probe(service, "/metrics", **header)).status_code == 404
    page = await probe(service, "/metrics", Authorization=f"Bearer {TOKEN}")
    assert page.status_code == 200
    assert 'route="/api/v1/domains/{domain}",status="404"' in page.text
    for line in ("afterdrop_database_up 1.0", "afterdrop_schema_current 1.0", "afterdrop_workers 1.0"):
        assert line in page.text.splitlines()
    assert 'afterdrop_queue_waiting{queue="checks"} 0.0' in page.text
    for secret in (TOKEN, PASSWORD, *service.keys.values(), "members.example", "nothing.com"):
        assert secret not in page.text


async def test_a_request_has_one_id_in_header_error_and_log(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [await service.get("/nothing"), await service.get("/me", who=""), await service.get("/me?x=1")]
    ids = [answer.headers["X-Request-Id"] for answer in answers]
    assert [answer.json()["error"]["request_id"] for answer in answers] == ids
    assert len(set(ids)) == 3
    good = await service.get("/me", headers={"X-Request-Id": "forged"})
    assert len(good.headers["X-Request-Id"]) == 16
    assert len((await service.http.get(f"{SITE}/docs")).headers["X-Request-Id"]) == 16


async def test_in_an_outage_requests_get_503_and_the_log_one_line(
    service: Service, database_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(engine, "_PRAGMAS", (*engine._PRAGMAS, "busy_timeout=50"))
    await service.show(row("alpine.com"))
    await service.database.close()  # new connections get the short patience
    assert (await service.get("/me")).status_code == 200, "there is a connection to lose"
    async with away(service.database, database_url):
        for _ in range(5):
            answer = await service.ask("PUT", "/watchlist/alpine.com")
            assert code(answer) == (503, "server_error")
            assert answer.headers["Retry-After"] == "5"
        told = [said for said in caplog.messages if "is not answering" in said]
        assert len(told) == 1, caplog.messages
        if database_url.startswith("postgres"):
            page = await service.http.get(f"{SITE}/sign-in", headers={"Cookie": "afterdrop_session=x"})
            assert (page.status_code, page.headers["Retry-After"]) == (503, "5")
            ready = await probe(service, "/readyz")
            assert (ready.status_code, ready.json()["database"]) == (503, "does not answer")
            page = await probe(service, "/metrics", Authorization=f"Bearer {TOKEN}")
            assert "afterdrop_database_up 0.0" in page.text
    assert (await service.ask("PUT", "/watchlist/alpine.com")).status_code == 200
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.long
async def test_a_node_that_was_told_to_stop_says_so_serves_on_and_keeps_no_connection(tmp_path: Path) -> None:
    seen: list[tuple[int, str, int, str | None]] = []
    async with (
        started(
            tmp_path,
            "--no-worker",
            AFTERDROP_SERVER__DRAIN_SECONDS="20",
            AFTERDROP_DATABASE_URL=f"sqlite:///{tmp_path}/nodes.sqlite3",
        ) as service,
        aiohttp.ClientSession() as session,
    ):
        # The API's description is made when it is first asked for, which takes a slow machine as long as the drain.
        async with session.get(f"{service.url}/api/v1/openapi.json") as described:
            assert described.status == 200
        async with session.get(f"{service.url}/healthz") as before:
            assert (before.status, before.headers.get("Connection")) == (200, None)
        os.kill(service.pid, signal.SIGTERM)
        async with asyncio.timeout(180):
            while not seen or seen[-1][0] == 200:
                async with (
                    session.get(f"{service.url}/healthz") as probe,
                    session.get(f"{service.url}/readyz") as ready,
                    session.get(f"{service.url}/api/v1/openapi.json") as answer,
                ):
                    close = answer.headers.get("Connection")
                    seen.append((probe.status, await ready.text(), answer.status, close))
    assert seen[-1] == (503, "leaving\n", 200, "close")


async def test_a_request_that_was_under_way_when_the_server_stopped_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await PlainTextResponse("here\n")(scope, receive, send)

    monkeypatch.setattr(http_protocol, "_LAST_REQUEST_SECONDS", 60.0)
    with bind_socket("127.0.0.1", 0) as listening:
        listening.listen()
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        stop = asyncio.Event()
        stop.set()
        config = server_config(app, Settings(data_dir=tmp_path), lifespan="off")
        assert config.timeout_keep_alive == 75, "longer than proxies keep their connections"
        serving = asyncio.create_task(run_server(config, listening, stop, 0))
        async with asyncio.timeout(180):
            while listening.fileno() >= 0:
                await asyncio.sleep(0.01)
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            answer = await reader.read()
        writer.close()
        await serving
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert b"connection: close" in answer


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux filters what arrives at a socket")
def test_nobody_opens_a_connection_any_more_but_those_that_knocked_are_let_in() -> None:
    with bind_socket("127.0.0.1", 0) as listening:
        listening.listen()
        with socket.create_connection(listening.getsockname()) as early:
            admit_no_more(listening)
            early.sendall(b"asked")
            with pytest.raises(TimeoutError):
                socket.create_connection(listening.getsockname(), timeout=0.3)
            accepted, _ = listening.accept()
            with accepted:
                assert accepted.recv(9) == b"asked"
                accepted.sendall(b"answered")
                assert early.recv(9) == b"answered"


async def test_the_separate_address_asks_for_the_token_where_there_is_one(service: Service) -> None:
    """Without one it is open: the test below."""
    deployment = Deployment(service.context.settings, service.database, (), lambda: service.clock.now)
    transport = httpx2.ASGITransport(Probes(None, deployment))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:9464") as beside:
        refused = await beside.get("/metrics")
        taken = await beside.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert "metrics.token" in refused.text
    assert (taken.status_code, "afterdrop_database_up 1.0" in taken.text) == (200, True)


async def test_a_start_that_fails_is_one_line_of_the_json_log(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "afterdrop", "serve", "--port", port, cwd=tmp_path,
            env={**os.environ, "AFTERDROP_LOG__FORMAT": "json"}, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        _, said = await asyncio.wait_for(process.communicate(), 180)
    [line] = [json.loads(each) for each in said.decode().splitlines()]
    assert (process.returncode, line["level"]) == (2, "error")
    assert "cannot be used to listen" in line["message"]


async def test_serve_says_where_it_listens_and_logs_requests_without_their_secrets(tmp_path: Path) -> None:
    port = free_port()
    chosen = {
        "AFTERDROP_LOG__FORMAT": "json",
        "AFTERDROP_LOG__ACCESS": "1",
        "AFTERDROP_METRICS__LISTEN": f"127.0.0.1:{port}",
        "AFTERDROP_MAIL__PASSWORD": PASSWORD,
    }
    async with started(tmp_path, **chosen) as service, aiohttp.ClientSession() as session:
        async with session.get(f"{service.url}/verify/secret-token-1?k=secret-token-2") as answer:
            asked = answer.headers["X-Request-Id"]
        async with session.get(f"{service.url}/metrics") as answer:
            assert answer.status == 404  # no token, so only the separate address shows them
        beside = f"http://127.0.0.1:{port}"
        async with session.get(f"{beside}/readyz", headers=ANY_HOST) as answer:
            found = await answer.json()
        async with session.get(f"{beside}/metrics") as answer:
            page = await answer.text()
        async with session.get(f"{beside}/api/v1/me") as answer:
            assert answer.status == 404
    assert found["database"] == "answers"
    assert "process_resident_memory_bytes" in page
    lines = [json.loads(line) for line in service.said.splitlines()]  # not one plain line
    told = [line["message"] for line in lines]
    assert told[-1] == "afterdrop has stopped"
    assert "SIGTERM received: stopping" in told
    assert any(text.startswith(f"afterdrop listening on {service.url} ") for text in told), service.said
    assert any(text.startswith(f"metrics listening on {beside} ") for text in told)
    [request] = [line for line in lines if line.get("request_id") == asked]
    assert (request["path"], request["method"], request["area"]) == ("/verify/{token}", "GET", "access")
    for secret in ("secret-token", PASSWORD):
        assert secret not in service.said + page
