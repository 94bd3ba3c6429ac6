"""Questions under way in this process: whoever asks the same at the same time gets the same answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")


@dataclass
class _Question(Generic[Answer]):
    """A question that was sent, and how many wait for its answer."""

    task: asyncio.Task[Answer]
    waiting: int = 0


@dataclass
class UnderWay(Generic[Answer]):
    """The questions under way, by key. An answer is kept for nobody who asks after it has come."""

    _questions: dict[str, _Question[Answer]] = field(default_factory=dict)

    def waiting(self, key: str) -> int:
        """How many wait for the answer to the question `key`."""
        question = self._questions.get(key)
        return question.waiting if question else 0

    async def ask(self, key: str, send: Callable[[], Coroutine[Any, Any, Answer]]) -> Answer:
        """The answer to the question `key` if it is under way, else the one to `send()`.

        A question is given up when the last one who waits for it is cancelled; before that it goes on for the others.
        """
        question = self._questions.get(key)
        if question is None or question.task.done():
            question = self._questions[key] = _Question(asyncio.create_task(send()))
        question.waiting += 1
        try:
            return await asyncio.shield(question.task)
        finally:
            question.waiting -= 1
            if not question.waiting:
                question.task.cancel()
                if self._questions.get(key) is question:
                    del self._questions[key]
