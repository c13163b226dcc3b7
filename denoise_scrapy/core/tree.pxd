"""The feature tree of a page: what one walk over the tree that lxml has built writes down.

All text of the page is one string of UTF-8, `Tree.text`, with the byte 1 where an element starts and 2 where it ends.
Positions are bytes in it. A block is the text between two marks of block-level elements, or of a second `br`.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from denoise_scrapy.core.characters cimport CLASSES

cpdef enum:
    # Bits of `ElementKind.kind`.
    IS_BLOCK = 1          # ends a block of text
    IS_CONTAINER = 2      # a frame of the layout
    IS_SKIPPED = 4        # shows nothing: what is inside is not read
    IS_BREAK = 8
    IS_ROOT = 16          # html, body: their names are of the page
    IS_EXACT = 32         # what stands in it is exact: no space is added
    IS_IN_HEAD = 64       # a head may hold it
    IS_LIST = 128         # ul, ol, dl
    IS_CONTENT = 256      # a tag of content of Song et al. (2011)
    IS_PICTURE = 512      # img
    IS_TERM = 1024        # dt
    IS_DIV = 2048
    IS_QUOTE = 4096       # blockquote, q, cite

cdef enum:
    # Bits of `markup.Flag` that the core itself asks for.
    LINK = 1 << 0
    HIDDEN = 1 << 1
    HEADING = 1 << 2
    ARTICLE = 1 << 7
    CONTROL = 1 << 8
    LIST_ITEM = 1 << 10
    PREFORMATTED = 1 << 12
    COMMENT_WORD = 1 << 18
    # Of elements alone, no flag of markup: what stands inside of one shows a formula that stands beside it.
    TWIN = 1 << 30

cdef enum:
    # Bits of what a short block announces, see `features.pyx`.
    COMMENTS = 1          # a heading of comments
    META = 2              # a name or a date

cdef struct Span:         # bytes of a string, from `start` to before `end`
    int32_t start, end

cdef struct ElementKind:  # on this page: tag, class and id without digits, role, whether it hides itself
    uint64_t in_path      # its part of the hash of a path
    uint64_t in_shape     # the same without the id
    uint64_t own          # hash of tag, class and id
    uint32_t tag_code     # hashes of the single names, 0 for none
    uint32_t class_code
    uint32_t id_code
    int32_t kind
    int32_t flags         # by tag, role and style; of the words in names COMMENT_WORD alone
    int32_t heading       # 1 to 6 for h1 to h6, else 0
    int32_t markup        # characters of its start and end tags, without URLs
    Span tag_name         # in `Tree.names`; names without digits, one space between
    Span class_name
    Span id_name
    Span other_names      # role and itemprop as written

cdef struct Element:
    uint64_t path         # hash of the tokens from the root on, the same in every process
    uint64_t shape        # the same without ids
    int32_t parent        # -1 for a root
    int32_t end           # first element after its subtree
    int32_t depth         # roots have 1
    int32_t block         # nearest block-level element around it, itself included; -1 for none
    int32_t token         # in `Tree.tokens`
    int32_t flags         # of the element and all around it
    Span marks            # positions of its marks in the text
    Span seen             # visible characters of the page before each of its marks

cdef struct BlockRow:
    uint64_t text_hash    # white space and case do not count, digits are all alike
    uint64_t path         # `Element.path` of its element
    int32_t element       # nearest block-level element around its text
    int32_t chars         # visible characters
    int32_t link_chars    # those inside links
    int32_t tokens        # runs of word characters, and CJK characters one by one
    int32_t prose         # the tokens of a paragraph, else 0
    int32_t slot          # number of its path among those of the page's blocks
    int32_t flags         # `Element.flags`; where the page was rendered, HIDDEN as the browser has it
    int32_t own_flags     # `ElementKind.flags`
    int32_t heading       # `ElementKind.heading`
    int32_t ends_in_stop  # whether its last visible character ends a sentence
    int32_t[CLASSES] counts  # characters of each class
    Span text             # in the marked text
    Span words            # in `Tree.words`

cdef struct Word:         # two characters or more; of scripts without spaces each pair of characters
    uint32_t number       # hash of its letters, case and digits aside; the lowest bit: whether it has LONG characters
    int32_t block
    int32_t element       # whose own text it is

cdef struct Note:         # an attribute that the columns do not hold, or what the page declares (element -1)
    int32_t element
    Span name             # in `Tree.noted`
    Span value

cdef class Tree:
    cdef vector[Element] elements
    cdef vector[BlockRow] blocks
    cdef vector[ElementKind] tokens
    cdef vector[Word] words
    cdef vector[Note] notes
    cdef vector[size_t] nodes     # addresses of libxml2's nodes, where they were asked for
    cdef string text
    cdef string names
    cdef string noted
    cdef readonly str title
    cdef readonly bint noscript_read
    cdef public bint is_too_large
    cdef int32_t slots            # different paths of blocks
    cdef int _check(self, Py_ssize_t given, size_t expected, str what) except -1
    cdef const ElementKind* _token(self, int number) except NULL


cdef inline bint is_within(Tree tree, int32_t element, int32_t kind) noexcept nogil:
    """Return whether an element, or one of the seven above it, is of a kind."""
    cdef int32_t level
    for level in range(8):  # highlighted code has its spans two or three deep
        if element < 0:
            return False
        if tree.tokens[tree.elements[element].token].kind & kind:
            return True
        element = tree.elements[element].parent
    return False
