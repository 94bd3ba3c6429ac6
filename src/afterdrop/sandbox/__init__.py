"""A small invented internet on loopback: feeds, registries, a web archive, metric vendors, DNS and mail."""

from afterdrop.sandbox.running import RunningSandbox, settings_toml, start

__all__ = ["RunningSandbox", "settings_toml", "start"]
