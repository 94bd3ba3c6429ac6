"""Loading feed files: the shipped presets and an operator's own, with the changes of this deployment."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from urllib.parse import urlsplit

from afterdrop.core.audience import refuse_own_use
from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Feed, Settings
from afterdrop.feeds.spec import FeedSpec, read_spec

MAX_SOURCES = 7


def _presets() -> dict[str, Traversable]:
    folder = files("afterdrop.feeds") / "presets"
    return {
        entry.name.removesuffix(".toml"): entry
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".toml")
    }


def preset_names() -> list[str]:
    """The shipped presets, in alphabetical order."""
    return list(_presets())


def open_preset(preset: str, changes: Mapping[str, object] | None = None) -> FeedSpec:
    """The feed file `preset` (the name of a shipped one, or a path ending in .toml), with `changes` merged in.

    Tables are merged key by key. A new `path` replaces the file's `url` and vice versa.
    Raises SettingsError.
    """
    shipped = _presets()
    if preset in shipped:
        where, text = f"preset {preset}", shipped[preset].read_text(encoding="utf-8")
    elif preset.endswith(".toml"):
        where, text = preset, _read(Path(preset))
    else:
        raise SettingsError(
            f"feeds: {preset}", f"is no shipped preset ({', '.join(shipped)}) and no path ending in .toml"
        )
    try:
        content: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(where, f"is not valid TOML ({error})") from None
    if preset.endswith(".toml") and isinstance(path := content.get("path"), str):
        content["path"] = str(Path(preset).parent / Path(path).expanduser())
    return read_spec(_merged(content, changes or {}), where)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(str(path), f"cannot be read ({error})") from None


def _merged(content: Mapping[str, object], changes: Mapping[str, object]) -> dict[str, object]:
    merged = dict(content)
    for one, other in (("path", "url"), ("url", "path")):
        if changes.get(one) is not None:
            merged.pop(other, None)
    if changes.get("path") is not None:
        merged.pop("indirection", None)
        merged.pop("paging", None)
    for key, value in changes.items():
        table = merged.get(key)
        if isinstance(value, Mapping) and isinstance(table, Mapping):
            merged[key] = _merged(table, value)
        elif value is not None:
            merged[key] = value
    return merged


def configured(feed: Feed, at: str | None = None) -> FeedSpec:
    """One feed as the settings configure it. `at` replaces its URL; without a scheme it is a local path."""
    changes: dict[str, object] = {**feed.options, "source": feed.source, "permission": feed.permission}
    where = at or feed.url
    if where is not None:
        changes.pop("path", None)
        changes["url" if "://" in where else "path"] = where
    return open_preset(feed.preset, changes)


def open_feed(name: str, settings: Settings, at: str | None = None) -> FeedSpec:
    """The feed `name` as this deployment configures it, else the preset or feed file unchanged.

    `at` is another URL or a local file of the same format. Raises SettingsError, too for one that a public deployment
    may not use.
    """
    feeds = (feed for feed in settings.feeds if configured(feed).name == name)
    spec = configured(next(feeds, Feed(preset=name)), at)
    refuse_own_use(settings.audience, "feeds", [spec])
    return spec


def all_configured(settings: Settings) -> list[FeedSpec]:
    """Every configured feed, checked together: at most seven sources, no name twice, none that is refused.

    Raises SettingsError.
    """
    specs = [configured(feed) for feed in settings.feeds]
    check_sources(specs)
    refuse_own_use(settings.audience, "feeds", specs)
    return specs


def feed_titles(feeds: Iterable[Feed]) -> dict[str, str]:
    """The titles that people use for the configured feeds, by name; a feed whose file is wrong is left out."""
    titles: dict[str, str] = {}
    for feed in feeds:
        with suppress(SettingsError):
            spec = configured(feed)
            host = urlsplit(spec.home or spec.url or "").hostname
            titles[spec.name] = spec.title or host or spec.name
    return titles


def check_sources(specs: Iterable[FeedSpec]) -> None:
    """SettingsError for an eighth marketplace identifier, or for two feeds of one name."""
    names: set[str] = set()
    sources: dict[str, str] = {}
    for spec in specs:
        if spec.name in names:
            raise SettingsError(
                f"feeds: {spec.name}", "is configured twice; give one of them its own `options.name`"
            )
        names.add(spec.name)
        sources.setdefault(spec.source, spec.name)
    if len(sources) > MAX_SOURCES:
        eighth = list(sources)[MAX_SOURCES]
        raise SettingsError(
            f"feeds: {sources[eighth]}: source",
            f"{eighth!r} would be marketplace identifier number {MAX_SOURCES + 1}; at most {MAX_SOURCES} are "
            f"possible ({', '.join(list(sources)[:MAX_SOURCES])}). Let feeds share one",
        )
