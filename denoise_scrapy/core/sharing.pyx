# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Texts, paths and template that a page shares with others of its site; and which of those are its copies.

A page's facts, with which others are compared, are one block of bytes, in memory, on disk and between processes: a
header, then the hashes of its containers' shapes, of its blocks' texts and paths, and their tokens.

Source of the template similarity: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018):
the set of a page's block paths; here without sibling positions and ids, which would separate pages of one template.
"""

from bisect import bisect_left

import numpy as np

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.algorithm cimport sort, unique
from libcpp.vector cimport vector

from denoise_scrapy.core.arrays cimport DoublesOut
from denoise_scrapy.core.hashing cimport NOT_THERE, Table, find, hash_bytes, number_of, open_table
from denoise_scrapy.core.tree cimport IS_CONTAINER, Tree, kind_of

# ---- the facts of a page --------------------------------------------------------------------------------------------

cdef struct Facts:                # the parts of a page's facts; it has m blocks
    uint64_t checksum             # as it was written, see `Header`
    int32_t containers
    int32_t blocks
    const uint64_t* shapes        # of its containers (`Element.shape`), sorted, each once
    const uint64_t* texts         # `BlockRow.text_hash`
    const uint64_t* paths         # `BlockRow.path`
    const uint32_t* tokens        # twice `BlockRow.tokens`, plus one if they are prose

cdef struct Header:
    uint64_t checksum     # of the URL and of all that follows
    uint32_t containers
    uint32_t blocks


cdef inline uint64_t facts_size(uint64_t containers, uint64_t blocks) noexcept:
    return sizeof(Header) + sizeof(uint64_t) * (containers + 2 * blocks) + sizeof(uint32_t) * blocks


cdef uint64_t checksum_of(bytes data, str url) except? 0:
    """Compute the checksum of a page's facts and its URL."""
    name = url.encode("utf-8", "replace")
    cdef:
        const unsigned char* text = name
        const unsigned char* start = data
        uint64_t seed = hash_bytes(text, len(name), 1)
    return hash_bytes(start + sizeof(uint64_t), len(data) - sizeof(uint64_t), seed)


cdef int find_facts(bytes data, Facts* facts):
    """Locate the parts of facts; raise `ValueError` if the size cannot be right."""
    cdef:
        const unsigned char* start = data
        Header header
        uint64_t size = len(data)
    if size < sizeof(Header):
        raise ValueError("damaged facts")
    memcpy(&header, start, sizeof(Header))
    if size != facts_size(header.containers, header.blocks):
        raise ValueError("damaged facts")
    facts.checksum, facts.containers, facts.blocks = header.checksum, header.containers, header.blocks
    facts.shapes = <const uint64_t*>(start + sizeof(Header))
    facts.texts = facts.shapes + facts.containers
    facts.paths = facts.texts + facts.blocks
    facts.tokens = <const uint32_t*>(facts.paths + facts.blocks)


cdef int list_shapes(Tree tree, vector[uint64_t]& shapes) nogil:
    """List the shapes of the page's containers, sorted, without repeats."""
    cdef size_t i
    for i in range(tree.elements.size()):
        if kind_of(tree, i) & IS_CONTAINER:
            shapes.push_back(tree.elements[i].shape)
    sort(shapes.begin(), shapes.end())
    shapes.erase(unique(shapes.begin(), shapes.end()), shapes.end())


def facts_of(Tree tree not None, str url="") -> bytes:
    """Return a page's facts, with which others are compared; with another URL they count as damaged (`checked`)."""
    cdef:
        vector[uint64_t] shapes
        Header header
        size_t m = tree.blocks.size(), i
        unsigned char* out
        uint64_t* wide
        uint32_t* tokens
    with nogil:
        list_shapes(tree, shapes)
    data = PyBytes_FromStringAndSize(NULL, facts_size(shapes.size(), m))
    out = <unsigned char*>PyBytes_AsString(data)
    header.checksum, header.containers, header.blocks = 0, shapes.size(), m
    memcpy(out, &header, sizeof(Header))
    wide = <uint64_t*>(out + sizeof(Header))
    for i in range(shapes.size()):
        wide[i] = shapes[i]
    wide += shapes.size()
    tokens = <uint32_t*>(wide + 2 * m)
    for i in range(m):
        wide[i], wide[m + i] = tree.blocks[i].text_hash, tree.blocks[i].path
        tokens[i] = 2 * <uint32_t>tree.blocks[i].tokens + (tree.blocks[i].prose > 0)
    header.checksum = checksum_of(data, url)
    memcpy(out, &header, sizeof(Header))
    return data


