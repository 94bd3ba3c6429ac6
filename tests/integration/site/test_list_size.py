"""A list's page stays small. Its server time is measured by `bench/site.py`."""

from __future__ import annotations

import gzip

from tests.support.browser import Browser
from tests.support.service import Service, row

DOMAINS = 250
ADDRESSES = (
    "/domains",
    "/domains?sort=ending&min_score=50",
    "/domains?q=name-1&clean=true",
    "/domains?tld=com,org&sort=price&page=2",
    "/domains?per_page=50&type=auction,bid&topic=Arts",
)


async def test_a_list_is_small_on_the_wire(service: Service, browser: Browser) -> None:
    title = "Alpine huts and walks between the lakes, with timetables and a guest book"
    await service.show(*(row(f"name-{n}.com", score=45 + n % 50, title=title) for n in range(DOMAINS)))
    await browser.sign_in("pro")
    for address in ADDRESSES:
        page = await browser.get(address)
        assert page.status_code == 200
        assert len(gzip.compress(page.content)) < 40_000
