"""Settings: the environment wins, and a wrong value names file, key and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Settings
from afterdrop.core.settings_file import load


def test_defaults_need_no_file() -> None:
    assert load({}) == Settings()


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('site_url = "https://a.example.org/"\n[scan]\nhour = 3\nreviews_per_day = 7\n')
    found = load({"AFTERDROP_SCAN__HOUR": "5", "AFTERDROP_SETTINGS": str(file)})
    assert (found.site_url, found.scan.hour, found.scan.reviews_per_day) == ("https://a.example.org", 5, 7)
    assert found.base_url == "https://a.example.org/api/v1"
    assert found.file == str(file)


def test_a_wrong_variable_is_named_not_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("[scan]\nhour = 3\n")
    env = {"AFTERDROP_SETTINGS": str(file)}
    for key, value, expected in (
        ("AFTERDROP_SCAN__HOUR", "99", "less than or equal to 23"),
        ("AFTERDROP_SITE_URL", "foo", "must be http"),
        ("AFTERDROP_DNS__RESOLVERS__X", "1", ""),
        ("AFTERDROP_SCAN__HOUR__X", "1", "not a setting"),
    ):
        with pytest.raises(SettingsError, match=f"environment: {key}.*{expected}") as refused:
            load({**env, key: value})
        assert "Value error" not in str(refused.value)
    with pytest.raises(SettingsError, match="secret_keys: required") as refused:
        load({"AFTERDROP_DATABASE_URL": "postgresql://u@h/x"})
    assert str(refused.value).startswith("settings: ")


def test_lists_are_comma_separated_and_documented_spellings_work() -> None:
    found = load(
        {
            "AFTERDROP_WEBHOOK_RETRY_WAITS": "1,1, 1",
            "AFTERDROP_TRUSTED_ORIGINS": "http://127.0.0.1:81",
            "AFTERDROP_WEBHOOK_ALLOW_LOOPBACK": "1",
        }
    )
    assert found.webhook.retry_waits == (1, 1, 1)
    assert found.trusted_origins == ("http://127.0.0.1:81",)
    assert found.webhook.allow_loopback


@pytest.mark.parametrize(
    ("text", "where", "why"),
    [
        ("[scan]\nhour = 24\n", "scan.hour", "less than or equal to 23"),
        ("[scan]\nhuor = 2\n", "scan.huor", "not a setting Afterdrop knows"),
        ("site_url = 'ftp://x'\n", "site_url", "http(s)://"),
        ("[registry]\nregister_url = 'https://r.org/'\n", "registry.register_url", "{domain}"),
        ("[registry]\nregister_url = 'javascript:{domain}'\n", "registry.register_url", "https://"),
        ("[registry.register_urls]\nde = 'https://r.org/'\n", "registry.register_urls.de", "{domain}"),
        ("x = = 1\n", "", "not valid TOML"),
        ("database_url = 'postgresql://h/d'\n", "", "secret_keys"),
    ],
)
def test_a_wrong_value_names_file_key_and_expectation(
    tmp_path: Path, text: str, where: str, why: str
) -> None:
    file = tmp_path / "a.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load({}, file)
    assert str(file) in caught.value.subject
    assert where in caught.value.subject
    assert why in caught.value.message


@pytest.mark.parametrize("token", ["x", "x" * 31, "x" * 31 + " ", "é" * 32])
def test_an_operator_token_that_could_be_guessed_is_refused_and_not_repeated(token: str) -> None:
    with pytest.raises(SettingsError, match=r"AFTERDROP_OPERATOR_TOKEN.*at least 32 characters") as refused:
        load({"AFTERDROP_OPERATOR_TOKEN": token})
    assert "x" * 5 not in str(refused.value)


def test_an_operator_token_of_32_characters_and_none_are_taken() -> None:
    assert load({"AFTERDROP_OPERATOR_TOKEN": "x" * 32}).operator_token == "x" * 32
    assert load({"AFTERDROP_OPERATOR_TOKEN": ""}).operator_token == ""


@pytest.mark.parametrize("given", ["*", "0.0.0.0/0", "::/0", "proxy.example.org", "127.0.0.1,*"])
def test_proxies_must_be_addresses_so_that_visitors_cannot_choose_theirs(given: str) -> None:
    with pytest.raises(SettingsError, match=r"AFTERDROP_TRUSTED_PROXIES.*addresses or networks of proxies"):
        load({"AFTERDROP_TRUSTED_PROXIES": given})


def test_a_site_behind_tls_needs_its_proxy_named() -> None:
    https = {"AFTERDROP_SITE_URL": "https://a.example.org"}
    assert load(https).proxy_unknown
    assert not load({**https, "AFTERDROP_TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/24, ::1"}).proxy_unknown
    assert not load({}).proxy_unknown


def test_an_unknown_variable_and_a_missing_file_are_errors(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="AFTERDROP_TYPO"):
        load({"AFTERDROP_TYPO": "1"})
    with pytest.raises(SettingsError, match="cannot be read"):
        load({}, tmp_path / "none.toml")


def test_plans_carry_the_contracts_figures() -> None:
    plans = Settings()
    assert (plans.plan("free").requests_per_minute, plans.plan("pro").requests_per_day) == (30, 20000)
    assert plans.user_agent == "afterdrop/1.0 (+http://127.0.0.1:8000)"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("AFTERDROP_METRICS__LISTEN", "9464"),
        ("AFTERDROP_METRICS__LISTEN", "127.0.0.1:0"),
        ("AFTERDROP_METRICS__LISTEN", "127.0.0.1:http"),
        ("AFTERDROP_METRICS__TOKEN", "short"),
        ("AFTERDROP_OPERATOR__WEBHOOK", "hooks.example"),
        ("AFTERDROP_OPERATOR__MAIL", "ops"),
        ("AFTERDROP_LOG__FORMAT", "yaml"),
    ],
)
def test_settings_of_watching_are_checked(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        load({variable: value})


def test_settings_of_watching_are_taken() -> None:
    given = load({
        "AFTERDROP_METRICS__LISTEN": "[::1]:9464", "AFTERDROP_OPERATOR__WEBHOOK": "https://hooks.example/x",
        "AFTERDROP_OPERATOR__MAIL": "ops@drops.example",
    })  # fmt: skip
    assert (given.metrics.listen, given.operator.mail) == ("[::1]:9464", "ops@drops.example")
    assert load({"AFTERDROP_METRICS__LISTEN": "", "AFTERDROP_OPERATOR__WEBHOOK": ""}).operator.webhook == ""
