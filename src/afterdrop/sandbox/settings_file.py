"""The settings file with which the service uses a running sandbox: the same keys that an operator sets.

Only addresses, pace and the short announcement gap differ from a real deployment's file.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from afterdrop.sandbox.feed_files import FEEDS
from afterdrop.sandbox.feed_server import BOOTSTRAP_PATH, RATES_PATH
from afterdrop.sandbox.registries import CANARIES
from afterdrop.sandbox.running import RunningSandbox
from afterdrop.sandbox.vendor_server import KEYS

# Invented data may be shown to everybody; most real feeds and vendors allow the operator's own use only.
PERMISSION = "the sandbox made it up"
# The presets of metric providers that the sandbox serves, with their paths.
PROVIDERS = {
    "ahrefs_free": "/api.ahrefs.com/v3/public/domain-rating-free",
    "open_pagerank": "/openpagerank.keywordseverywhere.com/v1/domains/bulk",
    "majestic": "/api.majestic.com/api/json",
    "moz_links": "/lsapi.seomoz.com/v2/url_metrics",
    "semrush": "/api.semrush.com/analytics/v1/",
    "majestic_anchors": "/api.majestic.com/api/json",
    "majestic_ref_domains": "/api.majestic.com/api/json",
}


def settings_toml(running: RunningSandbox) -> str:
    """The content of a settings file (see afterdrop.core.settings) for `running`."""
    return "\n".join(_lines(running)) + "\n"


def _lines(running: RunningSandbox) -> Iterator[str]:
    yield "# Settings for a sandbox on this machine. For real use keep the tables and change the addresses:"
    yield "# keys of the vendors go into the environment (" + ", ".join(KEYS) + ");"
    yield "# leave out every url and trusted_origins, name your feeds and providers, set site_url and contact."
    origins = ", ".join(f'"{origin}"' for origin in running.origins.values())
    yield f"trusted_origins = [{origins}]"
    yield 'contact = "operator@sandbox-operator.org"'
    yield from _service(running)
    yield from _pace(running)
    for preset, path in PROVIDERS.items():
        yield ""
        yield "[[providers]]"
        yield f'preset = "{preset}"'
        yield f'url = "{running.url}{path}"'
        yield "per_day = 1000000"
        yield "per_month = 1000000"
        yield f'permission = "{PERMISSION}"'
    for preset, feed in FEEDS.items():
        yield ""
        yield "[[feeds]]"
        yield f'preset = "{preset}"'
        yield f'source = "{feed.source}"'
        yield f'permission = "{PERMISSION}"'
        yield f'url = "{running.url}{feed.path}"'


def _service(running: RunningSandbox) -> Iterator[str]:
    archive = running.origins["archive"]
    yield from (
        "",
        "[registry]",
        f'bootstrap_url = "{running.url}{BOOTSTRAP_PATH}"',
        "announce_gap_seconds = 2   # 300 in real use",
        "[registry.canaries]",
    )
    yield from (f'"{tld}" = "{name}"' for tld, name in CANARIES.items())
    dns, smtp = running.state.dns, running.state.smtp
    yield from (
        "",
        "[dns]",
        f'resolvers = ["{dns[0]}:{dns[1]}"]',
        "timeout_seconds = 2",
        "",
        "[mail]",
        f'host = "{smtp[0]}"',
        f"port = {smtp[1]}",
        'security = "none"',
        "",
        "[archive]",
        f'cdx_url = "{archive}/cdx/search/cdx"',
        f'replay_url = "{archive}/web"',
        f'public_url = "{archive}/web"',
        "",
        "[rates]",
        f'url = "{running.url}{RATES_PATH}"',
    )


def _pace(running: RunningSandbox) -> Iterator[str]:
    yield ""
    yield "# A sandbox need not be spared; the defaults (1 a second, 0.4 to the archive's index) fit real hosts."
    yield "[pace.hosts]"
    for key, origin in running.origins.items():
        host = urlsplit(origin).netloc
        yield f'"{host}" = {{ per_second = 2000, at_once = 16 }}'
        if key == "archive":
            yield f'"{host}/cdx" = {{ per_second = 2000, at_once = 16 }}'
