"""The feature tree of a page: the columns that one walk over lxml's tree writes.

A page's whole text is one string of UTF-8, `Tree.text`, with the byte 1 where an element starts and 2 where it ends.
Positions are byte offsets in it. A block is the text between two marks of block-level elements, or up to a second `br`.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcmp, strlen
from libcpp.string cimport string
from libcpp.vector cimport vector

from denoise_scrapy.core.characters cimport CLASSES

# Bits of `ElementKind.kind`: all of `markup.Kind`, in its order.
cdef int32_t IS_BLOCK      # ends a block of text
cdef int32_t IS_CONTAINER  # a frame of the layout
cdef int32_t IS_SKIPPED    # shows nothing: its content is not read
cdef int32_t IS_BREAK
cdef int32_t IS_ROOT       # html, body: their names describe the page
cdef int32_t IS_EXACT      # its text is exact: no space is added
cdef int32_t IS_IN_HEAD    # a head may hold it
cdef int32_t IS_LIST, IS_PICTURE, IS_TERM, IS_DIV, IS_QUOTE, IS_STORY, IS_FORM
cdef int32_t IS_CAPTION, IS_TIME, IS_ITEM, IS_GRAPHIC, IS_SUBMITTABLE
cdef int32_t IS_CONTENT    # a content tag of Song et al. (2011)
# Bits of `markup.Flag` that the core itself uses.
cdef int32_t LINK, HIDDEN, HEADING, ARTICLE, CONTROL, LIST_ITEM, TABLE_CELL, PREFORMATTED, COMMENT_WORD

cpdef enum:
    # Each word of a page is looked up in its title; the longest title of the recorded pages has 228 characters.
    MAX_TITLE = 1000

cdef enum:
    # Bytes of a title that are read.
    TITLE_BYTES = 8 * MAX_TITLE
    # Not a flag of markup: the element's content shows a formula that a sibling holds.
    TWIN = 1 << 30
    # Class, id and role values are cut to this many bytes: front-end frameworks write pages of class names.
    MAX_NAME = 200
    # Minimum length of words that count. In scripts without spaces, two characters are a word.
    SHORTEST = 2
    # Levels around an element that are searched, its own included.
    LEVELS = 8

cdef enum:
    # Bits of a short block's announcements, see `features.pyx`.
    COMMENTS = 1          # a heading of comments
    META = 2              # a name or a date

cdef struct Span:         # bytes of a string, `start` to before `end`
    int32_t start, end

cdef struct ElementKind:  # on this page: tag, class and id without digits, role, whether it hides itself
    uint64_t in_path      # its share of a path's hash
    uint64_t in_shape     # the same without the id
    uint64_t own          # hash of tag, class and id
    uint32_t tag_code     # hashes of the single names, 0 for none
    uint32_t class_code
    uint32_t id_code
    int32_t kind
    int32_t flags         # by tag, role and style; of the words in names only COMMENT_WORD
    int32_t heading       # 1 to 6 for h1 to h6, else 0
    int32_t reason        # why nothing shows it, see `styles.pxd`
    int32_t markup        # characters of its start and end tags, without URLs
    Span tag_name         # in `Tree.names`; names without digits, one space between
    Span class_name
    Span id_name
    Span other_names      # role and itemprop as written

cdef struct Element:
    uint64_t path         # hash of the tokens from the root down, the same in every process
    uint64_t shape        # the same without ids
    int32_t parent        # -1 for a root
    int32_t end           # first element after its subtree
    int32_t depth         # roots have 1
    int32_t block         # nearest block-level ancestor or self; -1 for none
    int32_t token         # in `Tree.tokens`
    int32_t flags         # of the element and its ancestors
    Span marks            # positions of its marks in the text
    Span seen             # visible characters of the page before each of its marks

cdef struct BlockRow:
    uint64_t text_hash    # ignores white space and case, treats all digits alike
    uint64_t path         # `Element.path` of its element
    int32_t element       # nearest block-level ancestor of its text
    int32_t chars         # visible characters
    int32_t link_chars    # those inside links
    int32_t tokens        # runs of word characters, and CJK characters one by one
    int32_t prose         # its tokens if it is a paragraph, else 0
    int32_t slot          # number of its path among the page's block paths
    int32_t flags         # `Element.flags`; on a rendered page, HIDDEN as in the browser
    int32_t own_flags     # `ElementKind.flags`
    int32_t heading       # `ElementKind.heading`
    int32_t ends_in_stop  # whether its last visible character ends a sentence
    int32_t[CLASSES] counts  # characters of each class
    Span text             # in the marked text
    Span words            # in `Tree.words`

ctypedef const BlockRow* Block

cdef struct Word:         # two characters or more; in scripts without spaces each pair of characters
    uint32_t number       # hash of its letters, ignoring case and digits; its lowest bit: whether LONG characters
    int32_t block
    int32_t element       # the element that owns its text

cdef struct Note:         # an attribute that the columns do not hold, or a declaration of the page (element -1)
    int32_t element
    Span name             # in `Tree.noted`
    Span value

cdef class Tree:
    cdef:
        vector[Element] elements
        vector[BlockRow] blocks
        vector[ElementKind] tokens
        vector[Word] words
        vector[Note] notes
        vector[size_t] nodes     # addresses of libxml2's nodes, if requested
        string text
        string names
        string noted
        readonly str title
        readonly bint noscript_read
        public bint is_too_large
        public bint lacks_styles
        readonly bint is_arranged
        int32_t slots            # distinct paths of blocks
    cdef int _check(self, Py_ssize_t given, size_t expected, str what) except -1
    cdef const ElementKind* _token(self, int number) except NULL


cdef inline int32_t block_count(Tree tree) noexcept nogil:
    """Return how many blocks a page has, at most `MAX_BLOCKS`."""
    return <int32_t>tree.blocks.size()


cdef inline int32_t element_count(Tree tree) noexcept nogil:
    """Return how many elements a page has, at most `MAX_ELEMENTS`."""
    return <int32_t>tree.elements.size()


cdef inline const ElementKind* token_of(Tree tree, int32_t element) noexcept nogil:
    """Return what an element consists of."""
    return &tree.tokens[tree.elements[element].token]


cdef inline int32_t kind_of(Tree tree, int32_t element) noexcept nogil:
    """Return what an element is by its tag, 0 if there is none."""
    return token_of(tree, element).kind if element >= 0 else 0


cdef inline int32_t climb(Tree tree, int32_t element, int32_t levels) noexcept nogil:
    """Return the element a number of levels above another, at most the root."""
    cdef int32_t level
    for level in range(levels):
        if tree.elements[element].parent < 0:
            break
        element = tree.elements[element].parent
    return element


cdef inline bint is_inside(Tree tree, int32_t element, int32_t box) noexcept nogil:
    """Return whether an element is, or is in, another one; all are in the page, -1."""
    return box < 0 or box <= element < tree.elements[box].end


cdef inline bint is_within(Tree tree, int32_t element, int32_t kind) noexcept nogil:
    """Return whether an element, or one of its nearest ancestors, is of a kind."""
    cdef int32_t level
    for level in range(LEVELS):  # highlighted code nests its spans two or three deep
        if element < 0:
            return False
        if token_of(tree, element).kind & kind:
            return True
        element = tree.elements[element].parent
    return False


cdef inline bint is_noted(Tree tree, const Note* one, const char* name) noexcept nogil:
    """Return whether a note is an attribute or a declaration of this name."""
    cdef size_t size = strlen(name)
    return <size_t>(one.name.end - one.name.start) == size and (
        memcmp(tree.noted.data() + one.name.start, name, size) == 0)
