"""From a page's columns to the tokens of a rendering: one walk over the kept parts, with tables, links and images."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from denoise_scrapy.body.code import code_frames, language_of
from denoise_scrapy.body.rendering.footnotes import Footnotes
from denoise_scrapy.body.rendering.manuals import Manual
from denoise_scrapy.body.tables import span, written_tables
from denoise_scrapy.core.markup import HEADING_TAGS, ROOT_TAGS
from denoise_scrapy.core.tokens import Token
from denoise_scrapy.core.writing import Writer
from denoise_scrapy.core.written import CONTAINERS, Attributes
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.attributes import REVERSED, safe_image_url, safe_url
from denoise_scrapy.page.columns import LEVELS, BoolArray, IntArray

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
_NUMBER = re.compile(r"-?\d{1,9}", re.ASCII)
_VALID = {"start": _NUMBER, "value": _NUMBER, "scope": re.compile("row|col|rowgroup|colgroup")}


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


def _with_numbers(page: Page) -> Mapping[int, Mapping[str, str]]:
    """Return the attributes of elements, with the numbers of the items of reversed lists."""
    e, given = page.elements, page.noted.attributes
    lists = [element for element, attributes in given.items() if REVERSED in attributes]
    if not lists:
        return given
    items = np.flatnonzero(np.isin(e.parent, lists) & e.has_tag({"li"}))
    left, found = Counter[int](e.parent[items].tolist()), dict[int, dict[str, str]]()
    for one in lists:
        if _NUMBER.fullmatch(first := given[one].get("start", "")):
            left[one] = int(first)
    for item, parent in zip(items.tolist(), e.parent[items].tolist(), strict=True):
        found[item] = {"value": str(left[parent])} | given.get(item, {})
        left[parent] -= 1
    return given | found


class _Walk:
    """A walk over the marks of a page that passes kept content to a `Writer`."""

    def __init__(self, page: Page, kept: BoolArray) -> None:
        self._page, self._kept = page, kept
        self._writer = Writer()
        self._tags = page.tags()
        self._references = _references(page)
        self._attributes_of = _with_numbers(page)
        self._manual, self._frames = Manual(page), code_frames(page)
        # only the explanation draws such text
        self._unseen = page.unseen_reasons() if (page.unseen_elements & ~page.removed_elements).any() else {}
        self._url_chars = page.url_chars  # remaining; links and images beyond them are not written

    def tokens(self) -> list[Token]:
        """Visit the marks of written elements and the texts of kept blocks."""
        e, blocks = self._page.elements, self._page.blocks
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
        self._layout = layout
        is_written = (live | empty)[e.mark_element]
        in_code = e.nearest(e.has_tag({"pre"}))[e.mark_element] >= 0  # with empty lines
        breaks = e.column("break")[e.mark_element] & e.is_start & (is_written | in_kept | in_code)
        manual = self._manual
        self._admonitions = {
            element: box
            for element, box in manual.admonitions.items()
            if self._kept[box.blocks[0] + (box.title >= 0) : box.blocks[1]].any()
        }
        self._titles = {box.title for box in self._admonitions.values() if self._kept[box.blocks[0]]}
        self._signatures, self._unwritten = manual.signatures(self._kept)
        summaries = e.has_tag({"summary"}).nonzero()[0].tolist()
        self._of_manual = {*self._admonitions, *self._titles, *self._signatures, *self._unwritten, *summaries}
        noted, special = np.zeros(len(in_kept), np.uint8), e.has_tag({"a", "pre"}).view(np.uint8)
        noted[[*self._footnotes.starts, *self._footnotes.signs, *self._unseen]] = 1
        special[[*self._attributes_of, *self._tabs, *self._of_manual, *self._images, *self._boxes]] = 1
        special[list(self._signatures)] = 2
        flags = (e.is_start, is_written, breaks, in_kept, noted, e.column("block"), layout, special)
        columns = (*(column.view(np.uint8) for column in flags), e.mark_element, e.block_after, e.marks, e.text_ends)
        return self._writer.walk(self, e.tree, columns, self._tags, e.parent_or_self)

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

    def write_text(self, text: str, mark: int, block: int) -> None:
        """Write a text; for a footnote's sign, its position."""
        if mark in self._footnotes.starts:
            self._writer.mark("note", self._footnotes.starts[mark])
        sign, label = self._footnotes.signs.get(mark, (0, ""))
        if sign:
            self._writer.text(text[:sign], block, (("sign", label),))
        if text[sign:]:
            self._writer.text(text[sign:], block, (("unseen", self._unseen[mark]),) if mark in self._unseen else ())

    def start(self, element: int, block: int) -> bool:
        """Start what is special about an element; return whether its tag needs not be written."""
        writer, tag = self._writer, self._tags[element]
        if element in self._tabs:
            self._write_tab(element)
        if element in self._of_manual and self._start_of_manual(element):
            return True
        if element in self._images:
            writer.image(self._images[element], block)
        elif tag == "pre":
            if not writer.is_preformatted:
                writer.open_preformatted(element, self._language(element))
        elif tag == "a":
            self._start_link(element)
        elif element in self._boxes:
            writer.mark("box", self._boxes[element])
        elif "display" in self._attributes_of.get(element, ()):
            writer.open_inline(element, "display")
        elif tag in CONTAINERS and element in self._attributes_of and not self._layout[element]:
            writer.open_container(element, CONTAINERS[tag], self._attributes(element))
        else:
            return False
        return True

    def _start_link(self, element: int) -> None:
        url = self._counted(safe_url(self._page.base_url, self._references.get(element, "")))
        # the label of the footnote that the link refers to, or leads back from
        notes = (("reference", self._footnotes.references), ("back", self._footnotes.backs))
        labels = tuple([(name, of[element]) for name, of in notes if element in of])
        if url or labels:
            tag = "a" if url else "reference"
            self._writer.open_inline(element, tag, ((("href", url),) if url else ()) + labels)

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
            if self._signatures[element]:
                writer.open_heading(element, self._signatures[element])
            writer.open_run(element, int(e.end[element]), block)
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
