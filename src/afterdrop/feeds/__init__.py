"""Feeds: lists of expiring names from marketplaces and registries, each described by one TOML file."""
