"""The release steps: one version everywhere, and the wheel of `make wheel` runs with all its data files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
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


@pytest.mark.long
def test_the_wheel_holds_every_file_of_the_package_and_runs(tmp_path: Path) -> None:
    """Needs the Python package index: the build backend is fetched from it."""
    built = subprocess.run(
        ["make", "wheel", f"DIST={tmp_path}", f"PYTHON={sys.executable}"],
        cwd=ROOT, capture_output=True, text=True, timeout=170,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    [wheel] = tmp_path.glob(f"afterdrop-{__version__}-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        held = {name for name in packed.namelist() if name.startswith("afterdrop/")}
        packed.extractall(tmp_path / "installed")
    tracked = subprocess.run(
        ["git", "ls-files", "afterdrop"], cwd=SOURCE, capture_output=True, text=True, check=True, timeout=30
    ).stdout.splitlines()
    assert held == set(tracked)
    # The extracted wheel goes first on the path, ahead of the editable install of this repository.
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "installed")}
    command = [sys.executable, "-c", "import afterdrop.cli; print(afterdrop.__file__); afterdrop.cli.main()"]
    shown = subprocess.run(
        [*command, "version"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )
    assert shown.returncode == 0, shown.stderr
    file, version = shown.stdout.splitlines()
    assert Path(file).is_relative_to(tmp_path)
    assert version == __version__
