"""`afterdrop init`: from nothing to a first list. It asks, writes a settings file, and runs the commands that follow.

The answers are kept beside the settings file until everything is done, so that an interrupted run goes on. The
questions are followed by the ordinary commands, each of which can be repeated.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar, cast, get_args

import typer
from pydantic import ValidationError

from afterdrop.cli import accounts, console, doctor, ranks, scan, serve
from afterdrop.cli.bootstrap import chosen, load_settings
from afterdrop.cli.settings_text import Answers, settings_text, split_choice
from afterdrop.core.audience import Audience
from afterdrop.core.errors import AfterdropError, SettingsError
from afterdrop.core.settings import Feed, Provider, Settings
from afterdrop.core.settings_file import DEFAULT_FILE, load

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from afterdrop.feeds.spec import FeedSpec
    from afterdrop.sources.metrics.provider_spec import ProviderFile

_FIRST_REVIEWS: Final = 25
_PRO_DAYS: Final = 3650  # the operator's own account
_NONE: Final = "none"
Result = TypeVar("Result")


def init(
    audience: Annotated[
        str | None,
        typer.Option(help="The audience: `team`, people you invite who see everything, or `public`."),
    ] = None,
    contact: Annotated[
        str | None, typer.Option(help="Your e-mail address or page, for the hosts that we query.")
    ] = None,
    site_url: Annotated[str | None, typer.Option(help="The address of the site.")] = None,
    feed: Annotated[
        list[str] | None,
        typer.Option(
            help="A feed of `feeds list`, or a .toml file; NAME=ADDRESS reads it elsewhere. May be repeated."
        ),
    ] = None,
    provider: Annotated[
        list[str] | None, typer.Option(help="A provider of `providers list`, likewise. May be repeated.")
    ] = None,
    ranks: Annotated[
        bool | None, typer.Option("--ranks/--no-ranks", help="Whether to download link ranks (about 3 GB).")
    ] = None,
    whois: Annotated[
        bool | None,
        typer.Option("--whois/--no-whois", help="Whether to ask registries without RDAP over WHOIS."),
    ] = None,
    operator: Annotated[
        str | None, typer.Option(help="E-mail address of the first account; `none`: make no account.")
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, help="The most names that the first scan reviews.")
    ] = _FIRST_REVIEWS,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing: take what `init` proposes.")] = False,
) -> None:
    """Set Afterdrop up: ask what it needs, write the settings file, check it, and run a first small scan.

    Without a terminal it asks nothing and takes what it proposes, except for what options say. Keys are read from the
    environment then. Run it again after an interruption and it goes on where it was.
    """
    file = chosen.settings or Path(os.environ.get("AFTERDROP_SETTINGS") or DEFAULT_FILE)
    asks = sys.stdin.isatty() and not yes
    given = _Given(audience, contact, site_url, feed, provider, ranks, operator, whois)
    try:
        answers = _answer(_Draft.beside(file), given, asks)
        failed = _set_up(file, answers, limit, asks)
    except (KeyboardInterrupt, typer.Abort):
        console.note("afterdrop: stopped; run `afterdrop init` again and it goes on here")
        raise
    _say_what_is_next(file)
    if failed:
        raise typer.Exit(1)


@dataclass(frozen=True)
class _Given:
    """The answers that options give."""

    audience: str | None
    contact: str | None
    site_url: str | None
    feeds: list[str] | None
    providers: list[str] | None
    ranks: bool | None
    operator: str | None
    whois: bool | None = None


@dataclass(frozen=True)
class _Draft:
    """The file of answers beside the settings file; only its owner may read it."""

    settings: Path
    file: Path

    @classmethod
    def beside(cls, settings: Path) -> _Draft:
        return cls(settings, settings.with_name(settings.name + ".unfinished"))

    def read(self) -> Answers:
        """The answers so far. Raises SettingsError where the file has something else."""
        if not self.file.exists():
            return Answers()
        try:
            answers = Answers.model_validate_json(self.file.read_bytes())
        except ValidationError:
            raise SettingsError(str(self.file), "has no answers of `init`; remove it to begin anew") from None
        console.line(f"Going on with the answers in {self.file}. Remove it to begin anew.")
        return answers

    def write(self, answers: Answers) -> None:
        _write(self.file, answers.model_dump_json(exclude_none=True))


def _write(file: Path, text: str) -> None:
    """Write a file that only its owner can read, in one step."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(file.name + ".part")
    part.unlink(missing_ok=True)
    with os.fdopen(
        os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    part.replace(file)


def _answer(draft: _Draft, given: _Given, asks: bool) -> Answers:
    """Every answer; the settings file is written as soon as those that stand in it are there."""
    answers = draft.read()
    if draft.settings.exists():
        console.line(f"{draft.settings} is there already and stays as it is.")
    else:
        for name, question in _QUESTIONS.items():
            if getattr(answers, name) is None:
                answers = answers.model_copy(update={name: question(answers, given, asks)})
                draft.write(answers)
        # Write the settings file once its content has been read as settings are.
        file = draft.settings
        trial = file.with_name(file.name + ".trial")
        try:
            _write(trial, settings_text(answers, dict(_remarks(answers))))
            load(file=trial)
            trial.replace(file)
        finally:
            trial.unlink(missing_ok=True)
        console.line(f"Wrote {file}. Only you can read it.")
    answers = answers.model_copy(update={"keys": None})  # they stand in the settings file now
    draft.write(answers)
    settings = load(file=draft.settings)
    for name, late in _LATER.items():
        if getattr(answers, name) is None:
            answers = answers.model_copy(update={name: late(settings, given, asks)})
            draft.write(answers)
    return answers


def _remarks(answers: Answers) -> Iterator[tuple[str, str]]:
    for each in answers.feeds or ():
        spec = _feed(each)
        yield each, f"{spec.title or spec.source}: licence {spec.licence}.\n{spec.note}"
    for each in answers.providers or ():
        file = _provider(each)
        yield each, f"{file.title}: {file.tier}, licence {file.licence}.\n{file.note}"


def _ask(
    text: str, proposed: str, check: Callable[[str], Result], *, given: str | None = None, asks: bool
) -> Result:
    """The answer to one question: what an option gave, what is typed (until `check` takes it), or what we propose."""
    if given is not None or not asks:
        return check(proposed if given is None else given)

    def checked(typed: str) -> Result:
        try:
            return check(typed.strip())
        except AfterdropError as error:
            raise typer.BadParameter(str(error)) from None

    answer: Result = typer.prompt(text, default=proposed or None, value_proc=checked)
    return answer


def _audience(answers: Answers, given: _Given, asks: bool) -> Audience:
    if asks:
        console.line(
            "A team sees everything, and strangers see nothing. A public service may not use own_use feeds, which most"
            " marketplaces are. For both, run two deployments."
        )
    question = "Audience: team (people you invite) or public"
    return _ask(question, "team", _checked_audience, given=given.audience, asks=asks)


def _checked_audience(text: str) -> Audience:
    if text in get_args(Audience):
        return cast(Audience, text)
    raise SettingsError("--audience", "must be team or public")


def _contact(answers: Answers, given: _Given, asks: bool) -> str:
    if asks:
        console.line("Every request names a contact, so that the hosts we ask can reach you.")
    return _ask(
        "Your e-mail address, or a page about you", "", _checked_contact, given=given.contact, asks=asks
    )


def _checked_contact(text: str) -> str:
    from afterdrop.accounts.account import normal_email

    address = normal_email(text.removeprefix("mailto:"))
    if address:
        return f"mailto:{address}"
    if re.fullmatch(r"https?://[!-'*-~]{4,200}", text, re.ASCII):
        return text
    raise SettingsError("--contact", "must be an e-mail address or a page that starts with https://")


def _site_url(answers: Answers, given: _Given, asks: bool) -> str:
    proposed = str(Settings.model_fields["site_url"].default)
    return _ask("Where people will reach the site", proposed, _checked_site, given=given.site_url, asks=asks)


def _checked_site(text: str) -> str:
    try:
        return Settings.model_validate({"site_url": text}).site_url
    except ValidationError as error:
        fault = str(error.errors(include_url=False)[0]["msg"]).removeprefix("Value error, ")
        raise SettingsError("site_url", fault.removeprefix("site_url: ")) from None


def _feeds(answers: Answers, given: _Given, asks: bool) -> tuple[str, ...]:
    from afterdrop.feeds.preset_files import open_preset, preset_names

    specs = {name: open_preset(name) for name in preset_names()}
    if answers.audience == "public":
        specs = {name: spec for name, spec in specs.items() if not spec.own_use}
    if asks and given.feeds is None:
        console.table(
            ("feed", "title", "licence", "rests on", "needs"),
            [
                (name, spec.title, spec.licence, spec.evidence, ", ".join(_needs(spec)))
                for name, spec in specs.items()
            ],
            title="Feeds: where names come from",
        )
        console.line(
            "The terms are between you and each source. NAME=ADDRESS reads a feed elsewhere, FILE.toml is one of"
            " your own."
        )
    proposed = " ".join(name for name, spec in specs.items() if not spec.own_use)
    check = partial(_checked_feeds, answers)
    return _ask("Which feeds", proposed, check, given=_joined(given.feeds), asks=asks)


def _checked_feeds(answers: Answers, text: str) -> tuple[str, ...]:
    from afterdrop.feeds.preset_files import all_configured

    choices = _choices(text)
    all_configured(_so_far(answers, feeds=tuple(map(_chosen_feed, choices))))
    return choices


def _so_far(answers: Answers, **more: object) -> Settings:
    return Settings.model_validate({"audience": answers.audience or "public", **more})


def _feed(choice: str) -> FeedSpec:
    from afterdrop.feeds.preset_files import configured

    return configured(_chosen_feed(choice))


def _chosen_feed(choice: str) -> Feed:
    preset, address = split_choice(choice)
    return Feed(preset=preset, url=address)


def _needs(spec: FeedSpec) -> list[str]:
    from afterdrop.feeds.download import missing_variables

    return missing_variables(spec, {})


def _providers(answers: Answers, given: _Given, asks: bool) -> tuple[str, ...]:
    from afterdrop.sources.metrics.provider_files import load_file, preset_names

    if asks and given.providers is None:
        files = {name: load_file(name) for name in preset_names()}
        if answers.audience == "public":
            files = {name: file for name, file in files.items() if file.licence != "own_use"}
        console.table(
            ("provider", "title", "tier", "licence", "needs"),
            [
                (name, file.title, file.tier, file.licence, ", ".join(file.auth.variables()))
                for name, file in files.items()
            ],
            title="Providers: link figures of names",
        )
    check = partial(_checked_providers, answers)
    return _ask("Which providers", _NONE, check, given=_joined(given.providers), asks=asks)


def _checked_providers(answers: Answers, text: str) -> tuple[str, ...]:
    from afterdrop.sources.metrics.provider_files import load_providers

    choices = _choices(text)
    providers = tuple(Provider(preset=preset, url=address) for preset, address in map(split_choice, choices))
    # An address may be on an origin that the environment trusts.
    load_providers(_so_far(answers, providers=providers, trusted_origins=load().trusted_origins), {})
    return choices


def _provider(choice: str) -> ProviderFile:
    from afterdrop.sources.metrics.provider_files import load_file

    return load_file(split_choice(choice)[0])


def _joined(given: Sequence[str] | None) -> str | None:
    return None if given is None else " ".join(given)


def _choices(text: str) -> tuple[str, ...]:
    """The names in an answer, each once. Files are found from the settings file too, so they become absolute."""
    names = dict.fromkeys(name for name in re.split(r"[\s,]+", text) if name and name != _NONE)
    return tuple(map(_absolute, names))


def _absolute(choice: str) -> str:
    preset, address = split_choice(choice)
    preset = str(Path(preset).expanduser().resolve()) if preset.endswith(".toml") else preset
    if address and "://" not in address:
        address = str(Path(address).expanduser().resolve())
    return f"{preset}={address}" if address else preset


def _keys(answers: Answers, given: _Given, asks: bool) -> Mapping[str, str]:
    """The keys that feeds and providers need and the environment does not have. Input is not shown."""
    needed = dict[str, str]()
    for each in answers.feeds or ():
        needed |= dict.fromkeys(_needs(_feed(each)), each)
    for each in answers.providers or ():
        needed |= dict.fromkeys(_provider(each).auth.variables(), each)
    missing = {name: by for name, by in needed.items() if not os.environ.get(name)}
    if not asks:
        for name, by in missing.items():
            console.note(
                f"{split_choice(by)[0]} needs {name}: set it, or add it to [keys] in the settings file"
            )
        return {}
    typed = {name: _typed_key(f"{name}, for {split_choice(by)[0]}") for name, by in missing.items()}
    return {name: key for name, key in typed.items() if key}


def _typed_key(text: str) -> str:
    while True:
        key = str(
            typer.prompt(f"{text} (hidden; Enter: later)", default="", hide_input=True, show_default=False)
        ).strip()
        if key.isprintable():
            return key
        console.note("A key has no control characters; was it pasted whole?")


def _whois(answers: Answers, given: _Given, asks: bool) -> bool:
    if given.whois is not None or not asks:
        return given.whois is not False
    console.line("Many countries' registries have no RDAP. WHOIS can tell whether their names are free.")
    return typer.confirm("Ask them over WHOIS, politely", default=True)


# The questions whose answers stand in the settings file, in their order. Keys depend on feeds and providers.
_QUESTIONS: Final[Mapping[str, Callable[[Answers, _Given, bool], object]]] = {
    "audience": _audience,
    "contact": _contact,
    "site_url": _site_url,
    "feeds": _feeds,
    "providers": _providers,
    "keys": _keys,
    "whois": _whois,
}


def _operator(settings: Settings, given: _Given, asks: bool) -> str:
    address = settings.contact.removeprefix("mailto:")
    proposed = address if "@" in address else _NONE
    return _ask("E-mail address of your account", proposed, _checked_email, given=given.operator, asks=asks)


def _checked_email(text: str) -> str:
    from afterdrop.accounts.account import normal_email

    if text == _NONE:
        return ""
    address = normal_email(text)
    if address is None:
        raise SettingsError("--operator", f"must be an e-mail address, or {_NONE}")
    return address


def _ranks(settings: Settings, given: _Given, asks: bool) -> bool:
    from afterdrop.feeds.preset_files import all_configured
    from afterdrop.sources.metrics.model import LINK_FIGURES

    if given.ranks is not None:
        return given.ranks
    measured = bool(settings.providers) or any(
        set(LINK_FIGURES) & spec.metrics.keys() for spec in all_configured(settings)
    )
    if not asks:
        return not measured
    console.line(
        "Names need a link figure to be listed. Link ranks come from Common Crawl's open web graph, without a key:"
        " about 3 GB once, under the publisher's terms."
    )
    return typer.confirm("Download link ranks", default=not measured)


# The questions that follow the settings file.
_LATER: Final[Mapping[str, Callable[[Settings, _Given, bool], object]]] = {
    "operator": _operator,
    "ranks": _ranks,
}


def _set_up(file: Path, answers: Answers, limit: int, asks: bool) -> bool:
    """Run the commands that follow the questions. Gives whether the check or the scan failed."""
    chosen.settings = file
    serve.migrate()
    if answers.operator:
        _make_account(answers.operator, asks)
    if answers.ranks:
        console.line("Link ranks:")
        ranks.import_ranks(release=ranks.LATEST)
    console.line("Checking:")
    failed = not _succeeds(doctor.doctor)
    if load_settings().feeds:
        console.line(f"A first scan, of at most {limit} reviews:")
        failed |= not _succeeds(lambda: scan.scan(limit=limit))
    else:
        console.line("No feed, so nothing to scan.")
    _Draft.beside(file).file.unlink(missing_ok=True)
    return failed


def _succeeds(command: Callable[[], None]) -> bool:
    """Run a command that exits where it found something wrong."""
    try:
        command()
    except typer.Exit as ended:
        return ended.exit_code == 0
    return True


def _make_account(email: str, asks: bool) -> None:
    from afterdrop.accounts import store

    async def there(conn: AsyncConnection, *_: object) -> bool:
        return await store.account_by_email(conn, email) is not None

    if accounts.write_to_accounts(there):
        console.line(f"{email} has an account already.")
        return
    console.line(f"Your account, {email}: an operator, on Pro.")
    accounts.create(email, verified=True, operator=True, pro_days=_PRO_DAYS, password=asks)
    if not asks:
        console.line("Choose its password within 2 hours, once the service runs:")
        accounts.password(email, link=True)


def _say_what_is_next(file: Path) -> None:
    settings = load(file=file)
    named = "" if file == Path(DEFAULT_FILE) else f" --settings {file}"
    console.line(f"Ready. `afterdrop{named} serve` answers on {settings.site_url} and scans every day.")
