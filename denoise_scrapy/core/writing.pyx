# cython: language_level=3
"""Tokens of a rendering, written as elements of a page start and end."""

cimport cython

from denoise_scrapy.core.arrays cimport Flags, Longs
from denoise_scrapy.core.tokens cimport Token, text_token
from denoise_scrapy.core.tree cimport Tree

# read for each element: names of C
cdef dict CONTAINERS, IMPLIED, INLINES, PARENTS
cdef frozenset BARE, HEADING_TAGS
cdef str LINE_BREAK
from denoise_scrapy.core.characters import LINE_BREAK
from denoise_scrapy.core.markup import HEADING_TAGS
from denoise_scrapy.core.written import BARE, CONTAINERS, IMPLIED, INLINES, MARKS, PARENTS, WRITTEN

#: Deeper containers are left out, but not their content: parsers give up at 256 levels, an implied item may be added at
#: each of ours, and nobody reads deeper lists.
MAX_DEPTH = 64
#: Maximum inline elements open at once, each in all paragraphs in it: this keeps a hostile page's rendering in
#: proportion to the page. None of 73,000 texts of 192 recorded pages is in more.
MAX_INLINE_DEPTH = 3
cdef int DEEPEST = MAX_DEPTH, DEEPEST_INLINE = MAX_INLINE_DEPTH
#: Inline elements that add up when nested; others are written once.
cdef tuple NESTING = ("sub", "sup", "q")
#: The parser nests these if they have no end tags.
cdef tuple TERMS = ("dt", "dd"), LISTS = ("ul", "ol")
#: Most tokens are one of these.
cdef dict STARTS = {tag: Token("start", tag) for tag in [*WRITTEN, "display", *MARKS]}
cdef dict ENDS = {tag: Token("end", tag) for tag in STARTS}
cdef Token BREAK = Token("void", "br")


@cython.no_gc
cdef class Container:
    """An element of the page that is written; or a heading, whose tag is written around each block in it."""

    cdef:
        int element
        str tag           # "" around everything
        int depth         # number of open containers, including this one
        tuple starts      # tags to close at its end, the last first
        str heading       # tag of the blocks in it, "" for paragraphs
        bint is_implied   # the list of items that are in none
        list leaves       # tokens of the `p` of each leaf directly in it

    def __init__(self, int element, str tag, int depth, tuple starts=(), str heading="", list leaves=None):
        self.element, self.tag, self.depth = element, tag, depth
        self.starts, self.heading = starts, heading
        self.leaves = [] if leaves is None else leaves


@cython.no_gc
cdef class Leaf:
    """The paragraph, heading or preformatted text that is being written."""

    cdef:
        tuple starts      # tags to close at its end, the last first
        int paragraph     # token of its `p`, -1 for none
        int block         # block of the page, -1 for images between blocks
        int element       # of preformatted text, else -1
        bint written      # it has content
        bint has_text     # it has more than images


cdef Leaf new_leaf(tuple starts, int paragraph, int block, int element):
    cdef Leaf leaf = Leaf.__new__(Leaf)
    leaf.starts, leaf.paragraph, leaf.block, leaf.element = starts, paragraph, block, element
    return leaf


@cython.no_gc
cdef class Inline:
    """An inline element of the page around the next text."""

    cdef int element
    cdef Token token       # its start tag; None for a link already written: it is in its first block only

    def __init__(self, int element, Token token):
        self.element, self.token = element, token


