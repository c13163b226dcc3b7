"""What several memories learn on one store adds up to what one would have learned; what one forgot stays forgotten."""

import sqlite3
import tempfile
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.site import PageMemory
from denoise_scrapy.site.familiarity import Familiarity
from denoise_scrapy.site.known_site import MAX_TEMPLATES, KnownSite
from denoise_scrapy.site.learned_template import HALF_LIFE, KEPT, LearnedTemplate
from denoise_scrapy.site.merging import merge, merge_templates
from denoise_scrapy.site.rule_votes import MAX_CUTS, _cuts
from denoise_scrapy.site.site_memory import SiteMemory
from denoise_scrapy.site.sqlite_store import SQLiteSiteStore
from denoise_scrapy.site.stored_site import StoredSite, Unsaved
from tests.site import made_sites
from tests.site.made_sites import NEW, REFITTED, text, truth

SITE = "http://a.example:80"
LISTING = "<div id=top>Daily</div><table class=list><tr><td class=one>{text}</table><div id=foot>Rights</div>"

page = cache(made_sites.page)  # pages do not change


@cache
def made(n: int) -> Page:
    """Page n of a site of two templates; the paths inside one of them differ from page to page."""
    if n % 3 == 0:
        return Page.parse(f"<title>{n}</title><body>{LISTING.format(text=text(n))}", url=f"http://a.example/list?n={n}")
    return page(n, tag=("p", "blockquote", "pre")[n % 5 % 3])


def memory(path, **more) -> SiteMemory:
    return SiteMemory(PageMemory(10_000_000, 32), SQLiteSiteStore(path), **more)


def learn(one: SiteMemory, *pages: Page) -> list[LearnedTemplate]:
    return [changed for each in pages for changed in one.learn(each, truth(each))]


def stored(path) -> list[LearnedTemplate]:
    store = SQLiteSiteStore(path)
    templates, _ = store.load(SITE)
    store.close()
    return templates


def assert_same_sums(one: LearnedTemplate, other: LearnedTemplate) -> None:
    assert one.pages == other.pages
    assert one.signature == other.signature
    assert np.array_equal(one.sums.keys, other.sums.keys)
    for name in ("content", "tokens", "pages"):
        assert np.allclose(getattr(one.sums, name), getattr(other.sums, name), rtol=1e-9, atol=1e-9), name


SAVE = -1
STREAMS = st.lists(st.tuples(st.integers(0, 2), st.integers(SAVE, 17)), max_size=40)


@settings(deadline=None, max_examples=40)
@given(STREAMS)
def test_sums_are_those_of_one_memory_that_had_the_pages_as_they_were_saved(steps):
    with tempfile.TemporaryDirectory() as folder:
        several = [memory(f"{folder}/s.sqlite") for _ in range(3)]
        unsaved: list[list[Page]] = [[], [], []]
        saved: list[Page] = []
        for who, what in [*steps, (0, SAVE), (1, SAVE), (2, SAVE)]:
            if what == SAVE:
                several[who].save()
                saved += unsaved[who]
                unsaved[who] = []
            else:
                learn(several[who], made(what))
                unsaved[who].append(made(what))
        one = SiteMemory(PageMemory(1, 1))
        learn(one, *saved)
        found = {template.signature: template for template in stored(f"{folder}/s.sqlite")}
        assert len(found) == len(one.enter(SITE).templates)
        for template in one.enter(SITE).templates.values():
            both = found[template.signature]
            assert_same_sums(both, template)
            # each memory asks its own first pages for votes, and knows its own paths
            assert {str(rule.rule) for rule in both.rules()} == {str(rule.rule) for rule in template.rules()}
            assert set(both.names) <= set(both.sums.keys.tolist())
        for each in several:
            each._store._store.close()


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 1), min_size=1, max_size=60), st.integers(1, 20))
def test_in_the_order_of_arrival_weights_differ_by_no_more_than_what_was_unsaved(whose, every):
    """Decay is by the order of saving; a page counts for 2^(d/100) as much where it was saved d pages off its place."""
    with tempfile.TemporaryDirectory() as folder:
        two, one = [memory(f"{folder}/s.sqlite") for _ in range(2)], SiteMemory(PageMemory(1, 1))
        for n, who in enumerate(whose):
            own = page(n % 7, tag=("p", "pre")[n % 2])
            learn(two[who], own)
            learn(one, own)
            if n % every == every - 1:
                two[who].save()
        for each in two:
            each.save()
        (both,), (alone,) = stored(f"{folder}/s.sqlite"), one.enter(SITE).templates.values()
        assert both.pages == alone.pages
        assert np.array_equal(both.sums.keys, alone.sums.keys)
        off = 2 ** (len(whose) / HALF_LIFE)
        ratio = both.sums.pages / alone.sums.pages
        assert (ratio <= off * 1.001).all() and (ratio >= 1 / off / 1.001).all()
        everywhere = alone.sums.pages > alone.sums.pages.max() - 1e-9  # the weights of all pages, in any order
        assert np.allclose(both.sums.pages[everywhere], alone.sums.pages[everywhere])
        for each in two:
            each._store._store.close()


