# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The feature tree of a page: one walk over the tree that lxml has built.

The walk reads only libxml2's nodes: names, attributes, texts. It needs no lock, changes nothing, and takes a fifth of
the parsing time. Everything computed for a page afterwards comes from the columns it writes (`tree.pxd`), so that
lxml's tree can be freed.
"""

from collections import defaultdict

import numpy as np
from lxml import etree

from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp, memmove, memset, strchr, strlen, strstr
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector
from cython.operator cimport dereference
from lxml.includes.etreepublic cimport _Element, import_lxml__etree
from lxml.includes.tree cimport (
    XML_COMMENT_NODE,
    XML_ELEMENT_NODE,
    XML_PI_NODE,
    XML_TEXT_NODE,
    xmlAttr,
)

from denoise_scrapy.core cimport characters
from denoise_scrapy.core.arrays cimport Flags, Longs, Spans
from denoise_scrapy.core.characters cimport (
    ALPHA, BLANK, CJK, CLASSES, DIGIT, LETTER, OTHER, SMALL, SPACE, STOP, UPPER, Bytes, Chars, begins, behind_blanks,
    class_of, decode, equal, is_blank, is_digit, is_unseen, lower, lower_words, starts,
)
from denoise_scrapy.core.formulas cimport (
    is_formula_image, is_of_mathjax, is_tex_script, is_twin, write_formula,
)
from denoise_scrapy.core.hashing cimport Table, find, hash_bytes, mix, number_of, open_table
from denoise_scrapy.core.nodes cimport (
    MOST_BEYOND, MOST_DEPTH, MOST_ELEMENTS, Node, add_text_of, attribute_of, is_named, is_text, next_in, told_of, type_of, value_of,
)
from denoise_scrapy.core.sight cimport (
    ARIA_HIDDEN, ATTRIBUTES, CHECKED, CLASS, DISPLAY, HREF, ID, ITEMPROP, ITEMTYPE, NAME, NAMES, ROLE, SOURCE, TYPE,
    Sight, look_at, open_sight,
)
from denoise_scrapy.core.styles cimport (
    BY_ARIA, BY_ATTRIBUTE, BY_OPACITY, LEAST_STEPS, STEPS_A_BYTE, Sheet, StyleSheet, begins_any, named,
)

from denoise_scrapy.core import characters as characters_of, markup
from denoise_scrapy.core.markup import Flag, Kind

import_lxml__etree()

cdef enum:
    # A page with more blocks is not judged, as one with more elements. The largest of 4,800 recorded pages has 6,200. A
    # page at these bounds takes some 40 MB until it has a body.
    MOST_BLOCKS = 25_000
    # Shorter blocks, and blocks with a higher link density (.34), are not paragraphs: measured on five corpora.
    PARAGRAPH_TOKENS = 12
    # Minimum length of long words.
    LONG = 5
    # Characters inside `noscript`, some 20 words, above which it is considered.
    NOSCRIPT_CHARS = 100
    # Letters of two small words that meet in adjacent inline elements: of 900 places on recorded pages where both have
    # as many, three are halves of one word.
    MEETING = 4
    # A page that shows more before its script's data is no shell for that: they are not kept.
    SHELL_CHARS = 4_000

MAX_ELEMENTS, MAX_BLOCKS, MAX_DEPTH = MOST_ELEMENTS, MOST_BLOCKS, MOST_DEPTH

cdef float PARAGRAPH_LINK_DENSITY = 0.34
#: A hidden element with more of the page's characters is what a script shows: some pages stream their content into one.
cdef float SHELL_SHARE = 0.7
#: So is one with more of the characters of the page's main part, an element that has at least this share of them.
cdef float MAIN_SHARE = 0.2
#: On a page with so many elements of opacity 0, they fade in as one scrolls to them.
cdef int32_t FADES = 8

(
    IS_BLOCK, IS_CONTAINER, IS_SKIPPED, IS_BREAK, IS_ROOT, IS_EXACT, IS_IN_HEAD, IS_LIST, IS_CONTENT, IS_PICTURE, IS_TERM,
    IS_DIV, IS_QUOTE, IS_STORY, IS_FORM, IS_CAPTION, IS_TIME, IS_ITEM, IS_GRAPHIC, IS_SUBMITTABLE,
) = Kind
LINK, HIDDEN, HEADING, ARTICLE, CONTROL = Flag.LINK, Flag.HIDDEN, Flag.HEADING, Flag.ARTICLE, Flag.CONTROL
LIST_ITEM, TABLE_CELL, PREFORMATTED = Flag.LIST_ITEM, Flag.TABLE_CELL, Flag.PREFORMATTED
COMMENT_WORD = Flag.COMMENT_WORD

# ---- meaning of tags ------------------------------------------------------------------------------------------------

cdef enum:
    # State of a target: it is noted, or its element has not come yet.
    NOTED = -2
    LINKED

cdef enum:
    # Tags that the walk itself checks for.
    OTHER_TAG
    HEAD_TAG
    TITLE_TAG
    META_TAG
    BASE_TAG
    SCRIPT_TAG
    NOSCRIPT_TAG
    LINK_TAG              # a
    MATH_TAG
    IMAGE_TAG
    READING_TAG           # rt: how a word of East Asian text is said
    DIALOG_TAG
    TEMPLATE_TAG

cdef struct Tag:
    int32_t kind          # bits of `ElementKind.kind`
    int32_t flags         # bits of `markup.Flag`
    int32_t heading
    int64_t notes         # a bit for each attribute that is noted
    int32_t role          # HEAD_TAG etc.

cdef unordered_map[string, Tag] _tags
cdef unordered_map[string, int32_t] _role_flags, _attributes  # an attribute's number in `sight.pxd`
cdef unordered_map[string, string] _role_tags
cdef Tag _unknown, _custom
cdef uint32_t _seed = 7

# In the order of the enumerations: tags that the walk checks for, and attributes (`sight.pxd`).
_NAMED = ["", *"""
head title meta base script noscript a math img rt dialog template
""".split()]
_ATTRIBUTES = ["", *"""
class id role itemprop itemtype style hidden aria-hidden href name type checked display src popover bgcolor color
background colspan rowspan scope start reversed value dir height width alt data-original data-language data-lang
""".split()]
# Attributes that are noted, by tag: of frames their sizes, which lay out a page; images have others named like `src`.
_NOTED = """
table td div section article main center: height style width
td th: colspan rowspan
th: scope
ol: start reversed
li: value
html body: dir
pre code div: data-language data-lang
a area: href name
img source: src data-original alt height style width
mjx-container: display
input: type
"""
_NOTING = defaultdict(list)
for _line in _NOTED.strip().splitlines():
    _of, _noted = _line.split(":")
    for _tag in _of.split():
        _NOTING[_tag] += _noted.split()


cdef int _fill_tags():
    """Fill the tables of tags, roles and attributes, mostly from `markup`."""
    cdef Tag tag
    _custom.kind = IS_BLOCK  # a hyphen in the name: a custom element ends a block
    for name in {*_NAMED, *_NOTING, *markup.TAG_FLAGS}.union(*markup.KIND_TAGS.values()):
        tag.kind = sum(bit for bit, tags in markup.KIND_TAGS.items() if name in tags)
        tag.flags = markup.TAG_FLAGS.get(name, 0)
        tag.heading = int(name[1]) if name in markup.HEADING_TAGS else 0
        tag.notes = sum(1 << _ATTRIBUTES.index(noted) for noted in _NOTING.get(name, ()))
        tag.role = _NAMED.index(name) if name in _NAMED else OTHER_TAG
        _tags[<bytes>name.encode()] = tag
    for name, bits in markup.ROLE_FLAGS.items():
        _role_flags[<bytes>name.encode()] = bits
    for name, tags in markup.TAG_ROLES.items():
        for role in tags.split():
            _role_tags[<bytes>role.encode()] = <bytes>name.encode()
    for number, name in enumerate(_ATTRIBUTES):
        _attributes[<bytes>name.encode()] = number


_fill_tags()

# ---- the walk -------------------------------------------------------------------------------------------------------

cdef enum:
    SEEN_NAMES = 1024     # libxml2 stores each name once, so most are found by their address

cdef struct SeenName:     # of a tag, an attribute or both
    Bytes name
    const Tag* tag
    int32_t attribute     # 0 if it is not read

cdef enum:
    # Whether a start tag directly followed an end tag since the last text: words may meet there.
    NO_JUNCTION
    JUNCTION
    LINK_AFTER_LINK       # between two links with one path

cdef struct Walk:
    SeenName[SEEN_NAMES] seen
    Table tokens          # by a hash of everything a token consists of
    Table places          # by a hash of an element's id, or of a link's target id
    vector[int32_t] place_at  # the element of each place, `LINKED` or `NOTED`
    Sight sight
    string title          # of the head
    int32_t open          # the open element, -1 for none
    int32_t beyond        # nodes around the open one whose elements have ended, as the tree has no more levels
    int32_t visible       # visible characters so far
    int32_t break_at      # `visible` at the last br, -1 before the first
    int32_t noscript      # visible characters inside skipped noscript elements
    int32_t image         # the last image, -1 for none
    bint keep_noscript
    bint break_lines      # line ends of the text are line breaks
    bint keep_nodes
    bint keep_readings
    bint too_large
    bint head_read
    bint after_end        # whether the last mark was an end
    int32_t junction
    int32_t joined        # the element that started there
    uint32_t left         # the last character, 0 after a boundary
    uint32_t further      # the one before it, 0 for a mark
    int32_t run           # letters and digits at the end of the last text
    BlockRow block        # the open one: until it ends, its element is the one whose text was visible first, or -1
    uint64_t power        # for the next character of the hash
    bint in_word          # whether the last character belongs to a word
    uint8_t last          # class of the last visible character


cdef inline void open_block(Tree tree, Walk* w) noexcept nogil:
    """Begin a block at the end of the text so far."""
    memset(&w.block, 0, sizeof(BlockRow))
    w.block.element = -1
    w.block.text.start = tree.text.size()
    w.block.words.start = tree.words.size()
    w.power = 1
    w.in_word = False
    w.junction = NO_JUNCTION
    w.left = 0


cdef int close_block(Tree tree, Walk* w) nogil:
    """End the block, if it has visible text."""
    cdef:
        BlockRow* block = &w.block
        const Element* element
        const ElementKind* token
        int32_t i
    if block.element < 0 or tree.elements[block.element].block < 0:
        return 0
    block.element = tree.elements[block.element].block
    element = &tree.elements[block.element]
    token = &tree.tokens[element.token]
    if block.tokens >= PARAGRAPH_TOKENS and block.link_chars < PARAGRAPH_LINK_DENSITY * block.chars:
        block.prose = block.tokens
    block.counts[LETTER] = block.chars
    for i in range(OTHER, CLASSES):
        if i != LETTER:
            block.counts[LETTER] -= block.counts[i]
    block.text_hash += mix(block.chars)
    block.path = element.path
    block.flags = element.flags
    block.own_flags = token.flags
    block.heading = token.heading
    block.ends_in_stop = w.last == STOP
    block.text.end = tree.text.size()
    block.words.end = tree.words.size()
    tree.blocks.push_back(block[0])
    w.too_large |= tree.blocks.size() > MOST_BLOCKS


cdef inline bint is_small(uint32_t code) noexcept nogil:
    return code <= 0xFFFF and characters.KIND[code] & SMALL != 0


cdef int32_t run_of(Bytes text) noexcept nogil:
    """Return the letters and digits that a text begins with, `MEETING` at most."""
    cdef uint32_t code, before = 0
    cdef int32_t run = 0
    while run < MEETING:
        text += decode(text, &code)
        if code > 127 and is_unseen(code, before, 0):
            continue
        if not DIGIT <= class_of(code) < CJK:
            break
        before = code
        run += 1
    return run


cdef bint words_meet(const Walk* w, uint32_t code, Bytes text) noexcept nogil:
    """Return whether two adjacent inline elements hold two words, rather than the halves of one.

    Scripts without capitals run on, except for links: a link after one with the same shape is another entry in any
    script. Single letters in their own elements are one letterspaced word. Of small letters, longer words are two. A
    capital behind the end of a sentence begins another: a credit behind a caption; behind a colon is a value.
    """
    cdef uint8_t before = class_of(w.left), after = class_of(code)
    if w.left in b".!?:":
        return is_small(w.further) and (after == UPPER or (after == DIGIT and w.left == c':'))
    if before < DIGIT or after < DIGIT:
        return False
    if w.run >= MEETING and is_small(w.left) and is_small(code) and run_of(text) == MEETING:
        return True
    if w.junction == LINK_AFTER_LINK:
        return not is_small(code)
    if w.further == 0 and w.left <= 0xFFFF and characters.KIND[w.left] & ALPHA:
        return False
    return after == UPPER or (after == DIGIT and w.left < 128)


cdef inline int end_word(Tree tree, Walk* w, uint64_t letters, int32_t length) nogil:
    """Add a word by the sum of its letters' values."""
    cdef Word word
    if length >= SHORTEST:
        word.number = <uint32_t>((letters * <uint64_t>0x9E3779B97F4A7C15) >> 32) & <uint32_t>0xFFFFFFFE
        word.number |= length >= LONG
        word.block = block_count(tree)
        word.element = w.open
        tree.words.push_back(word)


