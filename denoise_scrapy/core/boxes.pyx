# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""What a box is as a whole, where the model judges its blocks one by one: a story, posts, an entry of a list, an appeal.

Mean F1 of 3,154 pages of 19 corpora +.0007, none -.0003 (`python -m benchmarks.rules` measures each).
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport abs
from libcpp.unordered_map cimport unordered_map
from libcpp.unordered_set cimport unordered_set
from libcpp.vector cimport vector

from denoise_scrapy.core.arrays cimport DoublesOut, Flags
from denoise_scrapy.core.hashing cimport mix
from denoise_scrapy.core.markup import Flag
from denoise_scrapy.core.tree cimport (
    COMMENT_WORD, CONTROL, IS_BUTTON, IS_FOOTER, IS_FORM, IS_MATTER, IS_OPENER, IS_QUOTE, IS_STORY, LEVELS, SOURCES,
    Block, ElementKind, Tree, block_count, climb, element_count, is_inside, is_within, kind_of, token_of,
)

#: Flags of what is beside the text.
cdef int32_t BESIDE = Flag.ASIDE | Flag.NAV | Flag.FOOTER
#: Share of the expected text that the article with the page's headline has, if what is beside it is other stories or a
#: frame; and the factor of what is beside it, of an appeal, a button and a byline. The model keeps a byline beside few
#: pages of a site, and drops it beside more: mean F1 of 3,154 pages changes by -.0001.
cdef double STORY_SHARE = 0.3, FACTOR = 0.3
#: What posts, and what is in the footer of an article, are raised to; and below which it is hardly content.
cdef double LIKELY = 0.6, UNLIKELY = 0.1
#: Least probability of the heading of a section of links, and of a link that is no call to act.
cdef double HEADED = 0.44
#: Mean probability of short posts, and most expected tokens of all else on their page: with .1 pages of forums lose.
cdef double POSTS = 0.15, FIRST_POST = 60
#: Probability of a sure paragraph; share of links in a block that is a link.
cdef double SURE = 0.9, LINK = 0.9

cdef enum:
    # Fewest entries of a section of links, and posts; most places on the page that such entries have.
    ENTRIES = 3
    PLACES = 2
    # Most tokens of a button or a call to act, and most blocks of an appeal.
    CALL = 6
    # Fewest tokens that titles of entries have on average: numbers and votes have fewer, and threads lose .0007 by them.
    TITLE = 2
    # Most visible characters of a time ("11:42 Uhr"); fewest tokens of an update on average: of a programme it has fewer.
    TIME_CHARS = 14
    UPDATE = 6
    HALF_DAY = 720

#: The rules, in order; each can be left out to measure it.
RULES = (
    "lower around story", "raise links", "raise posts", "raise updates", "buttons", "lower appeals", "raise footers",
    "raise titles",
)

cdef struct Box:              # an element; sums are over its subtree
    int32_t story, footer     # the nearest ones, itself or around it; -1 for none
    bint is_opened            # whether it is in a heading, or in what opens another box
    int32_t blocks
    int32_t chars
    int32_t link_chars
    int32_t headings
    int32_t forms
    int32_t matter            # elements that no appeal has
    int32_t calls
    int32_t paragraphs        # sure ones right in it


cdef struct Boxes:
    vector[Box] boxes         # by element
    bint has_story
    bint has_form


cdef int look_around(Tree tree, Boxes& found) nogil:
    """Read what is around each element, and what is in it."""
    cdef:
        Box box
        Box* above
        Block block
        int32_t i, parent, kind, n = element_count(tree)
    found.has_story = found.has_form = False
    found.boxes.reserve(n)
    for i in range(n):
        parent, kind = tree.elements[i].parent, kind_of(tree, i)
        box.story = i if kind & IS_STORY else found.boxes[parent].story if parent >= 0 else -1
        box.footer = i if kind & IS_FOOTER else found.boxes[parent].footer if parent >= 0 else -1
        box.is_opened = kind & IS_OPENER or (parent >= 0 and found.boxes[parent].is_opened)
        box.forms, box.matter = kind & IS_FORM != 0, kind & IS_MATTER != 0
        box.blocks = box.chars = box.link_chars = box.headings = box.calls = box.paragraphs = 0
        found.has_story |= kind & IS_STORY != 0
        found.has_form |= box.forms
        found.boxes.push_back(box)
    for i in range(block_count(tree)):
        block = &tree.blocks[i]
        above = &found.boxes[block.element]
        above.blocks += 1
        above.chars += block.chars
        above.link_chars += block.link_chars
        above.headings += block.heading > 0
    for i in range(n - 1, -1, -1):
        if tree.elements[i].parent >= 0:
            above, box = &found.boxes[tree.elements[i].parent], found.boxes[i]
            above.blocks += box.blocks
            above.chars += box.chars
            above.link_chars += box.link_chars
            above.headings += box.headings
            above.forms += box.forms
            above.matter += box.matter


