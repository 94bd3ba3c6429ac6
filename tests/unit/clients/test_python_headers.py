"""What the Python client does with headers that are no numbers."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).resolve().parents[3] / "clients" / "python" / "src"
NO_NUMBERS = ["", "\u00b2", "1\u00b9", "\u2460", "\u0661", "x", "-1"]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(SOURCE)
    return import_module("afterdrop_client")


@pytest.mark.parametrize("moment", [*NO_NUMBERS, "9" * 5000])
def test_a_signature_without_a_time_is_invalid(client: Any, moment: str) -> None:
    with pytest.raises(client.InvalidSignature, match="has no time"):
        client.read_event("whsec_x", f"t={moment},v1=a", b"{}")


@pytest.mark.parametrize("given", ["\u00e4", "\udc80", ""])
def test_a_signature_of_other_letters_is_invalid(client: Any, given: str) -> None:
    with pytest.raises(client.InvalidSignature, match="not of this body"):
        client.read_event("whsec_x", f"t=1,v1={given}", b"{}")


@pytest.mark.parametrize("told", NO_NUMBERS)
def test_a_wait_that_is_no_number_is_not_told(client: Any, told: str) -> None:
    asks = import_module("afterdrop_client.asks")
    assert asks.seconds(told) is None
    assert asks.wait_before(2, 429, told, 60) == 2.0
    assert asks.wait_before(2, 429, "7", 60) == 7.0
    assert asks.wait_before(2, 429, "9" * 5000, 60) is None
