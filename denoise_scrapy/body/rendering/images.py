"""Which images belong to a body, and what is written of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.rendering.tags import Attributes
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.paths import ROOT_TAGS
from denoise_scrapy.page.references import safe_image_url

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

#: An image at the edge of what it stands in stays where at least this share of the text in it is kept. Between
#: two kept blocks it stays whatever else is there.
MIN_KEPT_SHARE = 0.5
#: At the edge of the whole page stand mastheads and buttons: there all text must be kept (all 40 such images that
#: half the text let in on recorded pages were of that kind).
MIN_KEPT_SHARE_OF_PAGE = 1.0
#: Parts of the page whose images are none of the text around.
_APART = Flag.NAV | Flag.FOOTER | Flag.ASIDE | Flag.CONTROL
_PIXELS = re.compile(r"\s*(\d{1,5})(?:\.\d*)?\s*(?:px)?\s*", re.ASCII | re.IGNORECASE)


def kept_images(page: Page, kept: BoolArray) -> IntArray:
    """Elements of the images that belong to the kept blocks, in document order.

    An image in a line of text goes with the text. One that stands alone belongs to the nearest element
    around it that holds text (captions of figures aside): it stays where the texts next to it in there are kept,
    both of them, or one of them and most of the text. An image in a figure stays with any of its caption;
    where the caption is dropped, the figure counts as one image that stands alone.

    Args:
        page: A page of m blocks.
        kept: Which of them are kept, shape (m,).
    """
    e, blocks = page.elements, page.blocks
    images = np.flatnonzero(e.has_tag({"img"}))
    if not len(images) or not kept.any():
        return images[:0]
    mark = np.flatnonzero(e.is_start)[images]
    block = blocks.block_of_text[mark]
    with_text = (block >= 0) & kept[block]
    figure = e.nearest(e.has_tag({"figure"}))
    in_figure = figure[images] >= 0
    with_caption = in_figure & (blocks.subtree_sums(kept)[figure[images]] > 0)
    outside = np.flatnonzero(figure[blocks.element] < 0)
    around, alone = _stands_in_kept(page, kept, outside, images, e.marks[mark])
    alone &= (block < 0) | in_figure
    flags = np.asarray(e.column("flags"), np.int64)
    own = flags[images] & ~flags[np.where(block >= 0, blocks.element[block], around)]  # below what they stand in
    alone &= (own & _APART) == 0
    shown = ((own & Flag.HIDDEN) == 0) & ~page.removed_text[mark]
    return np.asarray(images[(with_text | with_caption | alone) & shown])


def _stands_in_kept(
    page: Page, kept: BoolArray, outside: IntArray, images: IntArray, position: IntArray
) -> tuple[IntArray, BoolArray]:
    """For images that stand alone: the element with text around each, and whether the image is part of what is kept.

    Args:
        page: A page.
        kept: Which blocks are kept.
        outside: Blocks outside figures, k of them.
        images: Elements of the images.
        position: Positions of the images in the marked text.
    """
    e, blocks = page.elements, page.blocks
    at, chars = blocks.element[outside], blocks.chars[outside]
    total = np.asarray(e.subtree_sums(np.bincount(at, chars, len(e))), np.float64)
    kept_total = np.asarray(e.subtree_sums(np.bincount(at, chars * kept[outside], len(e))), np.float64)
    around = e.nearest(total > 0)[images]
    after = np.searchsorted(blocks.start[outside], position)
    neighbours = np.concatenate([[-1], outside, [-1]])[np.stack([after, after + 1])]  # before, after
    element = blocks.element[neighbours]
    inside = (neighbours >= 0) & (around <= element) & (element < e.end[around]) & (around >= 0)
    stays = kept[neighbours] & inside
    at_root = np.asarray(e.has_tag(ROOT_TAGS))[around]
    mostly = kept_total[around] >= np.where(at_root, MIN_KEPT_SHARE_OF_PAGE, MIN_KEPT_SHARE) * total[around]
    return around, np.asarray((stays == inside).all(axis=0) & (inside.all(axis=0) | (inside.any(axis=0) & mostly)))


def image_attributes(base: str, source: str, told: Mapping[str, str]) -> Attributes:
    """What is written of an image, () for one that shows nothing: without an address, or a tracking pixel.

    Args:
        base: URL that addresses are relative to.
        source: Its `src` as written.
        told: What else the page keeps of it.

    Example:
        >>> image_attributes("http://a.example/", "b.png", {"alt": "B", "width": "90px", "height": "50%"})
        (('src', 'http://a.example/b.png'), ('alt', 'B'), ('width', '90'))
        >>> image_attributes("http://a.example/", "b.gif", {"width": "1", "height": "1"})
        ()
    """
    address = safe_image_url(base, told.get("src", "")) or safe_image_url(base, source)
    sizes = {name: int(size[1]) for name in ("width", "height") if (size := _PIXELS.fullmatch(told.get(name, "")))}
    if not address or min(sizes.values(), default=2) < 2:
        return ()
    alt = " ".join(told.get("alt", "").split())
    return (("src", address), ("alt", alt), *((name, str(size)) for name, size in sizes.items()))
