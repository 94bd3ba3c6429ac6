"""What an endpoint gets: who asks, and the service it runs in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from afterdrop.accounts.account import Account
from afterdrop.accounts.plans import PlanName, Viewer
from afterdrop.core.plan_limits import Plan
from afterdrop.core.settings import Settings
from afterdrop.web.admission import Admission
from afterdrop.web.environment import Environment

bearer = HTTPBearer(
    scheme_name="apiKey",
    bearerFormat="ad_live_…",
    description="An API key made on the account's page, sent as `Authorization: Bearer <API_KEY>`.",
)


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """One admitted request. `if_none_match` is the header of that name."""

    env: Environment
    admission: Admission
    if_none_match: str | None = None

    @property
    def settings(self) -> Settings:
        """The deployment's settings."""
        return self.env.settings

    @property
    def account(self) -> Account:
        """Whose key it is."""
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
    def zones(self) -> tuple[str, ...]:
        """Third-level sale zones the operator counts as extensions."""
        return self.env.settings.scan.sale_zones

    @property
    def now(self) -> datetime:
        """The time of the request."""
        return self.admission.now


async def _documented(_: Annotated[HTTPAuthorizationCredentials, Depends(bearer)]) -> ApiRequest:
    """Stands in the signature so that OpenAPI tells of the key; StrictRoute gives the value."""
    raise NotImplementedError


def _pro() -> None:
    """Stands among a route's dependencies to say that the whole endpoint needs Pro."""


Asked = Annotated[ApiRequest, Depends(_documented)]
PRO_ONLY = Depends(_pro)
