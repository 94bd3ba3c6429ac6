"""The format of provider files, and the mistakes that stop the start."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest

from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Provider, Settings
from afterdrop.sources.metrics import provider_files
from afterdrop.sources.metrics.provider_files import load_file, load_providers, preset_names
from afterdrop.sources.metrics.provider_spec import Budget, ProviderSpec, read_provider

FOLDER = Path(provider_files.__file__).parent / "providers"
ENVIRON = {"MAJESTIC_API_KEY": "m-key", "AHREFS_API_KEY": "a-key", "OPEN_PAGERANK_API_KEY": " o-key\n"}


def content(preset: str = "majestic") -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{preset}.toml").read_text(encoding="utf-8"))


def changed(path: tuple[str, ...], value: object, preset: str = "majestic") -> dict[str, Any]:
    whole = copy.deepcopy(content(preset))
    table = whole
    for key in path[:-1]:
        table = table.setdefault(key, {})
    if value is None:
        del table[path[-1]]
    else:
        table[path[-1]] = value
    return whole


@pytest.mark.parametrize("preset", preset_names())
def test_every_shipped_preset_reads_and_names_itself(preset: str) -> None:
    file = load_file(preset)
    assert file.name == preset
    assert file.auth.variables(), "every vendor asks for a key"


@pytest.mark.parametrize(
    ("path", "value", "subject", "said"),
    [
        (("colour",), "red", "f.toml: colour", "is not a key a provider file knows"),
        (("title",), None, "f.toml: title", "is missing"),
        (("kind",), "huge", "f.toml: kind", "'bulk' or 'per_domain'"),
        (("name",), "No Name", "f.toml: name", "match pattern"),
        (("metrics", "power"), "x", "f.toml: metrics.power", "domain_rating"),
        (("metrics", "trust_flow"), "a[", "f.toml: metrics.trust_flow", "is not a JMESPath"),
        (("answer", "key"), None, "f.toml", '"items" goes with "key"'),
        (("answer", "items"), None, "f.toml", '"items" goes with "key"'),
        (("request", "query"), {"item": "{{domain}}"}, "f.toml", "needs {{domains}}, {{each}} or {{i}}"),
        (("request", "query"), {"item{{i}}": "x"}, "f.toml", "names no {{domain}}"),
        (("request", "query", "x"), "{{secret}}", "f.toml: request", "{{secret}}: expected one of"),
        (("answer", "found"), {"path": "Status"}, "f.toml: answer.found", "expected values, unknown or both"),
        (("request", "method"), "POST", "f.toml: request", "a body go together"),
        (("auth", "query", "k"), "${afterdrop}", "f.toml: auth", "expected an environment variable"),
        (("auth", "query", "k"), "${AFTERDROP_KEY}", "f.toml: auth", "such as ${VENDOR_API_KEY}"),
        (("auth", "basic"), ["only"], "f.toml: auth", "expected user and password"),
        (("licence",), "attribution", "f.toml", "needs the table [attribution]"),
    ],
)
def test_a_wrong_file_names_key_and_expectation(
    path: tuple[str, ...], value: object, subject: str, said: str
) -> None:
    with pytest.raises(SettingsError) as error:
        read_provider(changed(path, value), "f.toml")
    assert error.value.subject == subject
    assert said in error.value.message


def test_more_than_one_name_a_request_needs_a_way_to_tell_them_apart() -> None:
    whole = changed(("batch",), 5, "semrush")
    with pytest.raises(SettingsError, match=r"needs answer\.key, or answer\.order"):
        read_provider(whole, "f.toml")


def spec(**more: Any) -> ProviderSpec:
    file = read_provider(content(), "majestic.toml")
    return ProviderSpec(file, file.request.url, Budget(), None, **more)


def test_own_use_unless_permitted() -> None:
    assert spec().own_use and spec().configured and spec().name == "majestic"
    file = spec().file
    assert not ProviderSpec(file, "", Budget(), "a contract of 2026").own_use
    assert not ProviderSpec(load_file("open_pagerank"), "", Budget(), None).own_use


def test_costs_add_request_and_items() -> None:
    assert spec().cost(100) == 100
    semrush = ProviderSpec(load_file("semrush"), "", Budget(), None)
    assert semrush.cost(1) == 40


def test_keys_are_never_shown() -> None:
    assert "m-key" not in repr(spec(keys={"MAJESTIC_API_KEY": "m-key"}))


def test_loading_orders_free_before_paid_and_lists_what_is_not_configured() -> None:
    settings = Settings(
        audience="team",
        providers=(
            Provider(preset="majestic", per_day=7, permission="us, 2026"),
            Provider(preset="semrush"),
            Provider(preset="open_pagerank"),
        ),
    )
    free, paid, unconfigured = load_providers(settings, ENVIRON)
    assert [free.name, paid.name, unconfigured.name] == ["open_pagerank", "majestic", "semrush"]
    assert free.configured and free.keys == {"OPEN_PAGERANK_API_KEY": "o-key"}
    assert paid.budget == Budget(per_day=7, per_month=50000) and not paid.own_use
    assert not unconfigured.configured and unconfigured.missing == ("SEMRUSH_API_KEY",)


def test_a_key_with_a_line_break_counts_as_missing() -> None:
    settings = Settings(audience="team", providers=(Provider(preset="majestic"),))
    assert load_providers(settings, {"MAJESTIC_API_KEY": "a\r\nX: b"})[0].missing == ("MAJESTIC_API_KEY",)


@pytest.mark.parametrize(
    ("providers", "said"),
    [
        ((Provider(preset="nobody"),), "expected a .toml file or one of ahrefs_free"),
        ((Provider(preset="majestic"), Provider(preset="majestic")), "is configured twice"),
        (
            (Provider(preset="majestic", url="http://api.majestic.com/api/json"),),
            "keys would travel in the clear",
        ),
        ((Provider(preset="majestic", url="https://me:pw@api.majestic.com/"),), "without user"),
        ((Provider(preset="majestic", url="https:///path"),), "expected https"),
        ((Provider(preset="missing.toml"),), "cannot be read"),
        ((Provider(preset="majestic"),), "providers: majestic: its licence is for your own use"),
    ],
)
def test_wrong_settings_stop_the_start(providers: tuple[Provider, ...], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        load_providers(Settings(providers=providers), ENVIRON)


def test_a_trusted_origin_may_be_plain_http() -> None:
    settings = Settings(
        audience="team",
        providers=(Provider(preset="majestic", url="http://127.0.0.1:9/api/json"),),
        trusted_origins=("http://127.0.0.1:9",),
    )
    assert load_providers(settings, ENVIRON)[0].url == "http://127.0.0.1:9/api/json"


def test_an_own_file_is_found_beside_the_settings(tmp_path: Path) -> None:
    text = (FOLDER / "majestic.toml").read_text(encoding="utf-8").replace('"majestic"', '"mine"')
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    own = (Provider(preset="mine.toml"),)
    settings = Settings(audience="team", file=str(tmp_path / "afterdrop.toml"), providers=own)
    assert load_providers(settings, ENVIRON)[0].name == "mine"
    (tmp_path / "mine.toml").write_text(text.replace("batch", "batsch"), encoding="utf-8")
    with pytest.raises(SettingsError, match=r"mine\.toml: batsch: is not a key"):
        load_providers(settings, ENVIRON)
