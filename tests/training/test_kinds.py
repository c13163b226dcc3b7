"""Fitting kinds: folds are kept apart, URLs may lack, the result is a model that can be saved."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("tldextract")

from benchmarks.corpora import RecordedPage
from denoise_scrapy.body.kinds import FEATURES, KINDS, kind_features
from denoise_scrapy.page import Page
from training.kinds import fit_kinds, labelled_pages

HTML = {
    "article": "<h1>A story</h1>" + "<p>It rained all night, and the river rose to the old mill by noon today.</p>",
    "forum": "<div class=post><p>Reply</p><p>Quote</p><p>What do you think of rain?</p></div>",
    "product": "<div class=price>$5</div><button>Add to cart</button><img src=a>",
}


def pages_of(count):
    corpora = {"single": [], "news": []}
    for i in range(count):
        kind = list(HTML)[i % 3]
        url = f"http://site{i}.example/{'' if i % 2 else 'x/'}{i}"
        site = [RecordedPage(url, HTML[kind] * (1 + i % 4), "", f"site{i}.example", kind)]
        corpora["news" if kind == "article" else "single"].append(site)
    folds = {f"site{i}.example": i // 3 % 4 for i in range(count)}
    folds |= {name.partition(".")[0]: fold for name, fold in folds.items()}
    return list(labelled_pages(corpora, folds))


def test_fit():
    pages = pages_of(36)
    fitted = fit_kinds(pages, {"note": "made"})
    assert fitted.probability.shape == (36, len(KINDS))
    np.testing.assert_allclose(fitted.probability.sum(axis=1), 1)
    right = [KINDS[i] == page.kind for page, i in zip(pages, fitted.probability.argmax(axis=1), strict=True)]
    assert np.mean(right) == 1
    assert fitted.model.names == FEATURES
    assert fitted.model.provenance["note"] == "made"
    assert fitted.model.provenance["cross-validated accuracy"]["single without URL"] == 1
    assert "forum" in fitted.report
    # a kind that no page has is never found
    unknown = fitted.model.probability(kind_features(Page.parse(HTML["article"])))[KINDS.index("collection")]
    assert unknown < 1e-6


def test_pages_of_unknown_kind_are_left_out():
    site = [RecordedPage("http://a.example/", "<p>x", "", "a.example", kind) for kind in ("", "poem", "forum")]
    found = list(labelled_pages({"single": [site]}, {"a": 0, "a.example": 0}))
    assert [page.kind for page in found] == ["forum"]
