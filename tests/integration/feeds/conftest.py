"""The fixtures of the feeds' tests."""

from tests.support.desk import desk
from tests.support.feed_shop import get, other, shop, way

__all__ = ["desk", "get", "other", "shop", "way"]
