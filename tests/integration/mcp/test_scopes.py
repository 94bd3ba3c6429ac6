"""What keys that may do less than their account may do through tools."""

from __future__ import annotations

from afterdrop.web.mcp.tools import TOOLS
from tests.integration.mcp.conftest import Service, refused, told
from tests.support.service import row


async def test_a_read_only_key_is_refused_by_every_tool_that_changes(service: Service) -> None:
    await service.scoped("reader", "read_only")
    changing = [tool for tool in TOOLS.values() if not tool.reads]
    assert {"watch_domain", "order_check", "order_checks", "create_rule"} <= {tool.name for tool in changing}
    for tool in changing:
        error = await refused(service, tool.name, "reader")
        assert error["code"] == "validation_failed", tool.name
        assert set(error["fields"]) == {"Authorization"}, tool.name


async def test_a_read_only_key_reads(service: Service) -> None:
    await service.scoped("reader", "read_only")
    await service.show(row("a.com"))
    assert (await told(service, "get_report", "reader", domain="a.com"))["data"]["domain"] == "a.com"
    assert (await told(service, "get_me", "reader"))["data"]["key"]["scope"] == "read_only"


async def test_a_key_that_may_not_spend_is_told_the_cost_and_orders_nothing(service: Service) -> None:
    await service.scoped("agent", "no_spending")
    offer = (await told(service, "order_check", "agent", domain="a.org"))["data"]
    assert (offer["ordered"], offer["cost"]) == (False, 1)
    assert "may not spend" in offer["next"]
    for tool, arguments in (
        ("order_check", {"domain": "a.org", "confirm": True}),
        ("order_checks", {"domains": ["a.org"], "credits": 1}),
    ):
        error = await refused(service, tool, "agent", **arguments)
        assert (error["code"], set(error["fields"])) == ("validation_failed", {"Authorization"})
    assert (await told(service, "preview_checks", "agent", domains=["a.org"]))["meta"]["cost"] == 1
    assert (await told(service, "list_checks", "agent"))["data"] == []
