"""The fixture of the feeds' tests."""

from tests.support.desk import desk

__all__ = ["desk"]
