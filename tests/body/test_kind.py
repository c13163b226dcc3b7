"""Kinds of pages, on made ones: those of recorded pages are scored by cross-validation."""

import pickle

from denoise_scrapy import extract
from denoise_scrapy.body.kind import KINDS

STORY = "The river rose again on Monday, and the mayor closed the bridge until the flood is over, said the police. " * 3
FRAME = "<title>{}</title><nav><a href=/a>News</a> <a href=/b>Sport</a></nav><main>{}</main><footer>Imprint</footer>"
ARTICLE = FRAME.format("Flood", f"<h1>Flood</h1><p>By Ann Reed, 4 May 2024</p>{f'<p>{STORY}</p>' * 8}")
WALL = FRAME.format("Log in", "<h1>Log in</h1><p>Please log in to read on.</p><form><button>Log in</button></form>")


def test_kinds_of_plain_pages():
    assert extract(ARTICLE).kind == "article"
    assert extract(WALL).kind == "none"
    assert extract("").kind == "none"
    assert extract(ARTICLE, strategy="lcs").kind == "article"
    assert extract(ARTICLE).kind in KINDS


def test_a_page_beyond_a_limit_has_no_kind():
    body = extract("<div>" * 2100 + "deep")
    assert body.fallback == "too large" and body.kind == ""


def test_a_kind_survives_its_way_to_another_process():
    assert pickle.loads(pickle.dumps(extract(ARTICLE))).kind == "article"
