"""The release steps: one version everywhere, and the wheel of `make wheel` runs with all its data files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import pytest

from afterdrop import __version__

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    [newest, *_] = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert project["version"] == __version__
    assert [each["version"] for each in locked if each["name"] == "afterdrop"] == [__version__]
    assert newest == __version__


def test_long_commit_subjects_are_refused_and_long_bodies_are_not() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    [pattern] = re.findall(r"- id: subject\n.*\n +entry: '(.*)'", hooks)
    refused = re.compile(pattern, re.MULTILINE)
    assert refused.search("x" * 73)
    assert not refused.search("x" * 72 + "\n\n" + "y" * 100)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as `make wheel` builds it. Needs the Python package index: the build backend is fetched from it."""
    folder = tmp_path_factory.mktemp("dist")
    built = subprocess.run(
        ["make", "wheel", f"DIST={folder}", f"PYTHON={sys.executable}"],
        cwd=ROOT, capture_output=True, text=True, timeout=170,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    [found] = folder.glob(f"afterdrop-{__version__}-*.whl")
    return found


@pytest.mark.long
def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        held = {name for name in packed.namelist() if name.startswith("afterdrop/")}
    tracked = subprocess.run(
        ["git", "ls-files", "afterdrop"], cwd=SOURCE, capture_output=True, text=True, check=True, timeout=30
    ).stdout.splitlines()
    assert held == set(tracked)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_pip_installs_the_wheel_and_it_runs_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    """As a newcomer does: an environment of its own, `pip install`, then the first commands."""
    base = Path(sys.base_prefix) / "bin" / "python3"
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("AFTERDROP_", "PYTHON"))}

    def run(*command: str | Path, folder: Path = tmp_path) -> str:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=folder,
            env=plain,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(base, "-m", "venv", tmp_path / "venv")
    run(tmp_path / "venv" / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    empty = tmp_path / "empty"
    empty.mkdir()
    afterdrop = tmp_path / "venv" / "bin" / "afterdrop"
    assert run(afterdrop, "version", folder=empty).strip() == __version__
    assert "newest schema" in run(afterdrop, "migrate", folder=empty)
    assert (empty / "afterdrop-data" / "afterdrop.sqlite3").is_file()
    # Without a network doctor may find fault with resolvers; it must tell, not fall over.
    told = subprocess.run(
        [str(afterdrop), "doctor"], cwd=empty, env=plain, capture_output=True, text=True, timeout=120
    )
    assert "Traceback" not in told.stdout + told.stderr
    assert "database" in told.stdout, told.stdout + told.stderr
    credentials = tmp_path / "credentials.json"
    with (tmp_path / "demo.log").open("wb") as log:
        demo = subprocess.Popen(
            [str(afterdrop), "demo", "--size", "30", "--port", "0", "--credentials", str(credentials)],
            cwd=empty, env=plain, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        while not credentials.exists():
            assert demo.poll() is None, (tmp_path / "demo.log").read_text(encoding="utf-8")
            time.sleep(0.2)
        site = json.loads(credentials.read_bytes())["site_url"]
        with urllib.request.urlopen(site, timeout=60) as page:
            assert b"Afterdrop" in page.read()
    finally:
        demo.terminate()
        demo.wait(60)
    assert sorted(path.name for path in empty.iterdir()) == ["afterdrop-data"]