cdef inline bint is_link(Block block) noexcept nogil:
    """Return whether a block is a link."""
    return block.link_chars > LINK * block.chars


cdef int lower_around_story(Tree tree, Boxes& found, Flags titles, DoublesOut probability) nogil:
    """Lower what is outside of the one article that has the page's headline, and most of its text."""
    cdef:
        vector[uint8_t] headed, leads_away    # by article: it has a heading; one that is a link
        vector[bint] inside
        Block block
        int32_t i, of, own = -1, m = block_count(tree)
        bint several = False
        double whole = 0, within = 0
    headed.resize(tree.elements.size())
    leads_away.resize(tree.elements.size())
    for i in range(m):
        block = &tree.blocks[i]
        of = found.boxes[block.element].story
        if of >= 0 and block.heading:
            headed[of] = True
            leads_away[of] |= is_link(block)
            if titles[i] and block.heading == 1:
                several |= own >= 0 and own != of
                own = of
    if several:
        return 0
    inside.resize(m)
    for i in range(m):
        block = &tree.blocks[i]
        of = found.boxes[block.element].story
        if own < 0:  # then what is beside teasers: articles with a heading that leads away
            inside[i] = of < 0 or not leads_away[of]
        else:  # and posts: articles without a heading
            inside[i] = is_inside(tree, block.element, own) or (of >= 0 and not headed[of])
        whole += block.tokens * probability[i]
        if inside[i]:
            within += block.tokens * probability[i]
    if within >= STORY_SHARE * whole:
        for i in range(m):
            if not inside[i] and not (titles[i] and tree.blocks[i].heading == 1):
                probability[i] *= FACTOR


cdef int32_t first_from(Tree tree, int32_t position) noexcept nogil:
    """Return the first block that starts at a position of the text, or after it."""
    cdef int32_t low = 0, high = block_count(tree), middle
    while low < high:
        middle = (low + high) // 2
        if tree.blocks[middle].text.start < position:
            low = middle + 1
        else:
            high = middle
    return low


cdef int raise_section(Tree tree, int32_t heading, bint of_sources, DoublesOut probability) nogil:
    """Raise the entries below a heading to its probability, if they are in one or two places on the page.

    They are mostly links, three at least, or the heading is that of sources.
    """
    cdef int32_t box = tree.blocks[heading].element, start = heading, end = heading + 1, first = heading + 1, last, i, level
    cdef int32_t chars = 0, link_chars = 0, places = 0
    cdef int32_t[PLACES] slots
    cdef double sum_ = 0
    while first < probability.shape[0] and probability[first] == 0:  # an unseen [edit]
        first += 1
    last = first
    for level in range(LEVELS):  # a heading may be alone in its box
        if end > first or start < heading or tree.elements[box].parent < 0:
            break
        box = tree.elements[box].parent
        start, end = first_from(tree, tree.elements[box].marks.start), first_from(tree, tree.elements[box].marks.end)
    while last < end and (tree.blocks[last].heading == 0 or tree.blocks[last].heading > tree.blocks[heading].heading):
        chars += tree.blocks[last].chars
        link_chars += tree.blocks[last].link_chars
        sum_ += probability[last]
        for i in range(places):
            if slots[i] == tree.blocks[last].slot:
                break
        else:
            if places == PLACES:
                return 0
            slots[places] = tree.blocks[last].slot
            places += 1
        last += 1
    if of_sources or (
            last - first >= ENTRIES and 2 * link_chars > chars and sum_ > UNLIKELY * (last - first)):
        for i in range(first, last):
            probability[i] = max(probability[i], probability[heading])


