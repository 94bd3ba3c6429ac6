"""The clients of `clients/`: generated from this description, and the same scenario through each against the demo."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from afterdrop.web.api.openapi import VERSION
from tests.contract.generate_clients import PACKAGES, ROOT, generated
from tests.support.living import living
from tests.support.running import run

pytestmark = [pytest.mark.long]
CLIENTS = ROOT / "clients"
SCENARIOS = ROOT / "tests" / "clients"
SIZE = 60
SEEN = {"check": "done", "event": "check.completed", "refused": [404, "not_found"]}


def needs_node() -> None:
    if not PACKAGES.exists():
        pytest.skip("the packages are not installed here (make .tools/clients/.ready)")


async def node(folder: Path, *command: str | Path) -> str:
    """Run a command on the locked Node; what it printed."""
    path = f"{PACKAGES / '.bin'}:/usr/local/bin:/usr/bin:/bin"
    status, said = await run(*map(str, command), folder=str(folder), PATH=path, NODE_PATH=str(PACKAGES))
    assert status == 0, said[-4000:]
    return said


def test_the_generated_parts_are_of_this_description() -> None:
    """`make clients` writes them anew."""
    needs_node()
    for name, text in generated().items():
        assert (CLIENTS / name).read_text(encoding="utf-8") == text, name


def test_the_clients_have_the_version_of_the_api() -> None:
    python = tomllib.loads((CLIENTS / "python" / "pyproject.toml").read_text())["project"]["version"]
    typescript = json.loads((CLIENTS / "typescript" / "package.json").read_text())["version"]
    package = (CLIENTS / "python" / "src" / "afterdrop_client" / "__init__.py").read_text()
    named = re.search(r'__version__ = "(.+)"', package)
    assert named is not None
    assert {python, typescript, named.group(1)} == {VERSION}


async def test_every_client_passes_the_same_scenario(tmp_path: Path) -> None:
    needs_node()
    shutil.copytree(CLIENTS / "typescript", tmp_path / "ts")
    shutil.copy(SCENARIOS / "scenario.ts", tmp_path / "ts" / "src")
    await node(tmp_path / "ts", "tsc", "-p", ".")
    demo_folder = tmp_path / "demo"
    demo_folder.mkdir()
    seen = []
    async with living(demo_folder, SIZE) as demo:
        credentials = demo.folder / "credentials.json"
        for kind in ("sync", "async"):
            status, said = await run(
                *(sys.executable, str(SCENARIOS / "scenario.py"), str(credentials), kind),
                folder=str(tmp_path),
                PYTHONPATH=str(CLIENTS / "python" / "src"),
            )
            assert status == 0, said[-4000:]
            seen.append(json.loads(said.splitlines()[-1]))
        said = await node(tmp_path / "ts", "node", "dist/scenario.js", credentials)
        seen.append(json.loads(said.splitlines()[-1]))
    print(seen)
    assert seen[0] == seen[1] == seen[2]
    assert seen[0]["live"] > seen[0]["best"] > 0
    assert {name: seen[0][name] for name in SEEN} == SEEN
