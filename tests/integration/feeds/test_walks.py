"""Walks of pages: what ends them, what is no end, and what is waited for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aiohttp import web

from afterdrop.core.errors import FeedError
from afterdrop.feeds.download import Spool, forget
from afterdrop.feeds.spec import FeedSpec
from tests.support.desk import feed
from tests.support.feed_shop import Get, Shop

# The answer to each question in turn: a status, or a document of status 200.
Answers = list[Any]


def rows(*names: str) -> list[dict[str, str]]:
    return [{"d": f"{name}.com", "t": "bid", "e": "2036-11-21T00:00:00Z", "id": name} for name in names]


def lots(*names: str, **members: Any) -> dict[str, Any]:
    return {"rows": rows(*names), **members}


def walked(shop: Shop, answers: Answers, **paging: Any) -> FeedSpec:
    """A feed whose questions are answered in turn, the last answer again and again."""
    left = list(answers)

    async def page(_request: web.Request) -> web.Response:
        given = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(given, int):
            return web.Response(status=given, headers={"Retry-After": "0"} if given == 429 else {})
        return web.json_response(given)

    shop.answers["/l"] = page
    return feed(
        url=f"{shop.url}/l", format="json", json={"path": "rows"}, paging={"query": "p", "most": 6, **paging}
    )


async def names(get: Get, spec: FeedSpec) -> tuple[list[str], bool]:
    spooled = await get(spec)
    return [json.loads(line)["id"] for line in spooled.path.read_bytes().splitlines()], spooled.whole


NOTHING: Answers = [None, False, "false", "", 0, "0", [], {}]
ERROR = {"error": "Too many requests", "rows": []}


@pytest.mark.parametrize(
    ("paging", "answers", "found", "whole"),
    [
        # Only `more` ends a list that has it.
        ({"more": "m"}, [lots("a", m=True), lots(m=True), lots("b", m=False)], ["a", "b"], True),
        ({"more": "m"}, [lots(m=1), lots("b", m=0)], ["b"], True),
        ({"more": "m"}, [lots("a", m="true"), lots("b", m="false")], ["a", "b"], True),
        ({"more": "m"}, [lots("a", m="1"), lots("b", m="0")], ["a", "b"], True),
        ({"more": "m"}, [lots("a", m="/l?p=2"), lots("b", m="")], ["a", "b"], True),
        ({"more": "m"}, [lots("a", m=3), {"rows": None, "m": None}], ["a"], True),
        ({"more": "m", "most": 2}, [lots("a", m=True), lots(m=True)], ["a"], False),
        (
            {"more": "m", "until_ended": True},
            [lots("a", m=True), lots(m=True), lots("b", m=False)],
            ["a", "b"],
            True,
        ),
        # Without it, an answer that there is no such page does.
        *(({}, [lots("a"), lots("b"), status], ["a", "b"], True) for status in (204, 400, 404, 416)),
        ({}, [lots("a"), None], ["a"], True),
        ({}, [lots("a"), {"rows": None}], ["a"], True),
        ({}, [lots("a"), {"rows": {}}], ["a"], True),
        ({}, [lots("a"), lots("b"), lots("b")], ["a", "b"], True),
        ({}, [lots("a")], ["a"], False),  # one page, or a server that knows no such parameter
        # One object, and objects under their ids.
        ({}, [{"rows": rows("a")[0]}, lots()], ["a"], True),
        ({}, [{"rows": {"17": rows("a")[0], "18": rows("b")[0]}}, lots()], ["a", "b"], True),
        # A limit or a failure in the middle passes.
        ({}, [lots("a"), 429, lots("b"), 429, lots()], ["a", "b"], True),
        ({}, [lots("a"), 503, lots("b"), lots()], ["a", "b"], True),
        ({"error": {"path": "error"}}, [lots("a"), ERROR, lots("b"), lots()], ["a", "b"], True),
    ],
)
async def test_where_a_walk_ends(
    shop: Shop, get: Get, paging: dict[str, Any], answers: Answers, found: list[str], whole: bool
) -> None:
    assert await names(get, walked(shop, answers, **paging)) == (found, whole)


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        ({"path": "error"}, ERROR),
        ({"path": "status", "is": "error"}, lots(status="error")),
        ({"path": "status", "is": ["error", "busy"]}, lots(status="busy")),
        ({"path": "reply.code", "ok": [200, 300]}, lots(reply={"code": 110})),
        ({"path": "reply.code", "ok": 300}, lots(reply={"code": "301"})),
        ({"path": "success", "ok": True}, lots(success=False)),
        ({"path": "success", "ok": True}, lots()),
    ],
)
async def test_an_error_in_a_good_answer_is_no_page(
    shop: Shop, get: Get, error: dict[str, Any], answer: Any
) -> None:
    with pytest.raises(FeedError, match=f"page 1 is an error: {error['path']} is "):
        await get(walked(shop, [answer], error=error))


@pytest.mark.parametrize(
    ("error", "members"),
    [
        *(({"path": "error"}, {"error": said}) for said in NOTHING),
        ({"path": "error"}, {}),
        ({"path": "status", "is": "error"}, {"status": "success"}),
        ({"path": "reply.code", "ok": 300}, {"reply": {"code": "300"}}),
        ({"path": "success", "ok": True}, {"success": True}),
    ],
)
async def test_a_page_without_an_error_is_one(
    shop: Shop, get: Get, error: dict[str, Any], members: dict[str, Any]
) -> None:
    spec = walked(shop, [lots("a", **members), lots(**members)], error=error)
    assert await names(get, spec) == (["a"], True)


@pytest.mark.parametrize(
    ("paging", "answers", "why"),
    [
        ({}, [404], "page 1 is answered with status 404"),
        ({}, [204], "page 1 is answered with status 204"),
        ({}, [None], "page 1 has no list of rows"),
        ({}, [lots("a"), 403], "page 2 is answered with status 403"),
        ({}, [lots("a"), {"error": "no"}], "page 2 has no list of rows"),
        ({"more": "m"}, [lots("a", m=True), 404], "page 2 is answered with status 404"),
        ({"more": "m"}, [lots("a", m=True), None], "page 2 has no list of rows"),
        ({"more": "m"}, [lots("a", m=True)], "pages 1 and 2 are the same; is 'p' the right name"),
    ],
)
async def test_what_is_no_page_and_no_end(
    shop: Shop, get: Get, paging: dict[str, Any], answers: Answers, why: str
) -> None:
    with pytest.raises(FeedError, match=why):
        await get(walked(shop, answers, **paging))


async def test_a_page_is_not_asked_for_without_end(
    shop: Shop, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("afterdrop.feeds.pages._PAUSES", (0.0, 0.0))
    with pytest.raises(FeedError, match="page 2 is answered with status 500"):
        await get(walked(shop, [lots("a"), 500]))
    assert len(shop.asked) == 4


async def test_a_list_that_is_a_page_shorter_than_the_last_time_may_be_a_part(
    shop: Shop, get: Get, tmp_path: Any
) -> None:
    long, short = [lots("a", "b"), lots("c"), lots()], [lots("a"), ERROR]
    assert await names(get, walked(shop, long)) == (["a", "b", "c"], True)
    assert await names(get, walked(shop, [lots("a"), lots("b"), lots()])) == (["a", "b"], True)
    assert await names(get, walked(shop, short)) == (["a"], False)
    assert await names(get, walked(shop, short)) == (["a"], True)  # twice in a row: it did shrink
    # A walk without a row is no measure.
    await get(walked(shop, long))
    await get(spec := walked(shop, [ERROR]))
    forget(spec, Spool(tmp_path / "spool"))
    assert await names(get, walked(shop, short)) == (["a"], False)
    # An error is told from the end where the feed file says how.
    await get(walked(shop, long))
    assert await names(get, walked(shop, [lots("a"), lots()], error={"path": "error"})) == (["a"], True)
