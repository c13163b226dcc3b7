"""Densities, rules, and their text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from denoise_scrapy.body.strategies.cluster import (
    BLOCK_NODES,
    TemplateRule,
    best_block,
    learn_rule,
    names_of,
    node_densities,
    relative_alpha,
)
from denoise_scrapy.page import Page
from tests.html_strategies import SOUP, pages


def literal_density(page: Page, element: int, alpha: float) -> float:
    """The source's definitions 7 to 9 and equation 5, element by element."""
    tags = page.tags()
    parents = page.elements.parent.tolist()

    def line(i: int) -> list[int]:
        return [i, *line(parents[i])] if i >= 0 else []

    def count(inside: int | None, links: bool) -> int:
        """Characters of the page, or of a block; those of links too, or not."""
        members = [i for i in range(len(tags)) if inside is None or inside in line(i)]
        return sum(
            int(page.elements.own_chars[i]) for i in members if links or not any(tags[up] == "a" for up in line(i))
        )

    in_block = [i for i in range(len(tags)) if element in line(i)]
    p_text = count(element, False) / (1 + count(None, False))
    p_link = sum(tags[i] == "a" for i in in_block) / (1 + tags.count("a"))
    p_textl = count(element, False) / (1 + count(element, True))
    return p_text * (1 - p_link) * p_textl / (1 + len(in_block) * alpha)


@given(pages(3), st.sampled_from([0.0, 0.005, 0.5]))
def test_densities_equal_the_literal_ones(html, alpha):
    page = Page.parse(html)
    nodes, densities = node_densities(page, alpha)
    assert nodes.tolist() == [i for i, tag in enumerate(page.tags()) if tag in BLOCK_NODES]
    for i, density in zip(nodes.tolist(), densities, strict=True):
        assert density == pytest.approx(literal_density(page, i, alpha))


@given(st.lists(pages(3), max_size=4))
def test_the_rule_has_the_highest_sum(site):
    parsed = [Page.parse(html) for html in site]
    sums: dict[tuple, float] = {}
    for page in parsed:
        values = [literal_density(page, i, relative_alpha(page)) for i in range(len(page.elements))]
        blocks = [i for i, tag in enumerate(page.tags()) if tag in BLOCK_NODES]
        if blocks and max(values[i] for i in blocks) > 0:
            best = max(blocks, key=lambda i: (round(values[i], 12), -i))
            names = names_of(page, best)
            key = names.id, names.class_, names.path
            sums[key] = sums.get(key, 0) + values[best]
    rule = learn_rule(parsed)
    assert (rule is None) == (not sums)
    if rule is not None:
        leaders = [key for key, total in sums.items() if total == pytest.approx(max(sums.values()))]
        assert any(rule.path == path and rule.id in ("", id_) and rule.class_ in ("", c) for id_, c, path in leaders)


@given(pages(), st.integers(0))
def test_names_lead_back_to_their_element(html, n):
    page = Page.parse(html)
    blocks = [i for i, tag in enumerate(page.tags()) if tag in BLOCK_NODES]
    if not blocks:
        return
    element = blocks[n % len(blocks)]
    rule = names_of(page, element)
    by_id, by_class, by_path = (marks[element] for marks in rule.candidates(page))
    assert (by_id, by_class, by_path) == (bool(rule.id), bool(rule.class_), True)


def test_a_page_without_blocks_or_text_has_no_best_one():
    assert [best_block(Page.parse(html)) for html in ("", "<p>Text</p>", "<div></div>")] == [(-1, 0.0)] * 3
    assert learn_rule([Page.parse("<p>Text</p>")]) is None
    assert learn_rule([]) is None


@pytest.mark.parametrize(
    ("attributes", "id_", "class_"),
    [
        ("id=a.b class='c d'", "a.b", "c d"),
        ("id=post-12 class=w-1/2", "post-", "w-/"),
        ("class='p-.5 x'", "", ""),  # cannot be read back from text
        ("id=.a class=a", ".a", "a"),
        ("", "", ""),
    ],
)
def test_names_with_odd_characters(attributes, id_, class_):
    rule = names_of(Page.parse(f"<body><div {attributes}>x</div></body>"), 2)
    assert (rule.id, rule.class_) == (id_, class_)


def test_id_before_class_before_path_where_unambiguous():
    page = Page.parse("<body><div id=a class=c>x</div><table class=c></table><section class=d></section></body>")
    assert TemplateRule("a", "d", "html/body/section").find(page) == 2
    assert TemplateRule("none", "d", "html/body/div").find(page) == 4
    assert TemplateRule("none", "c", "html/body/table").find(page) == 3  # two have the class
    assert TemplateRule("none", "c", "html/body").find(page) == -1
    assert TemplateRule().find(page) == -1


def test_ambiguous_names_are_left_out():
    site = [Page.parse(f"<body><section><div class=box>{text}</div></section><div class=box>x</div></body>")
            for text in ("First story.", "Second one.")]  # fmt: skip
    assert str(learn_rule(site)) == "html/body/section/div"


@given(st.lists(SOUP, min_size=1, max_size=3))
@example(["<body>" + "<div>" * 500 + "The end of it all."])
def test_broken_and_deep_markup_gives_a_rule_or_none(site):
    parsed = [Page.parse(html) for html in site]
    rule = learn_rule(parsed)
    assert rule is None or -1 <= rule.find(parsed[0]) < len(parsed[0].elements)
