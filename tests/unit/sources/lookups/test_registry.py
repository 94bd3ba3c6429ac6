import json
from datetime import UTC, datetime

from afterdrop.sources.lookups.registry import from_json, to_json
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer, RegistryState, unknown

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_an_answer_comes_back_from_the_cache_as_it_went_in() -> None:
    record = Registration(
        "a.com", "dropping", "R", "69", AT, AT, None, ("pending delete",), ("ns1.a.com",), True
    )
    for answer in (
        RegistryAnswer("dropping", record, ("note",), "", AT, None, AT),
        RegistryAnswer("dropping", record, registrar_expires_at=AT),
        unknown("a.com", "server_error", "HTTP 503"),
        RegistryAnswer("available", Registration("a.com", "available"), (), "not_found"),
    ):
        assert from_json(json.loads(json.dumps(to_json(answer)))) == answer


def test_lists_are_null_where_the_state_is_unknown_and_empty_where_there_are_none() -> None:
    cases: tuple[tuple[RegistryState, object], ...] = (
        ("unknown", None),
        ("available", ()),
        ("registered", ()),
    )
    for state, given in cases:
        record = Registration("a.com", state).as_json()
        assert (record["statuses"], record["nameservers"]) == (given, given), state
