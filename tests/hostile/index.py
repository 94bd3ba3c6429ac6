"""Index answers full of odd rows, made to choke whoever summarises them; as a module, it reads each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from afterdrop.sources.archive.cdx import read_index
from tests.hostile.bounded import run

_MANY = 1_000_000
_PAGES = "".join(
    f"test,a)/ 20{year}0501100000 http://a.test/ text/html 200 {year} 900\n" for year in (12, 16)
)


def answers() -> Iterator[tuple[str, bytes]]:
    """Two captures of the home page behind, or between, a million rows that are none."""
    for odd in (
        "ftp://a.test/",
        "dns:a.test",
        "http://mailto:info@a.test/",
        "HTTP:a.test",
        "http://[",
        "http://a%zz/",
    ):
        row = f"test,a)/ 20080501100000 {odd} text/html 200 ODD 900\n"
        yield f"a million rows of {odd}", (row * _MANY + _PAGES).encode()
    yield (
        "a million keys of mail addresses",
        (
            "".join(
                f"test,a)/{n} 2008{n % 12 + 1:02}01100000 mailto:{n}@a.test text/html 200 ODD 9\n"
                for n in range(_MANY)
            )
            + _PAGES
        ).encode(),
    )
    for stamp in ("20000800241623", "19700101000000", "99999999999999", "0", "²0080501100000"):
        row = f"test,a)/ {stamp} http://a.test/ text/html 200 ODD 900\n"
        yield f"a million times {stamp}", (row * _MANY + _PAGES).encode()
    yield (
        "a row of 60 MB",
        (f"test,a)/ 20080501100000 http://a.test/{'a' * 60_000_000} text/html 200 A 9\n" + _PAGES).encode(),
    )
    yield "a row of 30 million fields", ("a " * 30_000_000 + "\n" + _PAGES).encode()


def read(_case: str, path: Path) -> str:
    """The years of the home page's captures, and what the rows that are none were taken for."""
    found = read_index(path.read_bytes(), "a.test")
    return f"{sorted({one.at.year for one in found.home})}, {sorted(found.bad)}"


if __name__ == "__main__":
    run(answers(), read)
