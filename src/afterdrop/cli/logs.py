"""Set up the log of a command: on standard error, as text or JSON."""

from __future__ import annotations

import logging

from afterdrop.core import clock
from afterdrop.core.log_lines import JsonLines, OncePerMinute, TextLines
from afterdrop.core.operations import Log

# Libraries that tell at INFO what only their developers want to know.
_CHATTY = ("alembic", "asyncio", "mcp", "uvicorn")


def set_up_logs(chosen: Log, *, service: bool) -> None:
    """Log as the settings say where `service` is set (`serve` and `worker`), else warnings and errors as text."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if service and chosen.format == "json" else TextLines())
    handler.addFilter(OncePerMinute(clock.monotonic))
    level = chosen.level.upper() if service else "WARNING"
    logging.basicConfig(level=level, handlers=[handler])
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(level)))
