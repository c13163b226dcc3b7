"""Made pages: foreign content is put in, and the truth stays as it was; shortened pages, lists, threads and walls."""

import random
from itertools import combinations, compress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from evaluation.corpora import RecordedPage
from example_project.portal.model import tokens
from training.dataset import FEW_BLOCKS, balanced_folds, examples, site_publisher
from training.labels import GRAM, block_tokens, gold_share
from training.made import CONTENT, FOLDS, KINDS, TEXTS, listed, made_of
from training.made_boxes import story_element
from training.made_threads import made_threads

WORDS = (
    "harbour council winter ferry bridge market teacher garden river engine letter window music doctor island paper"
    " summer kitchen mountain library station village painter morning captain weather baker forest lantern orchard"
    " quickly opened closed carried wrote found built sold told crossed left behind under every another small large"
).split()


def recorded(number, kind="article", host="one.example", head=""):
    """A page with a story of its own words: six paragraphs of two sentences."""
    rng = random.Random(f"{host} {number}")
    lines = [" ".join(" ".join(rng.sample(WORDS, 20)).capitalize() + "." for _ in range(2)) for _ in range(6)]
    title = f"{' '.join(rng.choice(WORDS) for _ in range(5))}"
    story = "".join(f"<p>{line}</p>" for line in lines)
    page = (
        f"<html><head><title>{title} | One</title>{head}</head><body><nav><a href=/>Home</a> <a href=/a>All</a></nav>"
        f"<div class=main><h1>{title}</h1><div>{story}</div><p>Share this with others</p></div>"
        "<footer>All rights reserved by one and by all</footer></body></html>"
    )
    return RecordedPage(f"http://{host}/{number}", page, "\n".join([title, *lines]), host, kind)


def site(pages=8, **more):
    return [recorded(i, **more) for i in range(pages)]


def made_pages(pages):
    """All pages that are made of some, and the number of each's recorded one."""
    return [(i, made) for i in range(len(pages)) for made in made_of(pages, i, (), KINDS)]


def grams(text):
    words = tokens(text)
    return {tuple(words[i : i + GRAM]) for i in range(len(words) - GRAM + 1)}


def foreign_share(pages, made, own):
    """Share of a made page's foreign 3-grams that are of some pages, those of the recorded page left out."""
    lines = made.page.text_of(made.foreign).splitlines()
    wanted = {gram for line in lines for gram in grams(line)} - grams(own)
    return len(wanted & grams(" ".join(page.gold for page in pages))) / len(wanted)


def in_list(page):
    return page.elements.has_tag({"li"})[page.blocks.element]


def test_own_blocks_and_their_share_of_gold_stay_and_text_is_of_the_named_pages():
    pages = site()
    for i, made in made_pages(pages):
        before, own = Page.parse(pages[i].html), pages[i].gold
        assert made.foreign.any() and i not in made.donors
        assert list(compress(made.page.block_texts, ~made.foreign)) == before.block_texts
        words = list(compress(block_tokens(made.page), ~made.foreign))
        assert np.array_equal(gold_share(words, own), gold_share(block_tokens(before), own))
        if made.kind in ("story", "teasers", "gallery", "comments"):
            donors = [page for j, page in enumerate(pages) if j in made.donors]
            rest = [page for page in pages if page not in donors]
            assert donors and foreign_share(donors, made, own) > 0.5 > 0.1 > foreign_share(rest, made, own)


def test_a_site_of_one_page_takes_text_of_others_of_its_kind():
    others = [site(3, host="two.example"), site(3, host="three.example", kind="product")]
    made = {one.kind: one for one in made_of([recorded(0)], 0, others)}
    assert set(made) == set(KINDS)
    assert foreign_share(others[0], made["story"], "") > 0.5 > 0.05 > foreign_share(others[1], made["story"], "")
    assert {one.kind for one in made_of([recorded(0)], 0)} == {"biography", "appeal", "advert"}


def test_the_same_pages_give_the_same_and_pages_like_the_kind_are_left_alone(monkeypatch):
    before, again = ([one.page.block_texts for _, one in made_pages(site(3))] for _ in range(2))
    monkeypatch.setattr("training.made.SEED", 1)
    assert before == again != [one.page.block_texts for _, one in made_pages(site(3))]
    declared = '<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script>'
    assert not any(made_pages(some) for some in (site(head=declared), site(kind="forum"), site(kind="listing")))


def test_examples_of_made_pages():
    sites, folds = [site(4), site(4, host="two.example")], {"one.example": 2, "two.example": 3}
    plain = list(examples("news", sites, folds, (5, 0)))
    both = list(examples("news", sites, folds, (5, 0), made=1.0))
    assert not any(example.made for example in plain)
    assert len([example for example in both if not example.made]) == len(plain)
    made, short = ([one for one in both if one.made in kinds] for kinds in (KINDS, ("short",)))
    assert len(made) == len(short) == len(plain)
    assert all(1 <= len(example.share) <= FEW_BLOCKS and example.share.any() for example in short)
    own_lists = [one for one in made if one.share[in_list(one.page)].any()]
    assert 0 < len(own_lists) < len(made)
    for example in made:
        assert example.fold == folds[example.page.url.split("/")[2]]
        assert example.features.shape[1] == len(example.share) == len(example.tokens) == len(example.lengths)
        own = next(one for one in plain if one.page.url == example.page.url)
        kept, story = (list(compress(one.page.block_texts, one.share > 0.5)) for one in (example, own))
        assert " ".join(kept) == " ".join(story)
        assert kept == story or any(example is one for one in own_lists)


