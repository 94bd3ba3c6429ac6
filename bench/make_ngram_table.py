"""Make src/afterdrop/review/data/ngrams.bin.xz from the n-gram table of eld 1.0.6 (Apache-2.0, N. T. M.).

Run where that package is installed: `uv run --with eld==1.0.6 bench/make_ngram_table.py`. The package itself is not
a dependency: unmaintained since 2023, it compiles a 2.5 MB Python literal at import, 2.4 s and 490 MB at the peak.

Layout, after xz: one line of space-separated language codes, a line feed, then per n-gram one byte of length, the
n-gram, one byte with the number of languages, and per language one byte (index into the line) and two of
frequency, little-endian.
"""

from __future__ import annotations

import importlib
import lzma
import struct
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src/afterdrop/review/data/ngrams.bin.xz"


def main() -> None:
    """Write the table."""
    table = importlib.import_module("eld.resources.ngrams.ngramsM60").ngrams_data
    codes = table["languages"]
    packed = [" ".join(codes[index] for index in sorted(codes)).encode() + b"\n"]
    for ngram, users in sorted(table["ngrams"].items()):
        rows = b"".join(struct.pack("<BH", language, count) for language, count in sorted(users.items()))
        packed.append(bytes([len(ngram)]) + ngram + bytes([len(users)]) + rows)
    TARGET.write_bytes(lzma.compress(b"".join(packed), preset=9 | lzma.PRESET_EXTREME))
    print(f"{TARGET}: {len(packed) - 1} n-grams, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
