"""Composed lives of invented sites, for measuring the site-level rules from HTML to verdict."""