cdef int add_text(Tree tree, Walk* w, const unsigned char* text) nogil:
    """Copy what is seen of a text, and count, hash and split its characters: the only loop over all of a page's."""
    cdef:
        size_t size, i = 0, unseen = 0
        uint32_t code, before = 0, further = w.further
        uint8_t kind, kind_before = 0
        uint64_t value, letters = 0, hash_ = w.block.text_hash, power = w.power
        int32_t width, unit, length = 0, shown = 0, tokens = 0
        bint in_word, break_lines
        unsigned char* copy
    width = decode(text, &code)
    while code > 127 and is_unseen(code, w.left, w.left):
        text += width
        width = decode(text, &code)
    if code == 0 or w.open < 0 or tree.elements[w.open].flags & TWIN:
        return 0
    size = strlen(<Chars>text)
    break_lines = w.break_lines or (
        w.sight.inherited[w.open].has_lines and not tree.elements[w.open].flags & PREFORMATTED)
    if w.junction:
        # a dot within a term is one within a name: "kelp." and "Queue"
        if words_meet(w, code, text) and not is_within(tree, w.joined, IS_EXACT | IS_TERM if w.left == c'.' else IS_EXACT):
            tree.text.push_back(c' ')
            w.in_word = False
        w.junction = NO_JUNCTION
    in_word = w.in_word
    tree.text.append(<Chars>text, size)
    copy = <unsigned char*>&tree.text[tree.text.size() - size]
    while i < size:
        width = decode(text + i, &code)
        kind = class_of(code)
        if code > 127 and i and kind in (SPACE, OTHER) and is_unseen(code, before, further):
            unseen += width
            i += width
            continue
        if unseen:
            memmove(copy + i - unseen, text + i, width)
        if DIGIT <= kind < CJK:
            value = characters.VALUE[code]
            hash_ += value * power
            power *= <uint64_t>0x9E3779B97F4A7C15
            shown += 1
            if kind != LETTER:
                w.block.counts[kind] += 1
            tokens += not in_word
            in_word = True
            letters += value
            length += 1
            w.last = kind
        else:
            if length:
                end_word(tree, w, letters, length)
                length = 0
                letters = 0
            in_word = False
            if kind > SPACE:
                # beyond the basic plane a character has two UTF-16 units
                for unit in range(1 + (code > 0xFFFF)):
                    value = characters.VALUE[code & 0xFFFF]
                    hash_ += value * power
                    power *= <uint64_t>0x9E3779B97F4A7C15
                    shown += 1
                    w.block.counts[kind] += 1
                w.last = kind
                if kind == CJK:
                    tokens += 1
                    if kind_before == CJK:
                        end_word(tree, w, 2 * characters.VALUE[before] + value, LONG)
            elif code < 32 and (code < 3 or code == 11 or (code == c'\n' and break_lines)):
                copy[i - unseen] = 11 if code == c'\n' else 32  # only we may write marks
        kind_before = kind
        further = before
        before = code
        i += width
    end_word(tree, w, letters, length)
    w.run = length
    tree.text.resize(tree.text.size() - unseen)
    w.left, w.further = before, further
    w.after_end = False
    w.in_word = in_word
    w.block.text_hash = hash_
    w.power = power
    w.block.tokens += tokens
    if shown:
        w.block.chars += shown
        w.visible += shown
        if w.block.element < 0:
            w.block.element = w.open
        if tree.elements[w.open].flags & LINK:
            w.block.link_chars += shown


