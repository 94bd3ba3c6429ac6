"""A data folder or database that cannot be used: one line that names it, exit code 2, no traceback."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.support import plain_environment

NOBODY = {"AFTERDROP_DATABASE_URL": "postgresql://u:hidden@127.0.0.1:1/x"}
SECRET = "a key for tests that is long enough"


@pytest.mark.parametrize(
    ("command", "where", "names", "why"),
    [
        ("migrate", {"AFTERDROP_DATA_DIR": "{here}/file"}, "{here}/file", "File exists"),
        ("status", {"AFTERDROP_DATA_DIR": "{here}/none"}, "{here}/none", "does not exist yet"),
        ("serve", {"AFTERDROP_DATA_DIR": "{here}/file/sub"}, "{here}/file/sub", "Not a directory"),
        (
            "status",
            {"AFTERDROP_DATA_DIR": "{here}/other"},
            "{here}/other/afterdrop.sqlite3",
            "not a database",
        ),
        ("migrate", NOBODY, "database_url: postgresql+psycopg://u:***@", "nothing listens at 127.0.0.1:1"),
        ("worker", NOBODY, "database_url: postgresql+psycopg://u:***@", "nothing listens at 127.0.0.1:1"),
        (
            "worker",
            {"AFTERDROP_DATA_DIR": "{here}"},
            "database_url: is not set",
            "API nodes and workers share",
        ),
    ],
)
async def test_one_line_says_what_and_why(
    tmp_path: Path, command: str, where: dict[str, str], names: str, why: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "afterdrop.sqlite3").write_bytes(b"something else" * 1000)
    plain = plain_environment()
    own = {key: value.format(here=tmp_path) for key, value in where.items()}
    made = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afterdrop", command, cwd=tmp_path,
        env={**plain, **own, "AFTERDROP_SECRET_KEYS": SECRET, "AFTERDROP_SITE_URL": "http://127.0.0.1:48999"},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await asyncio.wait_for(made.communicate(), 180)
    said = "".join(err.decode().splitlines())
    assert (made.returncode, out) == (2, b"")
    assert said.startswith("afterdrop: ")
    assert "Traceback" not in said
    assert "hidden" not in said
    assert names.format(here=tmp_path) in said
    assert why in said
