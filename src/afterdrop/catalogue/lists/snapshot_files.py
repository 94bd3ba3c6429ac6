"""The lists in memory as a file that the next start maps instead of reading every row from the database.

A file is used for one database with one state of it in its past: when it was written, its id and its version were
stored in the database. A backup that was restored, or another database, does not have them. Nor is it used by other
code, for other fees or catchers, or with another schema.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import secrets
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop import __version__
from afterdrop.catalogue.lists.table import Arrays
from afterdrop.catalogue.summary import Links
from afterdrop.db.dialects import upsert
from afterdrop.db.schema_version import revisions
from afterdrop.db.tables.catalogue import versions

_MAGIC: Final = b"afterdrop lists\n"
_ALIGNED: Final = 64
# Before a file's id, among the names of `versions`.
_STORED_AS: Final = "lists "
# So many seconds after its last byte nobody writes a draft any more.
_LEFT_AFTER: Final = 3600
# Nodes with a file of their own.
_MOST_STORED: Final = 20


def write_file(file: Path, arrays: Arrays, fingerprint: str) -> str:
    """Write a snapshot into a file, at once or not at all; gives the id to `store`. Raises OSError."""
    made_id = secrets.token_hex(8)
    places: dict[str, Any] = {}
    size = 0
    for name, array in arrays.items():
        places[name] = (array.dtype.str, array.shape, size)
        size += _aligned(array.nbytes)
    head = orjson.dumps({"id": made_id, "fingerprint": fingerprint, "arrays": places})
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{made_id}.part")
    try:
        with draft.open("xb") as opened:
            opened.write(_MAGIC + len(head).to_bytes(8, "little") + head)
            opened.write(bytes(_aligned(opened.tell()) - opened.tell()))
            for array in arrays.values():
                for part in array if array.ndim > 1 else (array,):
                    opened.write(np.ascontiguousarray(part).data)
                opened.write(bytes(_aligned(array.nbytes) - array.nbytes))
            opened.flush()
            os.fsync(opened.fileno())
        # Remove what processes that were killed have left: drafts much older than this one.
        old = draft.stat().st_mtime - _LEFT_AFTER
        for other in file.parent.glob(f"{file.name}.*.part"):
            if other.stat().st_mtime < old:
                other.unlink()
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    return made_id


def read_file(file: Path, fingerprint: str) -> tuple[str, Arrays] | None:
    """The id and the arrays of a file, which are read when they are used; None where it is not for us.

    A change to them is made in memory alone. Raises OSError and ValueError for a file that cannot be read.
    """
    with file.open("rb") as opened:
        mapped = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_COPY)
    if mapped[: len(_MAGIC)] != _MAGIC:
        raise ValueError("it is no file of lists")
    start = len(_MAGIC) + 8
    end = start + int.from_bytes(mapped[start - 8 : start], "little")
    head = orjson.loads(mapped[start:end])
    if head["fingerprint"] != fingerprint:
        return None
    arrays: dict[str, NDArray[Any]] = {}
    for name, (kind, shape, at) in head["arrays"].items():
        found = np.frombuffer(mapped, kind, int(np.prod(shape)), _aligned(end) + at)
        arrays[name] = found.reshape(shape)
    return head["id"], arrays


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


@lru_cache(maxsize=1)
def _code() -> str:
    made = hashlib.sha256(__version__.encode())
    for folder in ("catalogue", "core", "scoring"):
        for name, code in _sources(folder):
            made.update(name.encode() + code)
    return made.hexdigest()


def _sources(folder: str) -> Iterable[tuple[str, bytes]]:
    top = Path(str(files("afterdrop"))) / folder
    for path in sorted([*top.rglob("*.py"), *top.rglob("*.toml")]):
        yield str(path.relative_to(top)), path.read_bytes()


def fingerprint(links: Links) -> str:
    """The fingerprint that a file must have: of this code, this schema, these registration fees and catchers."""
    catchers = {tld: each[0].name for tld, each in sorted(links.places.catchers.items()) if each}
    told = orjson.dumps([dict(sorted(links.fees.items())), catchers])
    return f"{_code()} {revisions()[-1]} {hashlib.sha256(told).hexdigest()}"


async def store(conn: AsyncConnection, file_id: str, version: int) -> None:
    """Note in the database that a file was written of its state at `version`."""
    await upsert(conn, versions, [{"name": _STORED_AS + file_id, "value": version}], ["name"])
    ours = versions.c.name.startswith(_STORED_AS)
    newest = sa.select(versions.c.name).where(ours).order_by(versions.c.value.desc()).limit(_MOST_STORED)
    await conn.execute(sa.delete(versions).where(ours, versions.c.name.not_in(newest.subquery().select())))


async def is_stored(conn: AsyncConnection, file_id: str, version: int) -> bool:
    """Whether the database has this file's state in its past."""
    chosen = sa.select(versions.c.value).where(versions.c.name == _STORED_AS + file_id)
    return await conn.scalar(chosen) == version
