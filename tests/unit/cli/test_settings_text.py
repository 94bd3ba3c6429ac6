"""The settings file of `afterdrop init`: whatever was typed is one value of it, and every comment a comment."""

from __future__ import annotations

from pathlib import Path

from afterdrop.cli.settings_text import Answers, settings_text
from afterdrop.core.settings_file import load

_HOSTILE = 'a"b\\c\n[operator]\x7f#\U0001f600'


def test_answers_come_back_as_settings(tmp_path: Path) -> None:
    answers = Answers(
        contact="mailto:you@example.org",
        site_url="https://drops.example.org",
        feeds=("nominet_uk", "dns_pl=https://mirror.example/list.txt?a=b"),
        providers=("open_pagerank",),
        whois=True,
        keys={"OPEN_PAGERANK_API_KEY": _HOSTILE},
    )
    file = tmp_path / "afterdrop.toml"
    file.write_text(settings_text(answers, {"nominet_uk": "Nominet\n\nmay drop"}), encoding="utf-8")
    settings = load({}, file)
    assert (settings.contact, settings.site_url) == (answers.contact, answers.site_url)
    assert [(feed.preset, feed.url) for feed in settings.feeds] == [
        ("nominet_uk", None),
        ("dns_pl", "https://mirror.example/list.txt?a=b"),
    ]
    assert [provider.preset for provider in settings.providers] == ["open_pagerank"]
    assert settings.keys["OPEN_PAGERANK_API_KEY"].get_secret_value() == _HOSTILE
    assert settings.registry.whois
    assert _HOSTILE not in repr(settings) and not settings.proxy_unknown
    assert "# Nominet\n# may drop\n[[feeds]]" in file.read_text(encoding="utf-8")


def test_a_site_without_tls_has_no_proxy_and_no_key_no_table(tmp_path: Path) -> None:
    file = tmp_path / "afterdrop.toml"
    file.write_text(settings_text(Answers(site_url="http://127.0.0.1:8000"), {}), encoding="utf-8")
    settings = load({}, file)
    assert (settings.trusted_proxies, settings.keys, settings.feeds) == ((), {}, ())
    file.write_text(settings_text(Answers(), {}).replace('site_url = ""\n', ""), encoding="utf-8")
    assert load({}, file).contact == ""
