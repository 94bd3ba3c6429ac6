"""Where people are sent to buy, as an operator sets it. Pure."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from afterdrop.core.settings_section import Section
from afterdrop.core.web_addresses import WebLink

Extension = Annotated[str, Field(pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)*$")]
Host = Annotated[str, Field(pattern=r"^[a-z0-9.-]+$")]
# One or more `name=value`, as they stand in an address.
AffiliateParameter = Annotated[
    str, Field(pattern=r"^[\w.~%-]+=[\w.~%-]+(&[\w.~%-]+=[\w.~%-]+)*$", max_length=200)
]


class Catcher(Section):
    """A service that takes backorders for names of some extensions. `{domain}` in `url` stands for the name."""

    name: Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]*$", min_length=1, max_length=100)]
    url: WebLink
    extensions: Annotated[tuple[Extension, ...], Field(min_length=1)]


class Purchase(Section):
    """Catchers of names about to drop, and affiliate parameters by host."""

    catchers: tuple[Catcher, ...] = ()
    affiliate: dict[Host, AffiliateParameter] = Field(default_factory=dict)
