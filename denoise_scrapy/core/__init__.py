"""The compiled core. It reads lxml's nodes in memory, and checks at import that their layout fits.

Pages: `source` checks bytes, `tree` walks lxml's tree, `styles` and `sight` say what is seen, `sharing` what other
pages have too, `features`, `judge` and `choice` which blocks are kept. Renderings: `formulas`, `writing`, `tokens`,
`markdown`, and `units` for chunks. Texts: `feature_strings`, `distance_tree`. Both: `characters`; tags and roles are in
`markup`.

A core compiled with one lxml works with others: within a major version libxml2 keeps the layout of its nodes.
"""

from __future__ import annotations

from lxml import etree

try:
    from denoise_scrapy.core import source
except ModuleNotFoundError:
    raise  # a library is missing, and is named
except ImportError:
    raise ImportError(
        "denoise_scrapy.core is not compiled for this Python: in a checkout `pip install -e .` compiles it; "
        "after `pip install .`, use it in another folder"
    ) from None

_PAGE = "<title>T</title><div class=a>One <b>two</b><p>three"
_TAGS, _BLOCKS = ["html", "head", "body", "div", "b", "p"], ["One two", "three"]


def _check() -> None:
    """Raise `ImportError` unless a small page is read correctly; with an incompatible libxml2 it is not.

    A library that is missing is another matter, and its error names it.
    """
    fits, why = False, ""
    try:
        if etree.LIBXML_VERSION[0] == int(source.LIBXML2.split(".")[0]):
            from denoise_scrapy.core.tree import tree_of  # noqa: PLC0415 - it may fail

            tree = tree_of(etree.fromstring(_PAGE, etree.HTMLParser()))
            fits = tree.tags() == _TAGS and [tree.block_text(block) for block in range(len(_BLOCKS))] == _BLOCKS
    except ModuleNotFoundError:
        raise
    except (ImportError, IndexError, TypeError, ValueError) as error:
        why = f" ({error})"
    if not fits:
        compiled = f"lxml {source.LXML} and libxml2 {source.LIBXML2}"
        here = f"lxml {etree.__version__} with libxml2 {'.'.join(map(str, etree.LIBXML_VERSION))}"
        raise ImportError(
            f"denoise_scrapy.core was compiled with {compiled}, and cannot read trees of {here}{why}: "
            "pip install --force-reinstall --no-binary=denoise-scrapy denoise-scrapy"
        )


_check()