cdef int raise_links(Tree tree, Flags bits, DoublesOut probability) nogil:
    """Raise sources, and entries with links, to the headings of their sections, where one of the first is a link."""
    cdef vector[int32_t] headings
    cdef int32_t i, j, m = block_count(tree)
    for i in range(m):
        if tree.blocks[i].heading > 1 and probability[i] >= HEADED:
            for j in range(i + 1, min(i + 1 + ENTRIES, m)):
                if bits[i] & SOURCES or 2 * tree.blocks[j].link_chars > tree.blocks[j].chars:
                    headings.push_back(i)
                    break
    for i in headings:
        raise_section(tree, i, bits[i] & SOURCES != 0, probability)


cdef struct Group:            # of blocks in one place of boxes alike; sums are over those that may be posts
    int32_t blocks
    int32_t posts
    int32_t called
    double probability
    double expected


cdef int raise_posts(Tree tree, Boxes& found, const vector[double]& before, DoublesOut probability) nogil:
    """Raise texts in one place of boxes alike, each with a link and no heading, if the page has little else.

    Probable ones; and what is called comments, if the page has no heading, or the first post stands in such a box too.
    None that is less probable than `before`, as it is beside the story.
    """
    cdef:
        unordered_map[uint64_t, Group] groups
        vector[uint64_t] place
        vector[bint] is_post
        Block block
        const ElementKind* first
        Group* group
        int32_t i, level, box, opening = 0, m = block_count(tree)
        double expected, whole = 0, others = 0, most = 0
        bint linked, is_alike, any_heading = False
        uint64_t hashed
    is_post.resize(m)
    for i in range(m):
        block = &tree.blocks[i]
        is_post[i] = block.link_chars == 0 and block.heading == 0 and probability[i] < SURE
        any_heading |= block.heading > 0
        expected = block.tokens * probability[i]
        whole += expected
        if not is_post[i]:
            others += expected
            if block.heading == 0 and expected > most:
                most, opening = expected, i
    if not 0 < others < FIRST_POST:
        return 0
    first = token_of(tree, climb(tree, tree.blocks[opening].element, 1))
    for i in range(m):
        block = &tree.blocks[i]
        box, linked = block.element, False
        hashed = token_of(tree, box).in_shape
        for level in range(ENTRIES):  # a box around the text, one around that, and the post
            box = climb(tree, box, 1)
            if not linked and found.boxes[box].link_chars and found.boxes[box].headings:
                is_post[i] = False
            linked |= found.boxes[box].link_chars > 0
            hashed = mix(hashed) + token_of(tree, box).in_shape
        is_post[i] = is_post[i] and linked and probability[i] >= before[i]
        place.push_back(hashed)
        group = &groups[hashed]
        group.blocks += 1
        if is_post[i]:
            group.posts += 1
            box = climb(tree, block.element, 1)
            is_alike = not any_heading or (first.class_code != 0 and token_of(tree, box).in_shape == first.in_shape)
            group.called += is_alike and block.flags & (COMMENT_WORD | CONTROL) == COMMENT_WORD
            group.probability += probability[i]
            group.expected += block.tokens * probability[i]
    for i in range(m):
        group = &groups[place[i]]
        if is_post[i] and group.posts >= ENTRIES and 2 * group.posts > group.blocks and (
                group.probability > POSTS * group.posts or group.called == group.posts) and (
                whole - group.expected < FIRST_POST):
            probability[i] = max(probability[i], LIKELY)


cdef int32_t minute_of(Tree tree, Block block) noexcept nogil:
    """Return the minute of the day of a block that is a time, -1 of another one."""
    cdef:
        const unsigned char* text = <const unsigned char*>tree.text.data() + block.text.start
        const unsigned char* end = text + (block.text.end - block.text.start)
        int32_t[2] read
        int32_t i, digits
    if block.chars > TIME_CHARS:
        return -1
    while text < end and text[0] <= 32:
        text += 1
    for i in range(2):
        read[i] = digits = 0
        while text < end and 48 <= text[0] <= 57:
            read[i] = min(10 * read[i] + text[0] - 48, <int32_t>99)
            digits += 1
            text += 1
        if not 2 - (i == 0) <= digits <= 2 or read[i] > 59 - 36 * (i == 0):
            return -1
        if i == 0:
            if text == end or not (text[0] == 58 or text[0] == 46 or text[0] == 104):  # : . h
                return -1
            text += 1
    if text < end and text[0] == 46:  # of a date
        return -1
    while text < end and text[0] <= 32:
        text += 1
    if text + 1 < end and (text[0] | 32 == 97 or text[0] | 32 == 112) and (text[1] | 32 == 109 or text[1] == 46):
        # a.m., p.m.
        read[0] = read[0] % 12 + 12 * (text[0] | 32 == 112)
    return 60 * read[0] + read[1]


