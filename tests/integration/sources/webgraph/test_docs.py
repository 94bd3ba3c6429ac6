"""docs/operate/link-ranks.md: its commands, run exactly as written, against the sandbox's release."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from asyncio import to_thread
from pathlib import Path

import pytest

from afterdrop.core.domain_names import exact_domain
from afterdrop.core.settings import Ranks
from afterdrop.sandbox import start
from afterdrop.sandbox.graph_server import RELEASE as SANDBOX_RELEASE
from afterdrop.sandbox.graph_server import RELEASES_PATH
from afterdrop.sources.webgraph.release import PAGE, file_url
from afterdrop.sources.webgraph.table_dir import TableDir

PAGE_FILE = Path(__file__).resolve().parents[4] / "docs" / "operate" / "link-ranks.md"
TEXT = PAGE_FILE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", TEXT, re.S)
RELEASE = "cc-main-2026-apr-may-jun"


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A shell with this checkout's `afterdrop` first in its path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "AFTERDROP_SETTINGS": str(folder / "afterdrop.toml")}
    words = ["sh", "-e", "-c", script]
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl, as the page's reader does")
@pytest.mark.parametrize("block", BLOCKS, ids=["download", "files"])
async def test_the_pages_commands_work(tmp_path: Path, block: str) -> None:
    async with start(1, 40) as running:
        base = f"{running.url}/data.commoncrawl.org"
        (tmp_path / "afterdrop.toml").write_text(
            f'data_dir = "{tmp_path}"\ntrusted_origins = ["{running.url}"]\n'
            f'[ranks]\nurl = "{base}/projects/hyperlinkgraph"\n'
            f'releases_url = "{running.url}{RELEASES_PATH}"\n',
            encoding="utf-8",
        )
        script = block.replace(RELEASE, SANDBOX_RELEASE).replace("https://data.commoncrawl.org", base)
        ran = await to_thread(run, script, tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"{SANDBOX_RELEASE}: " in ran.stdout and PAGE in ran.stdout
    assert len(TableDir(tmp_path / "ranks").tables()) == 1
    assert (" links, imported" in ran.stdout) == ("--links" in block)
    if "lookup" in block:
        assert [exact_domain(name) for name in ("example.org", "example.net")] == [
            line.partition('"domain":"')[2].partition('"')[0]
            for line in ran.stdout.splitlines()
            if line.startswith('{"domain"')
        ]


def test_the_page_names_the_addresses_the_import_uses() -> None:
    assert len(BLOCKS) == 2
    folder = file_url(Ranks().url, RELEASE, "ranks").rpartition("/")[0]
    assert f"base={folder}\n" in BLOCKS[1]
    assert PAGE in TEXT and RELEASE in TEXT
    assert len(TEXT.splitlines()) <= 60, "one page"
