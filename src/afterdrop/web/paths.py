"""Values in paths: domains, and ids of what accounts own."""

from __future__ import annotations

import re
from typing import Annotated, Final

from fastapi import Path
from starlette.convertors import Convertor, register_url_convertor

from afterdrop.core.domain_names import exact_domain
from afterdrop.core.errors import BadName
from afterdrop.web.problems import not_found

_MOST: Final = 2**63 - 1
_CHECK_ID = re.compile(r"chk_[0-9A-HJKMNP-TV-Z]{26}", re.ASCII)
_BATCH_ID = re.compile(r"bat_[0-9A-HJKMNP-TV-Z]{26}", re.ASCII)


class RuleId(Convertor[str]):
    """A rule's id in a path. `/alerts/matches` is a path of its own and never a rule."""

    regex = "(?!matches$)[^/]+"

    def convert(self, value: str) -> str:
        """The value as it stands; what is no id is not found later."""
        return value

    def to_string(self, value: str) -> str:
        """The value as it stands."""
        return value


class CheckId(RuleId):
    """A check's id in a path. `/checks/batch` is a path of its own and never a check."""

    regex = "(?!batch$)[^/]+"


register_url_convertor("rule", RuleId())
register_url_convertor("check", CheckId())

DomainPath = Annotated[
    str,
    Path(
        description="A registrable domain in any case, Unicode or A-labels",
        min_length=1,
    ),
]
IdPath = Annotated[int, Path(description="Its id", ge=1, le=_MOST)]
CheckPath = Annotated[
    str,
    Path(
        description="The check's id",
        pattern="^chk_[0-9A-HJKMNP-TV-Z]{26}$",
    ),
]
BatchPath = Annotated[
    str,
    Path(
        description="The batch's id",
        pattern="^bat_[0-9A-HJKMNP-TV-Z]{26}$",
    ),
]


def path_domain(text: str, sale_zones: tuple[str, ...] = ()) -> str:
    """The registrable domain a path names. What cannot be one is not found."""
    try:
        return exact_domain(text, sale_zones)
    except BadName:
        raise not_found("The domain is not on the list.") from None


def path_id(text: int | str) -> int:
    """The id a path names (text at run time). What cannot be one is not found."""
    if re.fullmatch(r"[1-9][0-9]{0,18}", str(text), re.ASCII) and int(text) <= _MOST:
        return int(text)
    raise not_found()


def path_check_id(text: str) -> str:
    """The check's id a path names. What cannot be one is not found."""
    if not _CHECK_ID.fullmatch(text):
        raise not_found()
    return text


def path_batch_id(text: str) -> str:
    """The id of a batch of checks that a path names. What cannot be one is not found."""
    if not _BATCH_ID.fullmatch(text):
        raise not_found()
    return text