cdef struct Clocks:           # blocks in one place that are times
    vector[int32_t] blocks
    int32_t rises             # steps to a later time, and to an earlier one; that of a clock at midnight is reversed
    int32_t falls
    int32_t last              # the last time


cdef int32_t box_below(Tree tree, int32_t element, int32_t above) noexcept nogil:
    """Return the box right in another one, `above`, that holds an element."""
    while element >= 0 and tree.elements[element].parent != above:
        element = tree.elements[element].parent
    return element


cdef int raise_updates(Tree tree, Boxes& found, const vector[double]& before, DoublesOut probability) nogil:
    """Raise posts that begin with a time, in order, if they are as much as the rest of the page: a live blog's.

    None that is less probable than `before`, as it is beside the story, or in an aside; nor comments on one.
    """
    cdef:
        unordered_map[int32_t, Clocks] places
        vector[int32_t] blocks, updates
        Clocks* place
        int32_t i, j, k, box, post, end, step, minute, tokens = 0, comments = 0, slot = -1, m = block_count(tree)
        double others = 0
    for i in range(m):
        others += tree.blocks[i].tokens * probability[i]
        minute = minute_of(tree, &tree.blocks[i])
        if minute >= 0 and probability[i] > 0:
            place = &places[tree.blocks[i].slot]
            if place.blocks.size():
                step = minute - place.last
                if step:
                    place.rises += (step > 0) != (abs(step) > HALF_DAY)
                    place.falls += (step > 0) == (abs(step) > HALF_DAY)
            place.last = minute
            place.blocks.push_back(i)
    for entry in places:  # the place of most times
        step = <int32_t>entry.second.blocks.size() - <int32_t>blocks.size()
        if min(entry.second.rises, entry.second.falls) == 0 and (
                max(entry.second.rises, entry.second.falls) >= ENTRIES - 1) and (
                step > 0 or (step == 0 and entry.first < slot)):
            slot, blocks = entry.first, entry.second.blocks
    if <int32_t>blocks.size() < ENTRIES:
        return 0
    box = tree.blocks[blocks.front()].element
    while not is_inside(tree, tree.blocks[blocks.back()].element, box):
        box = tree.elements[box].parent
    for j in range(<int32_t>blocks.size()):
        i = blocks[j]
        post = box_below(tree, tree.blocks[i].element, box)
        end = blocks[j + 1] if j + 1 < <int32_t>blocks.size() else i + 2
        if post >= 0 and found.boxes[post].blocks > 1:
            if i and is_inside(tree, tree.blocks[i - 1].element, post):  # a name
                return 0
            end = i + found.boxes[post].blocks
        for k in range(i + 1, min(end, m)):
            if 2 * tree.blocks[k].link_chars < tree.blocks[k].chars and probability[k] >= before[k] > 0 and (
                    not tree.blocks[k].flags & BESIDE):
                comments += tree.blocks[k].flags & COMMENT_WORD != 0
                updates.push_back(k)
                tokens += tree.blocks[k].tokens
                others -= tree.blocks[k].tokens * probability[k]
    if others >= FIRST_POST and comments:  # beside a story, what the page calls comments is no update
        return 0
    if tokens >= others and tokens >= UPDATE * <int32_t>blocks.size():
        for k in updates:
            probability[k] = max(probability[k], LIKELY)


cdef int find_buttons(Tree tree, Boxes& found, vector[bint]& buttons) nogil:
    """Find the short blocks that are buttons, but for those in headings and of what they open."""
    cdef Block block
    cdef int32_t i
    for i in range(block_count(tree)):
        block = &tree.blocks[i]
        buttons[i] = kind_of(tree, block.element) & IS_BUTTON and block.tokens <= CALL and (
            not found.boxes[block.element].is_opened)


