"""The docs' code does what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from afterdrop.delivery.signing import sign
from tests.integration.site.conftest import Browser


async def test_the_verification_code_of_the_docs_takes_our_signatures(browser: Browser) -> None:
    page = await browser.get("/docs/webhooks")
    node = LexborHTMLParser(page.text).css_first("#verify-python")
    assert node is not None
    shown: dict[str, Any] = {}
    exec(compile(node.text(), "docs", "exec"), shown)
    genuine: Callable[[str, str, bytes, float], bool] = shown["genuine"]
    header = sign("whsec_x", 1_700_000_000, b'{"id": 1}')
    assert genuine("whsec_x", header, b'{"id": 1}', 1_700_000_100)
    assert not genuine("whsec_y", header, b'{"id": 1}', 1_700_000_100)
    assert not genuine("whsec_x", header, b'{"id": 2}', 1_700_000_100)
    assert not genuine("whsec_x", header, b'{"id": 1}', 1_700_000_301)
    assert not genuine("whsec_x", "nonsense", b"", 1_700_000_000)
