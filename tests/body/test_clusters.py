"""Densities, rules, and their text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.strategies.cluster import (
    BLOCK_NODES,
    SHARE_COST,
    TemplateRule,
    best_block,
    learn_rule,
    names_of,
    node_densities,
)
from denoise_scrapy.page import Page
from tests.html_strategies import SOUP, pages


def block_nodes(page: Page) -> list[int]:
    return [i for i, tag in enumerate(page.tags()) if tag in BLOCK_NODES]


def path_of(page: Page, element: int) -> str:
    return "/".join(tag for i, tag in enumerate(page.tags()) if i <= element < page.elements.end[i])


def literal_density(page: Page, block: int, alpha: float) -> float:
    """The source's definitions 7 to 9 and equation 5, element by element."""
    e, tags = page.elements, page.tags()
    linked = [any(tags[up] == "a" for up in range(i + 1) if i < e.end[up]) for i in range(len(e))]

    def chars(members: range, *, links: bool) -> int:
        return sum(int(e.own_chars[i]) for i in members if links or not linked[i])

    own, every = range(block, int(e.end[block])), range(len(e))
    p_text = chars(own, links=False) / (1 + chars(every, links=False))
    p_link = sum(tags[i] == "a" for i in own) / (1 + tags.count("a"))
    p_textl = chars(own, links=False) / (1 + chars(own, links=True))
    return p_text * (1 - p_link) * p_textl / (1 + len(own) * alpha)


@given(pages(3), st.sampled_from([0.0, 0.005, 0.5]))
def test_densities_equal_the_literal_ones(html, alpha):
    page = Page.parse(html)
    nodes, densities = node_densities(page, alpha)
    assert nodes.tolist() == block_nodes(page)
    assert densities.tolist() == pytest.approx([literal_density(page, i, alpha) for i in nodes.tolist()])


@given(st.lists(pages(3) | SOUP, max_size=4))
def test_the_rule_has_the_highest_sum(site):
    parsed = [Page.parse(html) for html in site]
    sums: dict[TemplateRule, float] = {}
    for page in parsed:
        values = {i: literal_density(page, i, SHARE_COST / len(page.elements)) for i in block_nodes(page)}
        if any(values.values()):
            best = max(values, key=lambda i: (round(values[i], 12), -i))
            names = names_of(page, best)
            sums[names] = sums.get(names, 0) + values[best]
    rule = learn_rule(parsed)
    assert (rule is None) == (not sums)
    if rule is not None:
        assert all(-1 <= rule.find(page) < len(page.elements) for page in parsed)
        leaders = [one for one, total in sums.items() if total == pytest.approx(max(sums.values()))]
        alike = [one for one in leaders if rule.id in ("", one.id) and rule.class_ in ("", one.class_)]
        assert any(rule.path == one.path for one in alike)


@given(pages())
def test_names_lead_back_to_their_element(html):
    page = Page.parse(html)
    for element in block_nodes(page):
        rule = names_of(page, element)
        by_id, by_class, by_path = rule.candidates(page)
        assert (element in by_id, element in by_class) == (bool(rule.id), bool(rule.class_))
        assert by_path.tolist() == [i for i in block_nodes(page) if path_of(page, i) == rule.path]
        assert rule.path == path_of(page, element)


def test_a_page_without_blocks_or_text_has_no_best_one():
    assert [best_block(Page.parse(html)) for html in ("", "<p>Text</p>", "<div></div>")] == [(-1, 0.0)] * 3
    assert learn_rule([Page.parse("<p>Text</p>")]) is learn_rule([]) is None


@pytest.mark.parametrize(
    ("attributes", "id_", "class_", "written"),
    [
        ("id=a.b class='c d'", "a.b", "c d", "#a.b"),
        ("id=post-12 class=w-1/2", "post-", "w-/", "#post-"),
        ("class='p-.5 x'", "", "", "html/body/div"),  # cannot be read back from text
        ("id=.a class=a", ".a", "a", "#.a"),
        ("class='story main'", "", "story main", ".story.main"),
        ("", "", "", "html/body/div"),
    ],
)
def test_names_and_their_text(attributes, id_, class_, written):
    rule = names_of(Page.parse(f"<body><div {attributes}>x</div></body>"), 2)
    assert (rule.id, rule.class_, str(rule)) == (id_, class_, written)


def test_id_before_class_before_path_where_unambiguous():
    page = Page.parse("<body><div id=a class=c>x</div><table class=c></table><section class=d></section></body>")
    assert TemplateRule("a", "d", "html/body/section").find(page) == 2
    assert TemplateRule("none", "d", "html/body/div").find(page) == 4
    assert TemplateRule("none", "c", "html/body/table").find(page) == 3  # two have the class
    assert TemplateRule("none", "c", "html/body").find(page) == -1
    assert TemplateRule().find(page) == -1
    page = Page.parse("<body><section><div>x</div></section><article><div>y</div></article></body>")
    assert TemplateRule(path="html/body/article/div").find(page) == 5  # the whole path counts


def test_ambiguous_names_are_left_out():
    frame = "<body><section><div class=box>{}</div></section><div class=box>x</div></body>"
    assert str(learn_rule([Page.parse(frame.format(text)) for text in ("First story.", "Second one.")])) == (
        "html/body/section/div"
    )


def test_a_deep_page():
    deep = Page.parse("<body>" + "<div>" * 500 + "The end of it all.")
    assert learn_rule([deep, deep]).find(deep) == len(deep.elements) - 1
