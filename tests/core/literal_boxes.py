"""What boxes make of the probabilities of their blocks (`core/boxes.pyx`), a whole column at a time."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from denoise_scrapy.core.features import SOURCES_BIT
from denoise_scrapy.core.markup import HEADING_TAGS, KIND_TAGS, Kind
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.columns import BoolArray, FloatArray, IntArray

STORY_SHARE, FACTOR = 0.3, 0.3
LIKELY, UNLIKELY = 0.6, 0.1
ENTRIES, PLACES, HEADED = 3, 2, 0.44
CALL_TOKENS, APPEAL_BLOCKS, LEVELS = 6, 6, 8
POSTS, FIRST_POST = 0.15, 60
_NO_APPEAL = ("pre", "blockquote", "figure", "img", "table")
SURE, LINK, TITLE = 0.9, 0.9, 2


def literal_weighed(page: Page, probability: FloatArray, bylines: BoolArray) -> FloatArray:
    """Return the probability of each of m blocks, shape (m,), given the boxes that they are in."""
    found, e = np.array(probability), page.elements
    article = e.nearest(e.has_tag({"article"})) if e.holds_tag({"article"}) else None
    if article is not None:
        lower_around_story(page, found, article)
    raise_links(page, found)
    raise_posts(page, found, probability)
    buttons = _buttons(page)
    found[buttons] *= FACTOR
    lower_appeals(page, found, buttons)
    if article is not None:
        raise_footers(page, found, article)
    found[bylines] *= FACTOR
    raise_titles(page, found)
    return found


def lower_around_story(page: Page, probability: FloatArray, article: IntArray) -> None:
    """Lower what is outside of the one article that has the page's headline, and most of its text."""
    blocks = page.blocks
    of, level = article[blocks.element], blocks.rows["heading"]
    is_title = page.words.titles & (level == 1)
    own, inside = {*of[is_title].tolist()} - {-1}, None
    if len(own) == 1:  # and posts: articles without a heading
        inside = blocks.inside(*own) | ~np.isin(of, [-1, *of[level > 0]])
    elif not own:  # then what is beside teasers: articles with a heading that leads away
        teasers = of[(level > 0) & (blocks.link_density > LINK)]
        inside = ~np.isin(of, teasers[teasers >= 0])
    if inside is not None:
        expected = blocks.tokens * probability
        if expected[inside].sum() >= STORY_SHARE * expected.sum():
            probability[~(inside | is_title)] *= FACTOR


def raise_links(page: Page, probability: FloatArray) -> None:
    """Raise sources, and entries with links, all in one or two places on the page, to the heading of their section."""
    e, blocks = page.elements, page.blocks
    level, marks = blocks.rows["heading"], e.rows["marks"]
    linked = np.flatnonzero(2 * blocks.link_chars > blocks.chars)
    headings = np.flatnonzero((level > 1) & (probability >= HEADED))
    first, last = np.searchsorted(linked, [headings + 1, headings + 1 + ENTRIES])
    of_sources = page.words.bits & SOURCES_BIT > 0
    headings = headings[(first < last) | of_sources[headings]]  # one of the first entries is a link
    seen = np.append(np.flatnonzero(probability), len(probability))
    ends = _section_ends(level) if len(headings) else {}
    for heading in headings.tolist():
        box, start, end = int(blocks.element[heading]), heading, heading + 1
        entry = int(seen[np.searchsorted(seen, heading + 1)])
        for _ in range(LEVELS):  # a heading may be alone in its box
            if end > entry or start < heading or e.parent[box] < 0:
                break
            box = int(e.parent[box])
            start, end = np.searchsorted(blocks.start, [marks["start"][box], marks["end"][box]]).tolist()
        some = slice(entry, max(entry, min(end, ends[heading])))
        many = (
            some.stop - some.start >= ENTRIES
            and 2 * blocks.link_chars[some].sum() > blocks.chars[some].sum()
            and probability[some].mean() > UNLIKELY
        )
        if (many or of_sources[heading]) and len({*blocks.slots[some].tolist()}) <= PLACES:
            probability[some] = np.maximum(probability[some], probability[heading])


def _section_ends(level: IntArray) -> dict[int, int]:
    """Return the next heading of each heading's level or above, by block; the number of blocks where there is none."""
    ends, below = dict[int, int](), dict[int, int]()
    for block in np.flatnonzero(level)[::-1].tolist():
        own = int(level[block])
        ends[block] = min((one for of, one in below.items() if of <= own), default=len(level))
        below[own] = block
    return ends


