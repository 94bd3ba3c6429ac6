"""docs/guide/score.md says what the data says."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from afterdrop.core.settings import Authority
from afterdrop.review.flags.risk_flags import FLAGS
from afterdrop.scoring.score import ArchiveYears, Risks, score
from afterdrop.scoring.weights import current
from afterdrop.sources.metrics.model import Metric, Metrics

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "guide" / "score.md").read_text(encoding="utf-8")


def test_weights_penalties_and_version_are_the_data() -> None:
    weights = dict(re.findall(r"^\| `([^`]+)` \| (0\.\d\d) \|", TEXT, re.MULTILINE))
    assert {part: float(weight) for part, weight in weights.items() if part not in FLAGS} == {
        str(part): weight for part, weight in current().parts.items()
    }
    penalties = dict(re.findall(r"`([a-z_]+)` \| (0\.\d\d) \|", TEXT))
    assert {flag: float(penalties[flag]) for flag in FLAGS} == dict(current().flags)
    assert f"version `{current().version}`" in TEXT
    assert f"score is {current().listed_from} or more" in " ".join(TEXT.split())


def test_the_example_comes_out_as_printed() -> None:
    now = datetime(2026, 11, 20, tzinfo=UTC)
    metrics = Metrics.of([Metric("domain_rating", 25, "v", now), Metric("trust_flow", 12, "v", now)])
    years = frozenset(range(2014, 2021))
    past = ArchiveYears(now.replace(year=2014), now.replace(year=2023), years)
    got = score(metrics, past, None, Risks({"parked": "risk"}), now)
    assert got.points == 46 and "= 46 " in TEXT
    assert got.breakdown["history"] == 0.7 and got.breakdown["age"] == 1.0


def test_the_thresholds_named_are_the_defaults() -> None:
    flat = " ".join(TEXT.split())
    least = Authority()
    assert (
        f"Domain Rating {least.domain_rating}, Trust Flow {least.trust_flow}, referring domains "
        f"{least.referring_domains}, authority score {least.authority_score}, page rank {least.pagerank}, "
        f"link rank {least.link_rank:g}"
    ) in flat
