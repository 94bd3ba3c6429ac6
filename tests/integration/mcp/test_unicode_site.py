"""A site whose address is written in Unicode: browsers send its host and origin as A-labels."""

from __future__ import annotations

from typing import Any

import pytest

from afterdrop.core.settings import Settings
from tests.integration.mcp.conftest import SITE, Service
from tests.support import ON_SQLITE

pytestmark = ON_SQLITE
HOST = "xn--bcher-kva.example:8443"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def more_settings() -> dict[str, Any]:
    """The address as its operator writes it."""
    return {"site_url": Settings(site_url="https://Bücher.example:8443").site_url}


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (f"https://{HOST}", 200),
        (f"HTTPS://{HOST.upper()}", 200),
        ("https://xn--bcher-kva.example", 403),
        ("https://bcher.example:8443", 403),
        (f"http://{HOST}", 403),
    ],
)
async def test_its_own_pages_may_ask(service: Service, origin: str, status: int) -> None:
    headers = {**ACCEPT, "Host": HOST, "Origin": origin}
    answer = await service.ask("POST", f"{SITE}/mcp", "pro", headers=headers, json=LIST)
    assert answer.status_code == status


@pytest.mark.parametrize(("host", "status"), [(HOST, 200), (HOST.upper(), 200), ("bcher.example", 400)])
async def test_browsers_find_it(service: Service, host: str, status: int) -> None:
    answer = await service.http.get(f"{SITE}/sign-in", headers={"Host": host})
    assert answer.status_code == status
