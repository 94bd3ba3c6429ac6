"""The score's figures as data."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest

from afterdrop.core.errors import SettingsError
from afterdrop.review.flags.risk_flags import FLAGS
from afterdrop.scoring import weights
from afterdrop.scoring.weights import Curve, current, read_weights

FILE = Path(weights.__file__).parent / "data" / "weights.toml"


def content() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def test_figures_of_an_earlier_version_are_in_a_file_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (weights._FOLDER / "weights.toml").read_text(encoding="utf-8")
    (tmp_path / "weights.toml").write_text(text, encoding="utf-8")
    earlier = text.replace(current().version, "2001-01-01").replace("listed_from = 45", "listed_from = 50")
    (tmp_path / "weights-2001-01-01.toml").write_text(earlier, encoding="utf-8")
    monkeypatch.setattr(weights, "_FOLDER", tmp_path)
    weights.of_version.cache_clear()
    assert (weights.of_version("2001-01-01").listed_from, weights.of_version(current().version)) == (
        50,
        current(),
    )
    assert weights.of_version("1999-01-01") == current()
    weights.of_version.cache_clear()


@pytest.mark.parametrize(
    ("part", "figure", "share"),
    [
        ("<vendor_c>_dr", 25, 0.5),
        ("<vendor_c>_dr", 90, 1.0),
        ("trust_flow", 15, 0.5),
        ("ref_domains", 0, 0.0),
        ("ref_domains", 1000, 1.0),
        ("ref_domains", 100, 0.668),
        ("<vendor_a>_as", 10, 0.25),
        ("<vendor_d>_pagerank", 3, 0.5),
        ("age", -1, 0.0),
        ("price", 0, 1.0),
        ("price", 20, 1.0),
        ("price", 316.23, 0.5),
        ("price", 5000, 0.0),
        ("price", 9000, 0.0),
    ],
)
def test_curves(part: str, figure: float, share: float) -> None:
    assert current().curves[part].at(figure) == pytest.approx(share, abs=1e-3)


def test_a_log_curve_takes_a_negative_figure_for_none() -> None:
    assert Curve("log1p", 10).at(-5) == 0


def test_risk_costs_more_than_info_and_the_sum_is_capped() -> None:
    figures = current()
    assert figures.penalty({}) == 0
    assert figures.penalty({"gap": "risk"}) == 0.08
    assert figures.penalty({"gap": "info"}) == pytest.approx(0.032)
    assert figures.penalty(dict.fromkeys(FLAGS, "risk")) == figures.most_penalty


@pytest.mark.parametrize(
    ("path", "value", "subject", "said"),
    [
        (("weights", "age"), None, "f.toml: weights", "exactly <vendor_c>_dr, trust_flow"),
        (("weights", "age"), 0, "f.toml: age", "a number above 0 up to 1"),
        (("weights", "age"), True, "f.toml: age", "a number above 0"),
        (("weights", "age"), float("nan"), "f.toml: age", "a number"),
        (("penalty", "most"), 1.5, "f.toml: most", "a number from 0 up to 1"),
        (("penalty", "flags", "gap"), "x", "f.toml: gap", "a number from 0"),
        (("listed_from",), 101, "f.toml: listed_from", "up to 100"),
        (("version",), 3, "f.toml: version", "expected a text"),
        (("version",), "", "f.toml: version", "expected a text"),
        (("curves", "age"), 3, "f.toml: curves.age", "expected a table"),
        (("curves", "age"), {"kind": "linear", "full": 1, "x": 1}, "f.toml: curves.age", "expected a table"),
        (("curves", "age", "kind"), "cubic", "f.toml: curves.age.kind", "expected linear"),
        (("curves", "age", "zero"), 3, "f.toml: curves.age.zero", "only with it"),
        (("curves", "price", "zero"), None, "f.toml: curves.price.zero", "goes with kind falling_log"),
        (("curves", "price", "zero"), 10, "f.toml: curves.price.zero", "more than full"),
        (("serious", "most"), 60, "f.toml: bands", "serious.most < fair <= good"),
        (("bands", "good"), 59, "f.toml: bands", "serious.most < fair <= good"),
        (("curves",), [], "f.toml: curves", "expected a table"),
    ],
)
def test_a_wrong_file_names_key_and_expectation(
    path: tuple[str, ...], value: object, subject: str, said: str
) -> None:
    changed = copy.deepcopy(content())
    table = changed
    for key in path[:-1]:
        table = table[key]
    if value is None:
        del table[path[-1]]
    else:
        table[path[-1]] = value
    with pytest.raises(SettingsError) as error:
        read_weights(changed, "f.toml")
    assert error.value.subject == subject
    assert said in error.value.message