cdef inline bint is_list(Bytes name) noexcept nogil:
    """Return whether a list has a tag of its own, which a role does not change."""
    return equal(<Chars>name, b"ol") or equal(<Chars>name, b"dl")


# ---- elements: their names and attributes ----------------------------------------------------------------------------

cdef SeenName* seen_of(Walk* w, Bytes name) noexcept nogil:
    """Look a name up."""
    cdef:
        size_t at = ((<size_t>name >> 3) ^ (<size_t>name >> 11)) & (SEEN_NAMES - 1), size
        string key
        unordered_map[string, Tag].iterator known
        SeenName* seen = &w.seen[at]
    if seen.name != name:
        seen.name = name
        key.assign(<Chars>name)
        size = key.size()
        known = _tags.find(key)
        if known != _tags.end():
            seen.tag = &dereference(known).second
        elif key.find(b"-") >= size or begins(name, b"mjx-"):  # MathJax's own elements are inline
            seen.tag = &_unknown
        else:
            seen.tag = &_custom
        seen.attribute = max(named(_attributes, key.c_str(), size), 0)
        if size >= 6 and memcmp(name + size - 6, b"srcset", 6) == 0 or (
                size >= 3 and memcmp(name + size - 3, b"src", 3) == 0 and name[0] != c':'):
            seen.attribute = SOURCE
    return seen


cdef inline const Tag* tag_of(Walk* w, const unsigned char* name) noexcept nogil:
    return seen_of(w, name).tag


cdef int without_digits(Tree tree, Bytes names, Span* span) nogil:
    """Write a class or id to the page's names in the form tokens use: no digits, one space between names."""
    cdef size_t i
    cdef bint gap = False
    span.start = tree.names.size()
    if names:
        for i in range(MAX_NAME):
            if names[i] == 0:
                break
            if is_blank(names[i]):
                gap = tree.names.size() > <size_t>span.start
            elif not is_digit(names[i]):
                if gap:
                    tree.names.push_back(c' ')
                    gap = False
                tree.names.push_back(names[i])
    span.end = tree.names.size()


cdef inline size_t shorter(Bytes names) noexcept nogil:
    """Return the size of names, cut to `MAX_NAME`."""
    cdef size_t size = strlen(<Chars>names)
    return size if size < MAX_NAME else MAX_NAME


cdef vector[string] OF_COMMENTS = b" respond, reply , replies , disqus, discussion, trackback, pingback".split(b",")


cdef bint speaks_of_comments(Bytes names) noexcept nogil:
    """Return whether a word in class, id, role or itemprop hints at comments."""
    cdef char[2 * MAX_NAME + 3] words  # separated by spaces
    cdef size_t size, i
    words[0] = 32
    size = 1 + lower_words(names, shorter(names), <unsigned char*>words + 1)
    words[size] = 0
    for i in range(size):
        if words[i] == c'\n':
            words[i] = 32
    for i in range(size):
        if words[i] == c' ' and begins_any(<Bytes>words + i, OF_COMMENTS):
            return True
    return strstr(words, b"comment") != NULL


cdef int32_t role_flags(Bytes role) noexcept nogil:
    """Return the flags of an ARIA role."""
    cdef string name
    if not role:
        return 0
    role = behind_blanks(role)
    while role[0] and not is_blank(role[0]) and name.size() < MAX_NAME:
        name.push_back(lower(role[0]))
        role += 1
    return max(named(_role_flags, name.c_str(), name.size()), 0)


cdef inline uint64_t hash_of(const string& names, Span span, uint64_t seed) noexcept nogil:
    return mix(hash_bytes(<Bytes>names.data() + span.start, span.end - span.start, seed))


cdef inline uint32_t code_of(const string& names, Span span) noexcept nogil:
    """Return the code of a tag, class or id in the tokens, 0 for none."""
    return <uint32_t>(hash_of(names, span, _seed) >> 32) | 1 if span.end > span.start else 0


cdef int learn(Tree tree, Bytes name, const Tag* tag, const Bytes* given, int32_t reason) nogil:
    """Add a kind of element with its properties, once per page."""
    cdef:
        ElementKind token
        uint64_t tag_hash
        int32_t size, i
    token.kind = tag.kind
    token.flags = tag.flags | role_flags(given[ROLE])
    token.heading = tag.heading
    token.reason = reason
    if reason:
        token.flags |= HIDDEN
    token.tag_name.start = tree.names.size()
    size = shorter(name)
    tree.names.append(<Chars>name, size)
    token.tag_name.end = tree.names.size()
    without_digits(tree, given[CLASS], &token.class_name)
    without_digits(tree, given[ID], &token.id_name)
    token.tag_code = code_of(tree.names, token.tag_name)
    token.class_code = code_of(tree.names, token.class_name)
    token.id_code = code_of(tree.names, token.id_name)
    token.markup = 2 * size + 5
    if token.class_code:
        token.markup += token.class_name.end - token.class_name.start + 9
    if token.id_code:
        token.markup += token.id_name.end - token.id_name.start + 6
    tag_hash = hash_bytes(name, size, 1)
    token.in_shape = token.in_path = mix(tag_hash)
    token.own = hash_of(tree.names, token.class_name, tag_hash)
    token.other_names.start = token.other_names.end = 0
    if not tag.kind & IS_ROOT:
        # names of html and body describe the page ("category-sports"), and would make all paths below differ
        token.in_shape = token.own
    token.own = hash_of(tree.names, token.id_name, token.own ^ 0x55)
    if not tag.kind & IS_ROOT:
        token.in_path = token.own
        token.other_names.start = tree.names.size()
        if given[ROLE]:
            tree.names.append(<Chars>given[ROLE], shorter(given[ROLE]))
        if given[ITEMPROP]:
            tree.names.push_back(c' ')
            tree.names.append(<Chars>given[ITEMPROP], shorter(given[ITEMPROP]))
        token.other_names.end = tree.names.size()
        for i in range(CLASS, NAMES):
            if given[i] and speaks_of_comments(given[i]):
                token.flags |= COMMENT_WORD
    tree.tokens.push_back(token)


