"""The settings page lists every setting with its real default."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import time
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from afterdrop.core.settings import Settings

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "operate" / "settings.md").read_text(encoding="utf-8")


def _settings(section: BaseModel, before: str = "") -> Iterator[tuple[str, Any]]:
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from _settings(value, f"{before}{name}.")
        elif name != "file":
            yield before + name, value


def test_every_setting_is_listed_with_its_default() -> None:
    listed = dict(re.findall(r"^\| `([a-z0-9_.]+)` \| (.*?) \| ", PAGE, re.M))
    assert listed == {name: _shown(value) for name, value in _settings(Settings())} | {"audience": "none"}


def _shown(value: Any) -> str:
    if isinstance(value, time):
        return f"`{value:%H:%M}`"
    if value is None:
        return "none"
    if isinstance(value, dict):
        return "see below" if value else "`{}`"
    if isinstance(value, bool | tuple) or value == "":
        return f"`{json.dumps(value)}`"
    return f"`{value}`"
