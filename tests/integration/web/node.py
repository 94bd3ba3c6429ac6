"""One node of a deployment as a process of its own: `python -m tests.integration.web.node DATABASE_URL PORT`."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

import uvicorn

from afterdrop.core.settings import Settings
from afterdrop.db.engine import open_database
from afterdrop.web.app import create_app
from afterdrop.web.context import make_web_context
from tests.support import TEST_SECRET


async def serve(url: str, port: int) -> None:
    """Serve the API on 127.0.0.1 until stopped."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), database_url=url, secret_keys=(TEST_SECRET,))
        database = open_database(url)
        app = create_app(make_web_context(settings, database))
        await uvicorn.Server(uvicorn.Config(app, port=port, log_level="error")).serve()
        await database.close()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], int(sys.argv[2])))
