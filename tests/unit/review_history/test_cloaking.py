"""What two archives that disagree say of a site."""

from __future__ import annotations

from dataclasses import replace

from afterdrop.review.history.cloaking import cloaking_notes
from afterdrop.review.history.samples import Sample
from tests.support.histories import sample, spam

CRAWL = "https://index.commoncrawl.org/CC-MAIN-2016-30-index?output=json&url=x"


def crawled(shown: Sample) -> Sample:
    return replace(shown, replay_url=CRAWL)


def test_spam_in_one_archive_beside_the_site_in_the_other_is_told() -> None:
    notes = cloaking_notes([sample("2016-07-01"), crawled(sample("2016-07-20", reading=spam()))])
    assert notes == (
        "Common Crawl saw spam on 2016-07-20 where the Wayback Machine saw the site on 2016-07-01: it may have shown"
        " its visitors different pages.",
    )
    assert (
        "The Wayback Machine saw spam"
        in cloaking_notes([crawled(sample("2016-07-01")), sample("2016-07-20", reading=spam())])[0]
    )


def test_what_may_be_a_change_is_no_disagreement() -> None:
    site, later = sample("2016-07-01"), crawled(sample("2016-09-20", reading=spam()))
    assert cloaking_notes([site, later]) == (), "months lie between them"
    assert cloaking_notes([site, sample("2016-07-20", reading=spam())]) == (), "one archive saw both"
    assert cloaking_notes([site, crawled(sample("2016-07-20"))]) == (), "they agree"
    deep = replace(later, at=site.at, home=False)
    assert cloaking_notes([site, deep]) == (), "another page"
    assert cloaking_notes([site, replace(crawled(sample("2016-07-02")), reading=None)]) == (), (
        "nothing was read"
    )