def grown(start: LearnedTemplate, *numbers: int) -> LearnedTemplate:
    for n in numbers:
        start = start.learn(page(n), truth(page(n)))
    return start


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))
def test_votes_are_added_as_they_were_given(before, ours, theirs):
    base = grown(LearnedTemplate(page(0).signature), *range(before))
    other, own = grown(base, *range(theirs)), grown(base, *range(ours))
    merged = merge_templates(other, base, own)
    (rule,) = merged.votes.votes or (None,)
    if rule is None:
        assert before + ours + theirs == 0
        return

    def weight(template: LearnedTemplate) -> float:
        return template.votes.votes[rule].tokens if rule in template.votes.votes else 0.0

    def voters(begin: int, count: int) -> int:
        return sum(1 if n < 8 else 8 * (n % 8 == 0) for n in range(begin, begin + count))

    decay = KEPT ** voters(before, ours)
    assert weight(merged) == pytest.approx(weight(other) * decay + weight(own) - weight(base) * decay)


def test_means_of_known_text_go_on_from_theirs():
    base = Familiarity().seen(0.9).seen(0.8)
    ours, theirs = base.seen(0.7).seen(0.3), base.seen(0.5)
    assert theirs.with_those_since(ours, base) == theirs.seen(0.7).seen(0.3)
    assert theirs.with_those_since(base, base) == theirs
    long = base
    for n in range(200):
        long = long.seen(n % 2)
    both = theirs.with_those_since(long, base)
    assert both.pages == theirs.pages + 200
    assert both.recent == pytest.approx(long.recent) and both.usual == pytest.approx(long.usual, abs=0.05)


def test_a_cut_that_either_found_full_is_none():
    old = {1: "a", 2: "b", 3: "c"}
    assert _cuts({1: "a", 3: "c", 4: "d"}, old, {1: "a", 2: "b", 5: "e"}) == {1: "a", 4: "d", 5: "e"}
    assert len(_cuts(dict.fromkeys(range(MAX_CUTS), "x"), {}, dict.fromkeys(range(20, 60), "x"))) == MAX_CUTS


def test_a_save_brings_back_what_others_have_learned(tmp_path):
    one, other = memory(tmp_path / "s.sqlite"), memory(tmp_path / "s.sqlite")
    learn(one, *(page(n) for n in range(4)))
    learn(other, page(5), made(3))
    other.save()
    one.save()
    assert one.learned(page(9)).pages == 5
    assert one.learned(made(6)).pages == 1
    assert other.learned(page(9)).pages == 1
    learn(other, page(6))
    other.save()
    assert other.learned(page(9)).pages == 6


