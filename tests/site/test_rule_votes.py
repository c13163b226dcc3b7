"""Votes for rules are additive and bounded; a rule leads back to its element, cuts and all."""

import numpy as np
import pytest

from denoise_scrapy.page import Page
from denoise_scrapy.site import rule_votes
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.path_sums import PathSums
from denoise_scrapy.site.rule_finding import find_rule
from denoise_scrapy.site.rule_votes import RuleVotes
from denoise_scrapy.site.rules import Rule
from tests.site.made_sites import NEW, OLD, page, truth


def learned(pages):
    sums, votes = PathSums(), RuleVotes()
    for each in pages:
        facts = each.facts
        sums = sums.add(facts.path_keys, truth(each), facts.tokens)
        votes = votes.add(each, truth(each), sums)
    return sums, votes


def test_the_element_of_the_content_wins_and_its_noise_is_cut():
    _, votes = learned(page(n) for n in range(4))
    (rule,) = votes.rules()
    assert (str(rule.rule), rule.share, rule.pages, rule.cuts) == ("#main", 1.0, 4, ("div.tools", "h1"))
    assert 0.9 < rule.content < 1
    target = page(9)
    kept = [target.block_text(i) for i in np.flatnonzero(rule.blocks_inside(target)).tolist()]
    assert len(kept) == 6 and not any("Print" in line or "Title" in line for line in kept)


def test_votes_add_up():
    sums, together = learned(page(n, frame) for n, frame in ((0, NEW), (1, NEW), (2, OLD)))
    one = RuleVotes().add(page(0, NEW), truth(page(0, NEW)), sums).add(page(1, NEW), truth(page(1, NEW)), sums)
    other = RuleVotes().add(page(2), truth(page(2)), sums)
    merged = one.merge(other)
    assert set(merged.votes) == set(together.votes)
    for rule, vote in merged.votes.items():
        assert vote.weight == pytest.approx(together.votes[rule].weight)
        assert (vote.pages, vote.content, vote.tokens) == (
            together.votes[rule].pages,
            together.votes[rule].content,
            together.votes[rule].tokens,
        )
    assert [str(rule.rule) for rule in merged.rules()] == [".story", "#main"]
    assert merged.rules()[0].share == pytest.approx(2 / 3, abs=0.02)
    assert merged.decay(0.5).rules()[0].share == pytest.approx(merged.rules()[0].share)


def test_votes_are_bounded(monkeypatch):
    monkeypatch.setattr(rule_votes, "MAX_RULES", 3)
    votes = RuleVotes()
    for n in range(9):
        own = Page.parse(f"<div class={'abcdefghi'[n]}><p>{'word ' * 20}</div><div>Menu of it</div>")
        votes = votes.decay(0.9).add(own, truth(own), PathSums())
    assert len(votes) == 3 and votes.evicted == 6
    assert [str(rule.rule) for rule in votes.rules()] == [".i", ".h", ".g"]


def test_a_cut_ends_where_content_is_found():
    quiet = "<div id=m><p>{}</p><div class=x><p>{}</p></div></div>".format("word " * 30, "note " * 3)
    loud = "<div id=m><p>{}</p><div class=x><p>{}</p></div></div>".format("word " * 30, "word " * 300)
    _, votes = learned([Page.parse(quiet)])
    assert votes.rules()[0].cuts == ("div.x",)
    _, votes = learned([Page.parse(quiet), Page.parse(loud)])
    assert votes.rules()[0].cuts == ()


@pytest.mark.parametrize(
    ("html", "rule"),
    [
        ("<div class=a><p>{0}</div><div class=b><p>Menu</div>", ".a"),
        ("<div class=a><p>{0}</div><div class=a><p>Menu</div>", None),  # no name leads back
        ("<section><div><p>{0}</div></section><div>Menu</div>", "html/body/section/div"),
        ("<div id=a><div class=x><p>{0}</div></div><div id=b><div class=x>Menu</div></div>", "html/body/div/div"),
        ("<p>{0}", None),
        ("<div id=a></div>", None),
    ],
)
def test_a_rule_leads_back_to_its_element(html, rule):
    own = Page.parse(html.format("word " * 30))
    found = find_rule(own, truth(own) * own.blocks.tokens)
    if rule is None:
        assert found is None
        return
    assert found is not None
    assert found[0].find(own) == found[1]
    if rule.startswith((".", "html/body/section")):
        assert str(found[0]) == rule


def test_rules_go_through_json():
    _, votes = learned(page(n) for n in range(3))
    for rule in votes.rules():
        assert str(LearnedRule.from_dict(rule.as_dict())) == str(rule)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "needs a 'rule'"),
        ({"rule": ""}, "needs a 'rule'"),
        ({"rule": 3}, "'rule' of a rule cannot be 3"),
        ({"rule": "#a", "pinned": "yes"}, "'pinned' of a rule cannot be 'yes'"),
        ({"rule": "#a", "cuts": "div"}, "'cuts' of a rule cannot be 'div'"),
        (["#a"], "a rule is an object"),
    ],
)
def test_wrong_rules_are_refused(values, said):
    with pytest.raises(ValueError, match=said):
        LearnedRule.from_dict(values)


def test_a_rule_finds_elements_that_lay_out_nothing():
    own = Page.parse("<ul class=names><li>One</ul><p>Two")
    assert LearnedRule(Rule.parse(".names")).blocks_inside(own).tolist() == [True, False]
    assert LearnedRule(Rule.parse(".none")).blocks_inside(own).tolist() == [False, False]
    assert LearnedRule(Rule.parse("")).blocks_inside(own).tolist() == [False, False]
