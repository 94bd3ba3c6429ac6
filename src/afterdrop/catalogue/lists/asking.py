"""Which of the lists is asked, when, and for whose eyes: what the meaning of a column or a filter may depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.status import ListName


@dataclass(frozen=True, slots=True)
class ListContext:
    """One list as a viewer asks for it at `now`. `fees` are registration fees by extension, in whole US dollars."""

    which: ListName
    viewer: Viewer
    now: datetime
    fees: Mapping[str, int] = field(default_factory=dict)

    @property
    def pro(self) -> bool:
        """Whether the viewer's plan is Pro."""
        return self.viewer.plan == "pro"
