"""What a site teaches is kept by template, forgets slowly, and is dropped when the site changes."""

import numpy as np
import pytest

from denoise_scrapy.page import Page
from denoise_scrapy.site import PageMemory, known_site
from denoise_scrapy.site.familiarity import SETTLED, Familiarity
from denoise_scrapy.site.known_site import MAX_TEMPLATES, KnownSite
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.learned_template import HALF_LIFE, LearnedTemplate
from denoise_scrapy.site.merging import merge
from denoise_scrapy.site.rules import Rule
from denoise_scrapy.site.rules_file import choose_pinned
from denoise_scrapy.site.site_memory import SiteMemory
from denoise_scrapy.site.stored_site import StoredSite
from tests.site.made_sites import NEW, OLD, REFITTED, page, truth

LISTING = "<div id=top>Daily</div><table class=list><tr><td class=one>{text}</table><div id=foot>Rights</div>"


def teach(site, pages):
    return [template for each in pages for template in site.learn(each, truth(each))]


def grown(count, frame=OLD):
    site = KnownSite()
    teach(site, (page(n, frame) for n in range(count)))
    return site


def crawled_again(site, pages):
    """The site as the next crawl finds it."""
    return KnownSite(site.templates.values(), site.newest_facts(pages))


def test_what_moves_is_learned_anew_within_a_half_life():
    template = LearnedTemplate(page(0).signature)
    first, then = page(0), page(1)
    for _ in range(3 * HALF_LIFE):
        template = template.learn(first, truth(first))
    for _ in range(HALF_LIFE + 1):
        template = template.learn(then, 1 - truth(then))
    share = template.sums.content_share(then.blocks.path_keys)
    assert (share[truth(then) > 0] < 0.5).all() and (share[truth(then) == 0] > 0.4).all()
    assert template.pages == 4 * HALF_LIFE + 1
    assert template.sums.pages.max() < 1.5 * HALF_LIFE


def test_templates_are_told_apart():
    site = KnownSite()
    teach(site, [page(0), page(1, LISTING), page(2), page(3, LISTING), page(4)])
    assert sorted(template.pages for template in site.templates.values()) == [2, 3]
    assert site.template_of(page(9)).pages == 3
    assert site.template_of(page(9, NEW)) is None
    assert {str(rule.rule) for rule in site.rules()} == {"#main", ".one"}


def test_a_site_keeps_few_templates():
    site = grown(3)
    for n in range(MAX_TEMPLATES + 5):
        frame = f"<div class={'abcdefghijklmnopq'[n]}><ul class=u>{{text}}</ul></div>"
        teach(site, [page(n, frame)])
    assert len(site.templates) == MAX_TEMPLATES
    assert site.counts["evicted/templates"] == 6
    assert site.template_of(page(9)).pages == 3  # the one with most pages is still there
    assert len(site.gone) == 6


def test_pages_without_containers_are_one_template():
    site = KnownSite()
    teach(site, [Page.parse(f"<p>{'word ' * 20}{n}", url=f"http://a.example/{n}") for n in range(3)])
    assert [template.pages for template in site.templates.values()] == [3]


def test_a_redesign_between_crawls_is_noticed_at_the_third_page():
    old = grown(12)
    site = crawled_again(old, [page(n) for n in range(12)])
    name = next(iter(site.templates))
    assert teach(site, [page(20, NEW), page(21, NEW)]) == []
    (changed,) = teach(site, [page(22, NEW)])
    assert changed.name == name and changed.pages == 12
    assert name in site.gone and name not in site.templates
    assert site.counts["changed"] == 1
    assert site.template_of(page(23, NEW)).pages == 3


def test_classes_that_change_inside_the_frame_are_noticed():
    site = grown(12)
    assert site.template_of(page(20, REFITTED)) is not None
    changed = teach(site, (page(n, REFITTED) for n in range(20, 24)))
    assert [template.pages for template in changed] == [15]  # head and foot are as they were: at the fourth page
    assert site.template_of(page(30)).pages == 1
    assert [str(rule.rule) for rule in site.rules()] == ["#main"]


def test_another_section_is_no_redesign():
    old = grown(12)
    site = crawled_again(old, [page(n) for n in range(12)])
    for n in range(9):  # other URLs
        own = page(n, LISTING)
        other = Page.parse(
            f"<table class=list><tr><td class=one>{'word ' * 20}</table>", url=f"http://a.example/?q={n}"
        )
        assert own.url != other.url
        assert teach(site, [other]) == []
    assert site.template_of(page(99)).pages == 12


def test_a_few_odd_pages_are_no_redesign():
    site = crawled_again(grown(12), [page(n) for n in range(12)])
    assert (
        teach(site, [page(20, LISTING), page(21, LISTING), page(22), *(page(n, LISTING) for n in range(23, 40))]) == []
    )
    assert site.template_of(page(99)).pages == 13


def test_the_first_pages_of_a_template_change_nothing():
    known = Familiarity()
    for _ in range(SETTLED):
        known = known.seen(0.0)
    assert not known.changed
    known = Familiarity()
    for share in [0.2] * 20:  # a site whose pages know little of each other
        known = known.seen(share)
        assert not known.changed


def test_facts_of_the_newest_pages_are_chosen(monkeypatch):
    monkeypatch.setattr(known_site, "MAX_FACTS", 2)
    site = grown(3)
    teach(site, [page(9, LISTING)])
    newest_first = [page(9, LISTING), *(page(n) for n in (2, 1, 0)), page(5, NEW)]
    facts = site.newest_facts(newest_first)
    assert [facts.url[-1] for _, facts in facts] == ["1", "2", "9"]
    site.saved(merge(site.to_save("a", newest_first), StoredSite()))
    assert [facts.url[-1] for _, facts in site.newest_facts([page(3), *newest_first])] == ["3"]


def test_memory_is_bounded_over_sites():
    memory = SiteMemory(PageMemory(10_000_000, 8), max_bytes=60_000)
    for n in range(40):
        host = f"h{n}"
        own = page(n, host=host)
        memory.remember(own)
        memory.learn(own, truth(own))
        assert memory.nbytes <= 60_000
    assert 0 < len(memory) < 40
    assert memory.all_counts()["evicted/sites"] == 40 - len(memory)
    assert memory.all_counts()["learned"] == 40


def test_pages_without_a_site_teach_nothing():
    memory = SiteMemory(PageMemory(1_000_000, 8))
    own = Page.parse("<div><p>text")
    memory.remember(own)
    assert memory.learn(own, np.ones(1)) == [] and memory.learned(own) is None and memory.pinned(own) is None
    assert len(memory) == 0


@pytest.mark.parametrize(("template", "decides"), [("own", True), ("other", False), ("", True), ("unheard", True)])
def test_pinned_rules_go_by_template(template, decides):
    site = grown(3)
    teach(site, [page(9, LISTING)])
    names = {"own": site.template_of(page(1)).name, "other": site.template_of(page(9, LISTING)).name}
    rule = LearnedRule(Rule.parse("#main"), template=names.get(template, template), pinned=True)
    assert (choose_pinned([rule], page(1), site) is rule) == decides
    assert choose_pinned([LearnedRule(Rule.parse("#nowhere"))], page(1), site) is None


def test_the_rule_of_the_template_goes_before_that_of_the_site():
    site = grown(3)
    anybodys = LearnedRule(Rule.parse("#foot"))
    own = LearnedRule(Rule.parse("#main"), template=site.template_of(page(1)).name)
    assert choose_pinned([anybodys, own], page(1), site) is own
