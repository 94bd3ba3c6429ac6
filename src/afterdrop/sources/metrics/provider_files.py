"""Loading the metric providers of this deployment: shipped presets or its own files, with keys from the environment."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit

from afterdrop.core.audience import refuse_own_use
from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Provider, Settings
from afterdrop.core.settings_file import read_toml
from afterdrop.sources.metrics.provider_spec import Budget, ProviderFile, ProviderSpec, read_provider

_FOLDER = "providers"


def preset_names() -> list[str]:
    """The names of the shipped provider files."""
    folder = resources.files("afterdrop.sources.metrics") / _FOLDER
    return sorted(Path(item.name).stem for item in folder.iterdir() if item.name.endswith(".toml"))


def load_file(preset: str, beside: str = "") -> ProviderFile:
    """The provider file `preset`: a shipped name, or a path ending in .toml (relative to the file `beside`).

    Raises SettingsError naming file, key and what was expected.
    """
    if preset.endswith(".toml"):
        path = Path(beside).parent / preset if beside else Path(preset)
    elif preset in preset_names():
        path = Path(str(resources.files("afterdrop.sources.metrics") / _FOLDER / f"{preset}.toml"))
    else:
        raise SettingsError(
            f"providers: {preset}", f"expected a .toml file or one of {', '.join(preset_names())}"
        )
    return read_provider(read_toml(path), str(path) if preset.endswith(".toml") else path.name)


def load_providers(settings: Settings, environ: Mapping[str, str]) -> list[ProviderSpec]:
    """The configured providers, cheapest first: free before paid, else in the order of the settings.

    A provider whose key is missing in `environ` is listed with `missing`; it is never asked and gives nulls. Raises
    SettingsError for a wrong file, a name used twice, a URL that would send keys unencrypted, and what a public
    deployment may not use.
    """
    found: dict[str, ProviderSpec] = {}
    for entry in settings.providers:
        spec = load_provider(entry, settings, environ)
        if spec.name in found:
            raise SettingsError(f"providers: {spec.name}", "is configured twice")
        found[spec.name] = spec
    refuse_own_use(settings.audience, "providers", found.values())
    return sorted(found.values(), key=lambda spec: spec.file.tier == "paid")


def load_provider(entry: Provider, settings: Settings, environ: Mapping[str, str]) -> ProviderSpec:
    """One configured provider, whether or not the audience may see its values. Raises SettingsError."""
    file = load_file(entry.preset, settings.file)
    url = entry.url or file.request.url
    parts = urlsplit(url)
    if not parts.hostname or parts.username or not _safe(parts.scheme, parts.netloc, settings):
        raise SettingsError(
            f"providers: {file.name}: url",
            "expected https://… without user, or an address on a trusted origin; else keys would travel in the clear",
        )
    keys, missing = _keys(file, environ)
    budget = Budget(
        per_day=file.budget.per_day if entry.per_day is None else entry.per_day,
        per_month=file.budget.per_month if entry.per_month is None else entry.per_month,
    )
    return ProviderSpec(file, url, budget, entry.permission or file.permission, keys, missing)


def _safe(scheme: str, netloc: str, settings: Settings) -> bool:
    return scheme == "https" or f"{scheme}://{netloc}" in settings.trusted_origins


def _keys(file: ProviderFile, environ: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    keys: dict[str, str] = {}
    for name in file.auth.variables():
        value = environ.get(name, "").strip()
        # A key with a line break was pasted wrongly; as a header it would fail much later.
        if value and value.isprintable():
            keys[name] = value
    return keys, tuple(name for name in file.auth.variables() if name not in keys)
