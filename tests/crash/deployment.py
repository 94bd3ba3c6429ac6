"""A deployment in processes of its own: API nodes behind a shipped proxy file, and workers."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from tests.support.ports import free_port

EXAMPLES = Path(__file__).resolve().parents[2] / "deploy" / "proxy"


@dataclass
class Nodes:
    """Processes of one deployment by name; those whose name is in `ports` are API nodes."""

    folder: Path
    environment: dict[str, str]
    ports: dict[str, int]
    workers: tuple[str, ...] = ()
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    kills: int = 0

    def start(self, name: str) -> None:
        """Start a process that is not running."""
        if name in self.ports:
            words = ["serve", "--port", str(self.ports[name]), *(["--no-worker"] if self.workers else [])]
        else:
            words = ["worker"]
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-m", "afterdrop", *words],
                env=self.environment,
                cwd=self.folder,
                stdout=log,
                stderr=log,
            )

    def start_all(self) -> None:
        """Start all."""
        for name in (*self.ports, *self.workers):
            self.start(name)

    def kill(self, name: str) -> None:
        """Kill a process without warning and start another in its place."""
        self.processes[name].kill()
        self.processes[name].wait()
        self.kills += 1
        self.start(name)

    async def replace(self, name: str) -> None:
        """Ask a process to leave, start another in its place, and wait until that is ready."""
        self.processes[name].terminate()
        await asyncio.to_thread(self.processes[name].wait, 600)
        self.start(name)
        await self.healthy(name)

    async def healthy(self, name: str) -> None:
        """Wait until an API node answers its health check; a worker needs no wait."""
        if name not in self.ports:
            return
        async with asyncio.timeout(600), httpx2.AsyncClient() as http:
            while True:
                assert self.processes[name].poll() is None, self.log(name)
                try:
                    if (await http.get(f"http://127.0.0.1:{self.ports[name]}/healthz")).status_code == 200:
                        return
                except httpx2.TransportError:
                    await asyncio.sleep(0.1)

    def log(self, name: str) -> str:
        """The end of a process's log."""
        return (self.folder / f"{name}.log").read_text(encoding="utf-8")[-3000:]

    def stop(self) -> dict[str, int]:
        """Ask all to leave; their exit codes."""
        for process in self.processes.values():
            process.send_signal(signal.SIGTERM)
        codes = {}
        for name, process in self.processes.items():
            try:
                codes[name] = process.wait(600)
            except subprocess.TimeoutExpired:
                process.kill()
                codes[name] = process.wait()
        return codes


@dataclass(frozen=True)
class Proxy:
    """A proxy in front of nodes: its address, and its log where that tells which node it sends requests to."""

    site: str
    log: Path | None = None

    async def serving(self) -> None:
        """Wait until a request reaches a node."""
        async with asyncio.timeout(180), httpx2.AsyncClient(verify=False, timeout=180) as http:
            while (await http.get(f"{self.site}/healthz")).status_code != 200:
                await asyncio.sleep(0.1)

    def ups(self, port: int) -> int:
        """How often it found that the node on `port` is up again; 0 for a proxy that does not tell."""
        if self.log is None:
            return 0
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return sum('"host is up"' in line and f':{port}"' in line for line in lines)

    async def seen(self, port: int, before: int) -> None:
        """Wait until it has found the node on `port` up more often than `before`; two seconds if it does not tell."""
        if self.log is None:
            await asyncio.sleep(2)
            return
        async with asyncio.timeout(180):
            while self.ups(port) <= before:
                await asyncio.sleep(0.1)


def _installed(program: str, package: str) -> str:
    found = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None:
        pytest.skip(f"{program} is not installed here (apt-get install {package})")
    return found


@contextmanager
def caddy(folder: Path, ports: list[int]) -> Iterator[Proxy]:
    """The shipped example in front of nodes on `ports`, with a certificate and a port of the test's."""
    program = _installed("caddy", "caddy")
    own = folder / "caddy"
    own.mkdir(parents=True)
    port = free_port()
    own_ways = "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n"
    example = (EXAMPLES / "Caddyfile").read_text(encoding="utf-8")
    (own / "Caddyfile").write_text(own_ways + example, encoding="utf-8")
    environment = {
        "PATH": os.environ.get("PATH", ""), "HOME": str(own), "AFTERDROP_HOST": f"127.0.0.1:{port}",
        "AFTERDROP_NODES": " ".join(f"127.0.0.1:{node}" for node in ports),
    }  # fmt: skip
    command = [program, "run", "--config", str(own / "Caddyfile"), "--adapter", "caddyfile"]
    with (own / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        yield Proxy(f"https://127.0.0.1:{port}", own / "log")
    finally:
        process.terminate()
        process.wait(180)


@contextmanager
def nginx(folder: Path, ports: list[int]) -> Iterator[Proxy]:
    """The shipped example in front of nodes on `ports`, with a certificate and a port of the test's."""
    program = _installed("nginx", "nginx-light")
    own = folder / "nginx"
    own.mkdir(parents=True)
    port, plain = free_port(), free_port()
    key, certificate = own / "key.pem", own / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-keyout", str(key),
         "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    text = (EXAMPLES / "nginx.conf").read_text(encoding="utf-8")
    files = "/etc/letsencrypt/live/drops.example.com"
    changes = {
        "127.0.0.1:8000": f"127.0.0.1:{ports[0]}", "127.0.0.1:8001": f"127.0.0.1:{ports[1]}",
        f"{files}/fullchain.pem": str(certificate), f"{files}/privkey.pem": str(key),
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl", "listen 80;": f"listen 127.0.0.1:{plain};",
        "    listen [::]:80;\n": "", "    listen [::]:443 ssl http2;\n": "", "drops.example.com": "127.0.0.1",
    }  # fmt: skip
    for before, after in changes.items():
        assert before in text, before
        text = text.replace(before, after)
    scratch = "".join(
        f"{kind}_temp_path {own}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;\n" if os.geteuid() == 0 else ""
    main = f"{user}daemon off;\npid {own}/pid;\nerror_log {own}/log;\nevents {{}}\n"
    whole = f"{main}http {{\naccess_log off;\n{scratch}{text}}}\n"
    (own / "nginx.conf").write_text(whole, encoding="utf-8")
    process = subprocess.Popen([program, "-e", f"{own}/log", "-c", f"{own}/nginx.conf"])
    try:
        yield Proxy(f"https://127.0.0.1:{port}")
    finally:
        process.send_signal(signal.SIGQUIT)
        process.wait(180)