cdef int note(Tree tree, int32_t element, Chars name, const unsigned char* value) nogil:
    """Keep an attribute as written, if there is one."""
    cdef Note one
    if not value:
        return 0
    one.element = element
    one.name.start = tree.noted.size()
    tree.noted.append(name)
    one.name.end = one.value.start = tree.noted.size()
    tree.noted.append(<Chars>value)
    one.value.end = tree.noted.size()
    tree.notes.push_back(one)


cdef int note_place(Tree tree, Walk* w, int32_t element, Bytes id_) nogil:
    """Note the first element with an id that a link leads to (an element LINKED), before or after it."""
    cdef int32_t place = number_of(w.places, hash_bytes(id_, strlen(<Chars>id_), _seed)), known
    if place == <int32_t>w.place_at.size():
        w.place_at.push_back(element)
        return 0
    known = w.place_at[place]
    if known != NOTED and (known == LINKED) != (element == LINKED):
        note(tree, max(known, element), b"id", id_)
        w.place_at[place] = NOTED


cdef int note_link(Tree tree, Walk* w, int32_t element, Bytes href) nogil:
    """Note a link's address, and its target id if that is on the page."""
    cdef Bytes mark = <Bytes>strchr(<Chars>href, c'#')
    if href[0]:
        note(tree, element, b"href", href)
    if mark and mark[1]:
        note_place(tree, w, LINKED, mark + 1)


cdef vector[string] DECLARED = b"generator og:title og:site_name citation_title".split()


cdef int note_meta(Tree tree, Node node, bint in_head) nogil:
    """Note a meta element's declaration, if it is of one of the kinds that count."""
    cdef:
        size_t i
        Bytes name = attribute_of(node, b"property")
        Bytes content = attribute_of(node, b"content")
    if not name or name[0] == 0:
        name = attribute_of(node, b"name")
    if not name or not content:
        return 0
    name = behind_blanks(name)
    if begins(name, b"og:type"):
        note(tree, -1, b"og:type" if in_head else b"og:type in body", content)
    for i in range(DECLARED.size() if in_head else 0):
        if begins(name, DECLARED[i].c_str()):
            note(tree, -1, DECLARED[i].c_str(), content)


cdef int read_skipped(Tree tree, Walk* w, Node top, const Tag* tag) nogil:
    """Read what matters in an element that shows nothing: a head's title and base, types, the size of a noscript."""
    cdef:
        Node node = top.children
        const Tag* own
        Bytes value
    if tag.role == SCRIPT_TAG:
        value = type_of(top)
        if begins(value, b"application/ld+json"):
            while node:
                note(tree, -1, b"json", node.content)
                node = node.next
        elif node and node.content and w.visible < SHELL_CHARS:
            if begins(value, b"application/json"):
                note(tree, -1, b"state", node.content)
            elif begins(behind_blanks(node.content), b"window."):  # a script that gives the page its data
                note(tree, -1, b"state", <Bytes>strchr(<Chars>node.content, c'{'))
        return 0
    while node:
        if node.type == XML_ELEMENT_NODE:
            own = tag_of(w, node.name)
            note(tree, -1, b"itemtype", attribute_of(node, b"itemtype"))
            if own.role == META_TAG:
                note_meta(tree, node, tag.role == HEAD_TAG)
            elif own.role == SCRIPT_TAG:
                read_skipped(tree, w, node, own)
            elif tag.role == HEAD_TAG and own.role == TITLE_TAG and w.title.empty():
                add_text_of(node, w.title, TITLE_BYTES)
            elif tag.role == HEAD_TAG and own.role == BASE_TAG:
                note(tree, -1, b"base", attribute_of(node, b"href"))
            elif tag.role == NOSCRIPT_TAG and own.role == IMAGE_TAG and w.image >= 0 and (
                    tree.elements[w.image].seen.end == w.visible):
                # the picture for which the image before it stands until a script loads it
                note(tree, w.image, b"noscript-src", attribute_of(node, b"src"))
        elif node.content and tag.role == NOSCRIPT_TAG and node.type == XML_TEXT_NODE:
            own = tag_of(w, node.parent.name)
            # scripts and styles show nothing; some versions of libxml2 store them as text, others as CDATA
            if not own.kind & IS_SKIPPED or own.role == NOSCRIPT_TAG:
                value = node.content
                while value[0]:
                    w.noscript += not is_blank(value[0]) and value[0] & 0xC0 != 0x80
                    value += 1
        node = next_in(top, node)


cdef bint is_spelled(Node node) noexcept nogil:
    """Return whether an element is the first one in one whose label is its whole text, white space aside."""
    cdef:
        Node top = node.parent
        Bytes label
        const unsigned char* text
    if not top or top.type != XML_ELEMENT_NODE or (
            node.prev and (not is_text(node.prev) or node.prev.prev)):
        return False
    label = attribute_of(top, b"aria-label")
    node = top.children
    while label and node:
        text = b""
        if is_text(node):
            text = node.content
        while True:
            label, text = behind_blanks(label), behind_blanks(text)
            if text[0] == 0:
                break
            if text[0] != label[0]:
                return False
            label += 1
            text += 1
        node = next_in(top, node)
    return label and label[0] == 0


