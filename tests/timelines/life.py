"""The whole history of one invented site, and an archive that serves it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime

from afterdrop.sources.archive.capture_file import surt
from afterdrop.sources.archive.cdx import read_index
from afterdrop.sources.archive.wayback import IndexAnswer, MissingCapture, Replay, replay_address

PUBLIC = "https://web.archive.org/web"


@dataclass(frozen=True)
class Shot:
    """One capture: what the server at `path` answered at `at`."""

    at: datetime
    body: bytes
    path: str = "/"
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    location: str = ""


@dataclass(frozen=True)
class Life:
    """One domain's captures and the expected result.

    `truth` is honest or spam. `flags` must be found, `never` must not be. `kind` says how it was composed.
    """

    domain: str
    kind: str
    truth: str
    shots: tuple[Shot, ...] = field(repr=False)
    flags: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    language: str | None = None


@dataclass
class LifeArchive:
    """An archive with the captures of one site only; `asked` lists the captures that were fetched."""

    life: Life
    asked: list[str] = field(default_factory=list)

    async def index(
        self, domain: str, now: datetime, *, closed: bytes = b"", closed_before: int = 0
    ) -> IndexAnswer:
        """Every capture, as the index lists it."""
        rows = sorted(self._row(shot) for shot in self.life.shots)
        return IndexAnswer(read_index("\n".join(rows).encode(), domain))

    def _row(self, shot: Shot) -> str:
        url = f"http://{self.life.domain}{shot.path}"
        stamp = shot.at.strftime("%Y%m%d%H%M%S")
        digest = hashlib.sha1(shot.body, usedforsecurity=False).hexdigest()
        mime = shot.content_type.partition(";")[0]
        return f"{surt(url)} {stamp} {url} {mime} {shot.status} {digest} {300 + len(shot.body) // 3}"

    async def capture(self, at: datetime, url: str) -> Replay | MissingCapture:
        """The capture asked for."""
        self.asked.append(url)
        for shot in self.life.shots:
            if shot.at == at and url.endswith(self.life.domain + shot.path):
                return Replay(
                    at,
                    at,
                    url,
                    replay_address(PUBLIC, at, url),
                    shot.status,
                    shot.content_type.partition(";")[0],
                    shot.body,
                    {"content-type": shot.content_type},
                    shot.location or None,
                )
        return MissingCapture(at, url, "not_archived")
