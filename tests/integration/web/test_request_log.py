"""The access log: what was asked and how it was answered, and never a token."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from afterdrop.core.settings_sections import Log
from tests.support.service import SITE, Service, clock, service

__all__ = ["clock", "service"]  # fixtures
TOKEN = "WzEyLDAsMTc5NjE3NjgwMF0.aRkQyA.4t0kEN-9xQ_w7ZbY2c"
EMAIL = "jane.doe@members.example"


@pytest.fixture
def more_settings() -> dict[str, Any]:
    return {"log": Log(access=True), "operator_token": "o" * 32}


NEAR_MISSES = [
    *(f"/reset/{TOKEN}/", f"//reset/{TOKEN}", f"/reset//{TOKEN}", f"/Reset/{TOKEN}", f"/reset/{TOKEN}/extra"),
    *(f"//s/{TOKEN}", f"/s/{TOKEN}/a.com/extra", f"/S/{TOKEN}", f"/s/{TOKEN}/a.com/", f"/share/{TOKEN}"),
    *(f"/verify%2F{TOKEN}", f"/verify%252F{TOKEN}", f"/verify/{TOKEN}%2F", f"/verify;{TOKEN}", f"/verify={TOKEN}"),
    *(f"/{TOKEN}", f"/%2F{TOKEN}", f"/%20/{TOKEN}", f"/reset{TOKEN}", f"/reset-{TOKEN}", f"/reset%0A{TOKEN}"),
    *(f"/mcp/{TOKEN}", f"/api/v1/reset/{TOKEN}", f"/api/v1/{TOKEN}", f"/api/{TOKEN}", f"/static/../s/{TOKEN}"),
    *(f"/once/{TOKEN}/", f"/unsubscribe/{TOKEN}/", f"/check-one/{TOKEN}/", f"/healthz/{TOKEN}", f"/é/{TOKEN}"),
    *(f"/operator/accounts/{EMAIL}/", f"//operator/accounts/{EMAIL}", f"/{EMAIL}"),
]  # fmt: skip
OURS = [f"/{name}/{TOKEN}" for name in ("reset", "s", "verify", "unsubscribe", "once", "check-one")]


@pytest.mark.parametrize("host", [SITE, "http://10.0.0.7:8000"])
async def test_no_token_is_logged_however_its_link_is_mistyped(
    service: Service, caplog: pytest.LogCaptureFixture, host: str
) -> None:
    paths = [*NEAR_MISSES, *OURS, f"/desk?t={TOKEN}", f"/nowhere?t={TOKEN}"]
    with caplog.at_level(logging.INFO):
        for path in paths:
            for method in ("GET", "HEAD", "POST", "DELETE"):
                await service.http.request(method, host + path)
    ours = [record for record in caplog.records if record.name.startswith("afterdrop")]
    told = [f"{record.getMessage()} {record.__dict__}" for record in ours]
    assert len(told) >= 4 * len(paths)
    for secret in (TOKEN, TOKEN[:12], TOKEN[-12:], EMAIL, EMAIL[:8]):
        assert [text for text in told if secret in text] == []


LOGGED = {
    "/wp-login.php": "/wp-login.php",
    "/wp-content/plugins/x": "/wp-content",
    "/robots.txt": "/robots.txt",
    "/domains/a.com": "/domains/a.com",
    "/api/v1/domains/a.com": "/api/v1/domains/a.com",
    "/api/v1/domain": "/api",
    "/reset/abc/": "/reset",
    "//reset/abc": "/",
    "/reset/abc": "/reset/{token}",
}


async def test_what_is_logged_of_a_path(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "afterdrop.access"):
        for path in LOGGED:
            await service.http.get(SITE + path)
    told = [record.getMessage().split()[2] for record in caplog.records if record.name == "afterdrop.access"]
    assert dict(zip(LOGGED, told, strict=True)) == LOGGED


def test_the_proxies_keep_no_log_of_addresses() -> None:
    """nginx would log whole request lines; Caddy logs none unless it is told to."""
    proxy = Path(__file__).parents[3] / "deploy" / "proxy"
    nginx = (proxy / "nginx.conf").read_text(encoding="utf-8")
    assert nginx.count("\nserver {") == nginx.count("\n    access_log off;") == 2
    caddy = (proxy / "Caddyfile").read_text(encoding="utf-8")
    assert not [line for line in caddy.splitlines() if line.split()[:1] == ["log"]]
