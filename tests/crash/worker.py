"""A process that only delivers and is killed by the tests: `python -m tests.crash.worker URL SETTINGS NAME`."""

from __future__ import annotations

import asyncio
import signal
import sys

from afterdrop.accounts.secret_box import SecretBox
from afterdrop.core import clock
from afterdrop.core.settings import Webhook
from afterdrop.db.engine import open_database
from afterdrop.delivery.mail.store import MailContext
from afterdrop.delivery.webhooks.send import open_sender
from afterdrop.delivery.webhooks.worker import DeliveryResults, DeliveryWorker, delivery_queue
from afterdrop.queue.loop import QueueRunner

KEY = "a key that all workers of the test share"


async def main(url: str, settings: Webhook, name: str) -> None:
    """Deliver until SIGTERM or SIGKILL."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    database = open_database(url, connections=14)
    mail_context = MailContext("Crash", "https://crash.example", SecretBox([KEY]))
    results = DeliveryResults(database, mail_context, settings, name, clock.now, clock.rng())
    async with open_sender(settings, clock.epoch) as sender:
        queue = delivery_queue(DeliveryWorker(sender, results))
        print("working", flush=True)
        await QueueRunner(queue, database, clock.now, stop, asyncio.Event()).run()
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Webhook.model_validate_json(sys.argv[2]), sys.argv[3]))
