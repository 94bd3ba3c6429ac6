"""The recipes: every request that they show is sent as it stands, and taken."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from afterdrop.delivery.events import EventDraft, record, take_positions
from tests.support import ON_SQLITE
from tests.support.service import Service, clock, more_settings, row, service

__all__ = ["clock", "more_settings", "service"]
RECIPES = Path(__file__).parents[2] / "docs" / "integrate" / "recipes"
_BLOCK = re.compile(r"^( *)```http\n(.*?)\n *```", re.MULTILINE | re.DOTALL)


class Shown(NamedTuple):
    """A request that a page shows."""

    page: str
    method: str
    path: str
    headers: dict[str, str]
    body: Any


def shown() -> Iterator[Shown]:
    """Every request of every page, in order."""
    for page in sorted(RECIPES.glob("*.md")):
        for _, block in _BLOCK.findall(page.read_text(encoding="utf-8")):
            lines = [line.strip() for line in block.split("\n")]
            head, _, body = "\n".join(lines).partition("\n\n")
            first, *headers = head.split("\n")
            method, path = first.split()
            named = dict(line.split(": ", 1) for line in headers)
            yield Shown(page.name, method, path, named, json.loads(body) if body else None)


@ON_SQLITE
@pytest.mark.parametrize("page", ["make.md", "n8n.md", "zapier.md"])
async def test_every_request_of_a_recipe_is_taken(service: Service, page: str) -> None:
    await service.show(row("alpine-hut.org"))
    values = {"domain": "alpine-hut.org"}
    account = service.accounts["pro"].id
    async with service.database.write() as conn:
        await record(conn, "alert.matched", EventDraft(account, {}, "one"), service.clock.now)
        await take_positions(conn, account, service.clock.now)
    requests = [each for each in shown() if each.page == page]
    assert len(requests) >= 3
    for each in requests:
        path = each.path.format(**values)
        body = {} if each.body is None else {"json": each.body}
        answer = await service.ask(each.method, path, headers=each.headers, **body)
        assert answer.is_success, (each, answer.text)
        if each.method == "POST":
            made = answer.json()["data"]["id"]
            values["check" if each.path == "/checks" else "id"] = made
            again = await service.ask(each.method, path, headers=each.headers, **body)
            if "Idempotency-Key" in each.headers:
                assert again.json()["data"]["id"] == made, "what a workflow repeats is done once"


def test_no_recipe_is_forgotten() -> None:
    assert {each.page for each in shown()} == {page.name for page in RECIPES.glob("*.md")} - {"README.md"}
