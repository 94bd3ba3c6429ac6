"""Whatever somebody types as a filter of a list, and whatever stands in the address, is no fault of ours."""

from __future__ import annotations

from urllib.parse import quote

from afterdrop.web.site.typed_query import typed_query
from tests.support import ON_SQLITE
from tests.support.browser import Browser, browser, more_settings, service
from tests.support.service import Service, row

__all__ = ["browser", "more_settings", "service"]

LISTS = ("/domains", "/domains/available", "/domains/archive", "/domains/rejected")
NUMBERS = (
    *("9" * 310, "9" * 5000, "1e400", "inf", "nan", "-5", "-" + "9" * 310, "0x10", "1_000", "1,,,,0", ","),
    *("999999999999999", "9999999999999k", "0." + "9" * 400, "٣٠", "²", "৪৫", "1" * 310 + "k", "2026-13-45"),
)
TYPED = (
    *(
        f"{said}{sign}{number}"
        for said, sign in (("dr", ">"), ("price", "<="), ("first", "<"))
        for number in NUMBERS
    ),
    *(f"{name}:{number}" for name in ("lang", "type", "topic", "is", "outcome") for number in NUMBERS),
    *("is:" + "a" * 5000, "-" * 3000, "tld:" + "," * 3000, "exclude:\x00", "lang:\u202e", "dr>\u00a05"),
    *(
        "$<script>",
        "<img src=x onerror=alert(1)>",
        "x\u202e:<b>",
        " ".join(f"f{n}:x" for n in range(90)),
        "é" * 40 + ">1",
    ),
)
GIVEN = (
    "min_dr",
    "max_price",
    "min_first_year",
    "max_length",
    "ends_by",
    "ends_after",
    "found_after",
    "page",
)


def test_a_number_of_many_digits_is_no_filter() -> None:
    for digits in ("9" * 310, "٣٠", "9" * 16, "1." + "0" * 10):
        typed = typed_query(f"dr>{digits}")
        assert (typed.q, typed.filters, [each.token for each in typed.unread]) == ("", {}, [f"dr>{digits}"])


@ON_SQLITE
async def test_no_typed_value_is_a_fault(service: Service, browser: Browser) -> None:
    await service.show(row("a.com"))
    await browser.sign_in("pro")
    asked = [f"q={quote(text)}" for text in TYPED]
    asked += [f"{name}={quote(number)}" for name in GIVEN for number in NUMBERS]
    faults = []
    for place, query in enumerate(asked):
        service.clock.move(seconds=1)
        path = f"{LISTS[place % len(LISTS)]}?{query}"
        status = (await browser.get(path)).status_code
        if status not in (200, 422):
            faults.append((path[:80], status))
    assert faults == []
