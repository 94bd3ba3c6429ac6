"""A process that only delivers and is killed by the tests: `python -m tests.crash.worker URL SETTINGS NAME`."""

from __future__ import annotations

import asyncio
import signal
import sys
from dataclasses import replace

from afterdrop.core import clock
from afterdrop.core.settings import Settings, Webhook
from afterdrop.db.engine import open_database
from afterdrop.delivery.webhooks.send import open_sender
from afterdrop.delivery.webhooks.worker import delivery_queue, delivery_worker
from afterdrop.queue.loop import QueueRunner
from tests.support.world import slim_context

KEY = "a key that all workers of the test share"


async def main(url: str, settings: Webhook, name: str) -> None:
    """Deliver until SIGTERM or SIGKILL."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    database = open_database(url, connections=14)
    own = Settings(webhook=settings, secret_keys=(KEY,))
    async with open_sender(settings, clock.epoch) as sender:
        context = replace(slim_context(database, own, clock.now, sender), worker=name)
        print("working", flush=True)
        await QueueRunner(delivery_queue(delivery_worker(context)), context, stop).run()
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Webhook.model_validate_json(sys.argv[2]), sys.argv[3]))