def test_a_page_of_a_new_process_is_compared_with_pages_of_others(tmp_path):
    one, other = memory(tmp_path / "s.sqlite"), memory(tmp_path / "s.sqlite")
    for n in range(3):
        one.remember(page(n))
        learn(one, page(n))
    one.save()
    other.enter(SITE)
    assert [p.url for p in other.pages.comparison_pages(page(9), 5)] == [page(n).url for n in (2, 1, 0)]


def test_templates_that_share_their_frame_are_one_whoever_met_which_page_first(tmp_path):
    few = "<div id=top>x</div><div id=main><h1>T</h1><p>text of it</p></div><div id=foot>y</div>"
    more = few.replace("<p>", "<div class=a><p>").replace("</p>", "</p></div>")
    pages = [Page.parse(html, url=f"http://a.example/{n}") for n, html in enumerate((few, more))]
    assert pages[0].signature != pages[1].signature
    for n, one in enumerate(pages):
        own = memory(tmp_path / "s.sqlite")
        own._sites[SITE] = KnownSite()  # as if both had entered the site before either saved
        own.remember(one)
        learn(own, one)
        own.save()
        assert own.learned(one).pages == n + 1
    (template,) = stored(tmp_path / "s.sqlite")
    store = SQLiteSiteStore(tmp_path / "s.sqlite")
    assert [name for name, _ in store.load(SITE)[1]] == [template.name] * 2


@pytest.mark.parametrize("frame", [NEW, REFITTED])
def test_a_template_that_one_found_changed_does_not_come_back(tmp_path, frame):
    first = memory(tmp_path / "s.sqlite")
    for n in range(12):
        first.remember(page(n))
        learn(first, page(n))
    first.save()
    one, other = memory(tmp_path / "s.sqlite"), memory(tmp_path / "s.sqlite")
    learn(other, page(12), page(13))  # before the site changes
    other.pages.remember(page(13))
    assert len(learn(one, *(page(n, frame) for n in range(20, 25)))) == 1
    one.save()
    pages = [template.pages for template in stored(tmp_path / "s.sqlite")]
    other.save()
    assert [template.pages for template in stored(tmp_path / "s.sqlite")] == pages
    assert other.enter(SITE).counts["changed_elsewhere"] == 1
    assert [p.url for p in other.pages.pages(SITE)] == [page(13).url], "pages of earlier crawls go too"
    learn(other, page(30, frame))
    other.save()
    first.save()  # has learned nothing since
    found = {template.name: template for template in stored(tmp_path / "s.sqlite")}
    assert sum(template.pages for template in found.values()) == sum(pages) + 1
    old = {page(n).url for n in range(12)}
    assert not old & {facts.url for _, facts in SQLiteSiteStore(tmp_path / "s.sqlite").load(SITE)[1]}


def test_where_both_notice_a_change_both_are_heard(tmp_path):
    first = memory(tmp_path / "s.sqlite")
    learn(first, *(page(n) for n in range(12)))
    first.save()
    one, other = memory(tmp_path / "s.sqlite"), memory(tmp_path / "s.sqlite")
    other.enter(SITE)
    for each, begin in ((one, 20), (other, 40)):
        assert len(learn(each, *(page(n, REFITTED) for n in range(begin, begin + 4)))) == 1
        each.save()
    (template,) = stored(tmp_path / "s.sqlite")
    assert template.pages == one.learned(page(1)).pages + 1 == 2  # each begins anew with the page that told it


def test_what_a_person_forgets_no_crawl_brings_back(tmp_path):
    one = memory(tmp_path / "s.sqlite")
    learn(one, page(1), made(3))
    one.save()
    store = SQLiteSiteStore(tmp_path / "s.sqlite")
    for _ in range(2):  # a second time too
        learn(one, page(2), made(6))
        store.forget(SITE)
        assert store.load(SITE) == ([], [])
        one.save()
        assert store.load(SITE) == ([], [])
        learn(one, page(3))
        one.save()
        assert [template.pages for template in store.load(SITE)[0]] == [1]
        store.forget(SITE, LearnedTemplate(page(1).signature).name)
        one.save()
        assert store.load(SITE)[0] == []