cdef int start(Tree tree, Walk* w, const unsigned char* name, const Tag* tag, Node node) nogil:
    """Begin an element, of a node or NULL: add its token, row and mark."""
    cdef:
        const xmlAttr* attributes = node.properties if node else NULL
        Bytes[ATTRIBUTES] given
        Tag own = tag[0]      # and what attributes make of it
        Element element
        const Element* around
        const ElementKind* token
        Bytes value
        uint64_t hash_ = mix(<uint64_t><size_t>name)  # libxml2 stores each name once
        int32_t number = element_count(tree), known, attribute, reason
        bint is_formula, is_between, repeats = False
    memset(given, 0, sizeof(given))
    if w.open < 0:  # a tree may begin at any element: all text must be in a block
        own.kind |= IS_BLOCK
    elif tag == &_custom and node and is_named(node.parent, b"p"):  # a word with a script of its own
        own = _unknown
    while attributes:
        attribute = seen_of(w, attributes.name).attribute
        value = value_of(attributes)
        given[attribute] = value
        if 0 < attribute < NAMES:
            hash_ = mix(hash_bytes(value, strlen(<Chars>value), hash_) + attribute)
        elif attribute == ITEMTYPE:
            note(tree, -1, b"itemtype", value)
        if not tag.notes >> attribute & 1:
            pass
        elif attribute == HREF:
            note_link(tree, w, number, value)
        elif attribute == NAME:
            note_place(tree, w, number, value)
        elif attribute not in (DISPLAY, TYPE):
            note(tree, number, <Chars>attributes.name, value)
        elif attribute == DISPLAY and equal(<Chars>value, b"true"):
            own.kind |= IS_BLOCK
        attributes = attributes.next
    if given[ID]:
        note_place(tree, w, number, given[ID])
    if given[ROLE] and not own.flags and not is_list(name) and _role_tags.count(<Chars>given[ROLE]):
        name = <Bytes>_role_tags[<Chars>given[ROLE]].c_str()
        own = tag_of(w, name)[0]
    if own.role == LINK_TAG and given[NAME] and not given[HREF]:  # a place, which older pages leave open
        own.flags &= ~LINK
    if own.notes >> TYPE & 1 and given[TYPE] and begins(given[TYPE], b"checkbox"):
        note(tree, number, b"box", b"x" if given[CHECKED] else b" ")
    is_formula = own.role == IMAGE_TAG and is_formula_image(node)
    if is_formula or given[ARIA_HIDDEN] or (given[CLASS] and is_of_mathjax(<Chars>given[CLASS])):
        repeats = is_twin(node)
    tree.is_arranged |= given[ARIA_HIDDEN] != NULL and is_spelled(node)
    hash_ = mix(hash_ ^ own.kind ^ <uint64_t>own.flags << 32)
    reason = look_at(&w.sight, node, given, hash_, w.open, own.kind & IS_BLOCK, own.role == DIALOG_TAG)
    if repeats:
        reason = BY_ARIA
    known = number_of(w.tokens, mix(hash_ + reason))
    if known == <int32_t>tree.tokens.size():
        learn(tree, name, &own, given, reason)
    token = &tree.tokens[known]
    element.token = known
    element.parent = w.open
    element.end = number + 1
    element.depth = 1
    element.flags = token.flags | TWIN if repeats else token.flags
    element.block = number if token.kind & IS_BLOCK else -1
    element.path = token.in_path
    element.shape = token.in_shape
    if w.open >= 0:
        around = &tree.elements[w.open]
        element.depth += around.depth
        # text in invisible text may be visible
        element.flags |= around.flags if w.sight.inherited[w.open].is_hidden else around.flags & ~HIDDEN
        element.path += around.path * <uint64_t>0x9E3779B97F4A7C15
        element.shape += around.shape * <uint64_t>0x9E3779B97F4A7C15
        if element.block < 0:
            element.block = around.block
    w.too_large |= number >= MOST_ELEMENTS or w.beyond > MOST_BEYOND
    is_between = token.kind & IS_BLOCK or (token.kind & IS_BREAK and w.break_at == w.visible)
    if is_between:
        close_block(tree, w)
    element.marks.start = element.marks.end = tree.text.size()
    element.seen.start = element.seen.end = w.visible
    tree.text.push_back(1)
    if is_between:
        open_block(tree, w)
    elif w.after_end and number > 0:
        w.joined = number
        if own.role == LINK_TAG and tree.elements[number - 1].path == element.path:
            w.junction = LINK_AFTER_LINK
        elif w.junction == NO_JUNCTION:
            w.junction = JUNCTION
    if own.role == IMAGE_TAG:
        w.image = number
    if token.kind & IS_BREAK:
        w.break_at = w.visible
        tree.text.push_back(11)
        w.in_word = False
        w.junction = NO_JUNCTION
        w.left = 0
    w.after_end = False
    if w.keep_nodes:
        tree.nodes.push_back(<size_t>node)
    tree.elements.push_back(element)
    w.open = number
    if is_formula:
        read_formula(tree, w, node)


cdef inline int end(Tree tree, Walk* w) nogil:
    """End the open element."""
    cdef Element* element = &tree.elements[w.open]
    cdef bint is_block = kind_of(tree, w.open) & IS_BLOCK
    if is_block:
        close_block(tree, w)
    element.end = element_count(tree)
    element.marks.end = tree.text.size()
    element.seen.end = w.visible
    tree.text.push_back(2)
    if is_block:
        open_block(tree, w)
    w.after_end = True
    w.open = element.parent


cdef inline int make_room(Tree tree, Walk* w) nogil:
    """End the open element if it is on the last level: what is in it stands behind it, as in Chromium."""
    cdef bint after_end = w.after_end
    if w.open >= 0 and tree.elements[w.open].depth == MOST_DEPTH:
        end(tree, w)
        w.after_end = after_end
        w.beyond += 1


cdef inline int end_node(Tree tree, Walk* w) nogil:
    """End the element of a node, if it has not ended."""
    if w.beyond and tree.elements[w.open].depth < MOST_DEPTH:
        w.beyond -= 1
    else:
        end(tree, w)


cdef int read_formula(Tree tree, Walk* w, Node node) nogil:
    """Read a formula as text of the open element, unless it repeats the one beside it."""
    cdef string tex
    cdef bint is_display
    if is_tex_script(node) and is_twin(node):
        return 0
    is_display = write_formula(node, tex)
    if is_display:
        note(tree, w.open, b"display", b"block")
    return add_text(tree, w, <Bytes>tex.c_str())


cdef inline Node text_behind_comments(Node node) noexcept nogil:
    """Return the text that continues after comments, which Scrapy's trees contain; NULL for none."""
    node = node.next
    if not node or node.type not in (XML_COMMENT_NODE, XML_PI_NODE):
        return NULL
    while node and node.type in (XML_COMMENT_NODE, XML_PI_NODE):
        node = node.next
    return node if node and node.type == XML_TEXT_NODE and node.content else NULL


cdef bint ends_line(Node node) noexcept nogil:
    """Return whether the content of an element ends with the end of a line."""
    while node.last:
        node = node.last
    return is_named(node, b"br") or (
        is_text(node) and node.content[0] and node.content[strlen(<Chars>node.content) - 1] == c'\n')


cdef int walk(Tree tree, Walk* w, Node root) nogil:
    """Visit all nodes in document order."""
    cdef:
        Node node = root
        Node inner
        string whole
        const Tag* tag
        Bytes name
        bint goes_in
    open_table(w.tokens, 256)
    open_table(w.places, 64)
    w.place_at.clear()
    w.open = w.break_at = w.image = -1
    w.beyond = 0
    open_block(tree, w)
    while True:
        goes_in = False
        if node.type == XML_ELEMENT_NODE:
            name = <const unsigned char*>b"img" if is_named(node, b"amp-img") else node.name
            tag = tag_of(w, name)
            # code elements one behind the other in preformatted text are its lines, unless these end in them
            if is_named(node, b"code") and node.prev and is_named(node.prev, b"code") and (
                    is_named(node.parent, b"pre")) and not ends_line(node.prev):
                add_text(tree, w, b"\n")
            make_room(tree, w)
            start(tree, w, name, tag, node)
            if w.too_large:
                return 0
            if not tag.kind & IS_SKIPPED or (tag.role == NOSCRIPT_TAG and w.keep_noscript) or (
                    tag.role == READING_TAG and w.keep_readings):
                goes_in = node.children != NULL
                if goes_in and tag.role == READING_TAG:
                    add_text(tree, w, b"(")
                if tag.role == META_TAG:
                    note_meta(tree, node, False)
            elif tag.role == MATH_TAG or (tag.role == SCRIPT_TAG and is_tex_script(node)):
                read_formula(tree, w, node)
            else:
                read_skipped(tree, w, node, tag)
                tree.is_arranged |= tag.role == TEMPLATE_TAG and (
                    attribute_of(node, b"shadowrootmode") or begins(<Bytes>told_of(node, b"id"), b"b:")
                    or begins(<Bytes>told_of(node, b"id"), b"p:"))
                if tag.role == HEAD_TAG and not w.head_read:
                    w.head_read = True
                    # if the page does not close its head, the body begins at the first tag that a head may not hold:
                    # the parser knows only the tags of HTML 4
                    inner = node.children
                    while inner != NULL and (
                            inner.type != XML_ELEMENT_NODE or tag_of(w, inner.name).kind & IS_IN_HEAD):
                        inner = inner.next
                    if inner:
                        end(tree, w)
                        start(tree, w, b"body", tag_of(w, b"body"), NULL)
                        node = inner
                        continue
        elif w.open >= 0 and is_text(node):
            inner = text_behind_comments(node)
            if not inner:
                add_text(tree, w, node.content)
            else:
                whole.assign(<Chars>node.content)
                while inner:
                    node = inner
                    whole.append(<Chars>node.content)
                    inner = text_behind_comments(node)
                add_text(tree, w, <Bytes>whole.c_str())
        if goes_in:
            node = node.children
            continue
        if node.type == XML_ELEMENT_NODE:
            end_node(tree, w)
        while not node.next and w.open >= 0:
            node = node.parent
            if w.keep_readings and tag_of(w, node.name).role == READING_TAG:
                add_text(tree, w, b")")
            end_node(tree, w)
        # elements after the end of html become its siblings; those of an inner element are not in its tree
        if w.open < 0 and root.parent and root.parent.type == XML_ELEMENT_NODE:
            break
        node = node.next
        if not node:
            break
    close_block(tree, w)