@pytest.mark.parametrize("number", range(8))
def test_a_part_of_the_story_becomes_a_list(number):
    sentences = "Ferry {} was closed at dawn. Nobody knew for hours why it had been. {} people waited outside in rain."
    lines = [sentences.format(n, n) for n in range(6)]
    html = f"<body><nav><a href=/>Home</a></nav><div>{''.join(f'<p>{line}</p>' for line in lines)}</div></body>"
    page = RecordedPage(f"http://one.example/{number}", html, "\n".join(lines))
    before, after = Page.parse(page.html), Page.parse(listed(page))
    assert " ".join(before.block_texts) == " ".join(after.block_texts)
    assert after.elements.has_tag({"ul", "ol"}).sum() == 1 and 2 <= in_list(after).sum() <= 8
    assert gold_share(block_tokens(after), page.gold)[in_list(after)].all()


def test_a_fold_gets_no_text_of_another():
    """Of sites with one page each, those alone in their fold get what needs no other page."""
    sites = [[recorded(0, host=f"{name}.example")] for name in "abcdefghijklmnop"]
    apart = {site_publisher(one): number for number, one in enumerate(sites)}
    kinds = {one.made for one in examples("news", sites, apart, (0,), made=1.0)}
    assert kinds <= {"", "biography", "appeal", "advert", "short", "wall", "note", "alone", "thread"}
    assert {one.made for one in examples("news", sites, dict.fromkeys(apart, 0), (0,), made=1.0)} > kinds


def test_a_story_that_only_pages_without_scripts_show_can_be_put_on_another_page():
    page = recorded(0)
    of_noscript = page.html.replace("<div><p>", "<noscript><p>").replace("</p></div><p>", "</p></noscript><p>")
    story = story_element(RecordedPage(page.url, of_noscript, "\n".join(page.gold.split("\n")[1:])))
    assert (story.tag, len(story)) == ("div", 6)


def test_only_what_people_wrote_is_content_of_a_thread():
    sites = [site(5, host=f"many{n}.example") for n in range(6)]
    gold = {page.url: page.gold for one in sites for page in one}
    threads = [thread for one in sites for thread in made_threads(one)]
    assert len(threads) == 30
    for page, share in threads:
        written = tokens(page.text_of(share == 1))
        assert written and set(written) <= set(tokens(gold[page.url]))
        assert share[[text.startswith(("Home", "All rights")) for text in page.block_texts]].tolist() == [0, 0]
    folds = {site_publisher(one): n % 4 for n, one in enumerate(sites)}
    found = [one for one in examples("news", sites, folds, (0,), 1.0) if one.made == "thread"]
    assert found and all(one.fold == folds[one.publisher] for one in found)


def test_walls_are_worded_otherwise_for_each_fold_and_nothing_on_them_is_content(monkeypatch):
    for texts in (texts for kinds in TEXTS.values() for texts in kinds.values()):
        for one, other in combinations((set(text.lower().split()) for text in texts), 2):
            assert len(one & other) <= 0.6 * min(len(one), len(other))
    monkeypatch.setattr("training.dataset.WALLS", 1.0)
    found = [one for one in examples("news", [site(3)], {"one.example": 0}, (0,), made=1.0) if one.made == "wall"]
    assert len(found) == 3 and not any(one.share.any() for one in found)


def test_short_texts_in_their_place_are_content_in_each_language_and_fold(monkeypatch):
    assert CONTENT.keys() == TEXTS.keys() and all(len(set(texts)) == len(texts) >= FOLDS for texts in CONTENT.values())
    monkeypatch.setattr("training.dataset.WALLS", 1.0)
    of_fold = {line for texts in CONTENT.values() for text in texts[2::FOLDS] for line in text.split("\n")}
    found = [one for one in examples("news", [site(3)], {"one.example": 2}, (0,), made=1.0) if one.made == "note"]
    assert len(found) > 1
    for one in found:
        kept = [text for text, share in zip(one.page.block_texts, one.share, strict=True) if share]
        assert kept and set(kept) <= of_fold


PUBLISHERS = st.tuples(st.sampled_from("xyz"), st.sampled_from("abcdefghijkl"))


@given(st.dictionaries(PUBLISHERS, st.integers(1, 40), min_size=1))
def test_every_publisher_has_one_fold_and_none_has_all(pages):
    folds = balanced_folds(pages)
    assert set(folds) == {publisher for _, publisher in pages} and set(folds.values()) <= set(range(FOLDS))
    assert folds == balanced_folds(dict(reversed(pages.items())))
    assert len(folds) < FOLDS or len(set(folds.values())) > 1