class Losing(SQLiteSiteStore):
    """Saves, and does not say so."""

    silent = False

    def save(self, sites):
        for saved in super().save(sites):
            if self.silent:
                raise OSError("no answer")
            yield saved


@pytest.mark.parametrize("others", [0, 1, 3])
def test_a_save_whose_answer_was_lost_counts_once(tmp_path, others):
    one, other = memory(tmp_path / "s.sqlite"), memory(tmp_path / "s.sqlite")
    one._store._store = Losing(tmp_path / "s.sqlite")
    learn(one, *(page(n) for n in range(3)))
    one.save()
    learn(one, page(3))
    one._store._store.silent = True
    for n in range(4, 6):  # twice
        one.save(at_once=True)
        learn(one, page(n))
    for n in range(others):
        learn(other, page(10 + n))
        other.save()
    one._store._store.silent = False
    one.save(at_once=True)
    assert [template.pages for template in stored(tmp_path / "s.sqlite")] == [6 + others]
    learn(one, page(9))
    one.save(at_once=True)
    assert [template.pages for template in stored(tmp_path / "s.sqlite")] == [7 + others]


def test_a_change_whose_save_got_no_answer_is_marked_once(tmp_path):
    path = tmp_path / "s.sqlite"
    first = memory(path)
    learn(first, *(page(n) for n in range(12)))
    first.save()
    one = memory(path)
    one._store._store = Losing(path)
    one._store._store.silent = True
    learn(one, *(page(n, REFITTED) for n in range(20, 24)))
    one.save()
    one._store._store.silent = False
    learn(one, page(24, REFITTED))
    one.save(at_once=True)
    assert [template.pages for template in stored(path)] == [2]


def test_a_store_that_was_emptied_gets_all_that_is_known(tmp_path):
    one, other = memory(tmp_path / "s.sqlite"), memory(tmp_path / "s.sqlite")
    for each in (one, other):
        learn(each, page(1), page(2))
        each.save()
    learn(other, page(3))
    with sqlite3.connect(tmp_path / "s.sqlite") as link:
        for table in ("templates", "facts", "sites"):
            link.execute(f"DELETE FROM {table}")
    other.save()
    assert [template.pages for template in stored(tmp_path / "s.sqlite")] == [5]
    learn(one, page(4))
    one.save()
    assert [template.pages for template in stored(tmp_path / "s.sqlite")] == [6]


def test_templates_of_all_are_bounded():
    frames = [f"<div class={name}><ul class=u>{{text}}</ul></div>" for name in "abcdefghijklmnopq"]
    templates = [grown_of(page(n, frame), 1 + n % 4) for n, frame in enumerate(frames)]
    merged = merge(Unsaved(tuple(templates[:8])), StoredSite(tuple(templates[8:16])))
    assert len(merged.site.templates) == MAX_TEMPLATES
    assert merged.evicted == len(merged.gone) == 8
    assert set(merged.site.forgotten) == merged.gone
    assert min(template.pages for template in merged.site.templates) >= 3
    assert templates[7] in merged.site.templates, "the newest stays"


def grown_of(own: Page, pages: int) -> LearnedTemplate:
    template = LearnedTemplate(own.signature)
    for _ in range(pages):
        template = template.learn(own, truth(own))
    return template


def test_marks_and_writers_are_bounded():
    site = StoredSite(forgotten={str(n): "m" for n in range(99)}, writers={str(n): n for n in range(99)})
    head = site.head()
    assert list(head["forgotten"]) == [str(n) for n in range(67, 99)]
    assert len(head["writers"]) == 64


def test_what_nobody_else_saved_is_taken_as_it_is():
    base = grown_of(page(1), 3)
    ours = base.learn(page(2), truth(page(2)))
    assert merge_templates(base, base, ours) is ours
