"""A column of JSON that no statement looks into, compressed: a report takes a quarter of its text, or less.

Zstandard with a dictionary of what reports repeat (RFC 8878, section 5). A frame names the dictionary it was made with,
so a file of `data/` is never changed: a better dictionary is a further file.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import orjson
import sqlalchemy as sa
import zstandard

# Made by `bench/report_dictionary.py`.
_DICTIONARY: Final = "reports-1.zdict"
_LEVEL: Final = 9


class PackedJson(sa.types.TypeDecorator[Any]):
    """JSON as compressed bytes; None is NULL."""

    impl = sa.LargeBinary
    cache_ok = True

    def process_bind_param(self, value: object, dialect: sa.Dialect) -> bytes | None:
        """The bytes to store."""
        return None if value is None else pack(value)

    def process_result_value(self, value: bytes | None, dialect: sa.Dialect) -> Any:
        """The value again."""
        return None if value is None else unpack(value)


def pack(value: object) -> bytes:
    """A value as compressed JSON. Raises TypeError for what JSON cannot hold, such as half a surrogate pair."""
    return zstandard.ZstdCompressor(_LEVEL, _dictionary()).compress(orjson.dumps(value))


def unpack(packed: bytes) -> Any:
    """The value that `pack` was given. Raises zstandard.ZstdError for other bytes."""
    return orjson.loads(zstandard.ZstdDecompressor(_dictionary()).decompress(packed))


@lru_cache(maxsize=1)
def _dictionary() -> zstandard.ZstdCompressionDict:
    made = zstandard.ZstdCompressionDict(files("afterdrop.db").joinpath("data", _DICTIONARY).read_bytes())
    made.precompute_compress(_LEVEL)
    return made
