"""Drive every endpoint of a demo through a client generated from the description: `drive.py CREDENTIALS_FILE`.

Runs in a folder of its own beside the generated package `afterdrop_client`. Prints the operations that it called.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

CLIENT: Any = import_module("afterdrop_client").AuthenticatedClient
MODELS: Any = import_module("afterdrop_client.models")
UNSET: Any = import_module("afterdrop_client.types").UNSET
PATIENCE = 60


class Driver:
    """Calls operations by `group.name` and remembers those that were called."""

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
        self.called.add(operation.partition(".")[2])
        return answer.parsed


def until(told: Callable[[], Any]) -> Any:
    """Ask again and again until there is an answer; the demo's worker takes a moment."""
    for _ in range(PATIENCE * 2):
        found = told()
        if found:
            return found
        time.sleep(0.5)
    raise AssertionError("nothing came of it")


def domains(drive: Driver) -> str:
    """Lists, report, revival kit, watchlist. Gives a live domain."""
    live = drive.call("domains.list_live", 200, min_score=50, clean=False, per_page=2)
    assert (live.meta.list_, live.meta.per_page, live.meta.plan) == ("live", 2, "pro")
    first, second = live.data
    assert first.score >= second.score >= 50
    assert isinstance(first.metrics.trust_flow, int)
    assert all(found.status == "available" for found in drive.call("domains.list_available", 200).data)
    rejected = drive.call("domains.list_rejected", 200, spam=True).data
    assert rejected and all(found.spam and found.reasons for found in rejected)
    ended = drive.call("domains.list_archive", 200, sort=MODELS.ListArchiveSort.ENDED).data
    assert ended[0].listing.ends_at >= ended[-1].listing.ends_at
    name = str(first.domain)
    report = drive.call("domains.get_report", 200, name).data
    assert isinstance(report, MODELS.FullReport)
    assert (report.domain, report.score, report.registration) == (name, first.score, None)
    assert report.history.eras
    pages = drive.call("domains.list_pages", 200, name, include="content", per_page=3)
    assert pages.meta.total == report.revival_kit.pages
    assert drive.call("watchlist.watch_domain", 200, name).data.domain == name
    assert name in [found.domain for found in drive.call("watchlist.list_watched", 200).data]
    many = MODELS.NamesToWatch(domains=[name, "never-on-a-list.org"])
    assert drive.call("watchlist.follow_domains", 200, body=many).data.followed == 1
    for followed in (name, "never-on-a-list.org"):
        drive.call("watchlist.unwatch_domain", 204, followed)
    assert drive.call("domains.get_report", 404, "never.org").error.code == "not_found"
    return name


def rules(drive: Driver) -> None:
    """Alert rules and matches."""
    body = MODELS.NewRule(name="huts", min_score=50, tlds=["com", ".org"], topics=["Arts"])
    rule = drive.call("alert_rules.create_rule", 201, body=body).data
    assert (rule.name, rule.tlds, rule.min_score) == ("huts", ["com", "org"], 50)
    changed = drive.call("alert_rules.change_rule", 200, rule.id, body=MODELS.RuleChange(min_score=None)).data
    assert (changed.name, changed.min_score, changed.tlds) == ("huts", None, ["com", "org"])
    assert drive.call("alert_rules.get_rule", 200, rule.id).data.id == rule.id
    assert rule.id in [found.id for found in drive.call("alert_rules.list_rules", 200).data]
    matches = drive.call("alert_rules.list_matches", 200, limit=5).data
    assert all(found.alert.id != rule.id for found in matches)
    drive.call("alert_rules.delete_rule", 204, rule.id)


def checks(drive: Driver, name: str) -> str:
    """A check until it is done; its id."""
    body = MODELS.NewCheck(domain=f"https://www.{name}/about")
    check = drive.call("checks.order_check", 202, body=body).data
    assert check.domain == name and check.queue_position >= 1
    done = until(lambda: (found := drive.call("checks.get_check", 200, check.id).data).finished_at and found)
    assert (done.status, done.would_list, done.report.score) == ("done", not done.reject_reasons, done.score)
    assert drive.call("checks.order_check", 200, body=body).data.id == check.id
    assert drive.call("checks.list_checks", 200).meta.total >= 1
    names = MODELS.NewCheckBatch(domains=[name, f"https://{name}/"])
    assert (drive.call("checks.order_check_batch", 200, body=names).data.cost, names.credits_) == (0, UNSET)
    names.credits_ = 0
    batch = drive.call("checks.order_check_batch", 202, body=names).data
    assert drive.call("checks.get_check_batch", 200, batch.id).data.names == 1
    return str(check.id)


