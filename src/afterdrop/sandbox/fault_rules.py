"""Fault injection: rules that say which requests fail, how, and how many of them.

Pure but for the counts it keeps. Rules come as JSON, for instance
`[{"server": "archive", "path": "/cdx/", "kind": "429", "retry_after": 2, "count": 3}]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

KINDS = ("429", "status", "timeout", "cut", "wrong_json", "html", "slow", "reset")
_KEYS = {"server", "path", "kind", "count", "share", "retry_after", "status", "seconds"}


class BadRule(Exception):
    """A fault rule with an unknown key or an unusable value."""


@dataclass
class FaultRule:
    """One fault: the first `count` matching requests (None: all), or a `share` of them, evenly spread.

    `kind`: 429 (with `retry_after` seconds), status (answers `status`), timeout (no answer for `seconds`), cut
    (half of the body), wrong_json, html (a page where JSON was due), slow (answers after `seconds`), reset.
    """

    kind: str
    server: re.Pattern[str]
    path: re.Pattern[str]
    count: int | None = None
    share: float = 1.0
    retry_after: str | None = None
    status: int = 503
    seconds: float = 30.0
    seen: int = 0
    done: int = 0

    def strikes(self) -> bool:
        """Whether the next matching request fails; counts the request."""
        self.seen += 1
        due = int(self.seen * self.share) > int((self.seen - 1) * self.share)
        if not due or (self.count is not None and self.done >= self.count):
            return False
        self.done += 1
        return True


@dataclass
class FaultRules:
    """The rules in force; the first that matches decides."""

    rules: list[FaultRule] = field(default_factory=list)

    def put(self, rules: Sequence[Any]) -> None:
        """Replace all rules by those of a JSON array. Raises BadRule, which names the wrong key."""
        self.rules = [_rule(item) for item in rules]

    def strike(self, server: str, path: str) -> FaultRule | None:
        """The rule by which this request fails; None when it succeeds."""
        for rule in self.rules:
            if rule.server.search(server) and rule.path.search(path) and rule.strikes():
                return rule
        return None


def _rule(item: Any) -> FaultRule:
    if not isinstance(item, dict):
        raise BadRule("a rule is an object")
    if unknown := set(item) - _KEYS:
        raise BadRule(f"unknown key {sorted(unknown)[0]}")
    if item.get("kind") not in KINDS:
        raise BadRule(f"kind must be one of {', '.join(KINDS)}")
    try:
        return FaultRule(
            kind=item["kind"],
            server=re.compile(str(item.get("server", ""))),
            path=re.compile(str(item.get("path", ""))),
            count=None if item.get("count") is None else int(item["count"]),
            share=float(item.get("share", 1.0)),
            retry_after=None if item.get("retry_after") is None else str(item["retry_after"]),
            status=int(item.get("status", 503)),
            seconds=float(item.get("seconds", 30.0)),
        )
    except (re.error, TypeError, ValueError) as error:
        raise BadRule(str(error)) from None