cdef inline bint is_small(Tree tree, Boxes& found, int32_t box) noexcept nogil:
    return found.boxes[box].blocks <= CALL and tree.elements[box].parent >= 0


cdef int lower_appeals(Tree tree, Boxes& found, const vector[bint]& buttons, DoublesOut probability) nogil:
    """Lower a small box between sure paragraphs, with a form, or not sure and with a call to act: a link or button."""
    cdef:
        vector[int32_t] appeal    # the largest small box around each element, -1 for none
        vector[bint] is_sure      # by element: it has a sure block
        Block block
        Box* box
        int32_t i, parent, of, n = element_count(tree), m = block_count(tree)
        bint any_call = found.has_form
    for i in range(m):
        block = &tree.blocks[i]
        if buttons[i] or (block.tokens <= CALL and is_link(block) and probability[i] < HEADED):
            found.boxes[block.element].calls, any_call = 1, True
    if not any_call:
        return 0
    for i in range(n - 1, -1, -1):
        if tree.elements[i].parent >= 0:
            found.boxes[tree.elements[i].parent].calls += found.boxes[i].calls
    for i in range(m):
        parent = tree.elements[tree.blocks[i].element].parent
        if parent >= 0 and tree.blocks[i].prose and probability[i] > SURE:
            found.boxes[parent].paragraphs += 1
    is_sure.resize(n)
    for i in range(n):
        parent = tree.elements[i].parent
        of = appeal[parent] if parent >= 0 else -1
        if of < 0 and is_small(tree, found, i) and not is_small(tree, found, parent):
            box = &found.boxes[i]
            if box.blocks > 1 and found.boxes[parent].paragraphs > 1 and box.calls + box.forms and not box.matter:
                of = i
        appeal.push_back(of)
    for i in range(m):
        of = appeal[tree.blocks[i].element]
        if of >= 0 and probability[i] > SURE:
            is_sure[of] = True
    for i in range(m):
        of = appeal[tree.blocks[i].element]
        if of >= 0 and (found.boxes[of].forms or not is_sure[of]):
            probability[i] *= FACTOR


cdef int raise_footers(Tree tree, Boxes& found, DoublesOut probability) nogil:
    """Raise what is in the footer of an article, unless that has links: corrections and sources, not tags."""
    cdef int32_t i, footer
    for i in range(block_count(tree)):
        footer = found.boxes[tree.blocks[i].element].footer
        if footer >= 0 and found.boxes[footer].story >= 0 and probability[i] > UNLIKELY and (
                not found.boxes[footer].link_chars):
            probability[i] = max(probability[i], LIKELY)


cdef struct Titles:           # of the boxes in one place
    int32_t boxes
    int32_t different
    int32_t tokens
    double probability


cdef inline int32_t title_of(Tree tree, int32_t one, int32_t other) noexcept nogil:
    """Return the first heading of two blocks, else the first of them; -1 stands for none."""
    if one < 0 or other < 0:
        return max(one, other)
    if (tree.blocks[one].heading > 0) != (tree.blocks[other].heading > 0):
        return one if tree.blocks[one].heading else other
    return min(one, other)


cdef inline int32_t longest_of(Tree tree, int32_t one, int32_t other) noexcept nogil:
    """Return the longer one of two blocks, else the first of them; -1 stands for none."""
    if one < 0 or other < 0:
        return max(one, other)
    if tree.blocks[one].tokens != tree.blocks[other].tokens:
        return one if tree.blocks[one].tokens > tree.blocks[other].tokens else other
    return min(one, other)