cdef int number_slots(Tree tree) nogil:
    """Number the distinct paths of the blocks."""
    cdef Table slots
    cdef size_t i
    open_table(slots, tree.blocks.size())
    for i in range(tree.blocks.size()):
        tree.blocks[i].slot = number_of(slots, tree.blocks[i].path)
    tree.slots = slots.count


cdef inline bint is_shell(int32_t reason) noexcept nogil:
    """Return whether scripts often show what is hidden so: what fades in, and what is streamed."""
    return reason in (BY_OPACITY, BY_ATTRIBUTE)


cdef bint find_shells(Tree tree, Walk* w) nogil:
    """Mark hidden elements that hold most of the page or of its main part, or fade in with it: scripts show them."""
    cdef:
        const Element* element
        int32_t i, reason, size, faded = 0, fades = 0, main_end = 0, main = 0, n = element_count(tree)
        bint found = False
    w.sight.shells.assign(n, 0)
    for i in range(n):
        element = &tree.elements[i]
        reason = tree.tokens[element.token].reason
        size = element.seen.end - element.seen.start
        if tree.tokens[element.token].flags & ARTICLE and i >= main_end and size > MAIN_SHARE * w.visible:
            main, main_end = size, element.end
        if reason and size > SHELL_SHARE * (main if i < main_end else w.visible):
            w.sight.shells[i] = found = True
        if is_shell(reason) and not (element.parent >= 0 and tree.elements[element.parent].flags & HIDDEN):
            faded += size
            fades += reason == BY_OPACITY and size > 0
    if faded > SHELL_SHARE * w.visible or fades >= FADES:
        for i in range(n):
            if is_shell(token_of(tree, i).reason):
                w.sight.shells[i] = found = True
    return found


cdef int read_tree(Tree tree, Walk* w, Node root, const Sheet* sheet) nogil:
    """Walk; and again with noscript text if that is most of the page: some forums serve all their text there.

    The rule was measured: twice the visible text, and at least some 20 words of 5 letters more. Once more if hidden
    elements are most of the page.
    """
    cdef bint has_shells = False
    w.keep_noscript = False
    while True:
        memset(w.seen, 0, sizeof(w.seen))
        open_sight(&w.sight, sheet, root)
        w.visible = w.noscript = w.junction = 0
        w.left = w.further = w.run = 0
        w.last = 0
        w.too_large = w.head_read = w.after_end = False
        w.title.clear()
        clear(tree)
        walk(tree, w, root)
        tree.is_too_large = w.too_large
        tree.lacks_styles = w.sight.steps <= 0 or (sheet and sheet.steps <= 0)
        tree.noscript_read = w.keep_noscript
        if w.too_large:
            break
        if not w.keep_noscript and w.noscript > w.visible + NOSCRIPT_CHARS:
            w.keep_noscript = True
        elif not has_shells and find_shells(tree, w):
            has_shells = True
        else:
            break
    number_slots(tree)


cdef int clear(Tree tree) nogil:
    """Clear the tree."""
    tree.elements.clear()
    tree.blocks.clear()
    tree.tokens.clear()
    tree.words.clear()
    tree.notes.clear()
    tree.nodes.clear()
    tree.text.clear()
    tree.names.clear()
    tree.noted.clear()


# ---- texts ----------------------------------------------------------------------------------------------------------

cdef inline int32_t first_behind(Spans left_out, int32_t place) noexcept nogil:
    """Return the number of the first of ascending slices that ends behind a place."""
    cdef int32_t low = 0, middle, high = left_out.shape[0]
    while low < high:
        middle = (low + high) // 2
        if left_out[middle, 1] <= place:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline int32_t plain_run(Bytes text, int32_t size) noexcept nogil:
    """Return the length of the signs of ASCII, and single spaces between them, that a text begins with."""
    cdef int32_t i = 0
    while i < size and (32 < text[i] < 127 or (text[i] == 32 and 0 < i < size - 1 and 32 < text[i + 1] < 127)):
        i += 1
    return i


cdef int write_text(
    const string& text, Span span, Spans left_out, bint is_exact, string& out
) nogil:
    """Write a text with white space collapsed and lines broken at br.

    Exact text is copied, without leading empty lines and trailing white space.
    """
    cdef:
        Bytes data = <Bytes>text.data()
        int32_t i = span.start, width, skips = left_out.shape[0], skip = first_behind(left_out, i)
        size_t first = out.size(), shown = first
        uint32_t code
        int32_t stop     # of the text, or where the next part left out begins
        int gap = 0      # before the next character: 0 nothing, 1 a space, 2 a line end
        bint shows
    while i < span.end:
        while skip < skips and left_out[skip, 1] <= i:
            skip += 1
        if skip < skips and left_out[skip, 0] <= i:
            i = left_out[skip, 1]
            continue
        stop = min(left_out[skip, 0], span.end) if skip < skips else span.end
        width = plain_run(data + i, stop - i)
        code, shows = data[i], True
        if not width:
            width = decode(data + i, &code)
            shows = code > 0xFFFF or not characters.KIND[code] & BLANK
        if code <= 2:
            pass
        elif not is_exact and not shows:
            gap = 2 if code == 11 else gap if gap else 1
        elif shows or out.size() > first or code not in (10, 11, 13):
            if gap and out.size() > first:
                out.push_back(32 if gap == 1 else 10)
            gap = 0
            if width == 1:
                out.push_back(c'\n' if code == 11 else data[i])
            else:
                out.append(<Chars>data + i, width)
            if shows:
                shown = out.size()
        i += width
    out.resize(shown)


cdef int write_block(Tree tree, Block block, Spans left_out, string& out) nogil:
    """Write a block's text without the parts left out, unless they are all of it."""
    cdef size_t first = out.size()
    cdef Spans nothing = left_out[:0]
    write_text(tree.text, block.text, left_out, block.flags & PREFORMATTED, out)
    if out.size() == first and left_out.shape[0]:
        write_block(tree, block, nothing, out)


