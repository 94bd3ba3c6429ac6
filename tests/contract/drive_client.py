"""Drive every endpoint through a client generated from the description: `drive.py BASE_URL KEY` prints how many.

Runs in a folder of its own beside the generated package `afterdrop_client`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

CLIENT: Any = import_module("afterdrop_client").AuthenticatedClient
MODELS: Any = import_module("afterdrop_client.models")


class Driver:
    """Calls operations by `group.name` and counts those that were called."""

    def __init__(self, base_url: str, key: str) -> None:
        self.client = CLIENT(base_url=base_url, token=key)
        self.called: set[str] = set()

    def call(self, operation: str, status: int, *path: Any, **more: Any) -> Any:
        """One call; its parsed answer."""
        answer = import_module(f"afterdrop_client.api.{operation}").sync_detailed(
            *path, client=self.client, **more
        )
        assert answer.status_code == status, (operation, answer)
        assert status == 204 or answer.parsed is not None, operation
        self.called.add(operation)
        return answer.parsed


def domains(drive: Driver) -> None:
    """Lists, report, revival kit, watchlist."""
    live = drive.call("domains.list_live", 200, min_score=1, tld="org,com", per_page=1)
    assert (live.meta.list_, live.meta.per_page, live.data[0].tld) == ("live", 1, "org")
    assert live.data[0].metrics.trust_flow == 15
    drive.call("domains.list_available", 200)
    assert (
        drive.call("domains.list_archive", 200, sort=MODELS.ListArchiveSort.ENDED).data[0].domain
        == "ended.org"
    )
    report = drive.call("domains.get_report", 200, "alpine-hut.org").data
    assert report.domain == "alpine-hut.org"
    assert report.to_dict()["metrics"]["backlinks"] == 7
    assert drive.call("domains.list_pages", 200, "alpine-hut.org").meta.total == 0
    assert drive.call("watchlist.watch_domain", 200, "alpine-hut.org").data.domain == "alpine-hut.org"
    assert len(drive.call("watchlist.list_watched", 200).data) == 1
    drive.call("watchlist.unwatch_domain", 204, "alpine-hut.org")
    assert drive.call("domains.get_report", 404, "never.org").error.code == "not_found"


def rules(drive: Driver) -> None:
    """Alert rules and matches."""
    body = MODELS.NewRule(
        name="huts", min_score=50, tlds=["com", ".org"], topics=[MODELS.NewRuleTopicsItem.ARTS]
    )
    rule = drive.call("alert_rules.create_rule", 201, body=body).data
    assert (rule.name, rule.tlds, rule.min_score) == ("huts", ["com", "org"], 50)
    changed = drive.call("alert_rules.change_rule", 200, rule.id, body=MODELS.RuleChange(min_score=None)).data
    assert (changed.name, changed.min_score, changed.tlds) == ("huts", None, ["com", "org"])
    assert drive.call("alert_rules.get_rule", 200, rule.id).data.id == rule.id
    assert len(drive.call("alert_rules.list_rules", 200).data) == 1
    assert drive.call("alert_rules.list_matches", 200, limit=5).data == []
    drive.call("alert_rules.delete_rule", 204, rule.id)


def checks(drive: Driver) -> None:
    """Checks."""
    body = MODELS.NewCheck(domain="https://www.alpine-hut.com/")
    check = drive.call("checks.order_check", 202, body=body).data
    assert (check.domain, check.queue_position) == ("alpine-hut.com", 1)
    assert drive.call("checks.order_check", 200, body=body).data.id == check.id
    assert drive.call("checks.list_checks", 200).meta.total == 1
    assert drive.call("checks.get_check", 200, check.id).data.report is None


def lookups(drive: Driver) -> None:
    """Look-ups."""
    record = drive.call("look_ups.whois", 200, domain="alpine-hut.com").data
    assert (record.state, record.drop_estimate.stage) == ("registered", "active")
    rows = drive.call("look_ups.availability", 200, domains="alpine-hut.com,free.com").data
    assert [row.state for row in rows] == ["registered", "available"]
    assert drive.call("look_ups.domain_rating", 200, domains="a.com").data[0].domain_rating is None
    assert drive.call("look_ups.dns", 200, host="name.com").data.has_mail is True


def webhooks(drive: Driver) -> None:
    """Webhook endpoints and deliveries."""
    body = MODELS.NewEndpoint(url="https://hooks.example.org/in")
    made = drive.call("webhooks.create_webhook", 201, body=body).data
    assert made.secret.startswith("whsec_")
    paused = drive.call(
        "webhooks.change_webhook", 200, made.id, body=MODELS.EndpointChange(active=False)
    ).data
    assert (paused.active, paused.url) == (False, made.url)
    assert drive.call("webhooks.test_webhook", 202, made.id).data.event == "ping"
    assert drive.call("webhooks.get_webhook", 200, made.id).data.id == made.id
    assert len(drive.call("webhooks.list_webhooks", 200).data) == 1
    assert len(drive.call("webhooks.list_deliveries", 200, made.id).data) == 1
    drive.call("webhooks.delete_webhook", 204, made.id)


def main(base_url: str, key: str) -> int:
    """Every endpoint once; how many there were."""
    drive = Driver(base_url, key)
    assert drive.call("account.get_me", 200).data.plan == "pro"
    assert drive.call("account.get_stats", 200).data.live.domains == 2
    for part in (domains, rules, checks, lookups, webhooks):
        part(drive)
    return len(drive.called)


if __name__ == "__main__":
    print(main(sys.argv[1], sys.argv[2]))
