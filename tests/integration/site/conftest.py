"""The fixtures of the site's tests."""

from tests.support.browser import browser, more_settings, second, service

__all__ = ["browser", "more_settings", "second", "service"]