def raise_posts(page: Page, probability: FloatArray, before: FloatArray) -> None:
    """Raise texts in one place of boxes alike, each with a link and no heading, if the page has little else.

    Probable ones; and what is called comments, if the page has no heading, or the first post stands in such a box too.
    None that is less probable than `before`, as it is beside the story.
    """
    e, blocks = page.elements, page.blocks
    level = blocks.rows["heading"]
    is_post = (blocks.link_chars == 0) & (level == 0) & (probability < SURE)
    expected = blocks.tokens * probability
    if not 0 < expected[~is_post].sum() < FIRST_POST:
        return
    links, headings = blocks.subtree_sums(blocks.link_chars), blocks.subtree_sums(level > 0)
    kind = e.tokens["in_shape"][e.token]
    box = e.parent_or_self[blocks.element]
    first = box[np.argmax(np.where(is_post | (level > 0), 0, expected))]
    is_called = (blocks.flags & (Flag.COMMENT_WORD | Flag.CONTROL)) == Flag.COMMENT_WORD
    if level.any():
        is_called &= (kind[box] == kind[first]) & (e.column("class_")[first] > 0)
    box, place = blocks.element, kind[blocks.element]
    linked = np.zeros(len(blocks), bool)
    for _ in range(ENTRIES):  # a box around the text, one around that, and the post
        box = e.parent_or_self[box]
        is_post &= linked | (links[box] == 0) | (headings[box] == 0)
        linked |= links[box] > 0
        place = 3 * place + kind[box]
    is_post &= linked & (probability >= before)
    _, group = np.unique(place, return_inverse=True)
    several, called, sums, whole = (np.bincount(group, of * is_post) for of in (1, is_called, probability, expected))
    found = (several >= ENTRIES) & (2 * several > np.bincount(group))
    found &= (sums > POSTS * several) | (called == several)
    raised = is_post & (found & (expected.sum() - whole < FIRST_POST))[group]
    probability[raised] = np.maximum(probability[raised], LIKELY)


def _buttons(page: Page) -> BoolArray:
    """Return the short blocks that are buttons, but for those in headings and of what they open."""
    e, blocks = page.elements, page.blocks
    if not e.holds_tag({"button"}):
        return np.zeros(len(blocks), bool)
    titles = e.nearest(e.has_tag(HEADING_TAGS | {"summary", "dt"}))
    of = e.has_tag({"button"}) & (titles < 0)
    return np.asarray(of[blocks.element] & (blocks.tokens <= CALL_TOKENS))


def lower_appeals(page: Page, probability: FloatArray, buttons: BoolArray) -> None:
    """Lower a small box between sure paragraphs, with a form, or not sure and with a call to act: a link or button."""
    e, blocks = page.elements, page.blocks
    parent, is_form = e.parent, e.has_tag({"form"})
    is_call = (blocks.tokens <= CALL_TOKENS) & ((blocks.link_density > LINK) & (probability < HEADED) | buttons)
    if not (is_call.any() or is_form.any()):
        return
    above = parent[blocks.element[(blocks.paragraph_tokens > 0) & (probability > SURE)]]
    paragraphs = np.bincount(above + 1, minlength=len(parent) + 1)[1:]  # the first is around the root
    if paragraphs.max() < 2:
        return
    size = blocks.subtree_sums(np.ones(len(blocks)))
    is_small = (size <= APPEAL_BLOCKS) & (parent >= 0)
    found = is_small & (size > 1) & ~is_small[parent] & (paragraphs[parent] > 1)  # the largest small boxes
    forms = e.subtree_sums(is_form)
    found &= blocks.subtree_sums(is_call) + forms > 0
    found &= e.subtree_sums(e.has_tag(_NO_APPEAL)) == 0
    for box in np.flatnonzero(found).tolist():
        some = blocks.inside(box)
        if forms[box] or probability[some].max() <= SURE:
            probability[some] *= FACTOR


def raise_footers(page: Page, probability: FloatArray, article: IntArray) -> None:
    """Raise what is in the footer of an article, unless that has links: corrections and sources, not tags."""
    e, blocks = page.elements, page.blocks
    if e.holds_tag({"footer"}):
        footer = e.nearest(e.has_tag({"footer"}))
        has_links = blocks.subtree_sums(blocks.link_chars) > 0
        footer = footer[blocks.element]
        raised = (article[footer] >= 0) & (footer >= 0) & ~has_links[footer] & (probability > UNLIKELY)
        probability[raised] = np.maximum(probability[raised], LIKELY)


def raise_titles(page: Page, probability: FloatArray) -> None:
    """Raise the titles of entries, boxes alike with two blocks or more, towards their texts."""
    blocks, places = page.blocks, defaultdict[int, list[tuple[int, int, int]]](list)
    level, tokens, prose, text_hash = (blocks.rows[name] for name in ("heading", "tokens", "prose", "text_hash"))
    quote = page.elements.nearest(page.elements.has_tag(KIND_TAGS[Kind.QUOTE]))
    is_title = (probability > 0) & (quote[blocks.element] < 0)
    for box, shape in enumerate(page.elements.rows["shape"].tolist()):
        some = np.flatnonzero(blocks.inside(box))
        likely = some[is_title[some]]
        if len(some) > 1 and len(likely):
            headings = likely[level[likely] > 0]
            title = headings[0] if len(headings) else likely[0]
            places[shape].append((box, int(title), int(some[np.argmax(tokens[some])])))
    several = [np.array(found) for found in places.values() if len(found) >= ENTRIES]
    titles = [
        found
        for found in several
        if 2 * len({*text_hash[found[:, 1]].tolist()}) > len(found)
        and tokens[found[:, 1]].mean() >= TITLE
        and probability[found[:, 1]].mean() > UNLIKELY
    ]
    for _, title, text in sorted(entry for found in titles for entry in found.tolist()):
        if title != text and not prose[title] and probability[text] >= HEADED:
            probability[title] = max(probability[title], probability[text])
