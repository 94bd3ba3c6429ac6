"""The bootstrap file over real HTTP: validity, revalidation, the last good copy."""

from datetime import datetime, timedelta
from pathlib import Path

import orjson
import pytest
from aiohttp import web

from afterdrop.http.client import Fetcher
from afterdrop.sources.registry.bootstrap_file import BootstrapFile
from tests.support.registry import Registry, bootstrap_file, rdap


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "rdap-bootstrap.json"


def opened(fetcher: Fetcher, registry: Registry, path: Path) -> BootstrapFile:
    return BootstrapFile(fetcher, f"{registry.url}/dns.json", path)


async def test_it_is_fetched_once_for_its_validity_then_revalidated(
    fetcher: Fetcher, registry: Registry, path: Path, now: datetime
) -> None:
    seen: list[str | None] = []

    async def bootstrap(request: web.Request) -> web.Response:
        seen.append(request.headers.get("If-None-Match"))
        if seen[-1] == '"one"':
            return web.Response(status=304, headers={"Cache-Control": "max-age=60"})
        return rdap(bootstrap_file(com="https://one/"), {"ETag": '"one"', "Cache-Control": "max-age=600"})

    registry.bootstrap = bootstrap
    registries = opened(fetcher, registry, path)
    for _ in range(5):
        assert await registries.base("a.com", now) == "https://one/"
    assert await registries.base("a.org", now) is None
    assert seen == [None]
    assert await registries.base("a.com", now + timedelta(seconds=601)) == "https://one/"
    assert seen == [None, '"one"']
    later = opened(fetcher, registry, path)
    assert await later.base("a.com", now + timedelta(seconds=700)) == "https://one/"
    assert len(seen) == 2


async def test_the_last_good_copy_survives_trouble_and_restarts(
    fetcher: Fetcher, registry: Registry, path: Path, now: datetime
) -> None:
    good = bootstrap_file(com="https://one/", org="https://one/", net="https://one/")

    async def bootstrap(_request: web.Request) -> web.Response:
        return rdap(good, {"ETag": '"one"'})

    async def trouble(_request: web.Request) -> web.Response:
        return web.Response(status=500)

    async def shrunk(_request: web.Request) -> web.Response:
        return rdap(bootstrap_file())

    registry.bootstrap = bootstrap
    registries = opened(fetcher, registry, path)
    assert await registries.base("a.com", now) == "https://one/"
    for failing in (trouble, shrunk):
        registry.bootstrap = failing
        now += timedelta(days=8)
        asked = registry.bootstrap_asked
        assert await registries.base("a.com", now) == "https://one/"
        assert await registries.base("a.com", now + timedelta(minutes=5)) == "https://one/"
        assert registry.bootstrap_asked == asked + 1
        assert await opened(fetcher, registry, path).base("a.com", now) == "https://one/"


@pytest.mark.parametrize(
    "kept", [b"", b"[]", b"{}", b'{"url":"%s","document":5}', b'{"url":"%s","document":"x"}']
)
async def test_a_broken_copy_is_ignored(
    fetcher: Fetcher, registry: Registry, path: Path, now: datetime, kept: bytes
) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(kept.replace(b"%s", f"{registry.url}/dns.json".encode()))
    assert await opened(fetcher, registry, path).base("a.com", now) == f"{registry.url}/rdap/"


async def test_a_copy_of_another_url_is_not_used(
    fetcher: Fetcher, registry: Registry, path: Path, now: datetime
) -> None:
    path.parent.mkdir(parents=True)
    document = orjson.dumps(bootstrap_file(com="https://elsewhere/")).decode()
    until = (now + timedelta(days=1)).isoformat()
    path.write_bytes(
        orjson.dumps({"url": "https://else/", "document": document, "fresh_until": until, "etag": None})
    )
    assert await opened(fetcher, registry, path).base("a.com", now) == f"{registry.url}/rdap/"


async def test_the_shipped_copy_serves_without_the_net(
    fetcher: Fetcher, registry: Registry, path: Path, now: datetime
) -> None:
    silent = BootstrapFile(fetcher, "", path)
    assert await silent.base("a.com", now) == "https://rdap.verisign.com/com/v1/"
    registry.bootstrap = None
    assert await opened(fetcher, registry, path).base("a.com", now) == "https://rdap.verisign.com/com/v1/"
    assert not path.exists()


async def test_a_folder_that_cannot_be_written_costs_only_the_copy(
    fetcher: Fetcher, registry: Registry, tmp_path: Path, now: datetime
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    registries = opened(fetcher, registry, blocker / "copy.json")
    assert await registries.base("a.com", now) == f"{registry.url}/rdap/"
