"""The ledger of abilities: each of its patterns names a module that is there."""

from __future__ import annotations

from fnmatch import fnmatch

from bench.ledger import SRC, TABLE, ability_of


def test_every_pattern_names_modules_and_every_module_has_one_ability() -> None:
    modules = [str(path.relative_to(SRC)) for path in SRC.rglob("*.py")]
    patterns = [pattern for _, *paths in TABLE.values() for pattern in paths]
    assert [each for each in patterns if not any(fnmatch(module, each) for module in modules)] == []
    assert {ability_of(module) for module in modules} == set(TABLE)
