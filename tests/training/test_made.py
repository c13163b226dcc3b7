"""Made pages: foreign content is put in, and the truth stays as it was."""

import random
from collections.abc import Iterator
from itertools import compress

import numpy as np
import pytest

from denoise_scrapy.page import Page
from evaluation.corpora import RecordedPage
from example_project.portal.model import tokens
from training.dataset import FEW_BLOCKS, examples, site_publisher
from training.labels import GRAM, block_tokens, gold_share
from training.made import KINDS, MadePage, listed, made_of

WORDS = (
    "harbour council winter ferry bridge market teacher garden river engine letter window music doctor island paper"
    " summer kitchen mountain library station village painter morning captain weather baker forest lantern orchard"
    " quickly opened closed carried wrote found built sold told crossed left behind under every another small large"
).split()


def recorded(number: int, kind: str = "article", host: str = "one.example", head: str = "") -> RecordedPage:
    """A page with a story of its own words."""
    rng = random.Random(f"{host} {number}")
    lines = [" ".join(rng.choice(WORDS) for _ in range(25)).capitalize() + "." for _ in range(6)]
    title = f"{' '.join(rng.choice(WORDS) for _ in range(5))}"
    story = "".join(f"<p>{line}</p>" for line in lines)
    page = (
        f"<html><head><title>{title} | One</title>{head}</head><body><nav><a href=/>Home</a> <a href=/a>All</a></nav>"
        f"<div class=main><h1>{title}</h1><div>{story}</div><p>Share this with others</p></div>"
        "<footer>All rights reserved by one and by all</footer></body></html>"
    )
    return RecordedPage(f"http://{host}/{number}", page, "\n".join([title, *lines]), host, kind)


def site(pages: int = 8, **more: str) -> list[RecordedPage]:
    return [recorded(i, **more) for i in range(pages)]


def made_pages(
    pages: list[RecordedPage], others: list[list[RecordedPage]] = (), kinds=KINDS
) -> Iterator[tuple[int, MadePage]]:
    """All pages that are made of some, and the number of each's recorded one."""
    for i in range(len(pages)):
        yield from ((i, made) for made in made_of(pages, i, others, kinds))


def grams(text: str) -> set[tuple[str, ...]]:
    words = tokens(text)
    return {tuple(words[i : i + GRAM]) for i in range(len(words) - GRAM + 1)}


def foreign_share(body: str, foreign: str, own: str) -> float:
    """Share of the foreign text's 3-grams that stand in a body, those of the recorded page left out."""
    wanted = {gram for line in foreign.splitlines() for gram in grams(line)} - grams(own)
    return len(wanted & grams(body)) / len(wanted) if wanted else 0.0


def own_blocks(made: MadePage) -> list[str]:
    return list(compress(made.page.block_texts, ~made.foreign))


def foreign(made: MadePage) -> str:
    return made.page.text_of(made.foreign)


def test_own_blocks_and_their_share_of_gold_stay():
    pages = site()
    for i, made in made_pages(pages):
        before, after = Page.parse(pages[i].html), Page.parse(made.html)
        assert made.foreign.any()
        assert after.block_texts == made.page.block_texts
        assert own_blocks(made) == before.block_texts
        own = list(compress(block_tokens(after), ~made.foreign))
        assert np.array_equal(gold_share(own, pages[i].gold), gold_share(block_tokens(before), pages[i].gold))


@pytest.mark.parametrize("kind", ["story", "teasers", "gallery", "comments"])
def test_text_comes_from_other_pages_that_are_named(kind):
    pages = site()
    for i, made in made_pages(pages, kinds=[kind]):
        assert made.donors and i not in made.donors
        given = " ".join(pages[j].gold for j in made.donors)
        assert foreign_share(given, foreign(made), pages[i].gold) > 0.5
        rest = " ".join(page.gold for j, page in enumerate(pages) if j not in made.donors)
        assert foreign_share(rest, foreign(made), pages[i].gold) < 0.1


