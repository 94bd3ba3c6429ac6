"""Settings: the environment wins, and a wrong value names file, key and what was expected."""

from __future__ import annotations

from datetime import time
from pathlib import Path

import pytest

from afterdrop.core.errors import SettingsError, SettingsFaults
from afterdrop.core.plan_limits import Plan, Plans
from afterdrop.core.settings import ARCHIVE_PACE, Archive, Feed, HostPace, Mail, Pace, Provider, Settings
from afterdrop.core.settings_file import _FIXED, load


def test_defaults_need_no_file() -> None:
    assert load({}) == Settings()


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('site_url = "https://a.example.org/"\n[scan]\nhour = 3\nreviews_per_day = 7\n')
    found = load({"AFTERDROP_SCAN__HOUR": "5", "AFTERDROP_SETTINGS": str(file)})
    assert (found.site_url, found.scan.hour, found.scan.reviews_per_day) == (
        "https://a.example.org",
        time(5),
        7,
    )
    assert found.base_url == "https://a.example.org/api/v1"
    assert found.file == str(file)


@pytest.mark.parametrize(
    ("told", "at"),
    [("3", time(3)), ('"03"', time(3)), ('"15:30"', time(15, 30)), ('" 23:59 "', time(23, 59))],
)
def test_the_scan_begins_at_an_hour_or_a_time(tmp_path: Path, told: str, at: time) -> None:
    assert load(file=written(tmp_path, "")).scan.hour == time(15, 30)
    assert load(file=written(tmp_path, f"[scan]\nhour = {told}\n")).scan.hour == at
    assert load({"AFTERDROP_SCAN__HOUR": told.strip('"')}).scan.hour == at


@pytest.mark.parametrize("told", ["-1", "24", '"15:60"', '"15h"', '"noon"', "true", "15.5", '"1530"', "[]"])
def test_other_times_are_refused(tmp_path: Path, told: str) -> None:
    with pytest.raises(SettingsError, match="hour from 0 to 23"):
        load(file=written(tmp_path, f"[scan]\nhour = {told}\n"))


def test_a_wrong_variable_is_named_not_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("[scan]\nhour = 3\n")
    env = {"AFTERDROP_SETTINGS": str(file)}
    for key, value, expected in (
        ("AFTERDROP_SCAN__HOUR", "99", "hour from 0 to 23"),
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
        ("[scan]\nhour = 24\n", "scan.hour", "hour from 0 to 23"),
        ("[scan]\nhuor = 2\n", "scan.huor", "not a setting of Afterdrop"),
        ("site_url = 'ftp://x'\n", "site_url", "http(s)://"),
        ("[registry]\nregister_url = 'https://r.org/'\n", "registry.register_url", "{domain}"),
        ("[registry]\nregister_url = 'javascript:{domain}'\n", "registry.register_url", "https://"),
        ("[registry.rdap_servers]\n'co.gl' = 'https://r.org/'\n", "registry.rdap_servers", "such as 'gl'"),
        ("[registry.whois_extensions]\n'.de' = true\n", "registry.whois_extensions", "such as 'gl'"),
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


@pytest.mark.parametrize(
    "given",
    [
        *("*", "0.0.0.0/0", "::/0", "proxy.example.org", "127.0.0.1,*", "127.0.0.1/33", "10.0.0.5/0"),
        # Each of these holds all of IPv4, as a listener at `::` sees it.
        *("::ffff:0:0/96", "::ffff:10.0.0.5/96", "::1/64", "::/1"),
    ],
)
def test_proxies_must_be_addresses_so_that_visitors_cannot_choose_theirs(given: str) -> None:
    with pytest.raises(SettingsError, match=r"AFTERDROP_TRUSTED_PROXIES.*addresses or networks of proxies"):
        load({"AFTERDROP_TRUSTED_PROXIES": given})


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("127.0.0.1/8", "127.0.0.0/8"),
        ("172.18.0.3/16", "172.18.0.0/16"),
        ("10.0.0.5/24", "10.0.0.0/24"),
        ("10.0.0.5/255.255.255.0", "10.0.0.0/24"),
        ("10.0.0.5/32", "10.0.0.5"),
        ("10.0.0.5", "10.0.0.5"),
        ("::ffff:172.18.0.3", "172.18.0.3"),
        ("::FFFF:172.18.0.3/112", "172.18.0.0/16"),
        ("2001:DB8::5/64", "2001:db8::/64"),
        ("2001:db8:0::1", "2001:db8::1"),
        ("::1", "::1"),
        ("fe80::1/10", "fe80::/10"),
    ],
)
def test_a_proxy_within_its_network_is_that_network(given: str, taken: str) -> None:
    assert load({"AFTERDROP_TRUSTED_PROXIES": given}).trusted_proxies == (taken,)


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


