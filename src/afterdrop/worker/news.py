"""What is new about the alarms since the operator was last told. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypedDict

from afterdrop.worker.alarms import Alarm

_FORM: Final = "%Y-%m-%dT%H:%M:%SZ"


class ToldAlarm(TypedDict):
    """An alarm the operator was told of: its text then, since when it lasts, and when they were last told."""

    text: str
    since: str
    told: str


Told = dict[str, ToldAlarm]


@dataclass(frozen=True)
class News:
    """`raised`, `lasting` (to be told again) and `over` by key; `told` is what the operator knows afterwards."""

    raised: Told
    lasting: Told
    over: Told
    told: Told

    def __bool__(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.raised or self.lasting or self.over)


def news(told: Mapping[str, ToldAlarm], found: Sequence[Alarm], now: datetime, remind: timedelta) -> News:
    """Compare the alarms of now with those told before; what lasts is told again after `remind`."""
    stamp, again = now.strftime(_FORM), (now - remind).strftime(_FORM)
    raised: Told = {}
    lasting: Told = {}
    known: Told = {}
    for alarm in found:
        before = told.get(alarm.key)
        if before is None:
            raised[alarm.key] = known[alarm.key] = {"text": alarm.text, "since": stamp, "told": stamp}
        elif before["told"] <= again:
            lasting[alarm.key] = known[alarm.key] = {**before, "text": alarm.text, "told": stamp}
        else:
            known[alarm.key] = {**before, "text": alarm.text}
    over = {key: row for key, row in told.items() if key not in known}
    return News(raised, lasting, over, known)


def subject(found: News, site: str) -> str:
    """One line that says how many alarms there are, and the first of them."""
    first = next(iter([*found.raised.values(), *found.lasting.values(), *found.over.values()]))["text"]
    if found.raised or found.lasting:
        number = len(found.told)
        return f"{site}: {first}" + (f" (and {number - 1} more)" if number > 1 else "")
    return f"{site}: resolved: {first}"


def report(found: News) -> str:
    """The alarms as plain text, with a heading for each kind."""
    parts = []
    for heading, rows in (("New", found.raised), ("Not resolved", found.lasting), ("Resolved", found.over)):
        if rows:
            parts += [
                f"{heading}:",
                *(f"- {row['text']} (since {row['since']})" for row in rows.values()),
                "",
            ]
    return "\n".join(parts)
