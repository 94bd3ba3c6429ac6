"""Prints the figures of the source tree: sizes, importers, circles, SQL, loose types, long signatures.

`python -m tests.gates.figures [ROOT]` measures `ROOT/src/afterdrop`; without ROOT, this repository. Figures with a
goal have it beside them. Two trees are compared by running it twice, the older one in a `git worktree`. Only the
figures in `MOST` fail anything: they may not rise.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "afterdrop"
MOST_PARAMETERS = 6
# A filter is declared in one table; the word stands for all of them. See `catalogue/lists/criteria.py`.
A_FILTER = "min_ref_domains"
# What a figure should be at most.
WANTED = {
    "modules": 400,
    "modules with exactly one importer": 100,
    "lines of Python": 59_000,
    "the word `Any`": 500,
    "functions that return an untyped row": 30,
    f"files that name `{A_FILTER}`": 4,
    "circles between files": 0,
}
# Names of locals that say what was done, not what they hold.
NAMED_AFTER_ACTS = frozenset({"told", "found", "asked", "kept", "each"})
# What stands here may fall and not rise (`test_figures`); whoever lowers a figure lowers it here, too.
MOST = {
    "locals named after an act": 2_782,
    "functions that return an untyped row": 82,
}
# A module with a call of one of these holds SQL.
_STATEMENTS = frozenset({"select", "insert", "update", "delete", "text", "exists", "union_all"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One source file. Packages' `__init__` files without code are not counted as modules."""

    name: str
    lines: int
    tree: ast.Module

    @property
    def functions(self) -> Iterator[Function]:
        """Every function and method, nested ones included."""
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))


def read_modules(root: Path) -> list[Module]:
    """The modules below `root/src/afterdrop`, without migrations, which are never edited again."""
    source = root / "src"
    found = []
    for path in sorted((source / PACKAGE).rglob("*.py")):
        if "versions" in path.parts:
            continue
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        if path.name == "__init__.py" and all(_is_docstring(node) for node in tree.body):
            continue
        parts = path.relative_to(source).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(Module(name, text.count("\n"), tree))
    return found


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def importers(modules: Iterable[Module]) -> Counter[str]:
    """How many other modules import each module; imports for type checking and inside functions count."""
    modules = list(modules)
    names = {module.name for module in modules}
    counts: Counter[str] = Counter(dict.fromkeys(names, 0))
    for module in modules:
        counts.update(imported(module.tree) & names - {module.name})
    return counts


def imported(tree: ast.AST) -> set[str]:
    """Every dotted name that a module imports: both `a.b` and `a.b.c` for `from a.b import c`."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def circles(modules: Iterable[Module]) -> list[list[str]]:
    """The sets of modules that import each other at run time, inside functions too."""
    modules = list(modules)
    names = {module.name for module in modules}
    edges = {module.name: _imported_at_run_time(module.tree, names) - {module.name} for module in modules}
    reached = {name: _reachable(name, edges) for name in edges}
    found = {frozenset({name, *(to for to in reached[name] if name in reached[to])}) for name in edges}
    return sorted(sorted(circle) for circle in found if len(circle) > 1)


def _imported_at_run_time(tree: ast.Module, names: set[str]) -> set[str]:
    """The modules among `names` that a module imports: of `from package import module` the module alone."""
    typing = [node for node in ast.walk(tree) if isinstance(node, ast.If) and _for_typing(node.test)]
    unseen = {id(node) for block in typing for node in ast.walk(block)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in unseen:
            near = imported(node) & names
            inner = {name for name in near if "." in name and name.rpartition(".")[0] in near}
            all_modules = isinstance(node, ast.Import) or len(inner) == len(node.names)
            found |= inner if inner and all_modules else near
    return found


def _for_typing(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _reachable(start: str, edges: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for to in edges[waiting.pop()] - seen:
            seen.add(to)
            waiting.append(to)
    return seen


def holds_sql(module: Module) -> bool:
    """Whether a module builds statements with SQLAlchemy or holds them as text."""
    if not any(name.partition(".")[0] == "sqlalchemy" for name in imported(module.tree)):
        return False
    calls = (node.func for node in ast.walk(module.tree) if isinstance(node, ast.Call))
    return any(_is_statement(call, _statement_names(module.tree)) for call in calls)


def _statement_names(tree: ast.Module) -> set[str]:
    """The statement functions that a module imports by name from SQLAlchemy."""
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sqlalchemy")
        for alias in node.names
        if alias.name in _STATEMENTS
    }


def _is_statement(call: ast.expr, names: set[str]) -> bool:
    if isinstance(call, ast.Name):
        return call.id in names
    return (
        isinstance(call, ast.Attribute)
        and call.attr in _STATEMENTS
        and isinstance(call.value, ast.Name)
        and call.value.id in ("sa", "sqlalchemy", "postgresql", "sqlite")
    )


def annotations_of(module: Module) -> Iterator[ast.expr]:
    """Every annotation of parameters, results and variables, and every alias of a type."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, Function) and node.returns is not None:
            yield node.returns
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
            yield node.value


