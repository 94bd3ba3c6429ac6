"""What all groups of settings share: their base, and the kinds of values that several of them have. Pure."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0)]
TOKEN_LENGTH: Final = 32


def _long_token(value: str) -> str:
    if value and (len(value) < TOKEN_LENGTH or not value.isascii() or " " in value):
        raise ValueError(
            f"must have at least {TOKEN_LENGTH} characters of ASCII without a space; `openssl rand -hex 32` makes one"
        )
    return value


# A secret that opens something of the operator's; empty: closed.
Token = Annotated[str, AfterValidator(_long_token)]


class Section(BaseModel):
    """A group of settings: frozen, and a misspelt key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
