"""docs/operate/operate.md's table of faults: each is told as it says, and within the time it says."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from afterdrop.cli.status import show_status
from afterdrop.core.settings import Archive, Mail
from afterdrop.core.settings_sections import Operator
from afterdrop.delivery.mail.worker import mail_queue
from afterdrop.http import pace
from afterdrop.http.client import REFUSED_IN_A_ROW, UPSTREAM, open_fetcher
from afterdrop.web.probes import readiness
from afterdrop.worker.alarms import alarms
from afterdrop.worker.exposition import exposition
from afterdrop.worker.observation import Deployment, observe
from tests.integration.worker.alarm_scenes import SCENES, choose, fetcher_of, looked, made, mail, schema
from tests.support import receivers
from tests.support.mailserver import mailserver
from tests.support.ports import free_port
from tests.support.receivers import receiver
from tests.support.world import World

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "operate" / "operate.md").read_text(encoding="utf-8")
# fault, alarm, told within minutes
ROWS = re.findall(r"^\| [^|]+ \| `([a-z: -]+)…?` \| ([0-9]+) min", PAGE, re.M)
WITHIN = {key.removesuffix(":"): int(minutes) for key, minutes in ROWS}
ELSEWHERE = {"database", "schema", "workers"}


def test_the_table_has_every_fault() -> None:
    assert set(WITHIN) == {*SCENES, *ELSEWHERE}


@pytest.mark.parametrize("key", sorted(SCENES))
async def test_a_fault_is_told_in_time(world: World, key: str) -> None:
    minutes, text = await made(world, key, WITHIN[key])
    assert text
    assert minutes <= WITHIN[key]
    [written] = [row for row in await world.mails() if row["kind"] == "operator"][-1:]
    assert (written["recipient"], text in written["text"]) == ("ops@drops.example", True)


async def test_probes_and_metrics_tell_that_no_worker_is_alive(world: World) -> None:
    await looked(world)
    deployment = Deployment(world.context.settings, world.database, (), lambda: world.now)
    world.move(minutes=WITHIN["workers"])
    seen = await observe(deployment)
    assert "workers" in [alarm.key for alarm in alarms(seen, world.settings)]
    assert 'afterdrop_alarm{alarm="workers"} 1.0' in exposition(seen, world.context.settings).decode()
    # a node that serves stays ready, for it can serve what is there; one with a worker of its own does not
    assert readiness(seen, deployment) == {
        "ready": True,
        "database": "answers",
        "schema": "current",
        "workers": 0,
    }
    assert not readiness(seen, replace(deployment, worker_inside=True))["ready"]


async def test_the_schema_and_a_database_that_is_away_are_told_by_the_process(world: World) -> None:
    deployment = Deployment(world.settings, world.database, (), world.context.now)
    before = await schema(world, "9999")
    try:
        assert "schema" in [alarm.key for alarm in alarms(await observe(deployment), world.settings)]
    finally:
        await schema(world, before)
    await world.database.close()
    if not world.database.sqlite:
        return
    file = Path(str(world.database.engine.url.database))
    kept = file.read_bytes()
    file.write_bytes(b"not a database" * 1000)
    try:
        [alarm] = alarms(await observe(deployment), world.settings)
    finally:
        file.write_bytes(kept)
    assert alarm.key == "database"


async def test_a_mail_server_that_comes_back_ends_the_alarm(world: World) -> None:
    minutes, _ = await made(world, "queue:mails", WITHIN["queue:mails"])
    assert minutes > 60  # what waits for less is not late
    async with mailserver() as server:
        choose(world, mail=Mail(host="127.0.0.1", port=server.port, security="none"))
        world.move(hours=13)
        await world.work(mail_queue(world.context))
    assert server.taken
    assert "queue:mails" not in await looked(world)


async def test_metrics_name_the_endpoints_and_providers_that_fail(world: World) -> None:
    choose(world, operator=Operator(disk_free_share=0))
    before = UPSTREAM.labels("other", "refused")._sum.get()
    for key in ("provider", "queue:deliveries"):
        await SCENES[key](world)
    assert UPSTREAM.labels("other", "refused")._sum.get() > before
    [first, *_] = [row["endpoint_id"] for row in await world.deliveries()]
    deployment = Deployment(
        world.context.settings, world.database, world.context.providers, lambda: world.now
    )
    page = exposition(await observe(deployment), world.context.settings).decode().splitlines()
    assert 'afterdrop_provider_given_up{provider="open_pagerank"} 1.0' in page
    assert f'afterdrop_endpoint_retrying_deliveries{{endpoint="{first}"}} 1.0' in page
    assert f'afterdrop_endpoint_failed_deliveries{{endpoint="{first}"}} 0.0' in page


async def test_status_and_metrics_name_a_host_that_is_left_alone(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    await SCENES["outage"](world)
    seen = await observe(Deployment(world.context.settings, world.database, (), lambda: world.now))
    page = exposition(seen, world.context.settings).decode()
    [host] = [row["host"] for row in seen.health["outages"]]
    assert f'afterdrop_host_outage_seconds{{host="{host}"}} ' in page
    show_status(seen.health, [], None, json=False)
    assert f"PAUSED {host}: it has not answered since " in capsys.readouterr().out


async def test_status_and_metrics_show_what_archives_are_asked_and_allow(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    choose(world, archive=Archive(common_crawl=True))
    async with world.database.write() as conn:
        for day, count in ((-1, 9), (0, 1_500)):
            at = (world.now + timedelta(days=day)).timestamp()
            await pace.lease_slot(conn, "web.archive.org/cdx", 0.001, at, 0, count)
    seen = await observe(Deployment(world.context.settings, world.database, (), lambda: world.now))
    page = exposition(seen, world.context.settings).decode().splitlines()
    shown = {
        "web.archive.org/cdx": (1_500, 28_512),
        "web.archive.org": (0, 691_200),
        "data.commoncrawl.org": (0, 86_400),
    }
    for host, (today, allowed) in shown.items():
        assert f'afterdrop_archive_requests_today{{host="{host}"}} {float(today)}' in page
        assert f'afterdrop_archive_requests_allowed{{host="{host}"}} {float(allowed)}' in page
    show_status(seen.health, [], None, json=False)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.partition("\t")[0] in shown] == [
        f"{host}\t{today:,}\t{allowed:,}" for host, (today, allowed) in shown.items()
    ]
    show_status(seen.health, [], None, json=True)
    assert orjson.loads(capsys.readouterr().out)["archives"] == [
        {"host": host, "asked_today": today, "allowed_a_day": allowed}
        for host, (today, allowed) in shown.items()
    ]


async def test_a_provider_or_host_that_answers_again_ends_its_alarm(world: World) -> None:
    await made(world, "refused", WITHIN["refused"])
    choose(world, trusted_origins=())
    async with receiver(receivers.OK) as host, fetcher_of(world) as before:
        origin = host.url.removesuffix("/hook")
        settings = world.context.settings.model_copy(update={"trusted_origins": (origin,)})
        async with open_fetcher(settings, world.database, before.epoch, before.slots.rng) as fetcher:
            name = origin.removeprefix("http://")
            fetcher._refusals[name] = REFUSED_IN_A_ROW
            async with world.database.write() as conn:
                await pace.note_refusal(conn, name, world.now.timestamp(), "answered 403")
            await fetcher.get(host.url)
    async with world.database.read() as conn:
        assert {row.host: row.refusal for row in await pace.host_states(conn)}[name] is None
    world.move(hours=1, minutes=5)  # the other is no longer asked
    assert "refused" not in {key.partition(":")[0] for key in await looked(world)}


async def test_after_a_pause_nothing_is_late(world: World) -> None:
    """The machine slept for a day with a mail in the queue."""
    choose(world, operator=Operator(mail="ops@drops.example", disk_free_share=0))
    await looked(world)
    await mail(world)
    world.move(days=1)
    assert await looked(world) == {}


async def test_the_heartbeat_beats_while_all_is_well(world: World, caplog: pytest.LogCaptureFixture) -> None:
    async with receiver(receivers.OK) as beat:
        url = f"{beat.url}/secret-part"
        choose(
            world,
            operator=Operator(heartbeat=url, disk_free_share=0),
            trusted_origins=(beat.url.removesuffix("/hook"),),
        )
        async with fetcher_of(world) as fetcher:
            world.context = replace(world.context, fetcher=fetcher)
            await looked(world)
            assert len(beat.posts) == 1
            choose(world, operator=Operator(heartbeat=url, disk_free_share=1))
            world.now += timedelta(minutes=5)
            assert list(await looked(world)) == ["disk"]
            assert len(beat.posts) == 1
    choose(
        world, operator=Operator(heartbeat=f"http://127.0.0.1:{free_port()}/secret-part", disk_free_share=0)
    )
    async with fetcher_of(world) as fetcher:
        world.context = replace(world.context, fetcher=fetcher)
        world.now += timedelta(minutes=5)
        assert await looked(world) == {}
    assert "heartbeat was not taken (refused_address)" in caplog.text
    assert "secret-part" not in caplog.text
