"""Composed histories of invented sites, which measure the rules of whole sites from HTML to verdict."""