def written(folder: Path, text: str) -> Path:
    """A settings file."""
    file = folder / "a.toml"
    file.write_text(text)
    return file


def test_a_part_of_a_plans_table_keeps_the_other_limits(tmp_path: Path) -> None:
    plain = Settings().plans
    found = load(
        {"AFTERDROP_PLANS__PRO__ALERT_RULES": "20"}, written(tmp_path, "[plans.free]\nwatched_domains = 50\n")
    )
    assert found.plans.free == plain.free.model_copy(update={"watched_domains": 50})
    assert found.plans.pro == plain.pro.model_copy(update={"alert_rules": 20})
    assert load({"AFTERDROP_PLANS__FREE__WATCHED_DOMAINS": "none"}).plans.free.watched_domains is None
    whole = Plan(
        requests_per_minute=1,
        requests_per_day=1,
        lookup_domains_per_hour=1,
        availability_domains=1,
        rating_domains=1,
    )
    assert Plans(free=whole).free == whole
    with pytest.raises(SettingsError, match=r"plans\.free"):
        load({}, written(tmp_path, "[plans]\nfree = 3\n"))


def test_a_pace_of_another_host_keeps_the_archives(tmp_path: Path) -> None:
    text = '[pace.hosts."a.example"]\nper_second = 3\n[pace.hosts."web.archive.org"]\nper_second = 4\n'
    assert load({}, written(tmp_path, text)).pace.hosts == {
        **ARCHIVE_PACE,
        "a.example": HostPace(per_second=3),
        "web.archive.org": HostPace(per_second=4, at_once=4),
    }
    assert Pace(hosts={"a.example": HostPace()}).hosts == {**ARCHIVE_PACE, "a.example": HostPace()}
    for wrong in ("[pace]\nhosts = 3\n", '[pace]\nhosts = {"a" = 3}\n'):
        with pytest.raises(SettingsError, match=r"pace\.hosts"):
            load({}, written(tmp_path, wrong))


def test_the_archives_that_are_on_are_asked_at_the_pace_of_their_hosts() -> None:
    every, files = Archive(common_crawl=True), Archive(wayback=False, common_crawl=True)
    assert set(every.pace_keys) == ARCHIVE_PACE.keys()
    assert Archive().pace_keys == ("web.archive.org/cdx", "web.archive.org")
    assert files.pace_keys == ("data.commoncrawl.org",)
    mirror = Archive(cdx_url="http://127.0.0.1:81/cdx/search/cdx", replay_url="http://127.0.0.1:82/web")
    assert mirror.pace_keys == ("127.0.0.1:81/cdx", "127.0.0.1:82")
    pace = Pace(hosts={"127.0.0.1:81": HostPace(per_second=9)})
    assert [pace.of(key).per_second for key in mirror.pace_keys] == [9, 1]
    assert pace.of("web.archive.org/cdx").per_second == 0.33


