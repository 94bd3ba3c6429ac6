"""The table in docs/operate/operate.md of how the extensions that shipped feeds name are confirmed free."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from importlib.resources import files
from pathlib import Path

from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.feeds.preset_files import open_preset, preset_names
from afterdrop.sources.registry.bootstrap import shipped_bootstrap
from afterdrop.sources.registry.client import RegistryEndpoint, roads_to

PATH = Path(__file__).resolve().parents[2] / "docs" / "operate" / "operate.md"
HEAD = "| Extension | feeds | as shipped | with `registry.whois` | last seen right |\n|---|---|---|---|---|\n"
NOTHING = "nothing"


def named() -> dict[str, list[str]]:
    """The shipped feeds by the extensions that they name."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for preset in preset_names():
        for extension in open_preset(preset).extensions:
            found[extension].append(preset)
    return dict(sorted(found.items()))


def roads(extension: str, *, whois: bool) -> list[RegistryEndpoint]:
    """The ways to ask about it with the shipped lists."""
    return roads_to(f"name.{extension}", shipped_bootstrap(), RegistrySettings(whois=whois))


def said(road: RegistryEndpoint) -> str:
    """A way in the table's words."""
    if road.whois:
        return f"WHOIS, `{road.whois.host}`"
    return f"RDAP of {'IANA' if road.from_iana else 'the shipped list'}, `{road.server}`"


def seen(road: RegistryEndpoint | None, extension: str) -> str:
    """By the evidence beside the shipped rows: a day, or the year of the newest answer."""
    if road is None or road.from_iana:
        return "–"
    if road.whois:
        return str(road.whois.year)
    path = files("afterdrop.sources.registry") / "data" / "rdap-servers.toml"
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["servers"]
    return next(str(row["seen"]) for row in rows if extension in row["extensions"])


def table() -> str:
    """The whole table."""
    lines = []
    for extension, feeds in named().items():
        plain, more = roads(extension, whois=False), roads(extension, whois=True)
        both = " | ".join(", else ".join(map(said, ways)) or NOTHING for ways in (plain, more))
        best = next(iter([*plain, *more]), None)
        names = ", ".join(f"`{feed}`" for feed in feeds)
        lines.append(f"| .{extension} | {names} | {both} | {seen(best, extension)} |\n")
    return HEAD + "".join(lines)


def test_the_table_of_extensions() -> None:
    assert table() in PATH.read_text(encoding="utf-8"), "python -m tests.docs.test_confirmed writes it anew"


def test_each_can_be_confirmed_in_some_way() -> None:
    assert {"se", "nu", "uk", "pl", "br", "mx", "io", "com"} <= named().keys()
    assert [extension for extension in named() if not roads(extension, whois=True)] == []


if __name__ == "__main__":
    text = PATH.read_text(encoding="utf-8")
    before, _, rest = text.partition(HEAD)
    following = rest[rest.index("\n\n") + 1 :]
    PATH.write_text(f"{before}{table()}{following}", encoding="utf-8")
