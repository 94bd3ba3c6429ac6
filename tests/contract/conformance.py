"""The conformance table: every sentence of the interface that can be checked, and the tests that check it.

A test belongs to a sentence by its name: `test_l_24_…` checks L-24, `test_d_05_to_d_10_…` six of them. Tests of other
folders that are named for what they do are in `ELSEWHERE`, those of later rulings in `ruled.RULED`.
`python -m tests.contract.conformance` writes README.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.contract.ruled import RULED

HERE = Path(__file__).parent
TESTS = HERE.parent
_ID = re.compile(r"([a-z]{1,2})_(\d\d)(_to)?")
_DEF = re.compile(r"^ *(?:async )?def (test_\w+)", re.MULTILINE)
_NAMED = re.compile(r"test_((?:[a-z]{1,2}_\d\d_(?:to_)?)+)")

_PUBLISH = "integration/catalogue/test_publish.py"
_RECHECK = "integration/catalogue/test_recheck.py"
_ENDINGS = "integration/feeds/test_endings.py"
_DROP = "unit/sources/registry/test_drop_estimate.py"
_SIGNING = "unit/delivery/test_signing.py"
_SCHEDULE = "unit/delivery/test_retry_schedule.py"
_MATCHING = "integration/watching/test_matching.py"
_DELIVERING = "integration/delivery/test_delivering.py"
ELSEWHERE: dict[str, tuple[str, str]] = {
    "G-04": (_PUBLISH, "test_a_listed_domain_stays_under_forty_five_but_not_with_spam"),
    "G-05": (_PUBLISH, "test_what_is_refused_is_not_stored"),
    "G-06": ("integration/scan/test_scan.py", "test_what_is_published_is_what_the_truth_says"),
    "G-07": (_PUBLISH, "test_a_listed_domain_stays_under_forty_five_but_not_with_spam"),
    "G-10": ("integration/feeds/test_intake.py", "test_prices_in_other_currencies"),
    "G-11": ("unit/feeds/test_small_rules.py", "test_prices_in_whole_dollars_half_up"),
    "G-12": ("unit/feeds/test_small_rules.py", "test_without_a_rate_there_is_a_note"),
    "G-13": (
        "integration/feeds/test_exchange_rates.py",
        "test_on_any_failure_the_last_good_copy_is_used_and_said",
    ),
    "G-16": (
        "unit/catalogue/test_recheck_rules.py",
        "test_an_announced_name_is_asked_every_two_hours_for_as_long_as_it_is_free",
    ),
    "D-18": (_PUBLISH, "test_seven_quiet_days_make_a_new_round"),
    "D-23": ("unit/review_history/test_history.py", "test_figures_and_the_honest_sites_own_words"),
    "D-27": ("unit/feeds/test_spec.py", "test_seven_sources_are_enough_and_feeds_may_share_one"),
    "D-34": (_PUBLISH, "test_a_refresh_follows_the_feed_and_keeps_the_round"),
    "D-35": (_PUBLISH, "test_seven_quiet_days_make_a_new_round"),
    "D-36": (_MATCHING, "test_a_refresh_does_not_match_again_and_a_new_round_does"),
    "D-37": (_ENDINGS, "test_a_complete_feed_withdraws_what_it_no_longer_carries"),
    "D-38": (_ENDINGS, "test_an_incomplete_feed_withdraws_nothing_and_endless_offers_expire"),
    "D-39": (
        "unit/catalogue/test_status.py",
        "test_an_auction_goes_before_buy_now_before_a_drop_then_the_soonest",
    ),
    "R-18": (_RECHECK, "test_registered_again_leaves_available_now"),
    "R-19": ("integration/catalogue/test_scan_end.py", "test_the_first_scan_of_a_date_draws_and_ranks"),
    "L-07": ("unit/catalogue/test_open_domains.py", "test_at_most_two_of_one_extension_while_others_remain"),
    "L-08": (
        "integration/catalogue/test_scan_end.py",
        "test_open_until_the_next_draw_and_five_whenever_five_are_live",
    ),
    "RU-15": ("unit/watching/test_criteria.py", "test_each_restriction"),
    "RU-19": (
        "unit/watching/test_criteria.py",
        "test_unknown_values_pass_no_minimum_no_topic_and_no_language_but_any_price",
    ),
    "RG-07": (_DROP, "test_the_estimate_never_moves_back_through_the_stages"),
    "RG-08": (_DROP, "test_a_drop_list_makes_it_exact_while_pending_delete_stands"),
    "RG-09": (_DROP, "test_the_hour_is_null_where_the_registrys_hour_is_not_known"),
    "RG-10": (_DROP, "test_what_a_country_code_does_not_publish_is_not_estimated"),
    "RG-11": (_DROP, "test_the_window_is_ordered_and_never_in_the_past"),
    "DR-02": ("integration/sources/lookups/test_whois.py", "test_a_busy_source_is_the_rows_own_error"),
    "DR-04": (
        "integration/sources/metrics/test_domain_rating.py",
        "test_ratings_are_asked_once_in_seven_days",
    ),
    "T-10": (_RECHECK, "test_two_not_founds_with_a_canary_between_announce"),
    "WD-02": (_DELIVERING, "test_a_delivery_arrives_signed_and_is_written_down"),
    "WD-03": (_DELIVERING, "test_db_04_db_05_db_06_ev_18_six_attempts_on_the_schedule_with_the_same_body"),
    "WD-06": (_DELIVERING, "test_a_delivery_arrives_signed_and_is_written_down"),
    "WE-10": (_DELIVERING, "test_db_08_test_events_reach_an_endpoint_that_is_off_and_count_for_nothing"),
    "WE-18": ("integration/delivery/test_ssrf.py", "test_the_checked_address_is_the_one_connected_to"),
    "T-11": (_DELIVERING, "test_db_09_the_fifteenth_switches_off_and_mails_the_owner_once"),
    "T-15": (_MATCHING, "test_paused_rules_do_not_match"),
    "LU-14": ("integration/site/test_account.py", "test_tools_count_in_the_apis_quota"),
    "EV-04": (_MATCHING, "test_ev_01_ev_02_ev_17_a_match_is_an_event_with_the_rule_and_the_full_summary"),
    "SG-04": (_SIGNING, "test_the_signature_is_hmac_sha256_over_moment_dot_body"),
    "SG-06": (_SIGNING, "test_a_wrong_secret_body_or_age_does_not_verify"),
    "SG-07": (_SIGNING, "test_a_wrong_secret_body_or_age_does_not_verify"),
    "DB-01": (_SCHEDULE, "test_any_2xx_is_success"),
    "DB-04": (_DELIVERING, "test_db_04_db_05_db_06_ev_18_six_attempts_on_the_schedule_with_the_same_body"),
    "DB-05": (_SCHEDULE, "test_jitter_lengthens_a_wait_by_at_most_a_tenth"),
}


def sentences() -> dict[str, str]:
    """Sentence by id, in the interface's order; headings under themselves."""
    lines = (HERE / "sentences.txt").read_text(encoding="utf-8").splitlines()
    return dict((line, "") if line.startswith("## ") else tuple(line.split(" ", 1)) for line in lines)  # type: ignore[misc]