def test_a_file_may_begin_with_the_mark_of_utf_8(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_bytes(b"\xef\xbb\xbfsite_name = 'Dr\xc3\xb6pf'\r\n")
    assert load({}, file).site_name == "Dröpf"


def test_reviews_of_a_day_are_bounded_by_what_the_archive_allows(tmp_path: Path) -> None:
    assert load({}, None).scan.reviews_per_day == 2000
    assert load({"AFTERDROP_SCAN__REVIEWS_PER_DAY": "8000"}, None).scan.reviews_per_day == 8000
    text = written(tmp_path, "[scan]\nreviews_per_day = 8001\n")
    with pytest.raises(
        SettingsError, match=r"scan\.reviews_per_day: must be 8,000 at most: .*allows no more"
    ):
        load({}, text)


def test_feeds_providers_and_tables_are_settable_by_environment() -> None:
    found = load({
        "AFTERDROP_FEEDS": '[{"preset": "sedo", "options": {"headers": {"X-A": "1"}}}]',
        "AFTERDROP_PROVIDERS": '[{"preset": "open_pagerank", "per_day": 5}]',
        "AFTERDROP_PACE__HOSTS": '{"a.example": {"per_second": 2}}',
        "AFTERDROP_REGISTRY__REGISTRATION_FEES": '{"com": 10}',
        "AFTERDROP_REGISTRY__CANARIES__ORG": "nic.org",
        "AFTERDROP_TRUSTED_PROXIES": '["127.0.0.1"]',
        "AFTERDROP_RANKS__DIR": "",
        "AFTERDROP_MAIL": '{"host": "mail.example"}',
    })  # fmt: skip
    assert found.feeds == (Feed(preset="sedo", options={"headers": {"X-A": "1"}}),)
    assert found.providers == (Provider(preset="open_pagerank", per_day=5),)
    assert found.pace.hosts["a.example"].per_second == 2
    assert (found.registry.registration_fees, found.registry.canaries) == ({"com": 10}, {"org": "nic.org"})
    assert (found.trusted_proxies, found.ranks.dir, found.mail.host) == (("127.0.0.1",), None, "mail.example")


@pytest.mark.parametrize(
    ("variable", "value", "why"),
    [
        ("AFTERDROP_FEEDS", "sedo", "must be a JSON list"),
        ("AFTERDROP_FEEDS", '{"preset": "x"}', "must be a JSON list"),
        ("AFTERDROP_TRUSTED_ORIGINS", "[x", "must be a JSON list"),
        ("AFTERDROP_PACE__HOSTS", "a.example=3", "must be a JSON object"),
        ("AFTERDROP_REGISTRY__CANARIES__A__B", "x", "is not a setting of Afterdrop"),
        ("AFTERDROP_SITE_URL", "https://a.example/drops", "must have no path"),
        ("AFTERDROP_SIGN_UP", "maybe", "open"),
    ],
)
def test_a_variable_that_cannot_be_taken_says_what_was_expected(variable: str, value: str, why: str) -> None:
    with pytest.raises(SettingsError, match=f"environment: {variable}: .*{why}"):
        load({variable: value})


def test_a_variable_below_a_value_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="AFTERDROP_SCAN__HOUR"):
        load({"AFTERDROP_SCAN__HOUR": "3"}, written(tmp_path, "scan = 3\n"))


def test_every_fault_is_told_at_once_with_its_place(tmp_path: Path) -> None:
    file = written(tmp_path, "huor = 1\n[scan]\nhour = 24\n[mail]\nport = 0\n")
    with pytest.raises(SettingsFaults) as caught:
        load({"AFTERDROP_TYPO": "1", "AFTERDROP_DNS__TIMEOUT_SECONDS": "soon"}, file)
    assert {where for where, _ in caught.value.faults} == {
        "environment: AFTERDROP_TYPO", "environment: AFTERDROP_DNS__TIMEOUT_SECONDS",
        f"{file}: huor", f"{file}: scan.hour", f"{file}: mail.port",
    }  # fmt: skip


def test_a_setting_that_is_fixed_now_is_ignored_with_a_warning_that_says_where_it_stands(
    tmp_path: Path,
) -> None:
    text = (
        "# ours\n[retention]\nmails_days = 3\nreviews_days = 30\n\n[operator]\n# at which we are told\n"
        "budget_shares = [\n  0.5,\n]\nmail = 'a@b.example'\n"
    )
    file = written(tmp_path, text)
    told: list[str] = []
    variables = {"AFTERDROP_PACE__PAUSE_SECONDS": "soon", "AFTERDROP_BACKUP": '{"hour": 4}'}
    found = load(variables, file, told.append)
    assert told == [
        f"{file}: operator.budget_shares is fixed at [0.8, 1.0] since 2.0 and is ignored: remove it from line 8",
        f"{file}: retention.reviews_days is fixed at 7 since 2.0 and is ignored: remove it from line 4",
        "environment: AFTERDROP_PACE__PAUSE_SECONDS: pace.pause_seconds is fixed at 60 since 2.0 and is ignored: "
        "remove it",
        "environment: AFTERDROP_BACKUP: backup.hour is fixed at 3 since 2.0 and is ignored: remove it",
    ]
    assert found == load({}, written(tmp_path, text.replace("reviews_days = 30", "")), lambda told: None)
    assert (found.retention.mails_days, found.operator.mail) == (3, "a@b.example")
    with pytest.raises(SettingsError, match=r"retention\.review_days: is not a setting of Afterdrop"):
        load({}, written(tmp_path, "[retention]\nreview_days = 30\n"))


def test_no_setting_is_both_settable_and_fixed() -> None:
    for section, fixed in _FIXED.items():
        assert not fixed.keys() & type(getattr(Settings(), section)).model_fields.keys(), section


