"""From a page's columns to the tokens of a rendering: one walk over the kept parts, with tables, links and images."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from denoise_scrapy.body.code import code_frames, language_of
from denoise_scrapy.body.rendering.footnotes import Footnotes
from denoise_scrapy.body.rendering.html import (
    BARE,
    CONTAINERS,
    IMPLIED,
    INLINES,
    MARKS,
    PARENTS,
    WRITTEN,
    Attributes,
    Token,
)
from denoise_scrapy.body.rendering.manuals import Manual
from denoise_scrapy.body.tables import span, written_tables
from denoise_scrapy.core.characters import LINE_BREAK
from denoise_scrapy.core.markup import HEADING_TAGS, ROOT_TAGS
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.attributes import safe_image_url, safe_url
from denoise_scrapy.page.columns import LEVELS, BoolArray, IntArray


@dataclass(slots=True)
class _Container:
    """An element of the page that is written; or a heading, whose tag is written around each block in it."""

    element: int
    tag: str  # "" around everything
    depth: int  # number of open containers, including this one
    starts: tuple[str, ...] = ()  # tags to close at its end, the last first
    heading: str = ""  # tag of the blocks in it, "" for paragraphs
    is_implied: bool = False  # the list of items that are in none
    leaves: list[tuple[int, ...]] = field(default_factory=list)  # tokens of the `p` of each leaf directly in it


@dataclass(slots=True)
class _Leaf:
    """The paragraph, heading or preformatted text that is being written."""

    starts: tuple[str, ...]  # tags to close at its end, the last first
    paragraph: int  # token of its `p`, -1 for none
    block: int  # block of the page, -1 for images between blocks
    element: int = -1  # of preformatted text, else -1
    written: bool = False  # it has content
    has_text: bool = False  # it has more than images


@dataclass(slots=True)
class _Inline:
    """An inline element of the page around the next text."""

    element: int
    token: Token | None  # its start tag; None for a link already written: it is in its first block only


def collapsed(text: str) -> tuple[str, str, str]:
    """Split a text into leading white space, text, and trailing white space; each is one space, wide ones too."""
    shown = " ".join(text.split())
    return " " * text[:1].isspace(), shown, " " * (text[-1:].isspace() and bool(shown))


def as_it_is(text: str) -> tuple[str, str, str]:
    """Split preformatted text in the same way, without changes but for our line breaks."""
    text = text.replace(LINE_BREAK, "\n")
    inner = text.lstrip()
    shown = inner.rstrip()
    return text[: len(text) - len(inner)], shown, inner[len(shown) :]


#: Deeper containers are left out, but not their content: parsers give up at 256 levels, an implied item may be added at
#: each of ours, and nobody reads deeper lists.
MAX_DEPTH = 64
#: Maximum inline elements open at once, each in all paragraphs in it: this keeps a hostile page's rendering in
#: proportion to the page. None of 73,000 texts of 192 recorded pages is in more.
MAX_INLINE_DEPTH = 3
#: Inline elements that add up when nested; others are written once.
_NESTING = {"sub", "sup", "q"}
_LISTS = {"ul", "ol"}
#: The parser nests these if they have no end tags.
_TERMS = {"dt", "dd"}
#: Most tokens are one of these.
_STARTS, _ENDS = ({tag: Token(kind, tag) for tag in [*WRITTEN, "display", *MARKS]} for kind in ("start", "end"))


class _Writer:
    """Writes tokens as elements of a page start and end. Nothing is opened before it has content."""

    def __init__(self) -> None:
        self._tokens: list[Token | None] = []
        self._containers = [_Container(-1, "", 0)]
        self._leaf: _Leaf | None = None
        self._inlines: list[_Inline] = []
        self._opened = 0  # number of inline elements open in the leaf
        self._pending = ""  # white space to write before the next text; "\n" is a line break
        self._marks: list[Token] = []  # to write before the next paragraph
        self.is_preformatted = False  # whether preformatted text is open

    def finish(self) -> list[Token]:
        return [token for token in self._tokens if token is not None]

    def open_container(self, element: int, tag: str, attributes: Attributes = ()) -> None:
        """Open a container, if it is allowed here."""
        if self.is_preformatted:
            return
        self._end_implied_list(tag)
        if tag in _TERMS and self._containers[-1].tag in _TERMS:
            self.end(self._containers[-1].element)
        above, parents = self._containers[-1], PARENTS.get(tag)
        if above.depth >= MAX_DEPTH or (parents is not None and above.tag not in parents):
            return
        self._close_leaf()
        implied = IMPLIED.get(above.tag, ()) if parents is None else ()
        if implied == ("li",) and tag in _LISTS and self._tokens[-1] is _ENDS["li"]:
            self._tokens[-1] = None  # a list directly in a list belongs to the item before it
        else:
            self._start(implied)
        self._tokens.append(Token("start", tag, attributes) if attributes else _STARTS[tag])
        self._containers.append(_Container(element, tag, above.depth + 1, (*implied, tag)))

    def open_item(self, element: int, parent: int) -> None:
        """Open a list item; if it is in no list or item, in a list of the items in its parent."""
        if self._containers[-1].tag not in ("li", *PARENTS["li"]):
            self.open_container(parent, "ul")
            self._containers[-1].is_implied = self._containers[-1].tag == "ul"
        self.open_container(element, "li")

    def _end_implied_list(self, tag: str = "") -> None:
        """End the list of items that are in none, before anything but another item."""
        if self._containers[-1].is_implied and tag != "li":
            self.end(self._containers[-1].element)

    def open_heading(self, element: int, tag: str) -> None:
        """Make headings of the following blocks."""
        above = self._containers[-1]
        if not self.is_preformatted:
            self._containers.append(_Container(element, above.tag, above.depth, heading=tag, leaves=above.leaves))

    def open_preformatted(self, element: int, language: str | None) -> None:
        """Open preformatted text. With a language, "" for an unknown one, it is code."""
        if self.is_preformatted:
            return
        self._close_leaf()
        self._end_implied_list()
        starts = (*IMPLIED.get(self._containers[-1].tag, ()), "pre")
        self._start(starts)
        if language is not None:
            self._tokens.append(Token("start", "code", (("class", f"language-{language}"),) if language else ()))
            starts = (*starts, "code")
        self._leaf = _Leaf(starts, -1, -1, element)
        self._pending, self.is_preformatted = "", True

    def open_inline(self, element: int, tag: str, attributes: Attributes = ()) -> None:
        """Open an inline element around the following text."""
        if len(self._inlines) >= MAX_INLINE_DEPTH:
            return
        is_open = any(one.token and one.token.value == tag for one in self._inlines)
        is_open |= tag == "code" and self._leaf is not None and "code" in self._leaf.starts
        if not is_open or tag in _NESTING:
            self._inlines.append(_Inline(element, Token("start", tag, attributes)))

    def end(self, element: int) -> None:
        """Close everything opened for an element of the page."""
        if self._inlines and self._inlines[-1].element == element:
            inline = self._inlines.pop()
            if self._opened > len(self._inlines):
                self._opened -= 1
                if inline.token:
                    self._tokens.append(_ENDS[inline.token.value])
        elif self._leaf and self._leaf.element == element:
            self._close_leaf()
        while self._containers[-1].element == element:
            self._close_leaf()
            container = self._containers.pop()
            if container.tag in BARE and len(container.leaves) == 1:
                self._leave_out(container.leaves[0])
            self._end(container.starts)

    def end_block(self) -> None:
        """Begin a new paragraph, or a new line of preformatted text, at a boundary of a block-level element."""
        if not self.is_preformatted:
            self._close_leaf()
        elif "\n" not in self._pending:
            self._pending += "\n"

    def mark(self, name: str, value: str) -> None:
        """Write a mark of `html.MARKS` at the start of the next text's paragraph."""
        if self._leaf and self._leaf.has_text and not self.is_preformatted:
            self._close_leaf()
        self._marks.append(Token("void", name, (("value", value),)))

    def text(self, text: str, block: int, attributes: Attributes = ()) -> None:
        for number, line in enumerate([text] if self.is_preformatted else text.split(LINE_BREAK)):
            if number:
                self.break_line()
            before, shown, after = (as_it_is if self.is_preformatted else collapsed)(line)
            self._pending = self._pending + before if self.is_preformatted else self._pending or before
            if shown:
                self._prepare(block).has_text = True
                self._tokens.append(Token("text", shown, attributes, block))
                self._pending = after

    def break_line(self) -> None:
        """Write a line break before the next text of the block, if there is any."""
        self._pending = self._pending + "\n" if self.is_preformatted else "\n"

    def image(self, attributes: Attributes, block: int) -> None:
        """Write an image in a block, or between blocks (-1)."""
        self._prepare(block)
        self._tokens.append(Token("void", "img", attributes, block))

    def _prepare(self, block: int) -> _Leaf:
        """Open everything needed before text or an image of the block."""
        if self._leaf and self._leaf.block != block and not self.is_preformatted:
            self._close_leaf()
        if self._leaf is None:
            self._end_implied_list()
            above = self._containers[-1]
            implied = IMPLIED.get(above.tag, ())
            tag = above.heading or ("" if implied else "p")
            starts = (*implied, tag) if tag else implied
            self._start(starts)
            self._leaf = _Leaf(starts, len(self._tokens) - 1 if starts == ("p",) else -1, block)
        leaf, is_pre = self._leaf, self.is_preformatted
        if not leaf.written:
            self._tokens += self._marks
            self._marks.clear()
            self._pending = self._pending.rpartition("\n")[2] if is_pre else ""
        if self._pending == "\n" and not is_pre:
            self._tokens.append(Token("void", "br"))
        elif self._pending:
            self._tokens.append(Token("text", self._pending, block=block))
        self._pending, leaf.written = "", True
        if self._opened < len(self._inlines):
            self._tokens += [inline.token for inline in self._inlines[self._opened :]]
            self._opened = len(self._inlines)
        return leaf

    def _close_leaf(self) -> None:
        leaf, self._leaf = self._leaf, None
        if leaf is None:
            return
        self.is_preformatted = False
        for inline in reversed(self._inlines[: self._opened]):
            if inline.token:
                self._tokens.append(_ENDS[inline.token.value])
                inline.token = None if inline.token.value == "a" else inline.token
        self._opened, self._pending = 0, ""
        self._end(leaf.starts)
        above = self._containers[-1]
        paragraph = (leaf.paragraph, len(self._tokens) - 1) if leaf.paragraph >= 0 else ()
        if above.tag == "figure" and not leaf.has_text:
            self._leave_out(paragraph)
        above.leaves.append(paragraph)

    def _leave_out(self, paragraph: tuple[int, ...]) -> None:
        for index in paragraph:
            self._tokens[index] = None

    def _start(self, tags: Iterable[str]) -> None:
        self._tokens += [_STARTS[tag] for tag in tags]

    def _end(self, tags: Sequence[str]) -> None:
        self._tokens += [_ENDS[tag] for tag in reversed(tags)]


