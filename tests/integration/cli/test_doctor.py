"""`afterdrop doctor`: what it tells of resolvers, mail, files, feeds and sources of metrics."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from dnslib import RR, DNSRecord

from afterdrop.cli import doctor
from afterdrop.cli.doctor_findings import check_files, metric_sources, probe
from afterdrop.core.settings import Dns, Mail, Settings
from afterdrop.db.engine import Database
from afterdrop.sandbox import start
from tests.support.commands import run_afterdrop
from tests.support.mailserver import mailserver
from tests.support.nameserver import Zone, serving
from tests.support.sandboxes import write_settings
from tests.support.world import slim_context


class Liar(Zone):
    """A resolver that knows every name."""

    def resolve(self, request: DNSRecord, handler: Any) -> DNSRecord:
        """An advertiser's address for whatever is asked."""
        reply = request.reply()
        reply.add_answer(*RR.fromZone(f"{request.q.qname} 60 IN A 93.184.216.34"))
        return reply


async def test_a_resolver_that_invents_addresses_is_told(database: Database, settings: Settings) -> None:
    for zone, state in ((Zone(), "ok"), (Liar(), "fails")):
        with serving(zone) as resolver:
            dns = settings.model_copy(update={"dns": Dns(resolvers=(resolver,), timeout_seconds=2)})
            context = slim_context(database, dns, None)
            found = await probe("resolver", "x", partial(doctor._resolver, context, resolver))
        assert found.state == state, found
    assert "names that do not exist" in found.remark


async def test_it_logs_in_to_the_mail_server(database: Database, settings: Settings) -> None:
    async with mailserver(sign_in=True) as server:
        for password, state in (("secret", "ok"), ("wrong", "fails")):
            mail = Mail(host="127.0.0.1", port=server.port, security="none", user="user", password=password)
            context = slim_context(database, settings.model_copy(update={"mail": mail}), None)
            found = await doctor._mail(context)
            assert found.state == state, found
            assert password not in found.remark
        assert server.taken == []


def test_without_ranks_and_keys_nothing_can_be_listed(database: Database, settings: Settings) -> None:
    context = slim_context(database, settings, None)
    assert metric_sources(context, ranks=True).state == "ok"
    found = metric_sources(context, ranks=False)
    assert (found.state, "nothing can be listed" in found.remark) == ("warns", True)


def test_files_that_others_may_read_are_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    own = tmp_path / "own.toml"
    own.touch()
    own.chmod(0o644)
    settings = Settings(data_dir=tmp_path, file=str(own))
    assert check_files(settings, "postgresql://h/x").state == "ok"
    secret = settings.model_copy(update={"mail": Mail(password="x")})
    assert check_files(secret, "postgresql://h/x").name == f"{own} (0644)"


@pytest.mark.timeout(120)
async def test_a_row_of_each_feed_is_read_and_no_database_is_made(tmp_path: Path) -> None:
    async with start(1, 20) as running:
        file = write_settings(running, tmp_path, f"sqlite+aiosqlite:///{tmp_path}/own.sqlite3")
        _, out = await run_afterdrop(tmp_path, "--settings", str(file), "doctor", "--json")
    found = json.loads(out)
    feeds = [one for one in found if one["part"] == "feed"]
    assert feeds and all(one["remark"].startswith(("reads ", "has no rows ")) for one in feeds), feeds
    assert any(one["remark"].startswith("reads ") for one in feeds)
    assert [one["state"] for one in found if one["part"] == "database"] == ["off"]
    assert not (tmp_path / "own.sqlite3").exists()
