"""The retry schedule: six attempts, jittered waits, then failed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.core.settings import Webhook
from afterdrop.delivery.mail.worker import MAIL_WAITS, mail_retry
from afterdrop.delivery.webhooks.retry_schedule import (
    ReceiverAnswer,
    attempt_result,
    is_slow,
    lost_leases,
)

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
WAITS = Webhook().retry_waits


def test_any_2xx_is_success() -> None:
    for code in (200, 204, 299):
        assert attempt_result(ReceiverAnswer(code), 3, WAITS, NOW, 0.5).status == "delivered"
    for code in (199, 300, 404, 503):
        assert not ReceiverAnswer(code).ok
    assert not ReceiverAnswer(None, "no answer").ok


@given(st.floats(0, 1), st.integers(0, 4))
def test_jitter_lengthens_a_wait_by_at_most_a_tenth(jitter: float, tries: int) -> None:
    outcome = attempt_result(ReceiverAnswer(None, "x"), tries, WAITS, NOW, jitter)
    assert outcome.retry_at is not None
    assert timedelta(seconds=WAITS[tries]) <= outcome.retry_at - NOW <= timedelta(seconds=WAITS[tries] * 1.1)


@pytest.mark.parametrize(("seconds", "expected"), [(0.0, False), (2.0, False), (2.1, True), (8.0, True)])
def test_an_answer_is_slow_after_a_quarter_of_the_limit(seconds: float, expected: bool) -> None:
    assert is_slow(ReceiverAnswer(200, None, seconds), 8) is expected
    assert ReceiverAnswer(200, None, seconds) == ReceiverAnswer(200), "an answer is what was said, not when"


def test_lost_leases_are_claims_without_a_result() -> None:
    assert lost_leases(claims=1, tries=0) == 0
    assert lost_leases(claims=4, tries=2) == 1


def test_a_mail_is_tried_again_with_growing_waits_for_about_a_day() -> None:
    waits = []
    for attempts in range(1, len(MAIL_WAITS) + 1):
        again = mail_retry(attempts, NOW, 0.0)
        assert again is not None
        waits.append((again - NOW).total_seconds())
    assert waits == sorted(waits) == list(MAIL_WAITS)
    assert 24 * 3600 <= sum(waits) <= 30 * 3600
    assert mail_retry(len(MAIL_WAITS) + 1, NOW, 0.0) is None
    assert mail_retry(1, NOW, 1.0) == NOW + timedelta(seconds=66)
