"""Boxes of foreign content: further stories, teasers, galleries, biographies, appeals, comments, advertisements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from typing import Any

from training.made_donors import Donor, story_element
from training.made_style import DATA, Style

#: Paragraphs of a further story at most, where it is put together of them.
MAX_PARAGRAPHS = 40


def story(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """One or two further stories whole: headline, byline, date, paragraphs."""
    rng, made = style.rng, []
    for one in donors[: rng.choice((1, 1, 2))]:
        whole = story_element(one.page) if rng.random() < 0.6 else None
        title = one.title if rng.random() < 0.3 else style.link(one.page, one.title)
        head: list[Any] = [style.heading(title)]
        if rng.random() < 0.7:
            head.append(style.make(rng.choice(("p", "div", "span")), "by", style.say("by"), " ", style.date()))
        if whole is not None:
            text = [deepcopy(whole)]
        else:
            text = [style.make("p", "", line) for line in one.paragraphs[:MAX_PARAGRAPHS]]
        made.append(style.make(rng.choice(("div", "article", "article", "section")), "box", *head, *text))
    return made


def teasers(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """A list of linked headlines with a sentence or two."""
    rng = style.rng
    image, date, leads = rng.random() < 0.4, rng.random() < 0.4, rng.choice((1, 1, 2))
    items = []
    for one in donors[: rng.randint(3, 12)]:
        title = style.link(one.page, one.title)
        parts = [style.make("img", "", src=f"/i/{rng.getrandbits(20)}.jpg", alt="")] if image else []
        parts.append(title if rng.random() < 0.2 else style.make(style.heading_tag, "title", title))
        if date:
            parts.append(style.make("span", "date", style.date()))
        start = rng.randrange(max(len(one.sentences) - leads, 1))
        lead = " ".join(one.sentences[start : start + leads])
        parts.append(style.make(style.text_tag, "lead", lead))
        items.append(style.make("div" if style.item_tag == "p" else style.item_tag, "item", *parts))
    return [style.box(items, style.heading(style.say("latest")) if rng.random() < 0.75 else None)]


def gallery(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """Captions of another story's pictures with counters, all of them some times."""
    rng, shown = style.rng, []
    one = donors[0]
    some = [sentence for each in donors[:3] for sentence in each.sentences[:12]]
    captions = rng.sample(some, min(len(some), rng.randint(3, 10)))
    of, tag = rng.choice(("/", " / ")), rng.choice((style.text_tag, "figcaption"))
    for _ in range(rng.randint(2, 6)):
        for i, caption in enumerate(captions):
            counter = style.make("span", "counter", f"{i + 1}{of}{len(captions)}")
            text = style.make(tag, "caption", caption, " ", style.say("photo"))
            parts = [style.make("img", "", src=f"/g/{rng.getrandbits(20)}.jpg"), counter, text]
            shown.append(style.make("figure" if style.item_tag == "article" else "div", "item", *parts))
    return [style.box(shown, style.heading(one.title) if rng.random() < 0.7 else None)]


def biography(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """A few sentences about an author."""
    name = style.rng.choice(style.people)
    return _sentences(style, "biography", style.heading(style.say("about")), name=name)


def appeal(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """An appeal for donations, a newsletter, a notice of a reprint."""
    return _sentences(style, "appeal", style.heading(style.say("about")))


def _sentences(style: Style, what: str, heading: Any, **known: str) -> list[Any]:
    rng, some = style.rng, style.words(what)
    chosen = [style.fill(text, **known) for text in rng.sample(some, min(len(some), rng.randint(1, 4)))]
    between = "" if style.language in ("zh", "ja") else " "
    lines = chosen if rng.random() < 0.4 else [between.join(chosen)]
    items = [style.make(style.text_tag if rng.random() < 0.9 else "em", "lead", line) for line in lines]
    if rng.random() < 0.25 and len(items) == 1:
        return [style.make("p", "box", style.make(rng.choice(("em", "i", "small")), "", lines[0]))]
    return [style.box(items, heading if rng.random() < 0.5 else None)]


def comments(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """A thread of comments: names, dates, links to reply, sentences of other pages."""
    rng = style.rng
    some = [sentence for one in donors for sentence in one.sentences]
    reply, date, depth = rng.random() < 0.6, rng.random() < 0.8, rng.random() < 0.3
    table, name_tag = rng.random() < 0.1, rng.choice(("div", "span", "b"))
    items: list[Any] = []
    for _ in range(min(rng.randint(2, 30), len(some))):
        start, said = rng.randrange(len(some)), rng.choice((1, 1, 2, 3))
        body = " ".join(some[start : start + said])
        head = style.make(name_tag, "name", style.fill(rng.choice(style.names)))
        parts = [head, style.make("span", "date", style.date())] if date else [head]
        parts.append(style.make(style.text_tag, "body", body))
        if reply:
            parts.append(style.make("a", "reply", style.say("reply"), href="#reply"))
        if table:
            items.append(style.make("tr", "item", style.make("td", "", *parts[:-1]), style.make("td", "", parts[-1])))
            continue
        item = style.make("div" if style.item_tag == "p" else style.item_tag, "item", *parts)
        if depth and items and rng.random() < 0.4:
            items[-1].append(item)
        else:
            items.append(item)
    heading = style.heading(style.say("comments")) if rng.random() < 0.7 else None
    if table:
        rows = style.make("table", "box", *items)
        return [rows] if heading is None else [heading, rows]
    return [style.box(items, heading)]


def advert(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """An advertisement: a product's promises, the words the same on all pages of the site."""
    rng, same = style.rng, copy(style)
    same.rng = stock = style.stock
    product = stock.choice(DATA["products"])
    some = style.words("promise")
    chosen = stock.sample(some, min(len(some), stock.randint(1, 4)))
    label = same.say("label") if stock.random() < 0.6 else ""
    told = [same.fill(text, product=product) for text in chosen]
    headed = stock.random() < 0.3
    items = [style.make("div" if rng.random() < 0.5 else "span", "label", label)] if label else []
    text = (" " if style.language not in ("zh", "ja") else "").join(told)
    items.append(
        style.make(style.text_tag, "lead", style.make("a", "", text, href="/go") if rng.random() < 0.3 else text)
    )
    return [style.box(items, style.heading(product) if headed else None)]


#: What makes the boxes of each kind.
MAKERS: dict[str, Callable[[Style, Sequence[Donor]], list[Any]]] = {
    "story": story,
    "teasers": teasers,
    "gallery": gallery,
    "biography": biography,
    "appeal": appeal,
    "comments": comments,
    "advert": advert,
}
