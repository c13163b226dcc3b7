"""The kind of a page: what is told, on which pages, at what cost."""

import time

import numpy as np
import pytest

from denoise_scrapy.body import SiteModel, extract
from denoise_scrapy.body.kinds import FEATURES, KINDS, KindModel, kind_features, kind_model
from denoise_scrapy.page import Page

PROSE = "The river rose again on Tuesday, and by noon the council had closed the old bridge to all but walkers. "
MENU = "<nav><ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/about>About us</a></ul></nav>"

PAGES = {
    "article": (
        "http://paper.example/2024/03/12/old-bridge-closed-after-flood.html",
        "<title>Old bridge closed after flood - The Paper</title>"
        "<meta property=og:type content=article><script type='application/ld+json'>{'@type':'NewsArticle'}</script>"
        f"{MENU}<article class=story><h1>Old bridge closed after flood</h1><p class=byline>By Ann Other</p>"
        + f"<p>{PROSE * 3}</p>" * 9
        + "</article><footer>All rights reserved</footer>",
    ),
    "forum": (
        "http://forum.example/t/bridge-closed-how-do-you-commute/8812",
        "<title>Bridge closed, how do you commute? - Town Forum</title>"
        '<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>'
        f"{MENU}<h1>Bridge closed, how do you commute?</h1>"
        + "".join(
            f"<div class='post topic-post'><div class='user avatar'>walker{i}</div><span class=date>2 days ago</span>"
            f"<div class=message><p>{PROSE}</p></div><a class=reply>Reply</a> <a>Quote</a><span>{i} likes</span></div>"
            for i in range(12)
        ),
    ),
    "product": (
        "http://shop.example/products/walking-boots",
        "<title>Walking boots | Buy online at the Shop</title><meta property=og:type content=product>"
        '<script type="application/ld+json">{"@type":"Product","offers":{"@type":"Offer"}}</script>'
        f"{MENU}<div class=product-gallery><img src=1.jpg><img src=2.jpg></div>"
        "<h1 class=product-title>Walking boots</h1>"
        "<div class=product-price>$89.00</div><div>In stock</div><label>Quantity</label><input>"
        "<button class=add-to-cart>Add to cart</button><p>Free shipping</p>"
        f"<div class=product-description><p>{PROSE}</p><h2>Specifications</h2><ul><li>Leather<li>Size 42</ul></div>"
        "<h2>Reviews</h2><div class=rating>4.5 stars</div>",
    ),
    "documentation": (
        "http://docs.example/en/latest/guide/bridges.html",
        "<title>Bridges — Walker 2.1 documentation</title><meta name=generator content='Sphinx 7'>"
        f"{MENU}<div class='sphinxsidebar toc'><ul>" + "<li><a href=a>Chapter</a>" * 9 + "</ul></div>"
        "<div class=document><h1>Bridges</h1><p>On this page: overview, parameters, syntax, example, see also.</p>"
        + f"<h2>Parameters</h2><p>{PROSE}</p><div class=highlight><pre>bridge = Bridge(open=False)</pre></div>"
        "<h2>Example</h2><dl><dt><code>open</code><dd>Whether one may cross.</dl>"
        * 4
        + "<a>Previous</a><a>Next</a></div>",
    ),
}


@pytest.mark.parametrize("kind", PAGES)
def test_plain_cases(kind):
    url, html = PAGES[kind]
    found = kind_model().kinds_of(Page.parse(html.replace("{'@type':'", '{"@type":"').replace("'}", '"}'), url=url))
    assert max(found, key=found.get) == kind
    assert sum(found.values()) == pytest.approx(1)
    assert tuple(found) == KINDS


def test_an_index_is_no_article():
    cards = "".join(
        f"<div class='card listing-item'><a href=/n/{i}><img src={i}.jpg></a>"
        f"<h3><a href=/n/{i}>The council met for the "
        f"{i}th time this year</a></h3><span>3 hours ago</span><a>Read more</a></div>"
        for i in range(30)
    )
    html = f"<title>News archives</title>{MENU}<h1>News</h1>{cards}<a>Next page</a><a>Load more</a>"
    found = kind_model().kinds_of(Page.parse(html, url="http://paper.example/category/news/page/2"))
    assert max(found, key=found.get) in ("listing", "collection")


def test_the_model_fits_the_features():
    model = kind_model()
    assert model.names == FEATURES
    assert model.kinds == KINDS
    assert len(set(FEATURES)) == len(FEATURES)
    assert model.weights.shape == (len(KINDS), len(FEATURES))
    assert np.isfinite(model.weights).all()
    assert (model.scale > 0).all()


@pytest.mark.parametrize("html", ["", "<p>", "<title>x</title>", "\x00", "<p>" * 3000, "<input>" * 100])
@pytest.mark.parametrize("url", ["", "relative/path", "http://[bad", "http://a.example", "data:,x"])
def test_any_page_has_finite_probabilities(html, url):
    features = kind_features(Page.parse(html, url=url))
    assert features.shape == (len(FEATURES),)
    assert not np.isinf(features).any()
    found = kind_model().probability(features)
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(1)


def test_only_features_of_the_url_may_be_unknown():
    features = kind_features(Page.parse("<p>word"))
    assert all(np.isnan(value) == name.startswith("url_") for name, value in zip(FEATURES, features, strict=True))


def test_phrases_in_scripts_without_spaces_are_found_within_a_label():
    features = dict(zip(FEATURES, kind_features(Page.parse("<button>立即加入购物车</button><p>排序方式")), strict=True))
    assert (features["says_buy"], features["says_list"]) == (1, 1)


def test_text_counts_below_all_class_words_above_it():
    page = Page.parse("<div class=thread><div><div><p class=reviewText>one two three</p></div></div></div><p>four")
    features = dict(zip(FEATURES, kind_features(page), strict=True))
    assert (features["in_class_forum"], features["in_class_rating"]) == (0.75, 0.75)
    assert features["in_class_product"] == 0


def test_a_saved_model_is_the_same(tmp_path):
    model = kind_model()
    model.save(tmp_path / "kinds.npz")
    loaded = KindModel.load(tmp_path / "kinds.npz")
    features = kind_features(Page.parse(PAGES["forum"][1]))
    assert loaded.probability(features).tolist() == model.probability(features).tolist()
    assert (loaded.kinds, loaded.names, loaded.provenance) == (model.kinds, model.names, model.provenance)


@pytest.mark.parametrize("kind", ["forum", "documentation"])
def test_a_body_tells_its_page(kind):
    url, html = PAGES[kind]
    body = extract(html, url)
    assert body.kind == kind
    assert body.kind_probabilities == kind_model().kinds_of(Page.parse(html, url=url))


def test_the_kind_is_computed_when_asked_for_and_after_the_columns_are_gone(monkeypatch):
    asked = []
    monkeypatch.setattr(KindModel, "kinds_of", lambda self, page: asked.append(page) or {"forum": 0.4, "product": 0.6})
    page = Page.parse(PAGES["forum"][1])
    body = SiteModel.fit().extract(page)
    assert not asked
    page.drop_columns()
    assert (body.kind, body.kind, asked) == ("product", "product", [page])


def test_a_hostile_page_takes_bounded_time():
    classes = "".join(f"<p class='{'w' * 300} c{'x' * (i % 50)}'>a</p>" for i in range(30_000))
    page = Page.parse(f"<title>{'word ' * 200_000}</title>{classes}", url="http://a.example/" + "a/" * 500_000)
    assert len(page.blocks) == 30_000
    start = time.perf_counter()
    kind_features(page)
    assert time.perf_counter() - start < 20
