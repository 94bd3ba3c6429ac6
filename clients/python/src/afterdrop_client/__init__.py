"""A typed client of Afterdrop's API: `Afterdrop` and `AsyncAfterdrop` send the asks that `operations` makes."""

from afterdrop_client import models, operations
from afterdrop_client.asks import ApiError, Ask
from afterdrop_client.client import Afterdrop, AsyncAfterdrop
from afterdrop_client.webhooks import InvalidSignature, read_event

__version__ = "1.0.0"
__all__ = [
    "Afterdrop",
    "ApiError",
    "Ask",
    "AsyncAfterdrop",
    "InvalidSignature",
    "models",
    "operations",
    "read_event",
]
