"""The command that photographs the demo for README.md says what it lacks."""

from __future__ import annotations

import pytest

from tests.browser import pictures


async def test_without_chromium_the_command_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "CHROMIUM", "/nowhere/chromium")
    with pytest.raises(SystemExit, match="apt-get install chromium"):
        await pictures.main()
