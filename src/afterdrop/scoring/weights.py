"""The score's weights and curves as versioned data. Pure: the shipped files are read once."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, get_args

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
_FOLDER: Final = Path(__file__).parent / "data"
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
    """One version of the formula's figures. `flags` are penalties of found flags with severity risk.

    A found flag that takes `serious_from` or more off is serious, and caps the score at `serious_most` points. Scores
    are drawn as good and as fair from `good_from` and `fair_from` points on. A year of an earlier owner's site counts
    `earlier_owner` in `history`.
    """

    version: str
    listed_from: int
    parts: Mapping[Part, float]
    least_confidence: float
    curves: Mapping[str, Curve]
    flags: Mapping[Flag, float]
    info_share: float
    most_penalty: float
    serious_from: float
    serious_most: int
    good_from: int
    fair_from: int
    earlier_owner: float

    def taken(self, flag: Flag, severity: Severity) -> float:
        """The share that one found flag takes off."""
        return self.flags[flag] * (1.0 if severity == "risk" else self.info_share)

    def serious(self, flag: Flag, severity: Severity) -> bool:
        """Whether a found flag is serious."""
        return self.taken(flag, severity) >= self.serious_from

    def penalty(self, found: Mapping[Flag, Severity]) -> float:
        """0 to `most_penalty`, the sum over the found flags: adding one or raising its severity never lowers it."""
        total = sum(self.taken(flag, severity) for flag, severity in found.items())
        return min(round(total, 6), self.most_penalty)


@lru_cache(maxsize=1)
def current() -> Weights:
    """The newest of the shipped figures."""
    path = _FOLDER / "weights.toml"
    return read_weights(tomllib.loads(path.read_text(encoding="utf-8")), path.name)


@lru_cache(maxsize=8)
def of_version(version: str) -> Weights:
    """The figures of a version: of an earlier one, those of the file `weights-VERSION.toml`; else the newest."""
    path = _FOLDER / f"weights-{version}.toml"
    if version == current().version or not path.is_file():
        return current()
    return read_weights(tomllib.loads(path.read_text(encoding="utf-8")), path.name)


def read_weights(content: Mapping[str, object], where: str) -> Weights:
    """A weights file's parsed content, checked. Raises SettingsError naming file, key and what was expected."""
    parts = _table(content, "weights", where, PARTS)
    curves = _table(content, "curves", where, _CURVES)
    penalty = _table(content, "penalty", where, ("most", "info", "flags"))
    flags = _table(penalty, "flags", where, FLAGS)
    confidence = _table(content, "confidence", where, ("least",))
    serious = _table(content, "serious", where, ("from", "most"))
    bands = _table(content, "bands", where, ("good", "fair"))
    history = _table(content, "history", where, ("earlier_owner",))
    version = content.get("version")
    if not isinstance(version, str) or not version:
        raise SettingsError(f"{where}: version", "expected a text, such as a date")
    good, fair = (int(_number(bands, key, where, most=100)) for key in ("good", "fair"))
    if not (most := int(_number(serious, "most", where, most=100))) < fair <= good:
        raise SettingsError(f"{where}: bands", "expected serious.most < fair <= good")
    return Weights(
        version=version,
        listed_from=int(_number(content, "listed_from", where, most=100)),
        parts={part: _number(parts, part, where, above=True) for part in PARTS},
        least_confidence=_number(confidence, "least", where),
        curves={name: _curve(curves[name], f"{where}: curves.{name}") for name in _CURVES},
        flags={flag: _number(flags, flag, where) for flag in FLAGS},
        info_share=_number(penalty, "info", where),
        most_penalty=_number(penalty, "most", where),
        serious_from=_number(serious, "from", where),
        serious_most=most,
        good_from=good,
        fair_from=fair,
        earlier_owner=_number(history, "earlier_owner", where),
    )


def _table(
    content: Mapping[str, object], key: str, where: str, names: tuple[str, ...]
) -> Mapping[str, object]:
    table = content.get(key)
    if not isinstance(table, Mapping) or set(table) != set(names):
        raise SettingsError(f"{where}: {key}", f"expected a table with exactly {', '.join(names)}")
    return table


def _number(
    table: Mapping[str, object], key: str, where: str, *, most: float = 1.0, above: bool = False
) -> float:
    value = table.get(key)
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else -1
    if not 0 <= number <= most or (above and number == 0):  # NaN is not <=
        raise SettingsError(
            f"{where}: {key}", f"expected a number {'above' if above else 'from'} 0 up to {most:g}"
        )
    return float(number)


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