def checked(bytes data not None, str url not None) -> bytes:
    """Return facts read from a file or server; raise `ValueError` if they are damaged, or belong to another URL."""
    cdef Facts facts
    find_facts(data, &facts)
    if facts.checksum != checksum_of(data, url):
        raise ValueError("damaged facts")
    return data


def columns_of(bytes data not None) -> tuple:
    """Return facts as numpy arrays: shapes of containers (any,), texts, paths and doubled tokens of the blocks (m,)."""
    cdef Facts facts
    find_facts(data, &facts)
    n, m = facts.containers, facts.blocks
    wide = np.frombuffer(data, np.uint64, n + 2 * m, sizeof(Header))
    return wide[:n], wide[n:n + m], wide[n + m:], np.frombuffer(data, np.uint32, m, len(data) - 4 * m)


# ---- template similarity --------------------------------------------------------------------------------------------


cdef double likeness_of(const Facts* a, const Facts* b) noexcept nogil:
    """Return common containers / containers of the page with fewer, 0 to 1, by merging both sorted lists."""
    cdef int32_t i = 0, j = 0, common = 0
    while i < a.containers and j < b.containers:
        if a.shapes[i] == b.shapes[j]:
            common += 1
            i += 1
            j += 1
        elif a.shapes[i] < b.shapes[j]:
            i += 1
        else:
            j += 1
    return common / <double>max(min(a.containers, b.containers), 1)


def similarities(bytes data not None, others) -> list:
    """Return the similarity of the page's template to that of each other page, 0 to 1, from their facts."""
    cdef Facts own, other
    find_facts(data, &own)
    found = []
    for one in others:
        find_facts(one, &other)
        found.append(likeness_of(&own, &other))
    return found


# ---- what is shared -------------------------------------------------------------------------------------------------

cdef struct SharedText:           # of the page, or of another one
    int32_t pages                 # pages that have it, including this one
    int32_t last                  # the last of these
    double tokens                 # of the page's own blocks with this text
    double prose                  # of those that are prose

cdef struct Place:                # a text of the page under its path
    int32_t pages                 # other pages that have it there
    int32_t last

cdef struct PathTokens:           # a path of the page's blocks: its tokens on this page and the others
    double whole
    double alone                  # in texts that only one page has
    double own_alone              # and only this page

cdef struct Said:                 # a block under one of the page's paths
    int32_t text
    int32_t slot
    double tokens

cdef struct PageTexts:
    Table text_numbers            # the page's own texts come first
    Table place_numbers
    Table slot_numbers
    vector[SharedText] texts
    vector[Place] places
    vector[PathTokens] slots
    vector[Said] said             # first the m blocks of the page

cdef enum:
    # Numbers of pages.
    NO_PAGE
    THE_PAGE
    FIRST_OTHER


cdef inline uint64_t placed(const Facts* facts, int32_t block) noexcept nogil:
    """Combine a text and its path into a key."""
    return facts.texts[block] * 3 + facts.paths[block]


cdef inline SharedText* find_text(
    PageTexts& known, const Facts* facts, int32_t block, int32_t* number
) nogil:
    """Return the text of a block, with its number."""
    number[0] = number_of(known.text_numbers, facts.texts[block])
    if number[0] == <int32_t>known.texts.size():
        known.texts.resize(number[0] + 1)
    return &known.texts[number[0]]


