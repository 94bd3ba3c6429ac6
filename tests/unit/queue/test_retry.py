"""When failed work is tried again."""

from __future__ import annotations

from datetime import timedelta

from afterdrop.queue.retry import Retry

MINUTE = timedelta(minutes=1)


def test_each_wait_is_twice_the_last_until_the_row_is_given_up() -> None:
    retry = Retry(MINUTE, attempts=4)
    assert [retry.wait(attempts) for attempts in (1, 2, 3, 4, 5)] == [
        MINUTE,
        2 * MINUTE,
        4 * MINUTE,
        None,
        None,
    ]


def test_without_a_last_attempt_the_longest_wait_is_repeated() -> None:
    retry = Retry(MINUTE, longest=10 * MINUTE)
    assert [retry.wait(attempts) for attempts in (4, 5, 9_999)] == [8 * MINUTE, 10 * MINUTE, 10 * MINUTE]