#: An image at the edge of its container stays if at least this share of the container's text is kept; at the edge of
#: the whole page, the place of mastheads and buttons, only if all is.
MIN_KEPT_SHARE, MIN_KEPT_SHARE_OF_PAGE = 0.5, 1.0
#: Parts of the page whose images do not belong to the surrounding text.
_APART = Flag.NAV | Flag.FOOTER | Flag.ASIDE | Flag.CONTROL
#: Images up to this size in either direction are visit counters or symbols, not pictures.
MAX_PIXEL = 20
_PIXELS = re.compile(r"\s*(\d{1,5})(?:\.\d*)?\s*(?:px)?\s*", re.ASCII | re.IGNORECASE)


def kept_images(page: Page, kept: BoolArray) -> IntArray:
    """Return the elements of the images that belong to the kept blocks, in document order.

    An image in a line of text follows the text, one in a figure any of its caption. Another one belongs to its nearest
    ancestor with text (except captions): it stays if the adjacent texts in there are kept, both of them, or one of them
    and most of the text.
    """
    e, blocks = page.elements, page.blocks
    seen, is_image = e.rows["seen"], e.has_tag({"img"})
    outer = e.nearest(is_image)[e.parent] < 0  # those in an amp-img are its spacer, and itself again for other readers
    images = np.flatnonzero(is_image & outer & (seen["start"] == seen["end"]))  # images of formulas count as text
    if not len(images):
        return images
    mark = e.is_start.nonzero()[0][images]
    block = blocks.elements.block_after[mark]
    with_text = (block >= 0) & kept[block]
    figure = e.nearest(e.has_tag({"figure"}))
    in_figure = figure[images] >= 0
    with_caption = in_figure & (blocks.subtree_sums(kept)[figure[images]] > 0)
    free = figure[blocks.element] < 0
    outside = np.flatnonzero(free)
    total = blocks.subtree_sums(blocks.chars * free)
    kept_total = blocks.subtree_sums(blocks.chars * (free & kept))
    around = e.nearest(total > 0)[images]  # the nearest element with text around each
    after = np.searchsorted(blocks.start[outside], e.marks[mark])
    neighbours = np.concatenate([[-1], outside, [-1]])[np.stack([after, after + 1])]  # before, after
    element = blocks.element[neighbours]
    inside = (neighbours >= 0) & (around <= element) & (element < e.end[around])
    at_root = e.has_tag(ROOT_TAGS)[around]
    mostly = kept_total[around] >= np.where(at_root, MIN_KEPT_SHARE_OF_PAGE, MIN_KEPT_SHARE) * total[around]
    alone = ((kept[neighbours] & inside) == inside).all(axis=0) & ((block < 0) | in_figure)
    alone &= inside.all(axis=0) | (inside.any(axis=0) & mostly)
    flags = e.rows["flags"]
    own = flags[images] & ~flags[np.where(block >= 0, blocks.element[block], around)]  # below their container
    alone &= (own & _APART) == 0
    shown = ((own & Flag.HIDDEN) == 0) & ~page.removed_text[mark]
    return np.asarray(images[(with_text | with_caption | alone) & shown])


