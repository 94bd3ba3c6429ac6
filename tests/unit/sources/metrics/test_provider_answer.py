"""Answers in each vendor's shape, good and odd."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.sources.metrics.provider_answer import ProviderAnswer, raw_values, read_answer
from afterdrop.sources.metrics.provider_files import load_file, preset_names
from afterdrop.sources.metrics.provider_spec import ProviderFile, read_provider


def read(preset: str, document: Any, *asked: str) -> ProviderAnswer:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return read_answer(load_file(preset), body, list(asked))


def majestic(*items: dict[str, Any], code: str = "OK", message: str = "") -> dict[str, Any]:
    return {"Code": code, "ErrorMessage": message, "DataTables": {"Results": {"Data": list(items)}}}


def item(name: str, status: str = "Found", **more: Any) -> dict[str, Any]:
    return {"Item": name, "Status": status, "TrustFlow": 12, "CitationFlow": 20, "RefDomains": 33} | more


def test_items_are_joined_by_the_name_they_state() -> None:
    got = read("majestic", majestic(item("b.org", TrustFlow=1), item("a.com")), "a.com", "b.org")
    assert got.values["b.org"]["trust_flow"] == 1 and got.values["a.com"]["trust_flow"] == 12
    assert got.fault is None and not got.notes and not got.not_found


def test_majestic_roles() -> None:
    one = item(
        "a.com",
        ExtBackLinks=500,
        TopicalTrustFlow_Topic_0="Society/Government",
        TopicalTrustFlow_Value_0=12,
        TopicalTrustFlow_Topic_1="",
        TopicalTrustFlow_Value_1="",
    )
    assert read("majestic", majestic(one), "a.com").values["a.com"] == {
        "trust_flow": 12,
        "citation_flow": 20,
        "referring_domains": 33,
        "backlinks": 500,
        "topic": "Society",
        "topical_trust_flow": [{"topic": "Society/Government", "trust_flow": 12}],
    }


def test_not_found_is_not_zero() -> None:
    got = read("majestic", majestic(item("a.com", "NotFound", TrustFlow=0)), "a.com")
    assert got.values == {} and got.not_found == {"a.com"}


def test_a_vendor_that_leaves_out_what_it_does_not_know() -> None:
    rows = [{"target": "b.org", "domain_rating": 0.0}]
    got = read("ahrefs_free", {"domain_rating": {"targets": rows}}, "a.com", "b.org")
    assert got.values == {"b.org": {"domain_rating": 0}} and got.not_found == {"a.com"} and not got.notes


def test_an_error_inside_a_good_answer() -> None:
    got = read("majestic", majestic(code="InvalidAPIKey", message="the key\n is\u202e wrong"), "a.com")
    assert got.fault is not None and got.fault.startswith("the answer reports an error: ")
    assert "\n" not in got.fault and got.fault.isprintable()
    assert read("majestic", {"Code": "Nope"}, "a.com").fault == "the answer reports an error: 'Nope'"
    assert read("majestic", {}, "a.com").fault == "the answer reports an error: None"


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b'{"Code": "OK", "Data', "the answer is not JSON"),
        (b"<html>", "the answer is not JSON"),
        (b"", "the answer is not JSON"),
        (b'{"Code": "OK"}', "the answer has no list at DataTables.Results.Data"),
        (b'{"Code": "OK", "DataTables": {"Results": {"Data": {}}}}', "the answer has no list"),
    ],
)
def test_unusable_answers(body: bytes, fault: str) -> None:
    got = read("majestic", body, "a.com")
    assert got.fault is not None and got.fault.startswith(fault)
    assert not got.values and not got.not_found


def test_odd_items_become_notes() -> None:
    got = read(
        "majestic",
        majestic(
            item("a.com", TrustFlow="many"),
            item("a.com"),
            item("evil.com"),
            item("\u202e\x00"),
            {"Item": 7},
        ),
        "a.com",
        "b.org",
    )
    assert got.values == {"a.com": {"citation_flow": 20, "referring_domains": 33, "topical_trust_flow": []}}
    assert got.notes == (
        "answers for 'evil.com', which was not asked",
        "answers for '', which was not asked",
        "answers for 7, which was not asked",
        "a.com: trust_flow: 'many' is not a number",
        "answers for a.com twice; the first one counts",
        "1 of 2 names were not answered",
    )


def test_order_is_trusted_only_where_the_file_says_so_and_counts_agree() -> None:
    rows = [
        {"page": "a.com/", "domain_authority": 30, "root_domains_to_root_domain": 5},
        {"page": "https://b.org", "domain_authority": 31},
        {"domain_authority": 32},
        {"page": "other.net/", "domain_authority": 99},
    ]
    got = read("moz_links", {"results": rows}, "a.com", "b.org", "c.net", "d.io")
    assert {name: values["vendor_b_domain_authority"] for name, values in got.values.items()} == {
        "a.com": 30,
        "b.org": 31,
        "c.net": 32,
    }
    assert "item 3 is about 'other.net/', not d.io" in got.notes
    short = read("moz_links", {"results": rows[:1]}, "a.com", "b.org")
    assert short.fault == "the answer has 1 items for 2 names, so none can be told apart"


@pytest.mark.parametrize(
    ("text", "values", "fault"),
    [
        ("ascore;total\r\n74;22063983\r\n", {"vendor_a_authority_score": 74, "backlinks": 22063983}, None),
        ("\ufeffascore;total\n5;\n", {"vendor_a_authority_score": 5}, None),
        ("ascore;total\nx", {}, None),
        ("ascore;total\n", None, "the answer has no row"),
        ("", None, "the answer has no row"),
        (
            "ERROR 120 :: WRONG KEY - ID PAIR",
            None,
            "the answer reports an error: ERROR 120 :: WRONG KEY - ID PAIR",
        ),
        ("a;b\n" + "x" * 140_000, None, "the answer is not CSV"),
    ],
)
def test_semicolon_text(text: str, values: dict[str, int] | None, fault: str | None) -> None:
    got = read("semrush", text.encode(), "a.com")
    if fault is not None:
        assert got.fault is not None and got.fault.startswith(fault)
    else:
        assert got.values == {"a.com": values}


def test_the_words_of_a_name_say_nothing_of_it() -> None:
    semrush = load_file("semrush")
    fault = semrush.answer.error[0].model_copy(update={"not_found": ("unknown",)})
    answer = semrush.answer.model_copy(update={"error": (fault,)})
    file = semrush.model_copy(update={"answer": answer})
    asked = ["unknown.com", "unknown-mill.com", "a.com"]
    got = read_answer(file, b"ERROR: the plan does not include unknown-mill.com, unknown.com", asked)
    assert got.fault is not None and not got.not_found
    got = read_answer(file, b"ERROR: unknown.com is unknown here", ["unknown.com"])
    assert got.not_found == {"unknown.com"}


def test_a_found_flag_and_lists_of_the_whole_answer() -> None:
    rows = [{"domain": "A.com", "found": True, "open_page_rank": 3.21}, {"domain": "b.org", "found": False}]
    got = read("open_pagerank", {"results": rows}, "a.com", "b.org")
    assert got.values == {"a.com": {"vendor_d_pagerank": 3.21}} and got.not_found == {"b.org"}
    anchors = {
        "Code": "OK",
        "DataTables": {"AnchorText": {"Data": [{"AnchorText": "home", "RefDomains": 4}]}},
    }
    got = read("majestic_anchors", anchors, "a.com")
    assert got.values == {"a.com": {"anchors": [{"text": "home", "referring_domains": 4}]}}


_LINK = {
    "domain": "news.org",
    "page": "https://news.org/a",
    "rating": 41,
    "nofollow": True,
    "text": "Old mill",
    "target": "http://a.com/x",
    "first_seen": "2014-03-05",
    "last_seen": "2019-11-15",
}


def test_links_from_hosts_with_a_port_or_a_label_that_no_domain_has() -> None:
    pages = (
        "http://my_blog.heron-host.net/p",
        "https://harbour-ropes.org:8443/x",
        "https://r3---n-.river-maps.org/",
        "https://a_b.net/",
    )
    rows = [{"url_from": page, "url_to": "http://a.com/", "anchor": "looms"} for page in pages]
    found = read("ahrefs_links", {"backlinks": rows}, "a.com").values["a.com"]["links"]
    assert isinstance(found, list)
    assert [link["domain"] for link in found] == ["heron-host.net", "harbour-ropes.org", "river-maps.org"]


def test_links_with_the_days_on_which_they_were_seen() -> None:
    majestic = {
        "SourceURL": "http://www.news.org/page?x",
        "SourceTrustFlow": 41,
        "FlagNoFollow": 1,
        "AnchorText": "Old mill",
        "TargetURL": "http://a.com/x",
        "FirstIndexedDate": "2014-03-05",
        "LastSeenDate": "2019-11-15",
    }
    odd = [{"SourceURL": "mailto:x", "AnchorText": "y"}, {"AnchorText": "y"}]
    undated = {
        **majestic,
        "SourceTrustFlow": -1,
        "FlagNoFollow": "",
        "FirstIndexedDate": "",
        "LastSeenDate": "never",
        "AnchorText": None,
        "TargetURL": "",
    }
    answer = {"Code": "OK", "DataTables": {"BackLinks": {"Data": [majestic, *odd, undated]}}}
    found = read("majestic_links", answer, "a.com").values["a.com"]["links"]
    unknown = {"text": "", **dict.fromkeys(("rating", "nofollow", "target", "first_seen", "last_seen"))}
    here = {"domain": "www.news.org", "page": "http://www.news.org/page?x"}
    assert found == [{**_LINK, **here}, {**here, **unknown}]
    seo = {
        "url_from": "https://news.org/a",
        "domain_from_rank": 41,
        "dofollow": False,
        "anchor": "Old mill",
        "url_to": "http://a.com/x",
    }
    times = {"first_seen": "2014-03-05 12:57:46 +00:00", "last_seen": "2019-11-15 12:57:46 +00:00"}
    live = {"status_code": 20000, "tasks": [{"result": [{"items": [{**seo, **times}]}]}]}
    assert read("dataforseo_links", live, "a.com").values == {"a.com": {"links": [_LINK]}}
    ahrefs = {
        "url_from": "https://news.org/a",
        "domain_rating_source": 40.6,
        "is_nofollow": True,
        "anchor": "Old mill",
        "url_to": "http://a.com/x",
    }
    seen = {"first_seen_link": "2014-03-05T01:02:03Z", "last_seen": "2019-11-15T01:02:03Z"}
    backlinks = {"backlinks": [{**ahrefs, **seen}]}
    assert read("ahrefs_links", backlinks, "a.com").values == {"a.com": {"links": [_LINK]}}


def test_a_path_that_meets_the_wrong_type_finds_nothing() -> None:
    file: ProviderFile = read_provider(
        {
            "name": "own",
            "title": "Own",
            "kind": "per_domain",
            "tier": "free",
            "licence": "open",
            "evidence": "code",
            "request": {"url": "https://v.example/{{domain}}"},
            "answer": {"error": {"path": "failed"}},
            "metrics": {"backlinks": "length(links)", "trust_flow": "tf"},
        },
        "own.toml",
    )
    got = read_answer(file, b'{"links": 5, "tf": 3, "failed": false}', ["a.com"])
    assert got.values == {"a.com": {"trust_flow": 3}}
    assert read_answer(file, b'{"failed": {"why": 1}}', ["a.com"]).fault is not None


@given(preset=st.sampled_from(preset_names()), body=st.binary(max_size=300))
def test_any_bytes_are_read_without_an_exception(preset: str, body: bytes) -> None:
    got = read_answer(load_file(preset), body, ["a.com"])
    assert got.fault is not None or set(got.values) | got.not_found <= {"a.com"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10**20) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["Code", "DataTables", "Results", "Data", "Item", "Status", "results", "page"]),
            inner,
        )
    ),
    max_leaves=20,
)


@given(preset=st.sampled_from(preset_names()), document=JSON)
def test_any_json_is_read_without_an_exception(preset: str, document: Any) -> None:
    got = (
        read(preset, document, "a.com", "b.org")
        if load_file(preset).batch > 1
        else read(preset, document, "a.com")
    )
    assert set(got.values) | got.not_found <= {"a.com", "b.org"}


def site(name: str, **asked: Any) -> dict[str, Any]:
    """A result of the JSON-RPC interface: what was asked stands in `site_query`, the page may have another host."""
    query = {"query": f"https://www.{name}", "scope": "domain", "original_site_query": {"query": name}}
    metrics = {"page": f"www.{name}", "domain_authority": 31, "root_domains_to_root_domain": 120}
    return {"site_query": {**query, **asked}, "site_metrics": metrics}


def test_json_rpc_answers_belong_to_what_was_asked() -> None:
    plain = {"site_query": {"query": "c.net"}, "site_metrics": {"domain_authority": 7}}
    error = {"site_query": {"query": "d.com"}, "error": {"message": "not\nresolvable"}}
    results = {"results_by_site": [site("a.com"), site("b.org"), plain], "errors_by_site": [error]}
    names = ("a.com", "b.org", "c.net", "d.com")
    got = read("moz_jsonrpc", {"jsonrpc": "2.0", "result": results}, *names)
    assert {name: dict(values) for name, values in got.values.items()} == {
        **{name: {"vendor_b_domain_authority": 31, "referring_domains": 120} for name in names[:2]},
        "c.net": {"vendor_b_domain_authority": 7},
    }
    assert got.not_found == frozenset(), "a name with an error is asked again"
    assert got.notes[0].startswith("'d.com' was not answered: 'not")
    assert got.notes[1:] == ("1 of 4 names were not answered",)
    raw = raw_values(load_file("moz_jsonrpc"), got.items["a.com"])
    assert (raw["vendor_b_domain_authority"], raw["backlinks"]) == (31, None)
    top = {
        "result": {"results_by_site": []},
        "errors_by_site": [{"site_query": {"query": "d.com"}, "error": "no"}],
    }
    assert "'d.com' was not answered: 'no'" in read("moz_jsonrpc", top, "d.com").notes
    assert read("moz_jsonrpc", {"result": {"results_by_site": []}}, "d.com").fault is None


def test_a_www_host_is_the_name_that_was_asked() -> None:
    row = {"page": "www.a.com/", "domain_authority": 5}
    assert read("moz_links", {"results": [row]}, "a.com").values["a.com"] == {"vendor_b_domain_authority": 5}
    other = read("moz_links", {"results": [row]}, "b.com")
    assert not other.values and "item 0 is about" in other.notes[0]


def task(code: int, message: str, *result: Any) -> dict[str, Any]:
    """An answer of the vendor whose tasks have codes of their own."""
    one = {"status_code": code, "status_message": message, "result": list(result) or None}
    return {"status_code": 20000, "status_message": "Ok.", "tasks_error": int(code != 20000), "tasks": [one]}


@pytest.mark.parametrize("preset", ["dataforseo", "dataforseo_links"])
@pytest.mark.parametrize(
    ("code", "message"),
    [
        (40200, "Payment Required."),
        (40501, "Invalid Field: 'target'."),
    ],
)
def test_a_task_with_an_error_is_a_fault_that_the_provider_reports(
    preset: str, code: int, message: str
) -> None:
    got = read(preset, task(code, message), "a.com")
    assert got == ProviderAnswer(fault=f"the answer reports an error: {message}", reported=True)


def test_a_name_without_links_is_not_known_there() -> None:
    none = {"target": "a.com", "total_count": 0, "items_count": 0, "items": None}
    assert read("dataforseo_links", task(20000, "Ok.", none), "a.com").not_found == {"a.com"}
    some = {"target": "a.com", "total_count": 1, "items": [{"domain_from": "news.org", "anchor": "x"}]}
    got = read("dataforseo_links", task(20000, "Ok.", some), "a.com")
    unknown = dict.fromkeys(("page", "rating", "nofollow", "target", "first_seen", "last_seen"))
    link = {"domain": "news.org", "text": "x", **unknown}
    assert got.values == {"a.com": {"links": [link]}}


NOTHING: list[tuple[str, Any]] = [
    ("dataforseo_links", task(20000, "Ok.")),
    ("dataforseo_links", task(20000, "Ok.", {"target": "a.com"})),
    ("majestic_anchors", {"Code": "OK", "ErrorMessage": "", "DataTables": {}}),
    ("majestic_ref_domains", {"Code": "OK", "DataTables": {"Results": {}}}),
    ("ahrefs_links", {"backlinks": None}),
    ("ahrefs_paid", {"metrics": {}}),
    ("ahrefs_paid", []),
    ("semrush", b"ascore;total\n;\n"),
    ("semrush", b"<html>Sign in</html>\n\nx\n"),
]


@pytest.mark.parametrize(("preset", "document"), NOTHING)
def test_an_answer_about_one_name_without_a_value_is_a_fault(preset: str, document: Any) -> None:
    got = read(preset, document, "a.com")
    assert got == ProviderAnswer(fault="the answer has nothing where its values should be")


@pytest.mark.parametrize(
    ("preset", "document"),
    [
        ("majestic_anchors", {"Code": "OK", "DataTables": {"AnchorText": {"Data": []}}}),
        ("ahrefs_links", {"backlinks": []}),
        ("ahrefs_links", {"error": "", "backlinks": []}),
        ("ahrefs_paid", {"metrics": {"live": 0, "live_refdomains": 0}}),
        ("ahrefs_paid", {"metrics": {"live": "-"}}),
        ("semrush", b"ascore;total\n0;0\n"),
    ],
)
def test_an_answer_that_says_none_is_one(preset: str, document: Any) -> None:
    got = read(preset, document, "a.com")
    assert got.fault is None and set(got.values) == {"a.com"}


def test_null_is_no_answer() -> None:
    for preset in preset_names():
        got = read(preset, b"null", "a.com")
        assert got.fault is not None and not got.not_found


def test_a_state_that_a_file_does_not_name_is_a_fault_of_an_answer_about_one_name() -> None:
    own = load_file("ahrefs_paid").model_dump()
    own["answer"]["found"] = {"path": "state", "values": ["known"], "unknown": ["unknown"]}
    file, figures = read_provider(own, "own.toml"), b'"metrics": {"live": 3}'
    assert read_answer(file, b'{"state": "known", %b}' % figures, ["a.com"]).values["a.com"]
    assert read_answer(file, b'{"state": "unknown", %b}' % figures, ["a.com"]).not_found == {"a.com"}
    assert read_answer(file, b'{"state": "busy", %b}' % figures, ["a.com"]).fault is not None


def test_a_file_may_say_that_an_answer_without_a_value_means_unknown() -> None:
    own = load_file("ahrefs_paid").model_dump()
    own["answer"]["absent_is_not_found"] = True
    got = read_answer(read_provider(own, "own.toml"), b'{"metrics": null}', ["a.com"])
    assert got == ProviderAnswer(not_found=frozenset({"a.com"}))


@pytest.mark.parametrize(
    ("preset", "document"),
    [
        ("majestic", majestic(item("a.com", "NotFound"), item("b.org", "Error", ResultCode="Busy"))),
        ("open_pagerank", {"results": [{"domain": "a.com", "found": False}, {"domain": "b.org"}]}),
        (
            "open_pagerank_old",
            {
                "status_code": 200,
                "response": [
                    {"domain": "a.com", "status_code": 404},
                    {"domain": "b.org", "status_code": 500},
                ],
            },
        ),
    ],
)
def test_an_error_of_one_name_is_no_unknown_name(preset: str, document: Any) -> None:
    got = read(preset, document, "a.com", "b.org")
    assert not got.values and got.not_found == {"a.com"}, "b.org is asked again"
    assert got.notes == (
        "b.org: says neither that it is known nor that it is not",
        "1 of 2 names were not answered",
    )


def test_names_that_a_vendor_calls_invalid_are_told() -> None:
    invalid = ["b.org", {"domain": "c.net", "error": "no such ending"}]
    got = read("open_pagerank", {"results": [], "invalid": invalid}, "b.org", "c.net")
    assert got.notes[:2] == (
        "'b.org' was not answered: 'is no valid name there'",
        "'c.net' was not answered: 'no such ending'",
    )


# An error of the answer as a whole, as each vendor writes it.
ERRORS: dict[str, Any] = {
    "ahrefs": {"error": "API units limit reached"},
    "dataforseo": {"status_code": 40100, "status_message": "no"},
    "majestic": {"Code": "InsufficientCredit", "ErrorMessage": "no units left"},
    "moz_jsonrpc": {"jsonrpc": "2.0", "error": {"code": -32655, "message": "quota"}},
    "moz_links": {"error": "Unauthorized", "message": "no"},
    "open_pagerank": {"error": "limit", "status_code": 429, "message": "limit"},
    "semrush": b"ERROR 132 :: API UNITS BALANCE IS ZERO",
}


@pytest.mark.parametrize("preset", preset_names())
def test_every_shipped_preset_names_where_its_errors_stand(preset: str) -> None:
    document = next(document for vendor, document in ERRORS.items() if preset.startswith(vendor))
    got = read(preset, document, "a.com")
    assert got.reported and not got.not_found


@pytest.mark.parametrize("odd", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_json_has_not_costs_its_own_value(odd: str) -> None:
    body = json.dumps(majestic(item("a.com", TrustFlow="?"), item("b.org"))).replace('"?"', odd)
    got = read("majestic", body.encode(), "a.com", "b.org")
    assert got.fault is None
    assert "trust_flow" not in got.values["a.com"] and got.values["a.com"]["citation_flow"] == 20
    assert got.values["b.org"]["trust_flow"] == 12
    assert got.items["a.com"] == item("a.com", TrustFlow=odd)  # it can be kept as JSON


def ratings(*names: str) -> dict[str, Any]:
    targets = [{"target": name, "domain_rating": 5} for name in names]
    return {"domain_rating": {"targets": targets}}


NAMES = [f"n{number}.com" for number in range(20)]


@pytest.mark.parametrize(
    ("asked", "answered"),
    [(20, []), (5, []), (20, NAMES[:10]), (20, NAMES[:1]), (7, NAMES[:5]), (20, NAMES[:18])],
)
def test_an_answer_about_none_or_the_first_names_alone_is_a_fault(asked: int, answered: list[str]) -> None:
    got = read("ahrefs_free", ratings(*answered), *NAMES[:asked])
    assert got.fault == f"answers for {len(answered)} of {asked} names: it is cut short"
    assert not got.not_found


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        (1, []),
        (4, []),
        (20, NAMES[1:]),
        (20, NAMES[:19]),
        (4, NAMES[:2]),
        (20, NAMES[:9] + NAMES[15:]),
        (20, NAMES),
    ],
)
def test_names_left_out_here_and_there_are_unknown(asked: int, answered: list[str]) -> None:
    got = read("ahrefs_free", ratings(*answered), *NAMES[:asked])
    assert got.fault is None and got.not_found == set(NAMES[:asked]) - set(answered)
