"""Gate: whoever reads what was stored about a domain is on this list, and asks for the licence or says why not.

A stored event, mail or report keeps its bytes, while accounts and licences change (`accounts.licences`). A query that
reads one of these columns, or a whole row with one, belongs in a function of READERS.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "afterdrop"

# Columns with what was said of a domain, by table; "*": every column.
STORED: Final[Mapping[str, frozenset[str]]] = {
    "events": frozenset({"body"}),
    "mails": frozenset({"subject", "text", "html"}),
    "checks": frozenset({"score", "verdict", "would_list", "reject_reasons", "report"}),
    "visitor_checks": frozenset({"report"}),
    "answered_requests": frozenset({"body"}),
    "share_links": frozenset({"domains"}),
    "reserved_views": frozenset({"*"}),
    "reports": frozenset({"varying_severity", "report"}),
}
ASKS: Final = "asks accounts.licences"
# What a reader that asks has in its code: the predicate, or a column or condition made of it.
_ASKING: Final = frozenset(
    {"may_read", "everybody_may_read", "told", "TOLD", "STANDING", "_SUMMARY", "_OUTCOME", "_ALLOWED"}
)
# With these a table is written, counted or joined, and nothing of it is read.
_NO_READING: Final = frozenset(
    {
        *("insert", "update", "delete", "select_from", "join", "outerjoin", "alias"),
        *("insert_once", "insert_each_once", "upsert", "settle", "must_settle", "holds"),
    }
)

_WRITES: Final = "gives a worker what it has claimed, to write it"
_COUNTS: Final = "counts rows, or reads their states, times and errors"
READERS: Final[Mapping[str, str]] = {
    "delivery/events.py:read_after": ASKS,
    "delivery/webhooks/store.py:payloads": ASKS,
    "delivery/webhooks/delivery_states.py:payload": ASKS,
    "delivery/mail/store.py:claim_due": "the queue calls `expire_withheld` before it claims",
    "delivery/mail/store.py:forget_links": "compares texts with the one that replaces a link",
    "delivery/mail/store.py:list_mails": "`afterdrop outbox`, for whoever runs the machine",
    "delivery/mail/store.py:get_mail": "`afterdrop outbox`, for whoever runs the machine",
    "delivery/mail/worker.py:mail_queue": "the table of the queue; the rows are those of `claim_due`",
    "checks/store.py:": ASKS,
    "checks/store.py:told": ASKS,
    "checks/store.py:told_part": ASKS,
    "checks/store.py:shared_reports": ASKS,
    "checks/store.py:insert_check": "a check that is ordered now has found nothing",
    "checks/store.py:_place_in_own_line": _COUNTS,
    "checks/store.py:claim": _WRITES,
    "checks/store.py:requeue_lost": _WRITES,
    "checks/worker.py:check_queue": _WRITES,
    "checks/visitors.py:visitor_queue": _WRITES,
    "checks/visitors.py:claim": _WRITES,
    "checks/visitors.py:check_by": "made for strangers, from what everybody may see",
    "accounts/idempotency.py:begin": "the request's hash differs where an operator asked (`web/api/repeats.py`)",
    "watching/notice_store.py:_waits_no_longer": "times alone: whether a name ends within the hour",
    "watching/desk_store.py:shared_names": "names only; `share_pages` asks what of them the reader may see",
    "watching/desk_store.py:links_of": "the owner's own links: names that he chose",
    "web/account_export.py:": "the list of tables; `export_account` asks",
    "web/account_export.py:export_account": ASKS,
    "worker/health.py:": _COUNTS,
    "delivery/events.py:past_earlier_cursors": _COUNTS,
    "worker/health.py:_failures": _COUNTS,
    "worker/health.py:_settled_since": _COUNTS,
    "worker/pruning.py:_expired_rows": "deletes",
    "accounts/licences.py:reserved_names": "the predicate's own question",
    "catalogue/store.py:": "the names of columns; `audience_view` decides by audience",
    "catalogue/store.py:audience_view": "the operators' view, read by `summary.access`",
    "catalogue/store.py:summary_column": "the severity that an audience's own report tells",
    "catalogue/store.py:with_reports": "the report of the view that `audience_view` decides on",
    "catalogue/old_reports.py:_move": "writes a view's own report elsewhere",
    "catalogue/old_reports.py:move_old_reports": "names the views whose reports are moved",
    "catalogue/publish.py:": "writes views",
    "catalogue/publish.py:_put": "writes views",
    "catalogue/publish.py:save_placement": "writes views",
}


def readers(root: Path = SOURCE) -> dict[str, list[int]]:
    """Lines that read a stored body, by `module.py:function` (a method by its class, the module's own code by "")."""
    found: dict[str, list[int]] = {}
    for path in sorted(root.rglob("*.py")):
        where = path.relative_to(root).as_posix()
        if not where.startswith("db/"):
            for name, line in _readings(ast.parse(path.read_text(encoding="utf-8"))):
                found.setdefault(f"{where}:{name}", []).append(line)
    return found


def asks(reader: str, root: Path = SOURCE) -> bool:
    """Whether the code of a reader asks for the licence."""
    path, _, name = reader.partition(":")
    body = ast.parse((root / path).read_text(encoding="utf-8")).body
    nodes = (each for top in body if _name_of(top) == name for each in ast.walk(top))
    return any(isinstance(node, ast.Name) and node.id in _ASKING for node in nodes)


def _name_of(top: ast.stmt) -> str:
    return top.name if isinstance(top, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else ""


def _readings(tree: ast.Module) -> Iterator[tuple[str, int]]:
    tables = _imported(tree)
    columns = _column_names(tree, tables)
    for top in tree.body:
        passed = _passed_without_reading(top)
        for node in ast.walk(top):
            if _reads_table(node, tables, passed) or _reads_column(node, tables, columns) or _is_raw(node):
                yield _name_of(top), getattr(node, "lineno", 0)


def _imported(tree: ast.Module) -> dict[str, str]:
    """The names that stand for tables with stored bodies: imported, or made with `alias()`."""
    found = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("afterdrop.db.tables.")
        for alias in node.names
        if alias.name in STORED
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = node.value.func
            if isinstance(made, ast.Attribute) and made.attr == "alias" and isinstance(made.value, ast.Name):
                named = [target.id for target in node.targets if isinstance(target, ast.Name)]
                found |= {name: found[made.value.id] for name in named if made.value.id in found}
    return found


def _column_names(tree: ast.Module, tables: Mapping[str, str]) -> dict[str, str]:
    """The names that stand for the columns of such a table: `_row = events.c`."""
    return {
        target.id: tables[node.value.value.id]
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "c"
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id in tables
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _passed_without_reading(top: ast.stmt) -> set[int]:
    """The ids of nodes that are tables in a place where nothing of them is read."""
    passed: set[int] = set()
    for node in ast.walk(top):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in _NO_READING:
                passed |= {id(given) for given in node.args}
        elif isinstance(node, ast.Attribute) and node.attr in ("c", "alias"):
            passed.add(id(node.value))
    return passed


def _reads_table(node: ast.AST, tables: Mapping[str, str], passed: set[int]) -> bool:
    return isinstance(node, ast.Name) and node.id in tables and id(node) not in passed


def _reads_column(node: ast.AST, tables: Mapping[str, str], columns: Mapping[str, str]) -> bool:
    if not isinstance(node, ast.Attribute | ast.Subscript):
        return False
    of = node.value
    if isinstance(of, ast.Attribute) and of.attr == "c" and isinstance(of.value, ast.Name):
        table = tables.get(of.value.id)
    else:
        table = columns.get(of.id) if isinstance(of, ast.Name) else None
    if table is None:
        return False
    if isinstance(node, ast.Attribute):
        name = node.attr
    elif isinstance(node.slice, ast.Constant):
        name = str(node.slice.value)
    else:
        return True  # whichever column
    return "*" in STORED[table] or name in STORED[table]


_RAW: Final = re.compile(rf"\b(?:FROM|JOIN)\s+(?:{'|'.join(STORED)})\b")


def _is_raw(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(_RAW.search(node.value))
