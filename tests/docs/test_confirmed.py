"""The extensions that shipped feeds name can be confirmed free in some way."""

from __future__ import annotations

from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.feeds.preset_files import open_preset, preset_names
from afterdrop.sources.registry.bootstrap import shipped_bootstrap
from afterdrop.sources.registry.client import roads_to


def test_each_can_be_confirmed_in_some_way() -> None:
    named = {extension for preset in preset_names() for extension in open_preset(preset).extensions}
    assert {"se", "nu", "uk", "pl", "br", "mx", "io", "com"} <= named
    settings = RegistrySettings(whois=True)
    assert [each for each in named if not roads_to(f"name.{each}", shipped_bootstrap(), settings)] == []
