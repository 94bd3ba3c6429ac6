"""The description and the service under third-party tools: schemathesis, a client generator, Spectral."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import httpx2
import pytest

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from tests.support.running import run, running_service

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]
BIN = Path(sys.executable).parent
CASES = 2000

# OpenAPI cannot express a bound that depends on another parameter: with `include=content` the
# most is 20, as the interface has it.
CONFIG = """
[[operations]]
include-operation-id = "listPages"
checks.positive_data_acceptance.expected-statuses = ["2xx", "3xx", "401", "403", "404", "422"]
"""


def tool(name: str) -> str:
    """The path of a command beside this Python."""
    path = BIN / name
    if not path.exists():
        pytest.skip(f"{name} is not installed here (uv sync --group client)")
    return str(path)


async def test_schemathesis_finds_nothing(database: Database, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "schemathesis.toml").write_text(CONFIG)
    cases = 0
    async with running_service(settings, database) as service:
        for who, examples, phases in (
            ("pro", 40, "examples,coverage,fuzzing,stateful"),
            ("free", 10, "fuzzing"),
            ("", 1, "coverage"),
        ):
            header = f"Authorization: Bearer {service.keys[who]}" if who else "X-Nobody: here"
            status, said = await run(
                tool("schemathesis"),
                *("--config-file", "schemathesis.toml"),
                *("run", f"{service.url}/api/v1/openapi.json", "--header", header, "--no-color"),
                *("--checks", "all", "--max-examples", str(examples), "--phases", phases),
                "--generation-deterministic",
                folder=str(tmp_path),
            )
            assert status == 0, f"{who or 'no key'}:\n{said[-6000:]}"
            found = re.search(r"(\d+) generated", said)
            cases += int(found.group(1)) if found else 0
    assert cases >= CASES
    keyed = sum(
        (counts for who, counts in service.statuses.items() if who), start=type(service.statuses["pro"])()
    )
    total = keyed.total()
    shown = {who or "no key": dict(sorted(counts.items())) for who, counts in service.statuses.items()}
    print(f"schemathesis: {cases} cases; answers by key and status: {shown}")
    assert not [code for code in keyed if code >= 500]
    assert keyed[429] <= total * 0.01
    assert sum(count for code, count in keyed.items() if 200 <= code < 300) >= total * 0.3, keyed


DRIVE = Path(__file__).with_name("drive_client.py")


async def test_a_generated_client_drives_every_endpoint(
    database: Database, settings: Settings, tmp_path: Path
) -> None:
    generator = tool("openapi-python-client")
    async with running_service(settings, database) as service:
        async with httpx2.AsyncClient() as http:
            document = await http.get(f"{service.url}/api/v1/openapi.json")
        (tmp_path / "openapi.json").write_bytes(document.content)
        status, said = await run(
            *(generator, "generate", "--path", "openapi.json", "--meta", "none"),
            *("--output-path", "afterdrop_client", "--fail-on-warning"),
            folder=str(tmp_path),
            PATH=f"{BIN}:/usr/bin:/bin",
        )
        assert status == 0, said
        shutil.copy(DRIVE, tmp_path / "drive.py")
        status, said = await run(
            *(sys.executable, "drive.py", f"{service.url}/api/v1", service.keys["pro"]), folder=str(tmp_path)
        )
        assert status == 0, said
        assert said.split()[-1] == "30"


async def test_spectral_finds_no_error_and_no_warning(
    database: Database, settings: Settings, tmp_path: Path
) -> None:
    npx = shutil.which("npx")
    if npx is None:
        pytest.skip("Node is not on this machine (apt-get install nodejs npm)")
    (tmp_path / ".spectral.yaml").write_text('extends: ["spectral:oas"]\n')
    async with running_service(settings, database) as service, httpx2.AsyncClient() as http:
        document = await http.get(f"{service.url}/api/v1/openapi.json")
    (tmp_path / "openapi.json").write_bytes(document.content)
    status, said = await run(
        *(npx, "--yes", "@stoplight/spectral-cli@6.16.3", "lint", "openapi.json", "--fail-severity", "warn"),
        folder=str(tmp_path),
        npm_config_cache=str(Path.home() / ".npm"),
    )
    assert status == 0, said
    assert "No results" in said
