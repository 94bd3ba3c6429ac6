"""Registry answers as rows of JSON: what the cache keeps and gives back. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from afterdrop.registry.rdap_answer import Registration, RegistryAnswer

_TIMES = ("registered_at", "expires_at", "updated_at")
_EVENTS = ("deleted_at", "transferred_at", "database_at")


def to_json(answer: RegistryAnswer) -> dict[str, Any]:
    """An answer as plain JSON values; `from_json` gives the same answer back."""
    events = {name: moment.isoformat() for name in _EVENTS if (moment := getattr(answer, name)) is not None}
    return {"record": answer.record.as_json(), "notes": list(answer.notes), "reason": answer.reason, **events}


def from_json(kept: Mapping[str, Any]) -> RegistryAnswer:
    """The answer `to_json` wrote."""
    record = dict(kept["record"])
    for name in _TIMES:
        record[name] = _moment(record[name])
    for name in ("statuses", "nameservers"):
        record[name] = tuple(record[name])
    return RegistryAnswer(
        record["state"],
        Registration(**record),
        tuple(kept["notes"]),
        kept["reason"],
        **{name: _moment(kept.get(name)) for name in _EVENTS},
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
