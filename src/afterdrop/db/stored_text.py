"""Characters that no database can store (U+0000, half a surrogate pair) are replaced where values enter a statement.

Pages, registries, vendors and clients send such texts. SQLite would keep a U+0000 and PostgreSQL refuses it, so that a
title ended a transaction. One place serves every table, and what a statement looks for is changed as what it stores.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa

from afterdrop.core.safe_text import is_storable, storable


def keep_storable(engine: sa.Engine) -> None:
    """Have every value of every statement of the engine made storable."""
    sa.event.listen(engine, "before_cursor_execute", _cleaned, retval=True)


def json_text(value: object) -> str:
    """A value as the JSON text of a column, storable. Such characters are escapes in it, which statements pass on."""
    text = json.dumps(value)
    return json.dumps(storable(value)) if "\\u0000" in text or "\\ud" in text else text


def _cleaned(
    _conn: object, _cursor: object, statement: str, parameters: Any, _context: object, _executemany: bool
) -> tuple[str, Any]:
    # Many rows are a list. An insert of many rows that returns something is one statement, and one tuple or table.
    if isinstance(parameters, list):
        if not all(map(_is_clean, parameters)):
            return statement, [_clean(row) for row in parameters]
    elif not _is_clean(parameters):
        return statement, _clean(parameters)
    return statement, parameters


def _is_clean(row: Any) -> bool:
    """Whether all texts of a statement's values can be stored: those of a row, and those of lists among them."""
    for value in row.values() if isinstance(row, dict) else row:
        if isinstance(value, str):
            if not is_storable(value):
                return False
        elif isinstance(value, list) and not _is_clean(value):
            return False
    return True


def _clean(row: Any) -> Any:
    """The same values, in the same kind of container: names of parameters stay as they are."""
    if isinstance(row, dict):
        return {name: _clean_value(value) for name, value in row.items()}
    return type(row)(map(_clean_value, row))


def _clean_value(value: object) -> object:
    return storable(value) if isinstance(value, str | list) else value