cdef int raise_titles(Tree tree, Boxes& found, DoublesOut probability) nogil:
    """Raise the titles of entries, boxes alike with two blocks or more, to their texts: either alone is half of it.

    A title is the first heading in its box, else the first block, and no paragraph: with them, threads lose .0007.
    Most differ from each other, and they are not unlikely: names above posts and quotations are bylines, and buttons
    repeat.
    """
    cdef:
        vector[int32_t] title, text    # by element, -1 for none
        unordered_map[uint64_t, Titles] places
        unordered_set[uint64_t] seen
        Titles* place
        Block block
        int32_t i, parent, n = element_count(tree)
    title.assign(n, -1)
    text.assign(n, -1)
    for i in range(block_count(tree)):
        parent = tree.blocks[i].element
        if probability[i] > 0 and not is_within(tree, parent, IS_QUOTE):
            title[parent] = title_of(tree, title[parent], i)
        text[parent] = longest_of(tree, text[parent], i)
    for i in range(n - 1, -1, -1):
        parent = tree.elements[i].parent
        if parent >= 0:
            title[parent] = title_of(tree, title[parent], title[i])
            text[parent] = longest_of(tree, text[parent], text[i])
    for i in range(n):
        if found.boxes[i].blocks > 1 and title[i] >= 0:
            block, place = &tree.blocks[title[i]], &places[tree.elements[i].shape]
            place.boxes += 1
            place.different += seen.insert(mix(tree.elements[i].shape) + block.text_hash).second
            place.tokens += block.tokens
            place.probability += probability[title[i]]
    for i in range(n):
        if title[i] >= 0 and title[i] != text[i] and not tree.blocks[title[i]].prose and (
                probability[text[i]] >= HEADED):
            place = &places[tree.elements[i].shape]
            if place.boxes >= ENTRIES and 2 * place.different > place.boxes and (
                    place.tokens >= TITLE * place.boxes and place.probability > UNLIKELY * place.boxes):
                probability[title[i]] = max(probability[title[i]], probability[text[i]])


cdef int weigh(
    Tree tree, Flags titles, Flags bits, Flags bylines, DoublesOut probability,
    Flags applies
) nogil:
    """Apply the rules."""
    cdef:
        Boxes found
        vector[bint] buttons
        vector[double] before
        int32_t i
    look_around(tree, found)
    for i in range(block_count(tree)):
        before.push_back(probability[i])
    if found.has_story and applies[0]:
        lower_around_story(tree, found, titles, probability)
    if applies[1]:
        raise_links(tree, bits, probability)
    if applies[2]:
        raise_posts(tree, found, before, probability)
    if applies[3]:
        raise_updates(tree, found, before, probability)
    buttons.resize(tree.blocks.size())
    if applies[4]:
        find_buttons(tree, found, buttons)
    for i in range(<int32_t>buttons.size()):
        probability[i] *= FACTOR if buttons[i] else 1
    if applies[5]:
        lower_appeals(tree, found, buttons, probability)
    if found.has_story and applies[6]:
        raise_footers(tree, found, probability)
    for i in range(block_count(tree)):
        probability[i] *= FACTOR if bylines[i] else 1
    if applies[7]:
        raise_titles(tree, found, probability)


def weighed(Tree tree not None, words, bylines, probability, *, without=()) -> np.ndarray:
    """Return the probability of each of m blocks, given the boxes that they are in.

    Args:
        tree: The page.
        words: What its blocks announce (`features.read_words`).
        bylines: Which are bylines, shape (m,).
        probability: The model's, shape (m,).
        without: `RULES` to leave out.

    Raises:
        ValueError: An array has the wrong shape.

    Example:
        >>> from lxml.html import document_fromstring
        >>> from denoise_scrapy.core.features import read_words
        >>> from denoise_scrapy.core.tree import tree_of
        >>> tree = tree_of(document_fromstring("<p>Add it to your basket.<button>Buy</button></p>"))
        >>> weighed(tree, read_words(tree), [False, False], [0.9, 0.8]).round(2).tolist()
        [0.9, 0.24]
    """
    found = np.array(probability, np.float64)
    cdef:
        DoublesOut chances = found
        Flags is_title = words.titles.view(np.uint8), bits = words.bits
        Flags is_byline = np.ascontiguousarray(bylines, np.bool_).view(np.uint8)
        Flags applies = np.array([rule not in without for rule in RULES]).view(np.uint8)
    tree._check(chances.shape[0], tree.blocks.size(), "blocks")
    tree._check(is_title.shape[0], tree.blocks.size(), "blocks")
    tree._check(is_byline.shape[0], tree.blocks.size(), "blocks")
    with nogil:
        weigh(tree, is_title, bits, is_byline, chances, applies)
    return found
