"""What an operator decides about the site: limits of a browser, what strangers are shown and may do. Pure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from afterdrop.core.settings_section import Count, Section

Line = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=200)]


class Site(Section):
    """Pages and forms a minute for one signed-in browser, and what the start page offers to strangers.

    `visitor_checks` is how many names strangers may check in a day, all together (0: none), and
    `visitor_checks_per_network` how many of those one network may. `terms` and `privacy` are files of the operator's,
    in Markdown.
    """

    pages_per_minute: Count = 240
    forms_per_minute: Count = 60
    show_rejections: bool = False
    objections: Line = ""
    pro_price: Line = ""
    visitor_checks: Count = 0
    visitor_checks_per_network: Annotated[int, Field(ge=1)] = 2
    terms: Path | None = None
    privacy: Path | None = None