def written_image(base: str, source: str, given: Mapping[str, str]) -> Attributes:
    """Return an image's attributes to write, () if it has no address, or is a tracking pixel."""
    address = safe_image_url(base, given.get("src", "")) or safe_image_url(base, source)
    sizes = {name: int(size[1]) for name in ("width", "height") if (size := _PIXELS.fullmatch(given.get(name, "")))}
    if not address or min(sizes.values(), default=2) < 2 or (len(sizes) == 2 and max(sizes.values()) <= MAX_PIXEL):
        return ()
    alt = " ".join(given.get("alt", "").split())
    return (("src", address), ("alt", alt), *((name, str(size)) for name, size in sizes.items()))


_LANGUAGE = re.compile(r"[a-z][\w+#-]{0,20}", re.ASCII)
#: Other attributes of containers that are written, except spans, and their values.
_VALID = {"start": re.compile(r"-?\d{1,9}", re.ASCII), "scope": re.compile("row|col|rowgroup|colgroup")}


def render(page: Page, kept: BoolArray) -> list[Token]:
    """Return the kept blocks in reading order, with their structure: well-formed, using only tags of `html.WRITTEN`."""
    if not len(page.blocks):
        return []
    tokens = _Walk(page, np.asarray(kept, bool)).tokens()
    directions = [given["dir"] for _, given in sorted(page.noted.attributes.items()) if "dir" in given]
    if not tokens or not directions or directions[-1].strip().lower() != "rtl":  # body overrides html
        return tokens
    return [Token("start", "div", (("dir", "rtl"),)), *tokens, Token("end", "div")]


