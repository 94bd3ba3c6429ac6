"""The description and the service under other people's tools: linters, validators, generators of clients."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import httpx2
import hypothesis
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.web.schemas.examples import examples
from tests.contract.inputs import CORPUS, TEXTS, inputs
from tests.contract.narrowing import present
from tests.support import ON_POSTGRES
from tests.support.living import living
from tests.support.running import run, running_service

pytestmark = [pytest.mark.long]
BIN = Path(sys.executable).parent
CASES = 2000

# OpenAPI cannot express a bound that depends on another parameter: with `include=content` the
# most is 20, as the interface has it.
CONFIG = """
[[operations]]
include-operation-id = "listPages"
checks.positive_data_acceptance.expected-statuses = ["2xx", "3xx", "401", "403", "404", "422"]

# Extensions that do not exist are refused before a credit is taken, and only the list of suffixes tells them.
[[operations]]
include-operation-id = "orderCheckBatch"
checks.positive_data_acceptance.expected-statuses = ["2xx", "401", "402", "403", "422"]

[[operations]]
include-operation-id = "followDomains"
checks.positive_data_acceptance.expected-statuses = ["2xx", "401", "403", "409", "422"]
"""


def tool(name: str) -> str:
    """The path of a command beside this Python."""
    path = BIN / name
    if not path.exists():
        pytest.skip(f"{name} is not installed here (uv sync --group client)")
    return str(path)


# On PostgreSQL, which refuses more: numbers out of a column's range, and texts with a NUL.
@ON_POSTGRES
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
                # How fast values are drawn is the machine's affair: beside two other workers CI once was too slow.
                *("--suppress-health-check", "too_slow"),
                folder=str(tmp_path),
                SCHEMATHESIS_HOOKS="tests.contract.schemathesis_hooks",
                PYTHONPATH=str(Path(__file__).parents[2]),
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


CLIENTS = Path(__file__).parents[1] / "clients"
PACKAGES = Path(__file__).parents[2] / ".tools" / "clients" / "node_modules"
DRIVE = Path(__file__).with_name("drive_client.py")
# A demo of this size has every list, and is ready within a minute.
SIZE = 60


async def with_node(folder: Path, *command: str | Path) -> tuple[int, str]:
    """Run a command of the packages that `tests/clients` locks, on the Node among them."""
    if not PACKAGES.exists():
        pytest.skip("the packages are not installed here (make .tools/clients/.ready)")
    return await run(
        *map(str, command),
        folder=str(folder),
        PATH=f"{PACKAGES / '.bin'}:/usr/local/bin:/usr/bin:/bin",
        NODE_PATH=str(PACKAGES),
        REDOCLY_TELEMETRY="off",
        REDOCLY_SUPPRESS_UPDATE_NOTICE="true",
    )


@pytest.fixture
def document(tmp_path: Path) -> dict[str, Any]:
    """The description, also in the file `openapi.json` of the test's folder."""
    found = present()
    (tmp_path / "openapi.json").write_text(json.dumps(found), encoding="utf-8")
    return found


def _taken(document: dict[str, Any]) -> list[dict[str, Any]]:
    """All that the service takes of many texts, each as what it may be read as."""
    texts = set(CORPUS)

    @hypothesis.settings(max_examples=1000, database=None, deadline=None)
    @hypothesis.given(TEXTS)
    def collect(text: str) -> None:
        texts.add(text)

    collect()
    return [
        {
            "name": place.name,
            "schema": place.schema,
            "values": [[*place.values(text)] for text in sorted(texts) if place.takes(text)],
        }
        for place in inputs(document)
    ]


def _answered(document: dict[str, Any]) -> list[dict[str, Any]]:
    """What was answered and sent when the examples were recorded."""
    found = []
    for item in document["paths"].values():
        for operation in item.values():
            for answer in examples()["operations"][operation["operationId"]]["answers"]:
                content = operation["responses"][str(answer["status"])]["content"]
                schema = content["application/json"]["schema"]
                found.append(
                    {"name": operation["operationId"], "schema": schema, "values": [[answer["body"]]]}
                )
    for kind, item in document["webhooks"].items():
        schema = item["post"]["requestBody"]["content"]["application/json"]["schema"]
        found.append({"name": kind, "schema": schema, "values": [[examples()["events"][kind]]]})
    return found


async def test_ajv_compiles_every_schema_and_takes_what_the_service_takes(
    document: dict[str, Any], tmp_path: Path
) -> None:
    cases = [*_taken(document), *_answered(document)]
    (tmp_path / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
    status, said = await with_node(tmp_path, "node", CLIENTS / "validate.cjs", "openapi.json", "cases.json")
    assert status == 0, said[-6000:]
    assert " 0 faults" in said
    assert sum(len(case["values"]) for case in cases) > 3000


async def test_redocly_finds_no_error_and_no_warning(document: dict[str, Any], tmp_path: Path) -> None:
    assert document
    config = CLIENTS / "redocly.yaml"
    status, said = await with_node(tmp_path, "redocly", "lint", "openapi.json", "--config", config)
    assert status == 0, said
    assert "is valid" in said
    assert "warning" not in said.lower()


async def test_spectral_finds_nothing(document: dict[str, Any], tmp_path: Path) -> None:
    assert document
    (tmp_path / ".spectral.yaml").write_text('extends: ["spectral:oas"]\n')
    status, said = await with_node(tmp_path, "spectral", "lint", "openapi.json", "--fail-severity", "hint")
    assert status == 0, said
    assert "No results" in said


def test_the_specifications_own_validator_finds_nothing(document: dict[str, Any]) -> None:
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []


async def test_generated_typescript_compiles_strictly(document: dict[str, Any], tmp_path: Path) -> None:
    assert document
    shutil.copy(CLIENTS / "use.ts", tmp_path)
    status, said = await with_node(
        tmp_path, "openapi-typescript", "openapi.json", "--default-non-nullable=false", "-o", "schema.d.ts"
    )
    assert status == 0, said
    assert "warn" not in said.lower()
    strict = ("--strict", "--noEmit", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes")
    assert await with_node(tmp_path, "tsc", *strict, "use.ts") == (0, "")


async def test_a_generated_client_drives_every_operation_against_the_demo(tmp_path: Path) -> None:
    generator = tool("openapi-python-client")
    folder = tmp_path / "demo"
    folder.mkdir()
    async with living(folder, SIZE) as demo:
        async with httpx2.AsyncClient() as http:
            document = await http.get(f"{demo.url}/api/v1/openapi.json")
        (tmp_path / "openapi.json").write_bytes(document.content)
        status, said = await run(
            *(generator, "generate", "--path", "openapi.json", "--meta", "none"),
            *("--output-path", "afterdrop_client", "--fail-on-warning"),
            folder=str(tmp_path),
            PATH=f"{BIN}:/usr/bin:/bin",
        )
        assert status == 0, said
        shutil.copy(DRIVE, tmp_path / "drive.py")
        credentials = demo.folder / "credentials.json"
        status, said = await run(sys.executable, "drive.py", str(credentials), folder=str(tmp_path))
        assert status == 0, said
    called = {name.replace("_", "") for name in json.loads(said.splitlines()[-1])}
    described = [operation for item in document.json()["paths"].values() for operation in item.values()]
    assert called == {operation["operationId"].lower() for operation in described}