cdef int write_blocks(Tree tree, Flags wanted, Spans left_out, string& out) nogil:
    """Write the texts of the wanted blocks, one per line."""
    cdef size_t i
    for i in range(tree.blocks.size()):
        if wanted[i]:
            if out.size():
                out.push_back(c'\n')
            write_block(tree, &tree.blocks[i], left_out, out)


cdef str decoded(const string& text):
    return text.data()[:text.size()].decode("utf-8", "replace")


cdef str piece(const string& text, Span span):
    return text.data()[span.start:span.end].decode("utf-8", "replace")


_NOTHING = np.zeros((0, 2), np.int32)

# ---- the interface to Python ----------------------------------------------------------------------------------------

cdef class RowBuffer:
    """A tree's memory as a buffer of bytes, which keeps the tree alive."""

    cdef:
        Tree tree
        void* data
        Py_ssize_t size

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.data, self.size, 1, flags)


cdef object rows_of(Tree tree, void* data, size_t count, object dtype):
    """Return rows of a tree as a numpy array, without a copy; read-only, for the core does not check them again."""
    cdef RowBuffer rows = RowBuffer.__new__(RowBuffer)
    rows.tree, rows.data, rows.size = tree, data, <Py_ssize_t>(count * <size_t>dtype.itemsize)
    return np.frombuffer(rows, dtype)


cdef Element _element
cdef BlockRow _block
cdef ElementKind _token
cdef Word _word
_ELEMENT, _BLOCK = np.asarray(<Element[:1]>&_element).dtype, np.asarray(<BlockRow[:1]>&_block).dtype
_TOKEN, _WORD = np.asarray(<ElementKind[:1]>&_token).dtype, np.asarray(<Word[:1]>&_word).dtype


cdef class Tree:
    """A parsed page in columns, made by `tree_of`; empty if made directly.

    Attributes:
        title: Text of the title element, white space collapsed; the first `MAX_TITLE` characters.
        noscript_read: Whether the text inside `noscript` counts as the page's, since it is most of it.
        is_too_large: Whether the page exceeds a limit, and was read as text without structure.
        lacks_styles: Whether its styles take too long to read, so that a part of them was left out.
        is_arranged: Whether browsers may show parts elsewhere, which is not read: shadow trees, streamed content, words
            that a label spells.
    """

    def __init__(self):  # with `__cinit__` it could not be pickled
        self.title = ""

    @property
    def element_rows(self):
        """Rows of the n elements (`tree.pxd`), in document order, shape (n,)."""
        return rows_of(self, self.elements.data(), self.elements.size(), _ELEMENT)

    @property
    def block_rows(self):
        """Rows of the m blocks, shape (m,)."""
        return rows_of(self, self.blocks.data(), self.blocks.size(), _BLOCK)

    def set_hidden(self, Flags hidden not None):
        """Set whether each block is hidden, bool of shape (m,)."""
        cdef size_t i
        self._check(hidden.shape[0], self.blocks.size(), "blocks")
        for i in range(self.blocks.size()):
            self.blocks[i].flags = self.blocks[i].flags | HIDDEN if hidden[i] else self.blocks[i].flags & ~HIDDEN

    @property
    def token_rows(self):
        """Rows of the kinds of elements, in order of first occurrence, shape (tokens,)."""
        return rows_of(self, self.tokens.data(), self.tokens.size(), _TOKEN)

    @property
    def word_rows(self):
        """Rows of the words that count, in document order, shape (words,)."""
        return rows_of(self, self.words.data(), self.words.size(), _WORD)

    @property
    def noted_values(self):
        """(element, name, value) of the attributes that rendering and links need."""
        return [(one.element, piece(self.noted, one.name), piece(self.noted, one.value)) for one in self.notes if one.element >= 0]

    def tags(self) -> list:
        """Return the tag of each element, in document order."""
        names = [piece(self.names, token.tag_name) for token in self.tokens]
        return [names[element.token] for element in self.elements]

    def values_of(self, Chars name) -> list:
        """Return (element, value) of the noted attributes with a name."""
        return [(one.element, piece(self.noted, one.value)) for one in self.notes if is_noted(self, &one, name)]

    def declared(self, Chars name) -> list:
        """Return the values of the page's declarations with a name."""
        return [value for _, value in self.values_of(name)]

    @property
    def nbytes(self) -> int:
        """Bytes that the columns take."""
        return (
            self.elements.capacity() * sizeof(Element) + self.blocks.capacity() * sizeof(BlockRow)
            + self.tokens.capacity() * sizeof(ElementKind) + self.words.capacity() * sizeof(Word)
            + self.notes.capacity() * sizeof(Note) + self.nodes.capacity() * sizeof(size_t)
            + self.text.capacity() + self.names.capacity() + self.noted.capacity()
        )

    def slice(self, int start, int end) -> str:
        """Return the marked text between two positions."""
        return self.text.data()[max(start, 0):min(end, <int>self.text.size())].decode("utf-8", "replace")

    def text_in(self, int element, between=None) -> str:
        """Return the text of an element, with a separator in place of the marks in it."""
        cdef Span marks = self.elements.at(element).marks
        return self.slice(marks.start, marks.end).translate({1: between, 2: between})

    def block_text(self, int block, left_out=_NOTHING) -> str:
        """Return the text of a block: white space collapsed, lines broken at `<br>`; preformatted text as it is.

        `left_out` holds ascending positions (start, end) in the marked text that are left out, shape (any, 2), unless
        they are all of the block's text.
        """
        cdef string out
        if not 0 <= block < <int>self.blocks.size():
            raise IndexError(f"there is no block {block}")
        write_block(self, &self.blocks[block], left_out, out)
        return decoded(out)

    def text_of(self, Flags wanted, Spans left_out=_NOTHING) -> str:
        """Return the texts of the wanted blocks, one per line, without `left_out`; `wanted` has shape (m,)."""
        cdef string out
        self._check(wanted.shape[0], self.blocks.size(), "blocks")
        with nogil:
            write_blocks(self, wanted, left_out, out)
        return decoded(out)

    cdef int _check(self, Py_ssize_t given, size_t expected, str what) except -1:
        if <size_t>given != expected:
            raise ValueError(f"there are {expected} {what}, got {given} values")

    def inherited(self, Longs own):
        """Return the flags of each of the n elements and its ancestors, given the tokens' own flags; shape (n,)."""
        self._check(own.shape[0], self.tokens.size(), "tokens")
        flags = np.empty(self.elements.size(), np.int64)
        cdef:
            int64_t[::1] out = flags
            size_t i
            const Element* element
        for i in range(self.elements.size()):
            element = &self.elements[i]
            out[i] = own[element.token] | (out[element.parent] if element.parent >= 0 else 0)
        return flags

    def texts_of(self, Flags marked, bint others=False):
        """Return the texts after the 2n marks that marked ones of n elements own, and others, in order, shape (any, 6).

        Of each: the element of its mark, its owner, position of its mark, its end, visible characters, its block or -1.
        With `others`, those without owner, which is -1.
        """
        cdef:
            int32_t n = element_count(self), m = block_count(self), k
            int32_t i = 0, block = -1, element = -1, owner = -1, mark = 0, seen = 0, next_, after, end_, now
            bint is_start
            const Element* one
            int32_t[6] row
            vector[int32_t] out
        self._check(marked.shape[0], n, "elements")
        for k in range(2 * n + 1):  # the mark that ends the text
            is_start = i < n and self.elements[i].parent == owner
            next_ = i if is_start else owner
            after, end_, now = next_, <int32_t>self.text.size(), seen
            if next_ >= 0:
                one = &self.elements[next_]
                after = next_ if is_start else one.parent
                end_ = one.marks.start if is_start else one.marks.end
                now = one.seen.start if is_start else one.seen.end
            while block + 1 < m and self.blocks[block + 1].text.start <= mark + 1:
                block += 1
            if k and (marked[owner] if owner >= 0 else others):
                row[:] = [element, owner, mark, end_, now - seen, -1]
                if block >= 0 and mark < self.blocks[block].text.end:
                    row[5] = block
                out.insert(out.end(), &row[0], &row[0] + 6)
            element, owner, mark, seen = next_, after, end_, now
            i += is_start
        return np.frombuffer((<Chars>out.data())[:out.size() * sizeof(int32_t)], np.int32).reshape(-1, 6)

    def tagged(self, tags) -> bytes:
        """Return for each token whether it has one of these tags, as 0 or 1."""
        cdef:
            string found
            uint32_t code
            size_t i
        found.resize(self.tokens.size())
        for tag in tags:
            code = name_code(tag)
            for i in range(self.tokens.size()):
                found[i] |= self.tokens[i].tag_code == code
        return found

    def nearest(self, Flags marked):
        """Return the nearest marked ancestor or self of each of the n elements, -1 for none; shape (n,)."""
        self._check(marked.shape[0], self.elements.size(), "elements")
        found = np.empty(self.elements.size(), np.int64)
        cdef:
            int64_t[::1] out = found
            size_t i
            int32_t parent
        for i in range(self.elements.size()):
            parent = self.elements[i].parent
            out[i] = <int64_t>i if marked[i] else out[parent] if parent >= 0 else -1
        return found

    def count_tokens(self, Longs starts, Longs ends):
        """Return the tokens in slices of the text, shape (slices,); no slice may contain a mark."""
        counts = np.zeros(starts.shape[0], np.int64)
        cdef:
            int64_t[::1] out = counts
            Bytes text = <Bytes>self.text.data()
            Py_ssize_t i, at
            uint32_t code
            uint8_t kind
            bint in_word
        self._check(ends.shape[0], starts.shape[0], "starts")
        for i in range(starts.shape[0]):
            at, in_word = max(starts[i], 0), False
            while at < min(ends[i], <int64_t>self.text.size()):
                at += decode(text + at, &code)
                kind = class_of(code)
                out[i] += kind == CJK or (kind >= DIGIT and not in_word)
                in_word = DIGIT <= kind < CJK
        return counts

    def inner_hashes(self, const uint64_t[::1] urls):
        """Hash the innerHTML of each of the n elements; `urls` holds hashes of addresses or 0; shape (n,)."""
        self._check(urls.shape[0], self.elements.size(), "elements")
        hashes = np.zeros(self.elements.size(), np.uint64)
        cdef:
            uint64_t[::1] out = hashes
            uint64_t whole
            int32_t open_ = -1, last = -1
            size_t i = 0, size = self.text.size()
            Bytes text = <Bytes>self.text.data()
            uint32_t code
        with nogil:
            while i < size:
                i += decode(text + i, &code)
                if code == 1:
                    open_ = last = last + 1
                    continue
                if class_of(code) == SPACE or open_ < 0:
                    continue
                whole = code
                if code == 2:
                    whole = mix(token_of(self, open_).own ^ urls[open_]) ^ out[open_]
                    open_ = self.elements[open_].parent
                if open_ >= 0:
                    out[open_] = mix(out[open_] ^ whole)
        return hashes

    cdef const ElementKind* _token(self, int number) except NULL:
        if not 0 <= number < <int>self.tokens.size():
            raise IndexError(f"there is no token {number}")
        return &self.tokens[number]

    def name_of(self, int token) -> tuple:
        """Return tag, id and class of a token, without digits, then role and itemprop, as written; "" for none."""
        cdef const ElementKind* one = self._token(token)
        cdef str names = piece(self.names, one.other_names)
        return piece(self.names, one.tag_name), piece(self.names, one.id_name), piece(self.names, one.class_name), names

    def tokens_named(self, list words) -> list:
        """Return the tokens with any of these bytes in their tag, class, id, role or itemprop, without repeats.

        Each word is looked for in all names at once.
        """
        cdef string word
        cdef size_t at
        found = []
        for word in words:
            at = self.names.find(word)
            while at < self.names.size():
                found.append(at)
                at = self.names.find(word, at + 1)
        starts = self.token_rows["tag_name"]["start"]
        return sorted({*(np.searchsorted(starts, found, "right") - 1).tolist()})

    def short_links_here(self, int most) -> list:
        """Return (element, href, text) of the links with a `#`, to a place on a page.

        They hold 1 to `most` visible characters.
        """
        return [
            (one.element, piece(self.noted, one.value), self.text_in(one.element)) for one in self.notes
            if is_noted(self, &one, b"href") and (
                0 < self.elements[one.element].seen.end - self.elements[one.element].seen.start <= most) and (
                memchr(self.noted.data() + one.value.start, 35, one.value.end - one.value.start))  # the mark
        ]

    def numbers_of(self, elements) -> list:
        """Return the numbers of elements of lxml's live tree, -1 for unread ones; needs `keep_nodes`."""
        cdef:
            Table numbers
            size_t i
            _Element element
        open_table(numbers, self.nodes.size())
        for i in range(self.nodes.size()):
            number_of(numbers, self.nodes[i] if self.nodes[i] else i + 1)
        found = []
        for element in elements:
            found.append(find(numbers, <uint64_t><size_t>element._c_node))
        return found


