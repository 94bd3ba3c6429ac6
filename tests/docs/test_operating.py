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
    table, plans = PAGE.split("\n## Plans\n")
    listed = dict(re.findall(r"^\| `([a-z0-9_.]+)` \| (.*?) \| ", table, re.M))
    for name, free, pro in re.findall(r"^\| `([a-z_]+)` \| (.*?) \| (.*?) \| ", plans, re.M):
        listed |= {f"plans.free.{name}": free, f"plans.pro.{name}": pro}
    # Relays are for tests alone.
    told = {name: value for name, value in _settings(Settings()) if not name.endswith("relay")}
    assert listed == {name: _shown(value) for name, value in told.items()} | {"audience": "none"}


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
