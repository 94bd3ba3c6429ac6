"""The fixtures of the contract's tests."""

from tests.support.service import clock, more_settings, service

__all__ = ["clock", "more_settings", "service"]