def lookups(drive: Driver, name: str) -> None:
    """Look-ups."""
    record = drive.call("look_ups.whois", 200, domain=name).data
    assert record.domain == name
    assert record.drop_estimate.stage
    [row] = drive.call("look_ups.availability", 200, domains=name).data
    assert row.state == record.state
    [rating] = drive.call("look_ups.domain_rating", 200, domains=name).data
    assert rating.domain_rating is None or rating.error is None
    assert drive.call("look_ups.dns", 200, host=name).data.status


def receiver(came: list[tuple[dict[str, str], bytes]]) -> ThreadingHTTPServer:
    """A receiver on a loopback port that keeps headers and body of what comes."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            came.append((dict(self.headers.items()), self.rfile.read(length)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def _own(came: list[tuple[dict[str, str], bytes]], check: str) -> list[tuple[dict[str, str], bytes]]:
    """The test event and the event of this check."""
    return [
        each
        for each in came
        if each[0]["Service-Event"] == "ping"
        or (
            each[0]["Service-Event"] == "check.completed"
            and json.loads(each[1])["data"]["check"]["id"] == check
        )
    ]


def webhooks(drive: Driver, name: str) -> None:
    """An endpoint, its test event and a check's event, parsed with the generated models."""
    came: list[tuple[dict[str, str], bytes]] = []
    server = receiver(came)
    url = f"http://127.0.0.1:{server.server_address[1]}/in"
    made = drive.call("webhooks.create_webhook", 201, body=MODELS.NewEndpoint(url=url)).data
    assert drive.call("webhooks.test_webhook", 202, made.id).data.event == "ping"
    check = checks(drive, name)
    # The demo's own batch of checks goes on meanwhile and tells of itself, too.
    own = until(lambda: len(found := _own(came, check)) == 2 and found)
    kinds = {"ping": MODELS.PingEvent, "check.completed": MODELS.CheckCompletedEvent}
    told = set()
    for headers, raw in own:
        at, _, given = headers["Service-Signature"].partition(",v1=")
        signed = at.removeprefix("t=").encode() + b"." + raw
        assert hmac.new(made.secret.encode(), signed, hashlib.sha256).hexdigest() == given
        event = kinds.pop(headers["Service-Event"]).from_dict(json.loads(raw))
        assert event.id == headers["Service-Delivery"]
        told.add(event.id)

    def delivered() -> bool:
        every = drive.call("webhooks.list_deliveries", 200, made.id).data
        return told <= {found.id for found in every if found.status == "delivered"}

    until(delivered)
    paused = drive.call(
        "webhooks.change_webhook", 200, made.id, body=MODELS.EndpointChange(active=False)
    ).data
    assert (paused.active, paused.url) == (False, made.url)
    assert drive.call("webhooks.get_webhook", 200, made.id).data.id == made.id
    assert made.id in [found.id for found in drive.call("webhooks.list_webhooks", 200).data]
    drive.call("webhooks.delete_webhook", 204, made.id)
    server.shutdown()
    events = drive.call("webhooks.list_events", 200, limit=100).data
    assert "check.completed" in {event.type_ for event in events}


def exports(drive: Driver) -> None:
    """Whole lists, line by line: the generated client does not parse them."""
    for which in ("live", "available", "archive"):
        module = import_module(f"afterdrop_client.api.domains.export_{which}")
        answer = module.sync_detailed(client=drive.client)
        assert answer.status_code == 200, answer
        lines = [json.loads(line) for line in answer.content.splitlines()]
        assert lines and all(line["domain"] for line in lines), which
        drive.called.add(f"export_{which}")


def main(credentials: Path) -> set[str]:
    """Every endpoint, and what the free plan sees otherwise; what was called."""
    told = json.loads(credentials.read_bytes())
    drive = Driver(told["base_url"], told["accounts"]["pro"]["key"])
    assert drive.call("account.get_me", 200).data.plan == "pro"
    assert drive.call("account.get_stats", 200).data.live.domains > 0
    name = domains(drive)
    rules(drive)
    lookups(drive, name)
    webhooks(drive, name)
    exports(drive)
    free = Driver(told["base_url"], told["accounts"]["free"]["key"])
    assert free.call("domains.list_live", 200).meta.locked > 0
    assert free.call(
        "webhooks.create_webhook", 403, body=MODELS.NewEndpoint(url="https://example.org/")
    ).error.code
    nobody = Driver(told["base_url"], "none")
    assert nobody.call("account.get_me", 401).error.code == "unauthenticated"
    return drive.called


if __name__ == "__main__":
    print(json.dumps(sorted(main(Path(sys.argv[1])))))
