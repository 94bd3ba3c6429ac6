"""Compression: only what may be compressed is, and a compressed response is the same response."""

from __future__ import annotations

import pytest
import zstandard

from tests.support.browser import Browser
from tests.support.rows import row
from tests.support.service import SITE, Service


@pytest.mark.parametrize("encoding", ["zstd", "br", "gzip"])
async def test_a_list_comes_in_the_encoding_asked_for(service: Service, encoding: str) -> None:
    await service.show(*(row(f"name-{n}.com") for n in range(20)))
    plain = await service.get("/domains", headers={"Accept-Encoding": "identity"})
    small = await service.get("/domains", headers={"Accept-Encoding": encoding})
    assert "content-encoding" not in plain.headers
    assert small.headers["content-encoding"] == encoding
    assert int(small.headers["content-length"]) < int(plain.headers["content-length"]) / 4
    body = zstandard.decompress(small.content) if encoding == "zstd" else small.content
    assert body == plain.content
    assert {"Authorization", "Accept-Encoding"} <= set(small.headers["vary"].split(", "))


async def test_the_tag_of_a_compressed_body_is_weak_and_still_found(service: Service) -> None:
    await service.show(*(row(f"name-{n}.com") for n in range(20)))
    headers = {"Accept-Encoding": "gzip"}
    strong = (await service.get("/domains", headers={"Accept-Encoding": "identity"})).headers["ETag"]
    weak = (await service.get("/domains", headers=headers)).headers["ETag"]
    assert weak == f"W/{strong}"
    for sent in (weak, strong):
        again = await service.get("/domains", headers={**headers, "If-None-Match": sent})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", sent)


@pytest.mark.parametrize("path", ["/domains", "/domains/name-1.com", "/domains?min_score=100"])
@pytest.mark.parametrize("encoding", ["gzip", "identity"])
async def test_what_has_not_changed_varies_as_it_did(service: Service, path: str, encoding: str) -> None:
    await service.show(*(row(f"name-{n}.com") for n in range(20)))
    first = await service.get(path, headers={"Accept-Encoding": encoding})
    headers = {"Accept-Encoding": encoding, "If-None-Match": first.headers["ETag"]}
    again = await service.get(path, headers=headers)
    assert (again.status_code, again.headers["vary"]) == (304, first.headers["vary"])


async def test_small_bodies_and_answers_to_posts_stay_as_they_are(service: Service) -> None:
    headers = {"Accept-Encoding": "gzip"}
    assert "content-encoding" not in (await service.get("/me", headers=headers)).headers
    url = "https://hooks.example.com/" + "a" * 1500
    sent = {"url": url, "events": ["check.completed"]}
    made = await service.ask("POST", "/webhooks", json=sent, headers=headers)
    assert made.status_code == 201, made.text
    assert made.json()["data"]["secret"].startswith("whsec_")
    assert len(made.content) > 1024
    assert "content-encoding" not in made.headers


async def test_a_page_is_compressed_and_its_form_token_is_another_each_time(
    service: Service, browser: Browser
) -> None:
    await browser.sign_in("pro")
    seen = set()
    for _ in range(3):
        page = await browser.http.get(SITE + "/account/settings", headers={"Accept-Encoding": "gzip"})
        assert page.headers["content-encoding"] == "gzip"
        browser.last = page
        seen.add(browser.token)
        # One page, one token, whichever of its forms is sent.
        assert page.text.count(browser.token) == page.text.count('name="csrf"')
    assert len(seen) == 3
    assert (await browser.post("/sign-out", {})).status_code == 303


async def test_a_head_has_the_length_of_its_get(service: Service) -> None:
    url = f"{SITE}/sign-up"
    got = await service.http.get(url, headers={"Accept-Encoding": "gzip"})
    asked = await service.http.head(url, headers={"Accept-Encoding": "gzip"})
    assert asked.headers["content-encoding"] == got.headers["content-encoding"] == "gzip"
    assert abs(int(asked.headers["content-length"]) - int(got.headers["content-length"])) < 60