def tree_of(
    _Element root not None, *, StyleSheet sheet=None, int64_t size=0, bint is_shared=False, bint break_lines=False,
    bint keep_nodes=False, bint keep_readings=False
) -> Tree:
    """Return the tree of a page that lxml has parsed; the root is only read.

    Args:
        root: The root.
        sheet: The rules of its style sheets.
        size: Bytes of the page, in proportion to which its styles are read.
        is_shared: Whether others may change the tree meanwhile: then the interpreter's lock is held.
        break_lines: Whether line ends of the text are line breaks.
        keep_nodes: Whether `Tree.numbers_of` will be called.
        keep_readings: Whether ruby readings are read, in brackets, rather than left out.

    Raises:
        ValueError: The root is no node of a tree, as it was made by its class alone.

    Example:
        >>> tree = tree_of(etree.fromstring("<p>One <b>bold</b> word.</p>", etree.HTMLParser()))
        >>> tree.block_text(0), len(tree.element_rows)
        ('One bold word.', 4)
    """
    cdef:
        Tree tree = Tree()
        Walk w
        const Sheet* rules = NULL
    if sheet is not None:
        rules = &sheet.sheet
    if not root._c_node:
        raise ValueError("the root is no node of a tree: lxml has not initialised it")
    w.sight.steps = LEAST_STEPS + STEPS_A_BYTE * size
    w.break_lines, w.keep_nodes, w.keep_readings = break_lines, keep_nodes, keep_readings
    if is_shared:
        read_tree(tree, &w, root._c_node, rules)
    else:
        with nogil:
            read_tree(tree, &w, root._c_node, rules)
    tree.title = " ".join(characters_of.without_unseen(decoded(w.title)).split())[:MAX_TITLE]
    return tree


def name_code(name: str) -> int:
    """Return the code of a tag, class or id in the tokens, 0 for none."""
    cdef string text = name.encode("utf-8", "replace")
    return code_of(text, Span(0, text.size()))