def test_a_site_of_one_page_takes_text_of_others_of_its_kind():
    others = [site(3, host="two.example"), site(3, host="three.example", kind="product")]
    made = {one.kind: one for one in made_of([recorded(0)], 0, others)}
    assert set(made) == set(KINDS)
    assert foreign_share(" ".join(page.gold for page in others[0]), foreign(made["story"]), "") > 0.5
    assert foreign_share(" ".join(page.gold for page in others[1]), foreign(made["story"]), "") < 0.05
    alone = {one.kind for one in made_of([recorded(0)], 0)}
    assert alone == {"biography", "appeal", "advert"}


def test_the_same_pages_give_the_same(monkeypatch):
    def made() -> list[str]:
        return [one.html for _, one in made_pages(site(3))]

    before = made()
    assert made() == before
    monkeypatch.setattr("training.made.SEED", 1)
    assert made() != before


def test_pages_like_the_kind_are_left_alone():
    declared = '<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script>'
    assert not list(made_pages(site(head=declared)))
    assert not list(made_pages(site(kind="forum")))
    assert not list(made_pages(site(kind="listing")))


def in_list(page):
    return page.elements.has_tag({"li"})[page.blocks.element]


def test_examples_of_made_pages():
    sites = [site(4), site(4, host="two.example")]
    folds = {"one.example": 2, "two.example": 3}
    plain = list(examples("news", sites, folds, (5, 0)))
    both = list(examples("news", sites, folds, (5, 0), made=1.0))
    assert not any(example.made for example in plain)
    assert len([example for example in both if not example.made]) == len(plain)
    made = [example for example in both if example.made in KINDS]
    short = [example for example in both if example.made == "short"]
    assert len(made) == len(short) == len(plain)
    assert all(1 <= len(example.share) <= FEW_BLOCKS and example.share.any() for example in short)
    own_lists = [one for one in made if one.share[in_list(one.page)].any()]
    assert 0 < len(own_lists) < len(made)
    for example in made:
        assert example.fold == folds[example.page.url.split("/")[2]]
        assert example.features.shape[1] == len(example.share) == len(example.tokens) == len(example.lengths)
        own = next(one for one in plain if one.page.url == example.page.url)
        kept = [text for text, share in zip(example.page.block_texts, example.share, strict=True) if share > 0.5]
        story = [text for text, share in zip(own.page.block_texts, own.share, strict=True) if share > 0.5]
        assert " ".join(kept) == " ".join(story)
        assert kept == story or any(example is one for one in own_lists)


@pytest.mark.parametrize("number", range(8))
def test_a_part_of_the_story_becomes_a_list(number):
    sentences = "Ferry {} was closed at dawn. Nobody knew for hours why it had been. {} people waited outside in rain."
    lines = [sentences.format(n, n) for n in range(6)]
    story = "".join(f"<p>{line}</p>" for line in lines)
    html = f"<body><nav><a href=/>Home</a></nav><div>{story}</div></body>"
    page = RecordedPage(f"http://one.example/{number}", html, "\n".join(lines))
    before, after = Page.parse(page.html), Page.parse(listed(page))
    assert " ".join(before.block_texts) == " ".join(after.block_texts)
    assert after.elements.has_tag({"ul", "ol"}).sum() == 1
    assert 2 <= in_list(after).sum() <= 8
    assert gold_share(block_tokens(after), page.gold)[in_list(after)].all()


def test_a_fold_gets_no_text_of_another():
    """Of sites with one page each, those alone in their fold get what needs no other page."""
    sites = [[recorded(0, host=f"{name}.example")] for name in "abcdefghijklmnop"]
    apart = {site_publisher(one): number for number, one in enumerate(sites)}
    kinds = {one.made for one in examples("news", sites, apart, (0,), made=1.0)}
    assert kinds <= {"", "biography", "appeal", "advert", "short", "wall", "alone"}
    together = dict.fromkeys(apart, 0)
    assert {one.made for one in examples("news", sites, together, (0,), made=1.0)} > kinds
