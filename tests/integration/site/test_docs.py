"""The code in the docs is the code under test, and every anchor that responses link to exists."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from afterdrop.delivery.events import EVENTS
from afterdrop.web.problems import CODES
from afterdrop.web.schemas.examples import examples
from afterdrop.web.site.doc_pages import GUIDES
from afterdrop.web.site.labels import FLAGS, PARTS
from tests.support import POSTGRES_IS_LONG
from tests.support.browser import Browser, words
from tests.support.service import BASE, Service

pytestmark = POSTGRES_IS_LONG

DOCS = Path(__file__).parents[3] / "docs"
WEBHOOKS, API = DOCS / "integrate" / "webhooks.md", DOCS / "integrate" / "api.md"
FENCES = {"python": "python", "node": "javascript", "php": "php", "shell": "sh"}


@pytest.mark.parametrize("language", FENCES)
async def test_verification_code_is_the_tested_one(browser: Browser, language: str) -> None:
    page = await browser.get("/docs/webhooks")
    node = LexborHTMLParser(page.text).css_first(f"#verify-{language}")
    assert node is not None
    fence = FENCES[language]
    [tested] = re.findall(rf"^```{fence}\n(.*?)^```", WEBHOOKS.read_text(encoding="utf-8"), re.S | re.M)
    assert node.text().strip() == tested.strip()


async def test_errors_flags_and_parts_are_all_explained(browser: Browser) -> None:
    errors = (await browser.get("/docs/errors")).text
    assert [code for code in CODES if f'id="{code}"' not in errors] == []
    flags = (await browser.get("/docs/flags")).text
    assert [flag for flag in FLAGS if f'id="{flag}"' not in flags] == []
    score = words(await browser.get("/docs/score"))
    assert [label for part, (label, _) in PARTS.items() if part != "penalty" and label not in score] == []


async def test_every_guide_opens_and_names_this_deployment(browser: Browser) -> None:
    for name in GUIDES:
        page = await browser.get(f"/docs/{name}")
        assert page.status_code == 200
        assert f'href="/docs/{name}" aria-current="page"' in page.text
    assert "http://127.0.0.1:8000/mcp" in (await browser.get("/docs/mcp")).text
    assert "http://127.0.0.1:8000/api/v1/domains" in (await browser.get("/docs/first-request")).text
    assert (await browser.get("/docs/none")).status_code == 404


async def test_the_reference_shows_every_call_as_it_can_be_sent(service: Service, browser: Browser) -> None:
    document = (await service.http.get(f"{BASE}/openapi.json")).json()
    calls = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    page = LexborHTMLParser((await browser.get("/docs/api")).text)
    names = [heading.text().split() for heading in page.css(".op h3") if heading.css_first(".method")]
    shown = {(words[-2], words[-1]) for words in names}
    assert shown == calls
    commands = [node.text() for node in page.css(".op > pre")]
    assert len(commands) == len(calls)
    for command in commands:
        words = shlex.split(command.replace("\\\n", " "))
        [address] = [word for word in words if word.startswith(BASE)]
        assert "{" not in address
        answer = await service.http.request(
            words[words.index("-X") + 1] if "-X" in words else "POST" if "-d" in words else "GET", address
        )
        assert answer.status_code == 401, command


async def test_the_webhook_guide_shows_the_data_of_every_event(browser: Browser) -> None:
    page = LexborHTMLParser((await browser.get("/docs/webhooks")).text)
    for kind, event in examples()["events"].items():
        shown = page.css_first(f'[id="event-{kind}"] + pre')
        assert shown is not None, kind
        assert json.loads(shown.text()) == event
    assert set(EVENTS) | {"ping"} == set(examples()["events"])


async def test_the_versioning_statement_stands_in_the_documentation(browser: Browser) -> None:
    document = (await browser.get("/api/v1/openapi.json")).json()
    pages = [
        words(await browser.get("/docs/versions")),
        API.read_text(encoding="utf-8"),
        document["info"]["description"],
    ]
    for text in (" ".join(page.split()) for page in pages):
        assert "The version is part of the path" in text
        assert "within a version we only add things" in text.lower()
        assert "A breaking change ships as a new version" in text
        assert "12 months" in text
    for name in ("first-request", "api"):
        assert 'href="/docs/versions"' in (await browser.get(f"/docs/{name}")).text


async def test_the_reference_shows_the_recorded_answers(browser: Browser) -> None:
    page = LexborHTMLParser((await browser.get("/docs/api")).text)
    shown = [json.loads(node.text()) for node in page.css(".op details pre")]
    recorded = [answer["body"] for each in examples()["operations"].values() for answer in each["answers"]]
    assert sorted(map(json.dumps, shown)) == sorted(map(json.dumps, recorded))
