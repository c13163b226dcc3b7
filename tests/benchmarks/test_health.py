"""Made changes of the example portal's pages are found, and the portal as it is gives no alarm."""

from random import Random

from benchmarks.health import CHANGES, PAGES, UNCHANGED, CrawledSite, tried
from evaluation.corpora import portal


def test_every_change_of_the_portal_is_found_and_nothing_else():
    pages = portal()
    chinese = [page for page in pages if not page.gold[:300].isascii() and page.gold[:1] > "\u2fff"]
    news = [page for page in pages if "/news/" in page.url and page not in chinese]
    forum = [page for page in pages if "/forum/" in page.url]
    assert min(map(len, (chinese, news, forum))) >= 5 and len(news) > PAGES
    found = [one for one in tried(CrawledSite(news, forum, chinese), Random(1)) if one[1] in {0, PAGES}]
    assert {change for change, _, alarms in found if alarms} == set(CHANGES)
    assert not any(alarms for change, _, alarms in found if change == UNCHANGED)