def test_relative_paths_of_the_file_follow_it_and_variables_do_not(tmp_path: Path) -> None:
    text = (
        'database_url = "sqlite:///x.sqlite3"\n[ranks]\ndir = "ranks"\n[[feeds]]\npreset = "own.toml"\nurl = "a.csv"\n'
        '[[feeds]]\npreset = "sedo"\nurl = "https://a.example/x"\noptions = { path = "b.csv" }\n'
    )
    found = load({}, written(tmp_path, text))
    assert (found.data_dir, found.ranks.dir) == (tmp_path / "afterdrop-data", tmp_path / "ranks")
    assert found.database_url == f"sqlite:///{tmp_path}/x.sqlite3"
    assert (found.feeds[0].preset, found.feeds[0].url) == (
        str(tmp_path / "own.toml"),
        str(tmp_path / "a.csv"),
    )
    assert (found.feeds[1].preset, found.feeds[1].url) == ("sedo", "https://a.example/x")
    assert found.feeds[1].options == {"path": str(tmp_path / "b.csv")}
    assert load({"AFTERDROP_DATA_DIR": "here"}, written(tmp_path, "")).data_dir == Path("here")
    for wrong in ("feeds = 3\n", "feeds = [3]\n", "[[feeds]]\npreset = 3\n", "data_dir = 3\n"):
        with pytest.raises(SettingsError):
            load({}, written(tmp_path, wrong))


@pytest.mark.parametrize("relay", ["127.0.0.1", ":8043", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:x"])
def test_a_relay_is_a_host_and_a_port(tmp_path: Path, relay: str) -> None:
    assert load(file=written(tmp_path, '[live]\nrelay = "127.0.0.1:8043"\n')).live.relay == "127.0.0.1:8043"
    with pytest.raises(SettingsFaults, match="must be HOST:PORT"):
        load(file=written(tmp_path, f'[live]\nrelay = "{relay}"\n'))


@pytest.mark.parametrize(
    ("text", "variables", "told"),
    [
        ("[scan]\nhuor = 3\n", {}, "scan.huor: is not a setting of Afterdrop; did you mean scan.hour?"),
        (
            "[opertor]\nmail = 'a@b.example'\n",
            {},
            "opertor: is not a setting of Afterdrop; did you mean operator?",
        ),
        ("sceret_keys = []\n", {}, "sceret_keys: is not a setting of Afterdrop; did you mean secret_keys?"),
        ("[[feeds]]\npresett = 'x'\npreset = 'x'\n", {}, "did you mean feeds.preset?"),
        ("[plans.pro]\ncheck_per_month = 1\n", {}, "did you mean plans.pro.checks_per_month?"),
        (
            "",
            {"AFTERDROP_SCAN_HOUR": "3"},
            "environment: AFTERDROP_SCAN_HOUR: .*did you mean AFTERDROP_SCAN__HOUR?",
        ),
        ("", {"AFTERDROP_DATABSE_URL": "x"}, "did you mean AFTERDROP_DATABASE_URL?"),
        ("zzz = 1\n", {}, "zzz: is not a setting of Afterdrop$"),
    ],
)
def test_a_misspelt_setting_is_answered_with_the_likely_one(
    tmp_path: Path, text: str, variables: dict[str, str], told: str
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(SettingsFaults, match=told.replace("?", r"\?")):
        load(variables, file)


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("http://drops.example.com", False),
        ("http://93.184.216.34:8000", False),
        ("http://[2606:4700::1111]", False),
        ("https://drops.example.com", True),
        ("http://localhost:8000", True),
        ("http://127.0.0.1:8000", True),
        ("http://192.168.1.5:8000", True),
        ("http://drops:8000", True),
        ("http://drops.internal", True),
    ],
)
def test_a_public_site_is_encrypted_unless_the_operator_insists(address: str, taken: bool) -> None:
    if taken:
        assert load({"AFTERDROP_SITE_URL": address}).site_url == address
    else:
        with pytest.raises(SettingsError, match="site_url: must be https://"):
            load({"AFTERDROP_SITE_URL": address})
    assert load({"AFTERDROP_SITE_URL": address, "AFTERDROP_ALLOW_HTTP": "1"}).site_url == address


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("https://BÜCHER.example:8443/", "https://xn--bcher-kva.example:8443"),
        ("https://bu\u0308cher.example", "https://xn--bcher-kva.example"),
        ("https://straße.example", "https://xn--strae-oqa.example"),
        ("https://例え。テスト", "https://xn--r8jz45g.xn--zckzah"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("HTTPS://XN--BCHER-KVA.Example", "https://xn--bcher-kva.example"),
        ("https://drops.example:443", "https://drops.example:443"),
        ("https://drops.example:", "https://drops.example"),
        ("http://my_drops.lan:8000", "http://my_drops.lan:8000"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
    ],
)
def test_the_site_has_the_host_that_browsers_send(given: str, taken: str) -> None:
    assert load({"AFTERDROP_SITE_URL": given}).site_url == taken


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("https://☕.example", "no domain name"),
        (f"http://{'é' * 60}.lan", "no domain name"),
        ("https://a_ü.example", "no domain name"),
        ("https://drops.example:99999", "Port out of range"),
        ("https://@drops.example", "without user"),
    ],
)
def test_a_site_that_no_browser_finds_is_refused(given: str, why: str) -> None:
    with pytest.raises(SettingsError, match=f"AFTERDROP_SITE_URL.*{why}"):
        load({"AFTERDROP_SITE_URL": given})


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("a@bücher.example", "a@xn--bcher-kva.example"),
        ("Bücher <A@BÜCHER.example>", "Bücher <A@xn--bcher-kva.example>"),
        ('"a@bücher.example" <a@bücher.example> ', '"a@bücher.example" <a@xn--bcher-kva.example> '),
        ("Dröps <a@xn--bcher-kva.example>", "Dröps <a@xn--bcher-kva.example>"),
        ("Drops <Drops@Drops.Example>", "Drops <Drops@Drops.Example>"),
        ("afterdrop@localhost", "afterdrop@localhost"),
    ],
)
def test_the_sender_has_the_host_that_mail_servers_know(given: str, taken: str) -> None:
    assert load({"AFTERDROP_MAIL__SENDER": given}).mail.sender == taken


