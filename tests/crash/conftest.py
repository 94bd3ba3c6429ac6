"""The service in process, for the tests of faults."""

from tests.support.service import clock, more_settings, service

__all__ = ["clock", "more_settings", "service"]