cdef int read_own(PageTexts& known, const Facts* own) nogil:
    """Read the page's own facts."""
    cdef:
        SharedText* text
        Said said
        int32_t i
    for i in range(own.blocks):
        text = find_text(known, own, i, &said.text)
        text.pages, text.last = 1, THE_PAGE
        said.slot, said.tokens = number_of(known.slot_numbers, own.paths[i]), own.tokens[i] >> 1
        known.said.push_back(said)
        text.tokens += said.tokens
        if own.tokens[i] & 1:
            text.prose += said.tokens
        number_of(known.place_numbers, placed(own, i))
    known.places.resize(known.place_numbers.count)
    known.slots.resize(known.slot_numbers.count)


cdef int read_other(
    PageTexts& known, const Facts* other, int32_t page, double* carried, double* prose
) nogil:
    """Read another page's facts; count the page's tokens it contains: all, and prose."""
    cdef:
        SharedText* text
        Place* place
        Said said
        int32_t i, at
    carried[0] = prose[0] = 0
    for i in range(other.blocks):
        text = find_text(known, other, i, &said.text)
        if text.last != page:
            text.pages += 1
            text.last = page
            carried[0] += text.tokens
            prose[0] += text.prose
        said.slot = find(known.slot_numbers, other.paths[i])
        if said.slot == NOT_THERE:
            continue
        said.tokens = other.tokens[i] >> 1
        known.said.push_back(said)
        at = find(known.place_numbers, placed(other, i))
        if at != NOT_THERE:
            place = &known.places[at]
            place.pages += place.last != page
            place.last = page


cdef int sum_slots(PageTexts& known, size_t m) noexcept nogil:
    """Add up the tokens under the paths of the page's m blocks."""
    cdef:
        const Said* said
        PathTokens* slot
        size_t i
    for i in range(known.said.size()):
        said = &known.said[i]
        slot = &known.slots[said.slot]
        slot.whole += said.tokens
        if known.texts[said.text].pages == 1:
            slot.alone += said.tokens
            slot.own_alone += said.tokens if i < m else 0


cdef int compare(
    const Facts* own, const vector[Facts]& others, double[:, ::1] columns, double[:, ::1] carried, DoublesOut likeness
) nogil:
    """Compute all attributes of `Shared`."""
    cdef:
        PageTexts known
        const PathTokens* slot
        int32_t number, i, m = own.blocks, k = others.size()
        double among = max(k, 1)
        size_t blocks = m
    for number in range(k):
        blocks += others[number].blocks
    open_table(known.text_numbers, blocks)
    open_table(known.place_numbers, m)
    open_table(known.slot_numbers, m)
    read_own(known, own)
    for number in range(k):
        read_other(known, &others[number], FIRST_OTHER + number, &carried[0, number], &carried[1, number])
        likeness[number] = likeness_of(own, &others[number])
    sum_slots(known, m)
    for i in range(m):
        slot = &known.slots[known.said[i].slot]
        columns[0, i] = (known.texts[known.said[i].text].pages - 1) / among
        columns[1, i] = known.places[find(known.place_numbers, placed(own, i))].pages / among
        columns[2, i] = (slot.whole - slot.alone) / max(slot.whole, 1)
        columns[3, i] = (slot.alone - slot.own_alone) / among


# A comparison page that contains more than this share of all the page's tokens is the same page under another URL:
# siblings differ in a title at least.
cdef double SAME_PAGE_SHARE = 0.97
# A comparison page that contains more than this share of the page's prose is a copy of it, or another view, if the
# median of the other comparison pages is lower by at least as much: else that prose is the template's. Measured on six
# corpora: .2 to .4 and .15 to .3 are equivalent, .8 and .3 cost dragnet .002 and wcxb .009.
cdef double COPY_SHARE = 0.25
# A single comparison page cannot be compared with others: a copy contains more than this, or this much of its own prose
# is the page's, as that of an earlier version. Less costs up to .03.
cdef double ONLY_COPY_SHARE = 0.9


