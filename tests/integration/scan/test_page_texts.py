"""Texts to revive are made of the site's own pages alone, whatever the archive serves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import sqlalchemy as sa

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.review import archived_pages
from afterdrop.scan.page_texts import text_queue
from afterdrop.sources.archive.archives import Archives
from afterdrop.sources.archive.wayback import MissingCapture, Replay
from tests.support.pages import PagesHere
from tests.support.world import World

AT = datetime(2012, 1, 1, tzinfo=UTC)
BREAD = (
    "<html><title>Bread</title><body><p>Our sourdough loaves rise overnight before baking in the stone oven. The bakery"
    " sells rye bread, butter croissants, seeded rolls, cinnamon pastries and birthday cakes from early morning.</p>"
    "<p>Flour comes from the watermill downstream, where millers grind organic wheat, spelt and barley between"
    " granite millstones. Children enjoy the gingerbread workshop before Christmas.</p></body></html>"
)
SALE = (
    "<html><title>bakery.com is for sale</title><body><h1>This domain is for sale!</h1><p>Buy this domain name now."
    " Make an offer for bakery.com. The domain bakery.com is parked free, courtesy of the registrar.</p></body></html>"
)


@dataclass
class OneArchive:
    """An archive that serves what it was given for a path."""

    served: dict[str, Replay | MissingCapture]
    hosts: tuple[str, ...] = ()

    async def capture(self, at: datetime, url: str) -> Replay | MissingCapture:
        return self.served[url.rpartition("/")[2]]


def replay(body: str, at: datetime = AT, status: int = 200, to: str | None = None) -> Replay:
    kind = {"Content-Type": "text/html; charset=utf-8"}
    return Replay(AT, at, "http://bakery.com/", "r", status, "text/html", body.encode(), kind, to)


async def test_only_the_page_of_its_time_becomes_a_text(database: Database, settings: Settings) -> None:
    served: dict[str, Replay | MissingCapture] = {
        "bread": replay(BREAD, AT + timedelta(hours=3)),
        "sale": replay(SALE),
        "later": replay(BREAD, AT + timedelta(days=900)),
        "gone": replay(BREAD, status=404),
        "moved": replay("", status=302, to="http://other.com/"),
        "missing": MissingCapture(AT, "u", "not_archived"),
    }
    world = World(database, settings)
    async with database.write() as conn:
        for path in served:
            values: dict[str, Any] = {
                **{
                    "domain": "bakery.com",
                    "era": 1,
                    "overall": True,
                    "path": f"/{path}",
                    "url": f"http://bakery.com/{path}",
                    "captures": 3,
                },
                **{"last_capture": "2012-01-01", "timestamp": "20120101000000", "content_state": "wanted"},
                "due_at": world.now,
            }
            await conn.execute(sa.insert(archived_pages).values(**values))
    world.context = replace(
        world.context, archives=Archives(cast(Any, OneArchive(served)), None), pages=PagesHere()
    )
    await world.work(text_queue(world.context))
    found = {row["path"]: row for row in await world.rows(archived_pages)}
    assert {path: row["content_state"] for path, row in found.items() if row["content"]} == {
        "/bread": "stored"
    }
    assert "sourdough" in found["/bread"]["content"]
    errors = {path: row["error"] for path, row in found.items() if path != "/bread"}
    assert errors == {
        "/sale": "the page is parked",
        "/later": "the web archive gave another capture, of 2014-06-19",
        "/gone": "the capture is not a page (status 404)",
        "/moved": "the capture is not a page (status 302)",
        "/missing": "not_archived",
    }
