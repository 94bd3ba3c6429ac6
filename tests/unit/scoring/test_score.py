"""The ruled formula and its stated properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from afterdrop.review.flags.risk_flags import FLAGS, Flag, Severity
from afterdrop.scoring.score import ArchiveYears, Risks, Score, contributions, refusals, score
from afterdrop.scoring.weights import PARTS, current
from afterdrop.sources.metrics.model import LINK_FIGURES, NOTHING_KNOWN, Metric, Metrics, Role

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
NO_RISK = Risks()
TOPS: dict[Role, float] = {
    "domain_rating": 100,
    "trust_flow": 100,
    "referring_domains": 5000,
    "vendor_a_authority_score": 100,
    "vendor_d_pagerank": 10,
    "link_rank": 100,
}


def known(figures: Mapping[Role, float]) -> Metrics:
    return Metrics.of(Metric(role, figure, "v", NOW) for role, figure in figures.items())


def past(first: int, last: int, good: set[int]) -> ArchiveYears:
    return ArchiveYears(
        datetime(first, 11, 20, 12, tzinfo=UTC),
        datetime(last, 6, 1, tzinfo=UTC),
        frozenset(good),
    )


FULL = past(2014, 2023, set(range(2014, 2024)))


def test_everything_known_and_full_is_100() -> None:
    best = known(
        {
            "domain_rating": 50,
            "trust_flow": 30,
            "referring_domains": 1000,
            "vendor_a_authority_score": 40,
            "vendor_d_pagerank": 6,
        }
    )
    got = score(best, FULL, 20, NO_RISK, NOW)
    assert got.points == 100 and got.confidence == 1
    assert {*got.breakdown} == {*PARTS, "penalty"}
    assert all(got.breakdown[part] == 1 for part in PARTS) and got.breakdown["penalty"] == 0
    assert not got.notes and got.version == current().version


def test_an_example_worked_by_hand() -> None:
    # DR 25 -> .5, TF 12 -> .4, history 8/10 = .8, age 12 -> 1; weights .2 .2 .15 .1 = .65 known.
    got = score(
        known({"domain_rating": 25, "trust_flow": 12}),
        past(2014, 2023, set(range(2014, 2022))),
        None,
        Risks({"parked": "risk"}),
        NOW,
    )
    assert got.breakdown == {
        "<vendor_c>_dr": 0.5,
        "trust_flow": 0.4,
        "ref_domains": None,
        "<vendor_a>_as": None,
        "<vendor_d>_pagerank": None,
        "history": 0.8,
        "age": 1.0,
        "price": None,
        "penalty": 0.1,
    }
    mean = (0.2 * 0.5 + 0.2 * 0.4 + 0.15 * 0.8 + 0.1 * 1) / 0.65
    assert got.points == round(100 * mean * (0.6 + 0.4 * 0.65) * 0.9) == 48


def test_half_a_point_goes_up() -> None:
    # An AS of 10 is a quarter of its ten points: 92.5, which goes up to 93 and not to the even 92.
    best = known({**{role: TOPS[role] for role in LINK_FIGURES}, "vendor_a_authority_score": 10})
    got = score(best, FULL, 20, NO_RISK, NOW)
    assert sum(contributions(got.breakdown).values()) == pytest.approx(92.5)
    assert got.points == 93


def test_nothing_known_is_0_points_and_nothing_invented() -> None:
    got = score(NOTHING_KNOWN, ArchiveYears(), None, NO_RISK, NOW)
    assert got.points == 0 and got.confidence == 0.6
    assert all(got.breakdown[part] is None for part in PARTS) and got.breakdown["penalty"] == 0
    assert contributions(got.breakdown) == {"penalty": 0.0}


def test_the_link_rank_stands_in_for_the_pagerank_part_only_and_says_so() -> None:
    got = score(known({"link_rank": 25.0}), ArchiveYears(), None, NO_RISK, NOW)
    assert got.breakdown["<vendor_d>_pagerank"] == 0.5
    assert [part for part in PARTS if got.breakdown[part] is not None] == ["<vendor_d>_pagerank"]
    assert got.notes == {
        "<vendor_d>_pagerank": "Based on the open link rank (25.0), not on the provider's own figure."
    }
    vendor = score(known({"link_rank": 25.0, "vendor_d_pagerank": 6.0}), ArchiveYears(), None, NO_RISK, NOW)
    assert vendor.breakdown["<vendor_d>_pagerank"] == 1 and not vendor.notes


def test_a_text_where_a_figure_belongs_is_unknown() -> None:
    odd = Metrics.of([Metric("trust_flow", "12", "v", NOW)])
    assert score(odd, ArchiveYears(), None, NO_RISK, NOW).breakdown["trust_flow"] is None


@pytest.mark.parametrize(
    ("first_of_last", "counted", "said"),
    [
        (2017, 7.5, "5 years of earlier owners count half: 3.8 points less."),
        (2013, 9.5, "1 year of an earlier owner counts half: 0.8 points less."),
        (2012, 10, None),
        (None, 10, None),
    ],
)
def test_years_of_earlier_owners_count_half(
    first_of_last: int | None, counted: float, said: str | None
) -> None:
    years = replace(past(2012, 2021, set(range(2012, 2022))), last_owner_from=first_of_last)
    got = score(NOTHING_KNOWN, years, None, NO_RISK, NOW)
    assert got.inputs["history"] == {"value": counted, "of": 10}
    assert got.breakdown["history"] == counted / 10
    assert got.notes.get("history") == said
    whole = replace(current(), earlier_owner=0.25)
    assert (
        "count 0.25:"
        in score(NOTHING_KNOWN, replace(years, last_owner_from=2017), None, NO_RISK, NOW, whole).notes[
            "history"
        ]
    )


@pytest.mark.parametrize(
    ("years", "share"),
    [
        (past(2020, 2020, {2020}), 1.0),
        (past(2011, 2020, {2011, 2020}), 0.2),
        (past(2011, 2020, {1999}), 0.0),
        (ArchiveYears(), None),
        (ArchiveYears(datetime(2020, 1, 1, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC), None), None),
        (ArchiveYears(datetime(2020, 1, 1, tzinfo=UTC)), None),
        (past(2020, 2019, set()), 0.0),
    ],
)
def test_history_is_the_share_of_the_years_that_count(years: ArchiveYears, share: float | None) -> None:
    counted = years.counted
    assert (counted and counted.weighted(0.5) / counted.all) == share


def test_a_domain_rejected_for_spam_scores_40_at_most_and_a_note_names_the_spam() -> None:
    best = known({role: TOPS[role] for role in LINK_FIGURES})
    got = score(best, FULL, 20, Risks(spam="Pill-shop spam on 3 captures."), NOW)
    assert (got.points, got.breakdown["penalty"]) == (40, 0.6)
    assert got.notes["penalty"] == "Rejected for spam: Pill-shop spam on 3 captures."
    assert sum(contributions(got.breakdown).values()) == pytest.approx(40)


def test_a_serious_flag_caps_the_score_and_the_breakdown_still_gives_it() -> None:
    rich = known({"domain_rating": 100, "trust_flow": 100, "referring_domains": 5000, "link_rank": 100})
    got = score(rich, FULL, 20, Risks({"anchor_foreign": "risk", "gap": "info"}), NOW)
    assert got.points == current().serious_most == 59
    assert got.notes["penalty"] == "A serious risk caps the score at 59."
    assert sum(contributions(got.breakdown).values()) == pytest.approx(59, abs=0.01)
    assert score(rich, FULL, 20, Risks({"anchor_foreign": "info"}), NOW).points > 59


def test_the_cap_leaves_a_lower_score_as_it_is() -> None:
    poor = known({"domain_rating": 30, "trust_flow": 10})
    got = score(poor, FULL, None, Risks({"trademark": "risk"}), NOW)
    assert got.breakdown["penalty"] == 0.20 and "penalty" not in got.notes


def test_publishing_needs_a_link_metric_a_review_and_45_points() -> None:
    strong = known({"domain_rating": 50, "trust_flow": 30})
    good = score(strong, FULL, 20, NO_RISK, NOW)
    assert refusals(good, strong, reviewed=True) == ()
    assert [one.code for one in refusals(good, strong, reviewed=False)] == ["no_review"]
    assert [one.code for one in refusals(good, NOTHING_KNOWN, reviewed=True)] == ["no_link_metric"]
    pages = Metrics.of([Metric("search_engine_indexed_pages", 900, "v", NOW)])
    assert [one.code for one in refusals(good, pages, reviewed=True)] == ["no_link_metric"]
    spam = refusals(good, strong, reviewed=True, spam="A casino in 2019.")
    assert [(one.code, one.sentence) for one in spam] == [("spam_history", "A casino in 2019.")]


@pytest.mark.parametrize(("points", "listed"), [(44, False), (45, True)])
def test_45_is_listed_and_44_is_not(points: int, listed: bool) -> None:
    scored = Score(points, {}, {}, 1.0, "v")
    got = refusals(scored, known({"domain_rating": 9}), reviewed=True)
    assert (got == ()) is listed
    if not listed:
        assert got[0].code == "low_score"
        assert got[0].sentence == "The score is 44. Names below 45 are not listed."


metrics_strategy = st.fixed_dictionaries(
    {}, optional={role: st.floats(0, top, allow_nan=False) for role, top in TOPS.items()}
)
years_strategy = st.builds(
    past,
    st.integers(1996, 2010),
    st.integers(2010, 2026),
    st.sets(st.integers(1996, 2026)),
)
past_strategy = st.just(ArchiveYears()) | years_strategy
price_strategy = st.none() | st.integers(0, 20000)
flags_strategy: st.SearchStrategy[dict[Flag, Severity]] = st.dictionaries(
    st.sampled_from(FLAGS), st.sampled_from(["risk", "info"])
)


@given(metrics_strategy, past_strategy, price_strategy, flags_strategy)
def test_bounds_and_sums(
    figures: dict[Role, float], years: ArchiveYears, price: int | None, flags: dict[Flag, Severity]
) -> None:
    got = score(known(figures), years, price, Risks(flags), NOW)
    assert 0 <= got.points <= 100 and 0.6 <= got.confidence <= 1
    assert set(got.breakdown) == {*PARTS, "penalty"}
    assert all(value is None or 0 <= value <= 1 for value in got.breakdown.values())
    assert got.breakdown["penalty"] is not None
    assert sum(contributions(got.breakdown).values()) == pytest.approx(got.points, abs=0.5 + 1e-6)


@given(
    metrics_strategy,
    past_strategy,
    price_strategy,
    flags_strategy,
    st.sampled_from(list(TOPS)),
    st.floats(0, 50),
)
def test_a_higher_figure_never_lowers_the_score(
    figures: dict[Role, float],
    years: ArchiveYears,
    price: int | None,
    flags: dict[Flag, Severity],
    role: Role,
    more: float,
) -> None:
    assume(role in figures)
    before = score(known(figures), years, price, Risks(flags), NOW)
    after = score(known({**figures, role: figures[role] + more}), years, price, Risks(flags), NOW)
    assert after.points >= before.points


@given(metrics_strategy, years_strategy, st.integers(0, 20000), flags_strategy, st.integers(0, 9000))
def test_cheaper_older_and_better_kept_never_lower_the_score(
    figures: dict[Role, float], years: ArchiveYears, price: int, flags: dict[Flag, Severity], off: int
) -> None:
    metrics = known(figures)
    base = score(metrics, years, price, Risks(flags), NOW).points
    assert score(metrics, years, max(price - off, 0), Risks(flags), NOW).points >= base
    assert score(metrics, years, price, Risks(flags), NOW + timedelta(days=off)).points >= base
    kept = (years.good_years or frozenset()) | {2010}
    better = ArchiveYears(years.first_capture, years.last_capture, kept)
    assert score(metrics, better, price, Risks(flags), NOW).points >= base


@given(metrics_strategy, past_strategy, price_strategy, flags_strategy)
def test_spam_never_raises_the_score_whatever_the_flags(
    figures: dict[Role, float], years: ArchiveYears, price: int | None, flags: dict[Flag, Severity]
) -> None:
    honest = score(known(figures), years, price, Risks(flags), NOW)
    spam = score(known(figures), years, price, Risks(flags, "Gambling spam."), NOW)
    assert spam.points <= min(honest.points, 40)
    assert spam.breakdown["penalty"] == 0.6


@given(metrics_strategy, past_strategy, price_strategy, flags_strategy, st.sampled_from(FLAGS))
def test_adding_a_flag_or_raising_its_severity_never_raises_the_score(
    figures: dict[Role, float],
    years: ArchiveYears,
    price: int | None,
    flags: dict[Flag, Severity],
    flag: Flag,
) -> None:
    metrics = known(figures)
    without: dict[Flag, Severity] = {name: how for name, how in flags.items() if name != flag}
    plain = score(metrics, years, price, Risks(without), NOW).points
    informed = score(metrics, years, price, Risks({**without, flag: "info"}), NOW).points
    risky = score(metrics, years, price, Risks({**without, flag: "risk"}), NOW).points
    assert plain >= informed >= risky