cdef double prose_of(const Facts* facts) noexcept nogil:
    """Return the tokens of a page's prose."""
    cdef double prose = 0
    cdef int32_t i
    for i in range(facts.blocks):
        prose += (facts.tokens[i] >> 1) if facts.tokens[i] & 1 else 0
    return prose


def _median_without(ordered, value):
    """Return the median of two or more sorted values without one of them."""
    at, n = bisect_left(ordered, value), len(ordered)
    return sum(ordered[i + (i >= at)] for i in ((n - 2) // 2, (n - 1) // 2)) / 2  # those behind `at` move up


cdef class Shared:
    """Texts and places that a page of m blocks shares with k others; made by `share`; arrays are float64.

    Attributes:
        text_share: Share of the others that contain each block's text, shape (m,); 0 if there are no others.
        placed_share: Share of the others that contain it under the same path, shape (m,).
        slot_share: Share of the tokens under each block's path, on the page and the others, in texts that at least two
            of them have, shape (m,).
        own_tokens: Tokens per other page under each block's path, in texts that only one page has, shape (m,).
        carried: Tokens, and tokens of prose, of the page's blocks whose text each other contains, shape (2, k).
        likeness: Similarity of the page's template to that of each other, 0 to 1, shape (k,).
    """

    cdef:
        readonly object text_share
        readonly object placed_share
        readonly object slot_share
        readonly object own_tokens
        readonly object carried
        readonly object likeness
        bytes own
        list others

    def originals(self) -> list:
        """Return the numbers of the others that are not copies, which would make the article look like template."""
        cdef:
            Facts own, other
            double whole = 0, prose
            const double[:, ::1] carried = self.carried
            int32_t i
        find_facts(self.own, &own)
        for i in range(own.blocks):
            whole += own.tokens[i] >> 1
        prose = prose_of(&own)
        different = [i for i in range(carried.shape[1]) if carried[0, i] <= SAME_PAGE_SHARE * whole]
        shares = [carried[1, i] / max(prose, 1) for i in different]
        if len(different) == 1:
            i = different[0]
            find_facts(self.others[i], &other)
            is_within = shares[0] > COPY_SHARE and carried[1, i] >= ONLY_COPY_SHARE * prose_of(&other)
            return [] if is_within or shares[0] > ONLY_COPY_SHARE else different
        ordered = sorted(shares)
        return [
            number for number, one in zip(different, shares)
            if one <= COPY_SHARE or one - _median_without(ordered, one) <= COPY_SHARE
        ]

    def likest(self) -> list:
        """Return the numbers of the others that are not copies, most similar template first."""
        return sorted(self.originals(), key=self.likeness.__getitem__, reverse=True)

    def only(self, numbers) -> Shared:
        """Return the same for some of the others, in this order."""
        cdef Shared found
        if len(numbers) < len(self.others):
            return share(self.own, [self.others[i] for i in numbers])
        found = Shared.__new__(Shared)
        found.own, found.others = self.own, [self.others[i] for i in numbers]
        found.text_share, found.placed_share = self.text_share, self.placed_share
        found.slot_share, found.own_tokens = self.slot_share, self.own_tokens
        found.carried, found.likeness = self.carried[:, numbers], self.likeness[numbers]
        return found


def share(bytes own not None, others) -> Shared:
    """Return what a page of m blocks shares with k others, from their facts."""
    cdef:
        Shared found = Shared.__new__(Shared)
        Facts facts, other
        vector[Facts] all_others
    found.own, found.others = own, list(others)
    find_facts(own, &facts)
    for one in found.others:
        find_facts(one, &other)
        all_others.push_back(other)
    rows, found.carried = np.empty((4, facts.blocks)), np.empty((2, len(found.others)))
    found.likeness = np.empty(len(found.others))
    found.text_share, found.placed_share, found.slot_share, found.own_tokens = rows
    cdef:
        double[:, ::1] columns = rows
        double[:, ::1] carried = found.carried
        DoublesOut likeness = found.likeness
    with nogil:
        compare(&facts, all_others, columns, carried, likeness)
    return found
