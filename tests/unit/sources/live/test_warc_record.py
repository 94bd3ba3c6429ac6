"""The files of visited pages: whole or not there, and bound in days and bytes."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from afterdrop.sources.live.warc_record import forget_records, keep_record, record_path

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def kept(folder: Path, text: bytes, ago: timedelta) -> Path:
    path = record_path(folder, keep_record(folder, text))
    os.utime(path, ((NOW - ago).timestamp(),) * 2)
    return path


def test_a_record_is_written_once(tmp_path: Path) -> None:
    assert keep_record(tmp_path, b"one") == keep_record(tmp_path, b"one")
    [file] = tmp_path.glob("??/*")
    assert file.read_bytes() == b"one"


@pytest.mark.parametrize("fails", ["write", "flush", "replace"])
def test_a_full_disk_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    made = tempfile.NamedTemporaryFile

    def on_a_full_disk(*args: Any, **more: Any) -> Any:
        file = made(*args, **more)
        setattr(file, fails, full)
        return file

    if fails == "replace":
        monkeypatch.setattr(Path, "replace", full)
    else:
        monkeypatch.setattr(tempfile, "NamedTemporaryFile", on_a_full_disk)
    with pytest.raises(OSError, match="No space"):
        keep_record(tmp_path, b"one")
    assert list(tmp_path.glob("??/*")) == []


def test_what_was_left_behind_before_goes_after_a_day(tmp_path: Path) -> None:
    kept(tmp_path, b"one", DAY)
    left = [tmp_path / "ab" / name for name in ("tmpold", "tmpnew")]
    left[0].parent.mkdir(exist_ok=True)
    for file, ago in zip(left, (2 * DAY, DAY / 2), strict=True):
        file.write_bytes(b"half")
        os.utime(file, ((NOW - ago).timestamp(),) * 2)
    assert forget_records(tmp_path, NOW - 9 * DAY, 1000, NOW) == 0
    assert [file.exists() for file in left] == [False, True]


def test_records_go_when_they_are_old_and_the_oldest_beyond_the_bytes(tmp_path: Path) -> None:
    paths = [kept(tmp_path, text * 100, day * DAY) for day, text in enumerate((b"a", b"b", b"c", b"d"))]
    assert forget_records(tmp_path, NOW - 9 * DAY, 400, NOW) == 0
    assert forget_records(tmp_path, NOW - 2.5 * DAY, 400, NOW) == 1
    assert [path.exists() for path in paths] == [True, True, True, False]
    assert forget_records(tmp_path, NOW - 9 * DAY, 250, NOW) == 1
    assert [path.exists() for path in paths] == [True, True, False, False]
    assert forget_records(tmp_path, NOW - 9 * DAY, 0, NOW) == 2
    assert forget_records(tmp_path / "none", NOW, 0, NOW) == 0
