"""A calendar's days, weeks and months are told from pages that somebody wrote, by their addresses."""

from __future__ import annotations

import pytest

from afterdrop.review.history.calendars import is_calendar_page


@pytest.mark.parametrize(
    "path",
    [
        "/calendar/2014/05/",
        "/calendar/2014/5/3",
        "/club/calendar/month/2014-05",
        "/events/2014-05-03",
        "/events/month/",
        "/events/category/music/2014-05/",
        "/events/list/page/3",
        "/events/20140503",
        "/kalender/2014/mai",
        "/kalender/woche/2014/21",
        "/veranstaltungen/03.05.2014",
        "/veranstaltungskalender/05-2014/",
        "/calendrier/mois/2014-05",
        "/agenda/mai-2014",
        "/calendario/semana/2014/05/03",
        "/kalendarz/2014/05",
        "/component/jevents/monthcalendar/2014/5/-",
        "/Calendar.php?m=5&y=2014",
        "/calendar.cgi?date=20140503",
        "/calendar?month=1",
        "/termine.php?monat=5&jahr=2014",
        "/?month=2014-05",
        "/club/?month=2014-05",
        "/index.php?action=calendar;year=2014;month=5",
        "/index.php?option=com_jevents&task=month.calendar&year=2014&month=05",
        "/calendar.php?do=getinfo&day=2014-5-3&c=1",
        "/events/?tribe-bar-date=2014-05-03",
        "calendar.oldmill.com/2014/05/",
    ],
)
def test_a_calendars_page(path: str) -> None:
    assert is_calendar_page(path)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/calendar",
        "/calendar.php",
        "/kalender/",
        "/events/",
        "/2014/05/my-post",
        "/2014/05/",
        "/events/summer-fair-2014",
        "/events/2014",
        "/events/12",
        "/events/2014/summer-fair",
        "/event/yoga-class/2014-05-03/",
        "/events/2014/05/03/summer-fair",
        "/news/2014-05-03",
        "/calendar.php?do=getinfo&e=12",
        "/event.php?id=5&date=2014-05-03",
        "/termine.php?id=7&monat=5",
        "/events/monthly-market",
        "/shop/charity-calendar-2014",
        "/newsletter.php?month=5&year=2014",
        "/?page_id=12",
        "/?p=5&month=2014-05",
        "/reports?date=spring",
        "/agenda/marathon-2014",
    ],
)
def test_a_page_that_somebody_wrote(path: str) -> None:
    assert not is_calendar_page(path)
