"""The release steps: one version everywhere, and the wheel of `make wheel` runs with all its data files."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import pytest

from afterdrop import __version__
from tests.support import plain_environment

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    [newest, *_] = re.findall(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", changes, re.M)
    assert project["version"] == __version__
    assert [each["version"] for each in locked if each["name"] == "afterdrop"] == [__version__]
    assert newest == __version__
    named = {
        "deploy/compose.yaml": re.findall(r"afterdrop:([\d.]+)}", (ROOT / "deploy/compose.yaml").read_text()),
        "docs/operate/install.md": re.findall(
            r"afterdrop-([\d.]+)-py3", (ROOT / "docs/operate/install.md").read_text()
        ),
    }
    assert named == {file: [__version__] for file in named}


def commands(heading: str) -> str:
    """The shell commands of one part of the document."""
    text = (ROOT / "docs" / "internals" / "releasing.md").read_text(encoding="utf-8")
    [part] = re.findall(rf"^## \d\. {heading}\n(.*?)^## ", text, re.M | re.S)
    return "\n".join(re.findall(r"^```sh\n(.*?)^```", part, re.M | re.S))


def test_the_version_is_set_wherever_it_stands(tmp_path: Path) -> None:
    """The steps of the second part, without those of uv and git."""
    files = ("src/afterdrop/__init__.py", "deploy/compose.yaml", "docs/operate/install.md")
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    steps = [line for line in commands("Version and changelog").splitlines() if line.startswith("sed ")]
    steps = [re.sub(r"\d+\.\d+\.\d+", "98.7.6", line) for line in steps]
    subprocess.run("\n".join(steps), shell=True, cwd=tmp_path, check=True, timeout=300)
    for file in files:
        before, after = ((folder / file).read_text(encoding="utf-8") for folder in (ROOT, tmp_path))
        assert after == before.replace(__version__, "98.7.6", 1) != before, file


def test_what_is_published_has_signed_checksums(tmp_path: Path) -> None:
    """The steps of the fourth part with a key made here; a file that was changed afterwards is found."""
    if shutil.which("gpg") is None:
        pytest.skip("gpg is not installed here")
    steps = [line for line in commands("Image and checksums").splitlines() if line.startswith("(cd dist")]
    assert len(steps) == 2
    (tmp_path / "dist").mkdir()
    for name in ("afterdrop-2.0.0-py3-none-any.whl", "afterdrop-2.0.0.tar.gz"):
        (tmp_path / "dist" / name).write_text(name, encoding="utf-8")
    with tempfile.TemporaryDirectory() as home:  # an agent's socket wants a short path
        environment = {**os.environ, "GNUPGHOME": home}

        def done(command: str) -> int:
            return subprocess.run(
                command, shell=True, cwd=tmp_path, env=environment, capture_output=True, timeout=300
            ).returncode

        key = (
            "gpg --batch --pinentry-mode loopback --passphrase '' --quick-gen-key a@example.org default sign"
        )
        try:
            assert done(key) == 0
            assert [done(step) for step in steps] == [0, 0]
            assert len((tmp_path / "dist" / "SHA256SUMS").read_text(encoding="utf-8").splitlines()) == 2
            (tmp_path / "dist" / "afterdrop-2.0.0.tar.gz").write_text("another", encoding="utf-8")
            assert done(steps[1]) != 0
        finally:
            done("gpgconf --kill gpg-agent")


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
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    [found] = folder.glob(f"afterdrop-{__version__}-*.whl")
    return found


@pytest.mark.long
def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        held = {name for name in packed.namelist() if name.startswith("afterdrop/")}
    tracked = subprocess.run(
        ["git", "ls-files", "afterdrop"], cwd=SOURCE, capture_output=True, text=True, check=True, timeout=300
    ).stdout.splitlines()
    guides = {f"afterdrop/web/guide/{page.name}" for page in (ROOT / "docs" / "guide").iterdir()}
    assert held == {*tracked, *guides}


@pytest.mark.long
def test_pip_installs_the_wheel_and_it_runs_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    """As a newcomer does: an environment of its own, `pip install`, then the first commands."""
    base = Path(sys.base_prefix) / "bin" / "python3"
    plain = plain_environment(("AFTERDROP_", "PYTHON"))

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
        [str(afterdrop), "doctor"], cwd=empty, env=plain, capture_output=True, text=True, timeout=300
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
        with urllib.request.urlopen(site, timeout=300) as page:
            assert b"Afterdrop" in page.read()
    finally:
        demo.terminate()
        demo.wait(180)
    assert sorted(path.name for path in empty.iterdir()) == ["afterdrop-data"]
