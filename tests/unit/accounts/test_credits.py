"""Balances, the order of spending, and where refunds go."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from afterdrop.accounts.credits import Balance, balance, month_of, refund_bucket

_sums = st.lists(
    st.tuples(
        st.sampled_from(["plan", "welcome", "purchased"]),
        st.sampled_from(["2026-10", "2026-11"]),
        st.integers(-30, 30),
    )
)


@given(_sums, st.integers(0, 50))
def test_available_is_the_sum_and_nothing_is_below_zero(
    sums: list[tuple[str, str, int]], allowance: int
) -> None:
    left = balance(sums, allowance, "2026-11")
    assert min(left.plan, left.welcome, left.purchased) >= 0
    assert left.available == left.plan + left.welcome + left.purchased
    assert len(list(left.in_order())) == left.available


def test_plan_credits_are_of_this_month_only() -> None:
    sums = [("plan", "2026-10", -20), ("plan", "2026-11", -3), ("welcome", "2026-01", 1)]
    assert balance(sums, 20, "2026-11") == Balance(17, 1, 0)


def test_refunds_return_to_their_bucket_but_a_past_months_plan_credit_becomes_welcome() -> None:
    assert refund_bucket("plan", "2026-11", "2026-11") == "plan"
    assert refund_bucket("plan", "2026-10", "2026-11") == "welcome"
    assert refund_bucket("welcome", "2026-10", "2026-11") == "welcome"
    assert refund_bucket("purchased", "2026-10", "2026-11") == "purchased"


def test_months_are_utc_calendar_months() -> None:
    assert month_of(datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)) == "2026-11"
    assert month_of(datetime(2026, 12, 1, tzinfo=UTC)) == "2026-12"
