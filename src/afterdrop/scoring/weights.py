"""The score's weights and curves as versioned data. Pure: `current` reads the shipped file, once."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, get_args

from afterdrop.core.errors import SettingsError
from afterdrop.review.flags.risk_flags import FLAGS, Flag, Severity

Part = Literal[
    "<vendor_c>_dr",
    "trust_flow",
    "ref_domains",
    "<vendor_a>_as",
    "<vendor_d>_pagerank",
    "history",
    "age",
    "price",
]

PARTS: Final[tuple[Part, ...]] = get_args(Part)
_CURVES: Final = (*(part for part in PARTS if part != "history"), "link_rank")


@dataclass(frozen=True, slots=True)
class Curve:
    """How a figure becomes a fraction.

    linear and log1p rise to 1 at `full`; falling_log is 1 up to `full` and falls to 0 at `zero`.
    """

    kind: Literal["linear", "log1p", "falling_log"]
    full: float
    zero: float = 0.0

    def at(self, figure: float) -> float:
        """The fraction, 0-1."""
        if self.kind == "linear":
            share = figure / self.full
        elif self.kind == "log1p":
            share = math.log1p(max(figure, 0.0)) / math.log1p(self.full)
        elif figure <= self.full:
            share = 1.0
        else:
            share = 1 - math.log(figure / self.full) / math.log(self.zero / self.full)
        return min(max(share, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Weights:
    """One version of the formula's figures. `flags` are penalties of found flags with severity risk."""

    version: str
    listed_from: int
    parts: Mapping[Part, float]
    least_confidence: float
    curves: Mapping[str, Curve]
    flags: Mapping[Flag, float]
    info_share: float
    most_penalty: float

    def penalty(self, found: Mapping[Flag, Severity]) -> float:
        """0 to `most_penalty`, the sum over the found flags: adding one or raising its severity never lowers it."""
        total = sum(
            self.flags[flag] * (1.0 if severity == "risk" else self.info_share)
            for flag, severity in found.items()
        )
        return min(round(total, 6), self.most_penalty)


@lru_cache(maxsize=1)
def current() -> Weights:
    """The shipped figures."""
    path = Path(__file__).parent / "data" / "weights.toml"
    return read_weights(tomllib.loads(path.read_text(encoding="utf-8")), path.name)


def earlier() -> Weights:
    """The figures of reviews made before 2026-11-22, whose scores keep their version: the same ones."""
    return replace(current(), version="2026-11-20")


def read_weights(content: Mapping[str, Any], where: str) -> Weights:
    """A weights file's parsed content, checked. Raises SettingsError naming file, key and what was expected."""
    parts = _table(content, "weights", where, PARTS)
    curves = _table(content, "curves", where, _CURVES)
    penalty = _table(content, "penalty", where, ("most", "info", "flags"))
    flags = _table(penalty, "flags", where, FLAGS)
    confidence = _table(content, "confidence", where, ("least",))
    version = content.get("version")
    if not isinstance(version, str) or not version:
        raise SettingsError(f"{where}: version", "expected a text, such as a date")
    return Weights(
        version=version,
        listed_from=int(_number(content, "listed_from", where, most=100)),
        parts={part: _number(parts, part, where, above=True) for part in PARTS},
        least_confidence=_number(confidence, "least", where),
        curves={name: _curve(curves[name], f"{where}: curves.{name}") for name in _CURVES},
        flags={flag: _number(flags, flag, where) for flag in FLAGS},
        info_share=_number(penalty, "info", where),
        most_penalty=_number(penalty, "most", where),
    )


def _table(content: Mapping[str, Any], key: str, where: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    table = content.get(key)
    if not isinstance(table, Mapping) or set(table) != set(names):
        raise SettingsError(f"{where}: {key}", f"expected a table with exactly {', '.join(names)}")
    return table


def _number(
    table: Mapping[str, Any], key: str, where: str, *, most: float = 1.0, above: bool = False
) -> float:
    value = table.get(key)
    fits = (
        isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most
    )  # NaN is not <=
    if not fits or (above and value == 0):
        raise SettingsError(
            f"{where}: {key}", f"expected a number {'above' if above else 'from'} 0 up to {most:g}"
        )
    return float(table[key])


def _curve(table: object, where: str) -> Curve:
    if not isinstance(table, Mapping) or not set(table) <= {"kind", "full", "zero"}:
        raise SettingsError(where, "expected a table with kind, full and, for falling_log, zero")
    if table.get("kind") not in ("linear", "log1p", "falling_log"):
        raise SettingsError(f"{where}.kind", "expected linear, log1p or falling_log")
    full = _number(table, "full", where, most=1e9, above=True)
    falling = table["kind"] == "falling_log"
    if falling != ("zero" in table):
        raise SettingsError(f"{where}.zero", "goes with kind falling_log, and only with it")
    zero = _number(table, "zero", where, most=1e9, above=True) if falling else 0.0
    if falling and zero <= full:
        raise SettingsError(f"{where}.zero", "expected more than full")
    return Curve(table["kind"], full, zero)
