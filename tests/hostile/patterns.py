"""Every regular expression of the tree, and the texts that make a badly written one slow.

Run as a program it tries a quarter of them and prints a JSON line for each that is slower than linear. The texts are
derived from the pattern itself: what may precede a repeat, then many of what the pattern knows, then something that
fails.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from re import _constants as ops
from re import _parser as parser
from types import FrameType, ModuleType
from typing import Any

import afterdrop
from afterdrop.feeds.preset_files import open_preset, preset_names
from afterdrop.feeds.spec import FeedSpec
from tests.support.speed import slowness

SOURCE = Path(afterdrop.__file__).parent
# Two short texts show how the time grows (linear is 4, quadratic 16); where it is steep, two long ones decide.
SHORTER, SHORT, LONG, LONGEST = 750, 3_000, 10_000, 40_000
QUICK, STEEP, GROWTH = 0.0003, 6.0, 8.0
# Whatever it grows by: this much for the longest text is too slow on a usual machine (5 µs a character), less than that
# is no matter. What takes longer than LIMIT is broken off.
SLOWEST, NOTHING = 0.2, 0.05
LIMIT = 2.0
_WALKS = frozenset({"search", "sub", "subn", "split", "findall", "finditer"})
_HOLDS = frozenset({"match", "fullmatch"})
_POOL = "a1 Z-._/<\"'=:;,()[]{}@#&?!\t\n\x00éх中"
_TAILS = ("", "\x00\n!")


@dataclass(frozen=True)
class Found:
    """A pattern, where it stands, and whether it is tried at every place of a text or at its start alone."""

    name: str
    pattern: re.Pattern[Any]
    walks: bool


def modules() -> Iterator[ModuleType]:
    """Every module of the package; migrations' versions too."""
    for info in pkgutil.walk_packages([str(SOURCE)], "afterdrop."):
        if not info.name.endswith("__main__"):
            yield importlib.import_module(info.name)


def all_patterns() -> tuple[list[Found], list[str]]:
    """Every pattern of the tree, and the places that make one of something else than a literal."""
    found: dict[str, Found] = {}
    made: list[str] = []
    for module in modules():
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        for name, value in vars(module).items():
            for place, pattern in _held(value, name):
                key = f"{module.__name__}:{place}"
                found[key] = Found(key, pattern, _walked(tree, name))
        made += _inline(module, tree, found)
    return list(found.values()), made


def shipped_patterns() -> list[Found]:
    """The patterns in the feed files that come with the product."""
    return [
        Found(f"feeds/{spec.name}: {pattern}", re.compile(pattern), True)
        for spec in map(open_preset, preset_names())
        for pattern in _patterns_of(spec)
    ]


def _patterns_of(spec: FeedSpec) -> list[str]:
    sources = [getattr(spec.fields, name) for name in type(spec.fields).model_fields]
    steps = [step for source in (*sources, *spec.metrics.values()) if source for step in source.convert]
    asked = [step.partition(":")[2] for step in steps if step.startswith("regex:")]
    return [*spec.csv.capture.values(), *asked]


def _held(value: object, name: str) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _held(item, f"{name}[{str(key)[:40]}]")
    elif isinstance(value, list | tuple | set | frozenset):
        for number, item in enumerate(value):
            yield from _held(item, f"{name}[{number}]")


def _walked(tree: ast.AST, name: str) -> bool:
    """Whether a module searches with a pattern; one that is handed on is taken to be searched with."""
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    }
    return not used & _HOLDS or bool(used & _WALKS)


