"""A page as it was read, as a WARC record that any reader of web archives opens: evidence that cannot vanish.

Files are named after the SHA-256 of their bytes, so that one cannot be changed unseen. Source: WARC 1.1 (ISO
28500:2017).
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
import uuid
from datetime import datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Final

from afterdrop.core.safe_text import one_line
from afterdrop.core.settings import Settings
from afterdrop.sources.live.pages import LivePage

# The answer's headers that are kept. The body is stored without its coding, so that those of codings are not.
_KEPT: Final = (
    "Content-Type",
    "Content-Language",
    "Last-Modified",
    "Date",
    "Server",
    "X-Robots-Tag",
    "Location",
)
# The beginning of the name of a file that is being written, which takes no day.
_UNFINISHED: Final = "tmp"
_WRITTEN_WITHIN: Final = timedelta(days=1)


def warc_record(page: LivePage, at: datetime) -> bytes:
    """One response record, packed with gzip; the same for the same page and time."""
    digest = hashlib.sha256(page.body).hexdigest()
    answer = [
        f"HTTP/1.1 {page.status} {_phrase(page.status)}",
        *(f"{name}: {one_line(page.headers[name], 500)}" for name in _KEPT if name in page.headers),
        f"Content-Length: {len(page.body)}",
    ]
    block = "\r\n".join([*answer, "", ""]).encode() + page.body
    identity = uuid.uuid5(uuid.NAMESPACE_URL, f"{page.url} {at.isoformat()} {digest}")
    head = [
        "WARC/1.1",
        "WARC-Type: response",
        f"WARC-Record-ID: <urn:uuid:{identity}>",
        f"WARC-Date: {at:%Y-%m-%dT%H:%M:%S}Z",
        f"WARC-Target-URI: {page.url}",
        f"WARC-Payload-Digest: sha256:{digest}",
        *([f"WARC-Truncated: {page.truncated}"] if page.truncated else []),
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(block)}",
    ]
    return gzip.compress("\r\n".join([*head, "", ""]).encode() + block + b"\r\n\r\n", mtime=0)


def evidence_dir(settings: Settings) -> Path:
    """Where the records of visited pages are."""
    return settings.data_dir / "evidence"


def keep_record(folder: Path, record: bytes) -> str:
    """Write a record below `folder`, once; gives its name, which is its SHA-256.

    Raises OSError where it cannot be written; nothing is left behind then.
    """
    name = hashlib.sha256(record).hexdigest()
    path = record_path(folder, name)
    if path.exists():
        os.utime(path)  # it is kept as long as one written now
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=_UNFINISHED, delete=False) as file:
            try:
                file.write(record)
                file.flush()
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    return name


def record_path(folder: Path, name: str) -> Path:
    """Where the record of that name is."""
    return folder / name[:2] / f"{name}.warc.gz"


def forget_records(folder: Path, before: datetime, most_bytes: int, now: datetime) -> int:
    """Delete records below `folder`: those written before then, and the oldest beyond `most_bytes`; gives how many.

    A record not written to its end a day ago goes, too.
    """
    past, unfinished = before.timestamp(), (now - _WRITTEN_WITHIN).timestamp()
    for path in folder.glob(f"??/{_UNFINISHED}*"):
        if path.stat().st_mtime < unfinished:
            path.unlink(missing_ok=True)
    found = [(path.stat(), path) for path in folder.glob("??/*.warc.gz")]
    kept_bytes, old = 0, []
    for stat, path in sorted(found, key=lambda one: one[0].st_mtime, reverse=True):
        kept_bytes += stat.st_size
        if stat.st_mtime < past or kept_bytes > most_bytes:
            old.append(path)
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
