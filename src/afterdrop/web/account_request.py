"""A request of a known account: what the actions need of it, and the request that the API and MCP make."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from afterdrop.accounts.account import Account
from afterdrop.accounts.api_keys import Scope
from afterdrop.accounts.plans import PlanName, Viewer
from afterdrop.core.plan_limits import Plan
from afterdrop.core.settings import Settings
from afterdrop.web.admission import Admission
from afterdrop.web.context import WebContext


class AccountRequest(Protocol):
    """What an action needs to know of a request, whether it came through the API, MCP or the site."""

    @property
    def context(self) -> WebContext:
        """The service that answers."""

    @property
    def viewer(self) -> Viewer:
        """Whose eyes the answer is made for."""

    @property
    def limits(self) -> Plan:
        """The limits of the account's plan."""

    @property
    def scope(self) -> Scope:
        """What of the account's rights the request may use."""

    @property
    def sale_zones(self) -> tuple[str, ...]:
        """Third-level sale zones the operator counts as extensions."""

    @property
    def now(self) -> datetime:
        """The time of the request."""


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """One admitted request of the API or of an MCP tool. `if_none_match` is the header of that name."""

    context: WebContext
    admission: Admission
    if_none_match: str | None = None

    @property
    def settings(self) -> Settings:
        """The deployment's settings."""
        return self.context.settings

    @property
    def account(self) -> Account:
        """The account whose key was sent."""
        return self.admission.account

    @property
    def viewer(self) -> Viewer:
        """Whose eyes the answer is made for."""
        return self.admission.viewer

    @property
    def plan(self) -> PlanName:
        """The account's plan now."""
        return self.admission.plan

    @property
    def limits(self) -> Plan:
        """The plan's limits."""
        return self.admission.limits

    @property
    def scope(self) -> Scope:
        """What the key may do."""
        return self.admission.scope

    @property
    def sale_zones(self) -> tuple[str, ...]:
        """Third-level sale zones the operator counts as extensions."""
        return self.context.settings.scan.sale_zones

    @property
    def now(self) -> datetime:
        """The time of the request."""
        return self.admission.now
