"""What a page says it is, and that no page can make it costly."""

import time

import pytest

from denoise_scrapy.page import Page
from denoise_scrapy.page.attributes import MAX_JSON, MAX_TYPES

LD = '<script type="application/ld+json">'


def types(html):
    return sorted(Page.parse(html).declared_types)


@pytest.mark.parametrize(
    ("html", "found"),
    [
        (f'<head>{LD}{{"@type": "NewsArticle"}}</script></head><p>x', ["newsarticle"]),
        (f'<body><p>x</p>{LD}{{"@graph":[{{"@type":["Product","Thing"]}}]}}</script>', ["product", "thing"]),
        (f'{LD}{{"@type":"http:\\/\\/schema.org\\/QAPage"}}</script><p>x', ["qapage"]),
        ("<div itemscope itemtype='https://schema.org/Product/ http://schema.org/Car'>x</div>", ["car", "product"]),
        ("<div itemScope itemType='https://schema.org/Product'>x</div>", ["product"]),
        ("<head><meta property='og:type' content='Article'></head><p>x", ["og:article"]),
        ("<div>early</div><meta property='og:type' content='video.movie'><p>x", ["og:video.movie"]),
        ("<meta name=Generator content='WordPress 6.4'><p>x", ["generator:wordpress"]),
        ("<noscript><div itemtype='http://schema.org/Thing'>" + "word " * 50 + "</div></noscript>", ["thing"]),
    ],
)
def test_types_are_found_wherever_they_stand(html, found):
    assert types(html) == found


@pytest.mark.parametrize(
    "html",
    [
        '<pre>{"@type": "Product"}</pre>',
        '<script>x = {"@type": "Product"}</script><p>x',
        '<!-- <meta property="og:type" content="article"> --><p>x',
        "<meta property='og:title' content='article'><meta property='og:type'><meta content='x'><p>x",
        f'{LD}{{"@type": 7, "@type": "", "@type": "\\u0000"}}</script><div itemtype>x</div><div itemtype="///">x',
    ],
)
def test_what_declares_nothing(html):
    assert types(html) == []


def test_after_a_script_of_the_head_its_text_and_title_are_still_read():
    page = Page.parse(
        f'<head>{LD}{{"@type":"Article"}}</script><title>T</title><style>"@type":"Car"</style></head><p>x'
    )
    assert (page.title, sorted(page.declared_types)) == ("T", ["article"])


@pytest.mark.parametrize(
    "json",
    [
        '{"a":' * 500_000,
        '"@type":' + " " * 5_000_000,
        '"@type"' * 500_000,
        '"@type":["' * 500_000,
        "".join(f'{{"@type":"Type{i}"}},' for i in range(300_000)),
    ],
    ids=["nested", "spaces", "no values", "open lists", "many types"],
)
def test_hostile_json_is_bounded(json):
    start = time.perf_counter()
    page = Page.parse(f"{LD}{json}</script><p>story")
    assert len(page.declared_types) <= MAX_TYPES
    assert max(map(len, page.declared_types), default=0) < 60
    assert page.block_text(0) == "story"
    assert time.perf_counter() - start < 30


def test_types_after_the_json_budget_do_not_count():
    assert types(f'{LD}{" " * MAX_JSON}{{"@type":"Late"}}</script><p>x') == []


def test_hostile_attributes_are_bounded():
    html = f"<div itemtype='{'x' * 5_000_000}'>a</div>" + "<p itemtype='http://s.org/A1 Bc'>b</p>" * 1000
    assert types(html) == ["a1", "bc"]
