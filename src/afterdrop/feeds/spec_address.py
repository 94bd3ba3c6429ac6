"""The parts of a feed file that say how its address leads to the file: by a detour, or page by page. Pure."""

from __future__ import annotations

from typing import Annotated

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic import BaseModel, ConfigDict, Field, field_validator


class TomlTable(BaseModel):
    """A table of a feed file: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Indirection(TomlTable):
    """The feed's URL answers JSON in which `url` (a JMESPath) holds the real URL of the file."""

    url: str

    @field_validator("url")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            jmespath.compile(value)
        except JMESPathError as error:
            raise ValueError(f"is not a JMESPath ({str(error).splitlines()[0]})") from None
        return value


class Paging(TomlTable):
    """A list that comes in pages: `query` is the parameter that counts from `first` in steps of `step`.

    The page without rows is the last one. After `most` pages without such an end the feed fails: a part of a list must
    not be taken for the whole.
    """

    query: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.\[\]-]{1,100}$")] = "page"
    first: Annotated[int, Field(ge=0)] = 1
    step: Annotated[int, Field(ge=1)] = 1
    most: Annotated[int, Field(ge=1, le=10_000)] = 200