def any_annotations(module: Module) -> int:
    """How often `Any` stands in annotations."""
    walked = (node for annotation in annotations_of(module) for node in ast.walk(annotation))
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in walked)


def loose_rows(module: Module) -> int:
    """How often an annotation says that a row has members of any name and kind, in one of four spellings."""
    return sum(map(_loose, annotations_of(module)))


def _loose(annotation: ast.expr) -> int:
    rows = [f"{kind}[str, {of}]" for kind in ("dict", "Mapping") for of in ("Any", "object")]
    return sum(isinstance(node, ast.Subscript) and ast.unparse(node) in rows for node in ast.walk(annotation))


def named_after_acts(module: Module) -> int:
    """How often a local or a parameter is named after what was done (`found`), not after what it is."""
    names = (
        node.id if isinstance(node, ast.Name) else node.arg
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Name | ast.arg)
    )
    return sum(name in NAMED_AFTER_ACTS for name in names)


def python_text(root: Path) -> tuple[int, int]:
    """The lines of all Python files, migrations included, and how often the word `Any` stands in them."""
    texts = [path.read_text(encoding="utf-8") for path in (root / "src" / PACKAGE).rglob("*.py")]
    return sum(text.count("\n") for text in texts), sum(len(re.findall(r"\bAny\b", text)) for text in texts)


def files_with(root: Path, word: str) -> int:
    """How many files of the package have a word in them, templates and data included."""
    return sum(
        word.encode() in path.read_bytes()
        for path in (root / "src" / PACKAGE).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    )


def string_subscripts(module: Module) -> int:
    """How often something is read or written by a literal string key."""
    return sum(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
        for node in ast.walk(module.tree)
    )


def parameters(function: Function) -> int:
    """How many parameters a function has, without `self` and `cls`."""
    named = function.args.posonlyargs + function.args.args + function.args.kwonlyargs
    return sum(argument.arg not in ("self", "cls") for argument in named)


def length(function: Function) -> int:
    """The lines of a function, from its `def` to its last line."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def spread(values: list[int]) -> str:
    """Median, 90th percentile and maximum."""
    return f"median {median(values):g}, p90 {quantiles(values, n=10, method='inclusive')[8]:g}, max {max(values)}"


def figures(root: Path) -> Iterator[tuple[str, str]]:
    """Each figure's name and value."""
    modules = read_modules(root)
    functions = [function for module in modules for function in module.functions]
    long_signatures = [function for function in functions if parameters(function) > MOST_PARAMETERS]
    counts = importers(modules)
    lines, words = python_text(root)
    loose = [function for function in functions if function.returns is not None and _loose(function.returns)]
    yield "modules", f"{len(modules)}"
    yield "  of these under 100 lines", f"{sum(module.lines < 100 for module in modules)}"
    yield "lines of Python", f"{lines}"
    yield "lines of a module", spread([module.lines for module in modules])
    yield "functions", f"{len(functions)}"
    yield "lines of a function", spread([length(function) for function in functions])
    yield "modules with exactly one importer", f"{sum(count == 1 for count in counts.values())}"
    yield "circles between files", f"{len(circles(modules))}"
    yield "modules that hold SQL", f"{sum(map(holds_sql, modules))}"
    yield f"files that name `{A_FILTER}`", f"{files_with(root, A_FILTER)}"
    yield "the word `Any`", f"{words}"
    yield "`Any` in annotations", f"{sum(map(any_annotations, modules))}"
    yield "untyped rows in annotations", f"{sum(map(loose_rows, modules))}"
    yield "functions that return an untyped row", f"{len(loose)}"
    yield "locals named after an act", f"{sum(map(named_after_acts, modules))}"
    yield "subscripts by a literal string", f"{sum(map(string_subscripts, modules))}"
    yield f"functions with more than {MOST_PARAMETERS} parameters", f"{len(long_signatures)}"


def main() -> None:
    """Print the figures of one tree."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    for name, value in figures(root):
        wanted = f"want ≤ {WANTED[name]:,}" if name in WANTED else ""
        print(f"{name:<52}{value:<12}{wanted}".rstrip())


if __name__ == "__main__":
    main()
