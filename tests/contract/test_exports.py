"""Whole lists as NDJSON and CSV: what the list shows, to whoever it shows it, line by line."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest

from afterdrop.catalogue.lists.pages import Lists
from afterdrop.web.list_csv import SUMMARY_COLUMNS
from tests.support.service import ENDED, FREED, NOW, OPEN, Service, code, fields, row

LISTS = {"live": "/domains", "available": "/domains/available", "archive": "/domains/archive"}


async def fill(service: Service) -> None:
    """Domains of every kind, more than one portion of them live."""
    later = {"ends_at": NOW + timedelta(days=2), "live_until": NOW + timedelta(days=2)}
    await service.show(
        *(row(f"name-{n:03}.com", score=45 + n % 50, **later) for n in range(260)),
        *(row(f"open-{n}.org", **OPEN) for n in range(3)),
        *(row(f"ended-{n}.com", **ENDED) for n in range(4)),
        *(row(f"free-{n}.com", **FREED) for n in range(3)),
        row("removed.com", removed_at=NOW),
        row("formula.com", title='=1+1,\n"x"'),
    )


async def listed(service: Service, which: str, who: str, query: str = "") -> list[dict[str, Any]]:
    """The rows of all pages of a list."""
    rows: list[dict[str, Any]] = []
    page = 1
    while True:
        answer = (await service.get(f"{LISTS[which]}?per_page=100&page={page}{query}", who)).json()
        rows += answer["data"]
        if page >= answer["meta"]["pages"]:
            return rows
        page += 1


async def test_an_export_is_the_list_as_its_reader_sees_it(service: Service) -> None:
    await fill(service)
    async with service.context.running():
        for who in ("free", "pro"):
            for which in LISTS:
                exported = await service.get(f"/exports/{which}", who)
                assert exported.headers["Content-Type"] == "application/x-ndjson"
                lines = [json.loads(line) for line in exported.text.splitlines()]
                assert lines == await listed(service, which, who), (who, which)
                assert "removed.com" not in {line["domain"] for line in lines}


async def test_filters_order_and_form_are_the_lists(service: Service) -> None:
    await fill(service)
    query = "&min_score=80&sort=newest&tld=com"
    answer = await service.get(f"/exports/live?format=csv{query}")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="afterdrop-live-2026-11-20.csv"'
    head, *rows = csv.reader(io.StringIO(answer.text))
    assert tuple(head) == SUMMARY_COLUMNS
    wanted = await listed(service, "live", "pro", query)
    assert wanted
    assert [each[0] for each in rows] == [each["domain"] for each in wanted]
    titled = (await service.get("/exports/live?format=csv&q=formula")).text
    assert "'=1+1" in titled
    assert (await service.get("/exports/live?q=nothing-like-it")).text == ""


async def test_a_list_is_made_in_portions(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill(service)
    sizes: list[int] = []
    whole = Lists.whole

    async def counted(pages: Any) -> Any:
        async for rows in pages:
            sizes.append(len(rows))
            yield rows

    async def listed(*asked: Any) -> Any:
        return counted(await whole(*asked))

    monkeypatch.setattr(Lists, "whole", listed)
    await service.get("/exports/live")
    assert sizes == [250, 14]


async def test_exports_are_counted_by_the_hour(service: Service) -> None:
    for _ in range(10):
        assert (await service.get("/exports/archive", "free")).status_code == 200
    refused = await service.get("/exports/live?format=csv", "free")
    assert code(refused) == (429, "rate_limited")
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert (await service.get("/domains", "free")).status_code == 200
    service.clock.move(hours=1)
    assert (await service.get("/exports/live", "free")).status_code == 200


@pytest.mark.parametrize("query", ["page=1", "per_page=10", "format=xml", "min_score=x", "sort=x"])
async def test_what_an_export_does_not_take_is_named(service: Service, query: str) -> None:
    assert set(fields(await service.get(f"/exports/live?{query}"))) == {query.partition("=")[0]}
