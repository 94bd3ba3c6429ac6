"""The reviews of the sandbox's names, made ahead: reading some hundred pages is most of what a demo waits for.

`make demo-reviews` makes them anew with every page read. They are moved to the day of the demo: its invented pasts move
with it.
"""

from __future__ import annotations

import asyncio
import lzma
import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

import orjson

from afterdrop.core.json_shapes import instant

if TYPE_CHECKING:
    from afterdrop.worker_context import WorkerContext

FILE: Final = Path(__file__).parents[1] / "sandbox" / "data" / "reviews.json.xz"
# Stands for the address of the web archive, which is another in each sandbox.
_ARCHIVE: Final = "archive:"
_DATE: Final = re.compile(r"\b((?:19|20)\d\d)-(\d\d)-(\d\d)(?=\b|T)")
# A capture's time in a link into the archive, or alone.
_STAMP: Final = re.compile(r"(?:(?<=/)|^)((?:19|20)\d\d)(\d\d)(\d\d)(?=\d{6}(?:/|$))")
_YEARS: Final = frozenset({"first_year", "last_year", "good_years", "honest_years", "years"})
_AT_ONCE: Final = 8


class MadeAhead(TypedDict):
    """Histories as `History.to_dict` gives them, of the world made from `seed` around `day`."""

    seed: int
    day: str
    histories: list[dict[str, object]]


async def write(context: WorkerContext, file: Path, seed: int) -> int:
    """Write every review of a demo's database into a file; gives how many."""
    import sqlalchemy as sa

    from afterdrop.db.tables.review import reviews

    async with context.database.read() as conn:
        found = await conn.scalars(sa.select(reviews.c.history).order_by(reviews.c.domain))
    histories = [
        _moved(history, timedelta(0), context.settings.archive.replay_url, _ARCHIVE) for history in found
    ]
    made: MadeAhead = {"seed": seed, "day": f"{context.now():%Y-%m-%d}", "histories": histories}
    packed = lzma.compress(orjson.dumps(made), preset=9 | lzma.PRESET_EXTREME)
    await asyncio.to_thread(file.write_bytes, packed)
    return len(histories)


def read(seed: int, day: date, replay_url: str, file: Path = FILE) -> list[dict[str, object]]:
    """The histories of a world around `day`, with links into the archive at `replay_url`; none for another seed."""
    if not file.exists():
        return []
    made: MadeAhead = orjson.loads(lzma.decompress(file.read_bytes()))
    if made["seed"] != seed:
        return []
    later = day - date.fromisoformat(made["day"])
    return [_moved(history, later, _ARCHIVE, replay_url) for history in made["histories"]]


def _moved(history: Mapping[str, object], later: timedelta, archive: str, to: str) -> dict[str, object]:
    return {name: _value(name, value, later, archive, to) for name, value in history.items()}


def _value(name: str, value: object, later: timedelta, archive: str, to: str) -> object:
    match value:
        case str():
            return _text(value.replace(archive, to) if value.startswith(archive) else value, later)
        case int() if name in _YEARS and not isinstance(value, bool):
            # A year is moved as its middle is.
            return (date(value, 7, 1) + later).year
        case list():
            return [_value(name, each, later, archive, to) for each in value]
        case dict():
            return _moved(value, later, archive, to)
    return value


def _text(text: str, later: timedelta) -> str:
    if not later:
        return text
    for pattern, form in ((_DATE, "%Y-%m-%d"), (_STAMP, "%Y%m%d")):
        text = pattern.sub(lambda found, form=form: _day_later(found, later, form), text)  # type: ignore[misc]  # binds this loop's value
    return text


def _day_later(found: re.Match[str], later: timedelta, form: str) -> str:
    try:
        return f"{date(*map(int, found.groups())) + later:{form}}"
    except ValueError:  # digits that are no date
        return found[0]


async def store(context: WorkerContext, histories: list[dict[str, object]], now: datetime) -> None:
    """Store reviews as of `now`, with the links that providers know of the names that are no spam."""
    from afterdrop.db.dialects import upsert
    from afterdrop.db.tables.review import reviews
    from afterdrop.sources.metrics.lookup import link_profile
    from afterdrop.sources.metrics.store import put_metrics

    until = now + timedelta(days=context.settings.scan.review_valid_days)
    rows: list[dict[str, object]] = [
        {
            "domain": history["domain"],
            "reviewed_at": now,
            "valid_until": until,
            "spam": history["outcome"] == "spam",
            "history": {**history, "reviewed_at": instant(now)},
        }
        for history in histories
    ]
    turns = asyncio.Semaphore(_AT_ONCE)

    async def profile(domain: str) -> None:
        async with turns:
            found = await link_profile(context, domain)
        async with context.database.write() as conn:
            await put_metrics(conn, [(domain, metric) for metric in found.values])

    async with context.database.write() as conn:
        await upsert(conn, reviews, rows, ["domain"])
    async with asyncio.TaskGroup() as group:
        for row in rows:
            if not row["spam"]:
                group.create_task(profile(str(row["domain"])))
