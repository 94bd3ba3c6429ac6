"""Registries: RDAP answers, the bootstrap file, drop estimates and release hours."""