def _inline(module: ModuleType, tree: ast.Module, found: dict[str, Found]) -> list[str]:
    """Note the literal patterns inside functions; give the places where a pattern is no literal."""
    made = []
    at_top = {
        node
        for statement in tree.body
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            made.append(f"{module.__name__}: from re import")
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        call = node.func.attr
        if ast.unparse(node.func.value) != "re" or call not in _WALKS | _HOLDS | {"compile"}:
            continue
        if call == "compile" and node in at_top:
            continue
        if not isinstance(node.args[0], ast.Constant):
            made.append(f"{module.__name__}: {ast.unparse(node)}")
            continue
        key = f"{module.__name__}:{node.lineno}"
        pattern = re.compile(ast.literal_eval(node.args[0]), _flags(node, call))
        found[key] = Found(key, pattern, call not in _HOLDS)
    return made


def _flags(call: ast.Call, name: str) -> int:
    at = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(name, 2)
    given = [keyword.value for keyword in call.keywords if keyword.arg == "flags"] or call.args[at : at + 1]
    return int(eval(ast.unparse(given[0]), {"re": re})) if given else 0  # our own source


def texts(pattern: re.Pattern[Any], size: int) -> Iterator[Any]:
    """Texts of about `size` characters that are hard for a pattern."""
    for text in _hard(pattern, size):
        yield text.encode("latin-1", "ignore") if isinstance(pattern.pattern, bytes) else text


def _hard(pattern: re.Pattern[Any], size: int) -> Iterator[str]:
    raw = pattern.pattern
    shape = _Shape(parser.parse(raw, pattern.flags & ~re.LOCALE))
    whole = shape.example
    pumps = list(
        dict.fromkeys([*shape.letters[:10], *shape.bodies[:6], whole, whole[:-1], *shape.starts[1:5]])
    )
    starts = list(dict.fromkeys([*shape.starts[:5], *shape.starts[-4:]]))
    for start in starts:
        for pump in filter(None, pumps):
            many = pump * (size // len(pump))
            for tail in _TAILS:
                yield start + many + tail
    for one in shape.letters[:6]:
        for other in shape.letters[:6]:
            if one != other:
                yield (one + other) * (size // 2)
                yield one * (size // 2) + other + one * (size // 2) + "\x00"
    for start in starts:
        for letter in shape.letters[:6]:
            piece = start + letter * 30
            yield piece * (size // len(piece))


class _Shape:
    """What a pattern is made of: letters it knows, bodies of its repeats, beginnings of what it matches."""

    def __init__(self, tree: Any) -> None:
        self.letters: list[str] = []
        self.bodies: list[str] = []
        self.starts: list[str] = [""]
        self.example = self._sequence(tree, "")

    def _sequence(self, tree: Any, before: str) -> str:
        text = ""
        for op, value in tree:
            text += self._piece(op, value, before + text)
            if before + text not in self.starts:
                self.starts.append(before + text)
        return text

    def _piece(self, op: Any, value: Any, before: str) -> str:
        if op in (ops.LITERAL, ops.NOT_LITERAL, ops.IN, ops.ANY):
            return self._letter(op, value)
        if op is ops.SUBPATTERN:
            return self._sequence(value[3], before)
        if op is ops.ATOMIC_GROUP:
            return self._sequence(value, before)
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            body = self._sequence(value[2], before)
            self.bodies.append(body)
            return body * max(int(value[0]), 1)
        if op is ops.BRANCH:
            examples = [self._sequence(branch, before) for branch in value[1]]
            return examples[0]
        if op in (ops.ASSERT, ops.ASSERT_NOT):
            self._sequence(value[1], before)
        return ""

    def _letter(self, op: Any, value: Any) -> str:
        fits = [letter for letter in dict.fromkeys([*_own(op, value), *_POOL]) if _is(op, value, letter)]
        kept = list({_kind(letter): letter for letter in reversed(fits)}.values())[:5]
        for letter in reversed(kept):
            if letter not in self.letters:
                self.letters.append(letter)
        return fits[0] if fits else "a"


def _own(op: Any, value: Any) -> list[str]:
    if op in (ops.LITERAL, ops.NOT_LITERAL):
        return [chr(value)]
    if op is ops.ANY:
        return []
    ends = [v if kind is ops.LITERAL else v[0] for kind, v in value if kind in (ops.LITERAL, ops.RANGE)]
    return [chr(end) for end in ends]


def _is(op: Any, value: Any, letter: str) -> bool:
    if op is ops.ANY:
        return True
    if op in (ops.LITERAL, ops.NOT_LITERAL):
        return (ord(letter) == value) is (op is ops.LITERAL)
    kinds = {
        ops.CATEGORY_DIGIT: r"\d", ops.CATEGORY_NOT_DIGIT: r"\D", ops.CATEGORY_SPACE: r"\s",
        ops.CATEGORY_NOT_SPACE: r"\S", ops.CATEGORY_WORD: r"\w", ops.CATEGORY_NOT_WORD: r"\W",
    }  # fmt: skip
    within = any(
        (kind is ops.LITERAL and ord(letter) == item)
        or (kind is ops.RANGE and item[0] <= ord(letter) <= item[1])
        or (kind is ops.CATEGORY and re.match(kinds[item], letter) is not None)
        for kind, item in value
    )
    return within is not (value[0][0] is ops.NEGATE)


def _kind(letter: str) -> str:
    return next(
        (name for name in ("isdigit", "isspace", "islower", "isupper") if getattr(letter, name)()), letter
    )


def seconds(found: Found, text: Any) -> float:
    """CPU seconds for one text; LIMIT where it takes longer."""
    started = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    try:
        if found.walks:
            for _ in found.pattern.finditer(text):
                pass
        else:
            found.pattern.fullmatch(text)
            found.pattern.match(text)
    except TimeoutError:
        return LIMIT
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - started


def slow(found: Found) -> dict[str, Any] | None:
    """The first text on which a pattern is slower than linear, with what two lengths of it took."""
    for number, text in enumerate(texts(found.pattern, SHORT)):
        took = seconds(found, text)
        if took < QUICK or took < STEEP * seconds(found, text[: len(text) * SHORTER // SHORT]) < SLOWEST:
            continue
        longer = next(islice(texts(found.pattern, LONG), number, None))
        longest = next(islice(texts(found.pattern, LONGEST), number, None))
        took, most = (_best(found, each, 2) for each in (longer, longest))
        if NOTHING < most < SLOWEST and most > GROWTH * took:  # a busy machine may do that, too
            took, most = (_best(found, each, 8) for each in (longer, longest))
        if _too_long(most) or (most > NOTHING and most > GROWTH * took):
            return {"text": repr(text[:40]), "seconds": [round(took, 4), round(most, 4)]}
    return None


def _too_long(took: float) -> bool:
    return took >= SLOWEST and took >= min(SLOWEST * slowness(), LIMIT)


def _best(found: Found, text: Any, times: int) -> float:
    return min(seconds(found, text) for _ in range(times))


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise TimeoutError


def main() -> None:
    """Try every fourth pattern from a place on; a JSON line for each slow one, and at the end how many there are."""
    signal.signal(signal.SIGVTALRM, _stop)
    patterns, made = all_patterns()
    patterns += shipped_patterns()
    for found in patterns[int(sys.argv[1]) :: 4]:
        fault = slow(found)
        if fault is not None:
            print(
                json.dumps({"name": found.name, "pattern": repr(found.pattern.pattern), **fault}), flush=True
            )
    print(json.dumps({"patterns": len(patterns), "made": made}))


if __name__ == "__main__":
    main()
