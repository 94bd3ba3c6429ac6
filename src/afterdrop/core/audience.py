"""The users of a deployment, and the data that a licence for one's own use keeps out of a public one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Final, Literal, Protocol

from afterdrop.core.errors import SettingsError, SettingsFaults

# A team: accounts by invitation, all of which see everything. Public: anyone may look, and sign up where that is open.
Audience = Literal["team", "public"]
UNSET: Final = (
    'is not set; write audience = "team" (people you invite see everything, strangers nothing) or audience = "public"'
    " (own_use feeds and providers are refused), or let `afterdrop init` ask"
)
REFUSED: Final = (
    "its licence is for your own use (own_use), and this deployment is public: state a `permission`"
    ' ("who, when"), leave it out, or begin a team\'s deployment (audience = "team")'
)


class Source(Protocol):
    """A feed or a provider of link metrics."""

    @property
    def name(self) -> str:
        """Its name in the settings' messages."""

    @property
    def own_use(self) -> bool:
        """Whether its licence allows the operator's own use only, and no permission says otherwise."""


def own_use_faults(
    kind: Literal["feeds", "providers"], sources: Iterable[Source]
) -> Iterator[tuple[str, str]]:
    """Every source that a public deployment may not use, as the fault of a setting."""
    return ((f"{kind}: {source.name}", REFUSED) for source in sources if source.own_use)


def refuse_own_use(
    audience: Audience, kind: Literal["feeds", "providers"], sources: Iterable[Source]
) -> None:
    """Raise SettingsFaults with a line for each source that this audience may not see."""
    if audience == "public" and (faults := tuple(own_use_faults(kind, sources))):
        raise SettingsFaults(faults)


# Whoever is invited into a team is on Pro: all of a team see everything.
MEMBERS_PLAN: Final = timedelta(days=3650)
# How each audience stands in the database, once the deployment has begun.
STORED: Final[Mapping[Audience, int]] = {"team": 1, "public": 2}


def check_change(audience: Audience, stored: int | None, accounts: int, expected: int | None) -> None:
    """Refuse a change of audience that would show what was kept for others. Raises SettingsError.

    `stored` is the audience so far, None before 2.0. `accounts` are those that no operator has; `expected` is how many
    of them somebody said will see everything.
    """
    if audience == "public" and stored == STORED["team"]:
        raise SettingsError(
            "audience", "cannot become public: this database is a team's; begin with another data_dir"
        )
    if audience == "team" and stored != STORED["team"] and accounts and accounts != expected:
        raise SettingsError(
            "audience",
            f"would become a team's, and {accounts} accounts of others would see everything;"
            f" `afterdrop migrate --accounts {accounts}` says that they may",
        )
