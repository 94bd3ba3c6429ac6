"""Genuine labelled pages for the review's benches: unpacked, grouped, split, and their views kept between runs.

The pages stay outside the project. A page's group is its source (a repository or a domain); groups are split by a hash
into a part to develop on and a part held out, so that no page of a site that was looked at is judged with.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from afterdrop.review.page import reader
from afterdrop.review.page.charset import decode, no_page
from afterdrop.review.page.values import PageView

SHARED = Path(__file__).parents[2] / "shared/real/history"
# Pages gathered by hand for training alone (pages.jsonl and the files beside it); nothing is measured on them.
COLLECTED = Path(__file__).parents[2] / "collected"
SCRATCH = Path(os.environ.get("AFTERDROP_GENUINE", "/tmp/afterdrop-genuine"))
DISPUTED = Path(__file__).parent / "disputed_pages.jsonl"
HELD_OUT_SHARE = 0.4
# Read before the split went by families.
SEEN = frozenset({"romandodenko/Work-6"})
# Repositories that gather pages of many sites.
COLLECTIONS = frozenset({"TeamHG-Memex/Formasaurus", "KqSMea8/ISI-PROJECT2"})
PACKED = ("pages2", "pages3", "pages4")
# The collections that are judged as a whole by a model that has seen neither.
COLLECTED_LAST = ("pages3", "pages4")
# What a view depends on beside the code that makes it: a change in either makes kept views stale.
_DATA = ("function_words.toml", "letters.toml", "ngrams.bin.xz")


@dataclass(frozen=True)
class Genuine:
    """One labelled page. `kind` is the source's word for it, `near` holds for honest pages near a spam trade."""

    file: Path
    label: str
    kind: str
    group: str
    host: str
    language: str
    near: bool
    path: str
    repository: str
    collection: str

    @property
    def family(self) -> str:
        """What may share a template with the page: its group, or the repository where one man built several sites."""
        return self.group if self.label != "spam" or self.repository in COLLECTIONS else self.repository

    @property
    def held_out(self) -> bool:
        """Whether the page's group is kept from those who write rules."""
        if self.family in SEEN:
            return False
        return int(hashlib.sha256(self.family.encode()).hexdigest()[:8], 16) < HELD_OUT_SHARE * 2**32

    @property
    def name(self) -> str:
        """The first sixteen hexadecimal digits of the page's hash."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()[:16]


def pages(shared: Path = SHARED, scratch: Path = SCRATCH, collected: Path = COLLECTED) -> list[Genuine]:
    """Every labelled page there is, disputed labels put right; forms, shells and the like are left out."""
    found = [page for name in PACKED for page in _packed(shared, scratch, name)]
    older = json.loads((shared / "pages.json").read_text("utf-8"))
    found += [_older(shared, row) for row in older if row["label"] != "error"]
    if (collected / "pages.jsonl").exists():
        found += [_genuine(collected, row, "collected") for row in _rows(collected)]
    return found


def _packed(shared: Path, scratch: Path, name: str) -> list[Genuine]:
    """The pages of one collection, unpacked once."""
    folder = scratch / name
    if not (folder / "pages.jsonl").exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(shared / f"{name}.tar.xz") as packed:
            packed.extractall(folder, filter="data")
    return [_genuine(folder, row, name) for row in _rows(folder) if row.get("tier") != "secondary"]


def _rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "pages.jsonl").read_text("utf-8").splitlines()]


def _genuine(folder: Path, row: dict[str, Any], collection: str) -> Genuine:
    file = folder / row["file"]
    return Genuine(
        file,
        disputed().get(file.stem) or row["label"],
        row["kind"],
        row["group"],
        row.get("host") or "",
        row.get("language") or "",
        bool(row.get("near_trade")),
        row["src"],
        row["repo"],
        collection,
    )


def _older(shared: Path, row: dict[str, Any]) -> Genuine:
    near = row["category"] == "hardneg"
    group = row["group"].removeprefix("github:")
    file = shared / row["file"]
    label = disputed().get(file.stem) or row["label"]
    return Genuine(file, label, row["category"] or "", group, "", "", near, row["source"], group, "older")


@cache
def disputed() -> dict[str, str]:
    """The label of each page whose source's label does not hold, by the stem of its file ("out": judged with none)."""
    if not DISPUTED.exists():
        return {}
    rows = [json.loads(line) for line in DISPUTED.read_text("utf-8").splitlines()]
    return {row["hash"]: row["label"] for row in rows}


def views(chosen: Iterable[Genuine], scratch: Path = SCRATCH) -> Iterator[tuple[Genuine, PageView | None]]:
    """Each page with its view, kept between runs; None for a body that holds no page."""
    folder = scratch / f"views-{_version()}"
    folder.mkdir(parents=True, exist_ok=True)
    for page in chosen:
        kept = folder / f"{page.file.stem}.pickle"
        if not kept.exists():
            body = page.file.read_bytes()
            decoded = decode(body)
            made = None if no_page(body, decoded) else reader.view_page(decoded, "")
            kept.write_bytes(pickle.dumps(made, pickle.HIGHEST_PROTOCOL))
        yield page, pickle.loads(kept.read_bytes())  # written by this function


def _version() -> str:
    folder = Path(reader.__file__).parent
    digest = hashlib.sha256()
    for file in sorted([*folder.glob("*.py"), *(folder.parent / "data" / name for name in _DATA)]):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
