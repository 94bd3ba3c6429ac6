"""Third-level sale zones are extensions only where the operator lists them, in the API, MCP and the site."""

from __future__ import annotations

from typing import Any

import pytest

from afterdrop.core.settings import Scan
from tests.support.service import Service, code, fields, row

ZONED = {"scan": Scan(sale_zones=("uk.com",))}


@pytest.mark.parametrize("more_settings", [ZONED])
async def test_d_04_a_listed_zone_is_an_extension(service: Service) -> None:
    await service.show(row("shop.uk.com", tld="uk.com"))
    assert await service.names("/domains?tld=uk.com") == ["shop.uk.com"]
    assert (await service.get("/domains/SHOP.uk.com")).json()["data"]["tld"] == "uk.com"
    assert (await service.get("/domains/shop.uk.com/pages")).status_code == 200
    assert (await service.ask("PUT", "/watchlist/shop.uk.com")).status_code == 200
    assert (await service.ask("DELETE", "/watchlist/shop.uk.com")).status_code == 204
    check = await service.ask("POST", "/checks", json={"domain": "https://www.shop.uk.com/x"})
    assert check.json()["data"]["domain"] == "shop.uk.com"
    assert code(await service.get("/domains/uk.com")) == (404, "not_found")
    assert "domain" in fields(await service.ask("POST", "/checks", json={"domain": "uk.com"}))
    for path, name in (("/tools/whois?domain=", "domain"), ("/tools/domain-rating?domains=", "domains")):
        assert name in fields(await service.get(f"{path}uk.com"))
        assert name in fields(await service.get(f"{path}www.shop.uk.com"))


async def test_d_04_elsewhere_it_is_a_name_like_any_other(service: Service) -> None:
    await service.show(row("uk.com"))
    assert (await service.get("/domains/uk.com")).status_code == 200
    check = await service.ask("POST", "/checks", json={"domain": "https://www.shop.uk.com/x"})
    assert check.json()["data"]["domain"] == "uk.com"
    found: dict[str, Any] = fields(await service.get("/tools/whois?domain=shop.uk.com"))
    assert found["domain"] == ["shop.uk.com: is a host name; the registrable domain is uk.com"]