def ids_of(name: str) -> Iterator[str]:
    """The sentences a test's name says it checks."""
    named = _NAMED.match(name)
    parts = _ID.findall(named.group(1)) if named else []
    seen = dict[str, None]()
    for (area, first, to), (_, last, _) in zip(parts, [*parts[1:], ("", "00", "")], strict=False):
        until = int(last) if to else int(first)
        seen |= dict.fromkeys(f"{area.upper()}-{number:02}" for number in range(int(first), until + 1))
    yield from seen


def names_in(path: Path) -> list[str]:
    """The names of a file's tests."""
    return _DEF.findall(path.read_text(encoding="utf-8"))


def checked() -> dict[str, list[str]]:
    """`file::test` by sentence."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for name in names_in(path):
            for sentence in ids_of(name):
                found.setdefault(sentence, []).append(f"{path.relative_to(TESTS).as_posix()}::{name}")
    for sentence, (file, name) in ELSEWHERE.items():
        found.setdefault(sentence, []).append(f"{file}::{name}")
    for sentence, tests in RULED.items():
        found.setdefault(sentence, []).extend(tests)
    return found


def readme() -> str:
    """The table as Markdown."""
    found = checked()
    lines = [
        "# Conformance",
        "",
        "Every sentence of the interface that can be checked, and the tests that check it, on SQLite and PostgreSQL.",
        "Written by `python -m tests.contract.conformance`.",
    ]
    for sentence, text in sentences().items():
        if sentence.startswith("## "):
            lines += ["", sentence, "", "| | sentence | checked by |", "|---|---|---|"]
            continue
        where = "<br>".join(f"`{test}`" for test in dict.fromkeys(found.get(sentence, []))) or "–"
        lines.append(f"| {sentence} | {text.replace('|', '&#124;')} | {where} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (HERE / "README.md").write_text(readme(), encoding="utf-8")
    known = [sentence for sentence in sentences() if not sentence.startswith("## ")]
    missing = [sentence for sentence in known if sentence not in checked()]
    print(f"{len(known)} sentences, {len(known) - len(missing)} checked; not by name: {' '.join(missing)}")