@cython.final
cdef class Writer:
    """Writes tokens as elements of a page start and end. Nothing is opened before it has content.

    Example:
        >>> writer = Writer()
        >>> writer.open_container(0, "ul")
        >>> writer.text(" A  tide ", 0)
        >>> writer.end(0)
        >>> [token.value for token in writer.finish()]
        ['ul', 'li', 'A tide', 'li', 'ul']
    """

    cdef:
        list _tokens, _containers, _inlines
        Leaf _leaf
        int _opened                    # number of inline elements open in the leaf
        str _pending                   # white space to write before the next text; "\n" is a line break
        list _marks                    # to write before the next paragraph
        readonly bint is_preformatted  # whether preformatted text is open
        int _run_end, _run_block       # of elements that are one run of code: the one after them, and their first block

    def __init__(self):
        self._tokens, self._inlines, self._marks = [], [], []
        self._containers = [Container(-1, "", 0)]
        self._pending, self._run_block = "", -1

    def walk(self, visitor, Tree tree not None, columns, list tags, Longs above) -> list:
        """Visit the marks of written elements and the texts of kept blocks; return the tokens.

        Args:
            visitor: Starts elements and writes texts that are special.
            tree: The page's.
            columns: Whether each mark is a start, of a written tag or a line break; whether the text after it is
                written, and special; whether each element ends a block, is left out, and is special: 2 for a run of
                code. The element of each mark; block, start and end of the text after it.
            tags: Of each element.
            above: The parent of each element, of roots itself.
        """
        cdef:
            Longs elements, blocks, marks, ends
            Flags is_start, is_tag, is_break, is_text, is_noted, ends_block, left_out, special
            Py_ssize_t i
            int element, block, start
            str text
        is_start, is_tag, is_break, is_text, is_noted, ends_block, left_out, special = columns[:8]
        elements, blocks, marks, ends = columns[8:]
        for i in range(elements.shape[0]):
            element, block = elements[i], blocks[i]
            if is_tag[i]:
                if special[element] == 2 and not is_start[i]:
                    self._run_end, self._run_block = 0, -1
                if ends_block[element] and element >= self._run_end:
                    self.end_block()
                elif ends_block[element]:  # only a line of the run
                    self.text(" ", self._run_block)
                if not is_start[i]:
                    self.end(element)
                elif element >= self._run_end and not (special[element] and visitor.start(element, block)):
                    self._open(element, tags[element], above, left_out[element])
            if is_break[i]:
                self.break_line()
            start = marks[i] + 1 + is_break[i]
            if is_text[i] and start < ends[i]:
                text = tree.text.data()[start:ends[i]].decode("utf-8", "replace")
                block = block if self._run_block < 0 else self._run_block
                visitor.write_text(text, i, block) if is_noted[i] else self.text(text, block)
        return self.finish()

    def finish(self) -> list:
        """Return the tokens."""
        return [token for token in self._tokens if token is not None]

    cdef _open(self, int element, str tag, Longs above, bint is_left_out):
        """Open an ordinary element."""
        if tag in HEADING_TAGS:
            self.open_heading(element, tag)
        elif tag == "li":
            self.open_item(element, above[element])
        elif tag in CONTAINERS:
            if not is_left_out:
                self.open_container(element, CONTAINERS[tag])
        elif tag in INLINES:
            self.open_inline(element, INLINES[tag])

    cpdef open_run(self, int element, int end, int block):
        """Open inline code around all elements up to one."""
        self._run_end, self._run_block = end, block
        self.open_inline(element, "code")

    cpdef open_container(self, int element, str tag, tuple attributes=()):
        """Open a container, if it is allowed here."""
        cdef Container above
        cdef tuple implied
        if self.is_preformatted:
            return
        self._end_implied_list(tag)
        above = self._containers[-1]
        if tag in TERMS and above.tag in TERMS:
            self.end(above.element)
            above = self._containers[-1]
        parents = PARENTS.get(tag)
        if above.depth >= DEEPEST or (parents is not None and above.tag not in parents):
            return
        self._close_leaf()
        implied = IMPLIED.get(above.tag, ()) if parents is None else ()
        if implied == ("li",) and tag in LISTS and self._tokens[-1] is ENDS["li"]:
            self._tokens[-1] = None  # a list directly in a list belongs to the item before it
        else:
            self._start(implied)
        self._tokens.append(Token("start", tag, attributes) if attributes else STARTS[tag])
        self._containers.append(Container(element, tag, above.depth + 1, (*implied, tag)))

    cpdef open_item(self, int element, int parent):
        """Open a list item; if it is in no list or item, in a list of the items in its parent."""
        cdef Container above = self._containers[-1]
        if above.tag != "li" and above.tag not in LISTS:
            self.open_container(parent, "ul")
            above = self._containers[-1]
            above.is_implied = above.tag == "ul"
        self.open_container(element, "li")

    cdef _end_implied_list(self, str tag=""):
        """End the list of items that are in none, before anything but another item."""
        cdef Container above = self._containers[-1]
        if above.is_implied and tag != "li":
            self.end(above.element)

    cpdef open_heading(self, int element, str tag):
        """Make headings of the following blocks."""
        cdef Container above = self._containers[-1]
        if not self.is_preformatted:
            self._containers.append(Container(element, above.tag, above.depth, (), tag, above.leaves))

    cpdef open_preformatted(self, int element, str language):
        """Open preformatted text. With a language, "" for an unknown one, it is code."""
        cdef Container above
        cdef tuple starts
        self._close_leaf()
        self._end_implied_list()
        above = self._containers[-1]
        starts = (*IMPLIED.get(above.tag, ()), "pre")
        self._start(starts)
        if language is not None:
            self._tokens.append(Token("start", "code", (("class", f"language-{language}"),) if language else ()))
            starts = (*starts, "code")
        self._leaf = new_leaf(starts, -1, -1, element)
        self._pending, self.is_preformatted = "", True

    cpdef open_inline(self, int element, str tag, tuple attributes=()):
        """Open an inline element around the following text."""
        cdef Inline one
        if len(self._inlines) >= DEEPEST_INLINE:
            return
        if tag not in NESTING:
            for one in self._inlines:
                if one.token is not None and one.token.value == tag:
                    return
            if tag == "code" and self._leaf is not None and "code" in self._leaf.starts:
                return
        self._inlines.append(Inline(element, Token("start", tag, attributes) if attributes else STARTS[tag]))

    cpdef end(self, int element):
        """Close everything opened for an element of the page."""
        cdef Container container
        cdef Inline inline = self._inlines[-1] if self._inlines else None
        if inline is not None and inline.element == element:
            self._inlines.pop()
            if self._opened > len(self._inlines):
                self._opened -= 1
                if inline.token is not None:
                    self._tokens.append(ENDS[inline.token.value])
        elif self._leaf is not None and self._leaf.element == element:
            self._close_leaf()
        container = self._containers[-1]
        while container.element == element:
            self._close_leaf()
            self._containers.pop()
            if container.tag in BARE and len(container.leaves) == 1:
                self._leave_out(container.leaves[0])
            self._end(container.starts)
            container = self._containers[-1]

    cpdef end_block(self):
        """Begin a new paragraph, or a new line of preformatted text, at a boundary of a block-level element."""
        if not self.is_preformatted:
            self._close_leaf()
        elif "\n" not in self._pending:
            self._pending += "\n"

    cpdef mark(self, str name, str value):
        """Write a mark of `written.MARKS` at the start of the next text's paragraph."""
        if self._leaf is not None and self._leaf.has_text and not self.is_preformatted:
            self._close_leaf()
        self._marks.append(Token("void", name, (("value", value),)))

    cpdef text(self, str text, int block, tuple attributes=()):
        """Write a text; white space is collapsed, unless it is preformatted."""
        cdef str line
        cdef bint is_next = False
        if self.is_preformatted:
            self._write(text.replace(LINE_BREAK, "\n"), block, attributes)
            return
        for line in text.split(LINE_BREAK):
            if is_next:
                self.break_line()
            self._write(line, block, attributes)
            is_next = True

    cdef _write(self, str line, int block, tuple attributes):
        """Write a line, or preformatted text."""
        cdef str shown, inner, after
        if self.is_preformatted:
            inner = line.lstrip()
            shown = inner.rstrip()
            self._pending += line[:len(line) - len(inner)]
            after = inner[len(shown):]
        else:  # white space is one space, wide one too
            shown = " ".join(line.split())
            self._pending = self._pending or (" " if line[:1].isspace() else "")
            after = " " if line[-1:].isspace() else ""
        if shown:
            self._prepare(block).has_text = True
            self._tokens.append(text_token(shown, block, attributes))
            self._pending = after

    cpdef break_line(self):
        """Write a line break before the next text of the block, if there is any."""
        self._pending = self._pending + "\n" if self.is_preformatted else "\n"

    cpdef image(self, tuple attributes, int block):
        """Write an image in a block, or between blocks (-1)."""
        self._prepare(block)
        self._tokens.append(Token("void", "img", attributes, block))

    cdef Leaf _prepare(self, int block):
        """Open everything needed before text or an image of the block."""
        cdef:
            Container above
            Inline inline
            Leaf leaf = self._leaf
            tuple starts
            str tag
        if leaf is not None and leaf.block != block and not self.is_preformatted:
            self._close_leaf()
            leaf = None
        if leaf is None:
            self._end_implied_list()
            above = self._containers[-1]
            starts = IMPLIED.get(above.tag, ())
            tag = above.heading or ("" if starts else "p")
            starts = starts + (tag,) if tag else starts
            self._start(starts)
            leaf = self._leaf = new_leaf(starts, len(self._tokens) - 1 if tag == "p" else -1, block, -1)
        if not leaf.written:
            self._tokens += self._marks
            self._marks.clear()
            self._pending = self._pending.rpartition("\n")[2] if self.is_preformatted else ""
        if self._pending == "\n" and not self.is_preformatted:
            self._tokens.append(BREAK)
        elif self._pending:
            self._tokens.append(text_token(self._pending, block))
        self._pending, leaf.written = "", True
        while self._opened < len(self._inlines):
            inline = self._inlines[self._opened]
            self._tokens.append(inline.token)
            self._opened += 1
        return leaf

    cdef _close_leaf(self):
        cdef:
            Container above
            Inline inline
            Leaf leaf = self._leaf
            tuple paragraph
        if leaf is None:
            return
        self._leaf, self.is_preformatted = None, False
        for inline in reversed(self._inlines[:self._opened]):
            if inline.token is not None:
                self._tokens.append(ENDS[inline.token.value])
                inline.token = None if inline.token.value == "a" else inline.token
        self._opened, self._pending = 0, ""
        self._end(leaf.starts)
        above = self._containers[-1]
        paragraph = (leaf.paragraph, len(self._tokens) - 1) if leaf.paragraph >= 0 else ()
        if above.tag == "figure" and not leaf.has_text:
            self._leave_out(paragraph)
        above.leaves.append(paragraph)

    cdef _leave_out(self, tuple paragraph):
        for index in paragraph:
            self._tokens[index] = None

    cdef _start(self, tuple tags):
        for tag in tags:
            self._tokens.append(STARTS[tag])

    cdef _end(self, tuple tags):
        cdef Py_ssize_t place
        for place in range(len(tags) - 1, -1, -1):
            self._tokens.append(ENDS[tags[place]])
