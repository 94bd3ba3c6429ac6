"""A small invented internet on loopback: feeds, registries, a web archive, metric vendors, DNS and mail."""

from afterdrop.sandbox.running import RunningSandbox, start
from afterdrop.sandbox.settings_file import settings_toml

__all__ = ["RunningSandbox", "settings_toml", "start"]
