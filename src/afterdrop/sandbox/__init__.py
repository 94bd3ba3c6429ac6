"""A small internet of its own on loopback: feeds, registries, archive, vendors, DNS and mail of an invented world."""

from afterdrop.sandbox.running import Running, start
from afterdrop.sandbox.settings_file import settings_toml

__all__ = ["Running", "settings_toml", "start"]