def _references(page: Page) -> dict[int, str]:
    """Return the addresses of images and links, except links in headings and terms that lead to these."""
    e, starts = page.elements, np.append(page.elements.rows["seen"]["start"], -1)  # the last one for none
    titles = starts[e.nearest(e.has_tag(HEADING_TAGS | {"dt"}))]
    places = {name: starts[place] for place, name in page.tree.values_of(b"id")}
    return {
        one: to
        for one, to in page.noted.references
        if places.get(to.partition("#")[2]) != titles[one] or not page.leads_here(to)
    }


class _Walk:
    """A walk over the marks of a page that passes kept content to a `_Writer`."""

    def __init__(self, page: Page, kept: BoolArray) -> None:
        self._page, self._kept = page, kept
        self._writer = _Writer()
        self._tags = page.tags()
        self._ends_block = page.elements.column("block").tolist()
        self._references = _references(page)
        self._attributes_of = page.noted.attributes
        self._manual, self._frames = Manual(page), code_frames(page)
        # only the explanation draws such text
        self._unseen = page.unseen_reasons() if (page.unseen_elements & ~page.removed_elements).any() else {}
        self._url_chars = page.url_chars  # remaining; links and images beyond them are not written

    def tokens(self) -> list[Token]:
        """Visit the marks of written elements and the texts of kept blocks."""
        e, blocks, writer = self._page.elements, self._page.blocks, self._writer
        in_kept = np.append(self._kept, False)[blocks.elements.block_after] & ~self._page.removed_text
        self._tabs, moved = self._moved_tabs(in_kept)
        in_kept &= ~moved
        self._images = self._shown_images()
        shown = in_kept & (e.visible_after > 0)
        own = np.bincount(e.text_owner[shown], minlength=len(e))
        own[list(self._images)] += 1
        self._texts = e.subtree_sums(own)
        live = self._texts > 0
        self._boxes = self._shown_boxes(live)
        live[list(self._boxes)] = True
        self._footnotes = Footnotes(self._page, shown)
        layout, empty = written_tables(self._page, self._kept, live)
        self._layout = layout.tolist()
        is_written = (live | empty)[e.mark_element]
        breaks = e.column("break")[e.mark_element] & e.is_start
        in_code = e.nearest(e.has_tag({"pre"}))[e.mark_element] >= 0  # with empty lines
        chosen = np.flatnonzero(is_written | in_kept | (breaks & in_code))
        columns = (e.mark_element, e.is_start, is_written, in_kept, breaks, e.block_after)
        values = (column[chosen].tolist() for column in (*columns, e.marks + 1, e.text_ends))
        rows = zip(chosen.tolist(), *values, strict=True)
        manual = self._manual
        self._admonitions = {
            element: box
            for element, box in manual.admonitions.items()
            if self._kept[box.blocks[0] + (box.title >= 0) : box.blocks[1]].any()
        }
        self._titles = {box.title for box in self._admonitions.values() if self._kept[box.blocks[0]]}
        self._signatures, self._unwritten = manual.signatures(self._kept)
        self._signature = (0, -1)  # end and first block of the last one
        summaries = e.has_tag({"summary"}).nonzero()[0].tolist()
        self._of_manual = {*self._admonitions, *self._titles, *self._signatures, *self._unwritten, *summaries}
        for mark, element, starts, is_tag, is_text, is_break, block, start, end in rows:
            if is_tag and starts:
                self._start(element, block)
            elif is_tag:
                if element in self._signatures:
                    self._signature = (0, -1)
                if self._ends_block[element]:
                    self._end_block(element)
                writer.end(element)
            if is_break:
                writer.break_line()
            if is_text and start + is_break < end:
                self._text(e.tree.slice(start + is_break, end), mark, block)
        return writer.finish()

    def _moved_tabs(self, in_kept: BoolArray) -> tuple[dict[int, int], BoolArray]:
        """Return the kept tabs that are written above their panels, by these; and which of n texts are theirs."""
        e, starts = self._page.elements, self._page.blocks.start
        tabs, moved = dict[int, int](), np.zeros(len(in_kept), bool)
        for panel, tab in self._manual.tabs.items():
            first, last = np.searchsorted(e.marks, e.rows["marks"][tab].tolist()).tolist()
            start, end = np.searchsorted(e.marks, e.rows["marks"][panel].tolist()).tolist()
            if in_kept[first:last].any() and in_kept[start:end].any():
                tabs[panel] = int(np.searchsorted(starts, e.rows["marks"]["start"][tab]))
                moved[first:last] = True
        return tabs, moved

    def _text(self, text: str, mark: int, block: int) -> None:
        """Write a text; for a footnote's sign, its position."""
        block = self._signature[1] if self._signature[1] >= 0 else block
        if mark in self._footnotes.starts:
            self._writer.mark("note", self._footnotes.starts[mark])
        sign, label = self._footnotes.signs.get(mark, (0, ""))
        if sign:
            self._writer.text(text[:sign], block, (("sign", label),))
        if text[sign:]:
            self._writer.text(text[sign:], block, (("unseen", self._unseen[mark]),) if mark in self._unseen else ())

    def _start(self, element: int, block: int) -> None:
        writer, tag = self._writer, self._tags[element]
        if self._ends_block[element]:
            self._end_block(element)
        if element < self._signature[0]:  # it is one run of code
            return
        if element in self._tabs:
            self._write_tab(element)
        if element in self._of_manual and self._start_of_manual(element):
            return
        if element in self._images:
            writer.image(self._images[element], block)
        elif tag == "pre":
            writer.open_preformatted(element, self._language(element))
        elif tag in HEADING_TAGS:
            writer.open_heading(element, tag)
        elif tag == "li":
            writer.open_item(element, int(self._page.elements.parent_or_self[element]))
        elif tag in CONTAINERS:
            if not self._layout[element]:
                attributes = self._attributes(element) if element in self._attributes_of else ()
                writer.open_container(element, CONTAINERS[tag], attributes)
        elif element in self._boxes:
            writer.mark("box", self._boxes[element])
        elif tag in INLINES:
            self._start_inline(element, tag)

    def _end_block(self, element: int) -> None:
        """End a block, of a signature only a line."""
        if element >= self._signature[0]:
            self._writer.end_block()
        else:
            self._writer.text(" ", self._signature[1])

    def _start_inline(self, element: int, tag: str) -> None:
        writer = self._writer
        if tag == "a":
            url = self._counted(safe_url(self._page.base_url, self._references.get(element, "")))
            # the label of the footnote that the link refers to, or leads back from
            notes = {"reference": self._footnotes.references, "back": self._footnotes.backs}
            labels = tuple((name, of[element]) for name, of in notes.items() if element in of)
            if url or labels:
                writer.open_inline(element, tag if url else "reference", ((("href", url),) if url else ()) + labels)
        else:
            is_displayed = "display" in self._attributes_of.get(element, ())
            writer.open_inline(element, "display" if is_displayed else INLINES[tag])

    def _start_of_manual(self, element: int) -> bool:
        """Start a box, its title or a signature; return whether its tag needs not be written."""
        writer = self._writer
        if writer.is_preformatted:
            return False
        if element in self._admonitions:
            box = self._admonitions[element]
            writer.open_container(element, "blockquote", (("alert", box.alert), ("kind", box.kind)))
        elif element in self._titles or self._manual.is_line(element):
            writer.open_inline(element, "strong")
        elif element in self._signatures:
            e = self._page.elements
            block = int(np.searchsorted(self._page.blocks.start, e.rows["marks"]["start"][element]))
            self._signature = int(e.end[element]), block
            if self._signatures[element]:
                writer.open_heading(element, self._signatures[element])
            writer.open_inline(element, "code")
        else:
            return element in self._unwritten
        return True

    def _write_tab(self, panel: int) -> None:
        """Write the tab of a panel as a line above it."""
        writer, block = self._writer, self._tabs[panel]
        element = int(self._page.blocks.element[block])
        writer.open_inline(element, "strong")
        writer.text(self._page.block_text(block), block)
        writer.end_block()
        writer.end(element)

    def _attributes(self, element: int) -> Attributes:
        """Return attributes of a container: numbers, or one of a few words."""
        given = self._attributes_of[element]
        spans = [(name, str(size)) for name in ("colspan", "rowspan") if (size := span(given.get(name, ""))) > 1]
        others = [(name, given[name]) for name, valid in _VALID.items() if valid.fullmatch(given.get(name, ""))]
        return (*spans, *others)

    def _shown_boxes(self, live: BoolArray) -> dict[int, str]:
        """Return check boxes at the start of list items that are written: "x", or " " for an empty one."""
        boxes = {element: given["box"] for element, given in self._attributes_of.items() if "box" in given}
        if not boxes:
            return {}
        e = self._page.elements
        item, before = e.nearest(e.has_tag({"li"})), e.rows["seen"]["start"]
        is_first = (item >= 0) & live[item] & (before[item] == before)
        return {box: value for box, value in boxes.items() if is_first[box]}

    def _shown_images(self) -> dict[int, Attributes]:
        """Return the attributes of each written image, without an alternative text that is in the body too."""
        written, images = {}, kept_images(self._page, self._kept).tolist()
        said = set(self._page.text_of(self._kept).split("\n")) if images else set()
        for element in images:
            source = self._references.get(element, "")
            given = self._attributes_of.get(element, {})
            if " ".join(given.get("alt", "").split()) in said:
                given = {**given, "alt": ""}
            attributes = written_image(self._page.base_url, source, given)
            if attributes and self._counted(attributes[0][1]):
                written[element] = attributes
        return written

    def _counted(self, url: str) -> str:
        """Return the URL, "" if the rendering already has too many URL characters."""
        self._url_chars -= len(url)
        return url if self._url_chars >= 0 else ""

    def _language(self, element: int) -> str | None:
        """Return the language of code from its classes or label; "" if unknown, None for other preformatted text."""
        is_code = self._tags[element + 1 : element + 2] == ["code"]
        for one in (*([element + 1] if is_code else ()), *self._around(element)):
            given = self._attributes_of.get(one, {})
            told = given.get("data-language") or given.get("data-lang", "")
            if _LANGUAGE.fullmatch(named := language_of(self._page, one) or told.lower()):
                return named
        return self._frames.languages.get(element, "" if is_code else None)

    def _around(self, element: int) -> Iterator[int]:
        """Yield an element, two ancestors, and more while nothing else in them is kept: cells beside a gutter."""
        up, texts = self._page.elements.parent_or_self, self._texts
        at = element
        for level in range(LEVELS + 1):
            if level > 2 and texts[at] != texts[element]:
                break
            yield at
            at = int(up[at])
