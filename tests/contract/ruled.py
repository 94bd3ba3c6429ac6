"""The tests of the rulings added on 2026-11-21 and 2026-11-22: `file::test` by sentence."""

from __future__ import annotations

RULED: dict[str, tuple[str, ...]] = {
    "AD-01": (
        "unit/scoring/test_score.py::test_a_domain_rejected_for_spam_scores_40_at_most_and_a_note_names_the_spam",
        "unit/catalogue/test_judged_columns.py::test_spam_has_the_greatest_penalty_and_a_note_that_names_it",
    ),
    "AD-02": (
        "unit/review_history/test_timeline.py::test_a_year_is_honest_when_a_good_capture_of_it_lies_where_the_site_itself_stood",
        "unit/scoring/test_score.py::test_history_is_the_share_of_the_years_that_count",
    ),
    "AD-03": ("unit/review_history/test_flags.py::test_a_change_to_spam_is_unknown_and_not_clean",),
    "AD-04": (
        "integration/catalogue/test_publish.py::test_a_score_keeps_its_version_until_the_next_review",
        "unit/scoring/test_weights.py::test_figures_of_an_earlier_version_are_in_a_file_of_their_own",
    ),
    "AD-05": (
        "contract/test_summary.py::test_d_26_source_identifiers",
        "integration/site/test_lists.py::test_people_read_the_marketplaces_name",
        "integration/mcp/test_tools.py::test_texts_name_the_marketplace_as_people_do",
        "integration/scan/test_show_list.py::test_marketplaces_have_their_names",
        "unit/feeds/test_spec.py::test_a_feed_may_name_its_marketplace",
    ),
    "AD-06": (
        "integration/feeds/test_intake.py::test_names_in_a_zone_that_is_not_listed_are_counted_and_left_out",
    ),
    "AD-07": (
        "unit/core/test_domain_names.py::test_a_host_below_somebodys_own_zone",
        "unit/core/test_domain_names.py::test_registrable_domain",
    ),
    "AD-08": (
        "contract/test_lookups.py::test_lu_02_every_answer_is_read_live_from_the_registry",
        "integration/sources/lookups/test_rdap.py::test_every_look_up_is_live",
    ),
    "AD-09": (
        "integration/sources/lookups/test_rdap.py::test_questions_under_way_at_the_same_time_share_one_answer",
    ),
    "AD-10": (
        "integration/sources/lookups/test_rdap.py::test_an_announcement_is_confirmed_by_the_registry_itself",
    ),
    "AD-11": ("contract/test_lookups.py::test_c_06_what_a_registry_did_not_say_is_null",),
    "AD-12": (
        "contract/test_lookups.py::test_c_06_what_no_name_server_answered_is_null",
        "contract/test_lookups.py::test_the_answers_with_nulls_are_as_described",
    ),
    "AD-13": (
        "integration/checks/test_working.py::test_a_check_that_learned_nothing_is_done_without_a_score",
    ),
    "AD-14": (
        "integration/checks/test_working.py::test_a_check_that_learned_nothing_fails_where_a_source_did_not_answer",
    ),
    "AD-15": (
        "contract/test_checks.py::test_ce_01_ce_03_what_is_not_registrable_is_named",
        "unit/core/test_domain_names.py::test_an_extension_that_does_not_exist_is_refused",
    ),
    "AD-16": ("integration/catalogue/test_scan_end.py::test_the_figures",),
    "AD-17": (
        "integration/catalogue/test_scan_end.py::test_open_until_the_next_draw_and_five_whenever_five_are_live",
        "unit/catalogue/test_open_domains.py::test_five_or_all_and_never_a_third_while_another_extension_is_left_out",
    ),
    "AD-18": (
        "unit/catalogue/test_open_domains.py::test_after_the_never_opened_ones_those_come_whose_opening_lies_longest_ago",
    ),
    "AD-19": (
        "contract/test_head.py::test_e_09_head_tells_what_get_tells",
        "contract/test_head.py::test_e_09_head_counts_as_a_request_and_is_refused_beyond_the_limit",
        "contract/test_lookups.py::test_e_09_head_spends_as_get_does",
        "contract/test_errors.py::test_e_09_head_options_and_trailing_slashes",
    ),
    "AD-20": ("integration/checks/test_working.py::test_the_report_of_a_check_leads_to_a_page_that_exists",),
    "AD-21": ("contract/test_lists.py::test_lm_12_without_locked_the_trust_flow_filter_has_a_note",),
    "AD-22": (
        "integration/watching/test_alert_mails.py::test_al_12_one_mail_for_everything_found_together",
        "integration/watching/test_alert_mails.py::test_al_12_a_fifty_first_domain_starts_another_mail",
        "integration/watching/test_alert_mails.py::test_al_12_a_worker_mails_as_soon_as_something_matched",
    ),
    "AD-23": (
        "contract/test_summary.py::test_d_30_d_33_an_available_domain_leads_to_a_registrar",
        "unit/catalogue/test_report.py::test_the_links_of_a_deployment_come_from_its_settings",
    ),
    "AD-24": (
        "integration/site/test_limits.py::test_a_session_has_limits_of_its_own",
        "integration/site/test_limits.py::test_tools_of_the_site_are_no_requests_of_the_api",
    ),
    "AD-25": (
        "contract/test_authentication.py::test_the_docs_list_what_is_beyond_the_interface",
        "contract/test_versioning.py::test_v_06_only_additions_within_a_version",
    ),
    "AD-26": (
        "contract/test_check_batches.py::test_only_what_the_caller_sees_in_full_counts_as_listed",
        "contract/test_check_batches.py::test_a_listed_name_that_leaves_the_list_is_no_longer_linked",
    ),
    "AE-01": (
        "integration/delivery/test_catching_up.py"
        "::test_a_receiver_that_was_off_for_an_hour_catches_up_to_the_byte",
    ),
    "AE-02": ("integration/cli/test_audience.py::test_nothing_starts_before_somebody_said_who_uses_it",),
    "AE-03": (
        "integration/cli/test_audience.py::test_every_door_of_a_public_service_refuses_feeds_for_own_use",
        "integration/cli/test_audience.py::test_a_feed_is_not_tried_and_a_provider_not_asked_either",
        "integration/cli/test_audience.py::test_the_list_of_feeds_and_the_doctor_name_every_refusal",
    ),
    "AE-04": (
        "integration/site/test_sign_up_modes.py::test_a_team_shows_strangers_the_way_in_and_nothing_else",
        "integration/cli/test_audience.py"
        "::test_a_team_does_not_become_public_and_takes_in_those_who_were_counted",
    ),
    "AE-05": (
        "unit/catalogue/test_report.py::test_json_names_no_vendor_or_marketplace_as_the_source_of_a_figure",
        "unit/catalogue/test_report.py::test_every_shipped_provider_has_a_neutral_source",
    ),
    "AE-06": (
        "unit/catalogue/test_rejections.py::test_a_name_is_masked_with_its_first_and_last_letters",
        "unit/catalogue/test_rejections.py::test_figures_are_too_coarse_to_find_the_name_by",
        "integration/site/test_landing.py::test_rejected_names_are_masked",
        "integration/site/test_landing.py::test_without_the_setting_nothing_rejected_is_shown",
    ),
    "AE-07": ("contract/test_lists.py::test_what_locked_gives_away_is_accepted_and_written_down",),
    "AE-08": (
        "contract/test_alerts.py::test_more_than_a_hundred_matches_of_one_second_are_reached_by_cursor",
        "contract/test_authentication.py::test_the_docs_list_what_is_beyond_the_interface",
    ),
    "AN-02": ("unit/core/test_domain_names.py::test_what_stands_around_a_name_in_a_request_is_refused",),
    "AN-03": (
        "unit/core/test_domain_names.py::test_what_programs_drop_or_read_otherwise_is_refused_before_the_path",
    ),
    "AN-06": (
        "contract/test_errors.py::test_e_10_the_content_type",
        "integration/site/test_hostile.py::test_forms_are_utf8_whatever_they_declare",
    ),
    "AN-07": (
        "integration/site/test_bulk_checks.py::test_blanks_around_names_are_trimmed",
        "integration/sources/lookups/test_cli.py::test_blanks_around_names_are_trimmed",
    ),
}