@pytest.mark.parametrize("given", ["bücher@drops.example", "a@☕.example", "Grüße, Team <a@drops.example>"])
def test_a_sender_of_whom_no_mail_leaves_is_refused(given: str) -> None:
    with pytest.raises(SettingsError, match=r"AFTERDROP_MAIL__SENDER.*(in ASCII before|no domain name)"):
        load({"AFTERDROP_MAIL__SENDER": given})


@pytest.mark.parametrize(
    ("site_url", "name"),
    [
        ("https://drops.example.com", "drops.example.com"),
        ("https://DROPS.Example.com.:8443", "drops.example.com"),
        ("https://bücher.example", "xn--bcher-kva.example"),
        ("https://drops.r3---sn.lan", "drops.r3---sn.lan"),
        ("http://127.0.0.1:8000", "[127.0.0.1]"),
        ("http://[::1]:8000", "[IPv6:::1]"),
        ("http://[fe80::1%25eth0]", "[IPv6:fe80::1]"),
        ("http://localhost:8000", "[127.0.0.1]"),
        ("http://3f9c2d1a77b0", "[127.0.0.1]"),
        ("http://my_drops.lan", "[127.0.0.1]"),
        ("http://127.1", "[127.0.0.1]"),
        (f"http://{'a' * 64}.lan", "[127.0.0.1]"),
    ],
)
def test_mail_servers_are_told_a_full_name_or_an_address(site_url: str, name: str) -> None:
    settings = Settings(site_url=site_url, allow_http=True)
    assert settings.ehlo_name == name
    other = settings.model_copy(update={"mail": Mail(ehlo_name="mail.example.org")})
    assert other.ehlo_name == "mail.example.org"


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("", ""),
        ("Mail.Example.ORG.", "mail.example.org"),
        ("192.0.2.1", "[192.0.2.1]"),
        ("[192.0.2.1]", "[192.0.2.1]"),
        ("[IPv6:2001:DB8::1]", "[IPv6:2001:db8::1]"),
    ],
)
def test_the_name_for_mail_servers_may_be_another(given: str, name: str) -> None:
    assert load({"AFTERDROP_MAIL__EHLO_NAME": given}).mail.ehlo_name == name


@pytest.mark.parametrize(
    "given", ["localhost", "a b.example", "a.example\r\nRSET", "-a.example", "a..example", "1.2"]
)
def test_a_name_that_mail_servers_would_refuse_is_no_setting(given: str) -> None:
    with pytest.raises(SettingsError, match="full host name"):
        load({"AFTERDROP_MAIL__EHLO_NAME": given})
