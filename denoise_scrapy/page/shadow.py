"""Declarative shadow trees: what browsers show in place of an element's children, and where they show those.

A `template` with `shadowrootmode` attaches its content to the element around it, its host. Of the host's own children
only those are shown that a `slot` of that content takes, by name; a slot that none is for shows its own. The standard
calls the result the flat tree (DOM, section 4.2.2; CSS Scoping, section 3.4).
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice
from typing import Any

from lxml import etree

from denoise_scrapy.core.tree import Tree, tree_of
from denoise_scrapy.page.parse import root_of, to_utf8

#: The standard's hosts: custom elements, and these.
_HOST = re.compile(".*-.*|article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span")

#: Slots around a shadow tree that is put in place: each host within another moves all below it once more. Components of
#: components nest a dozen deep.
MOST_SLOTS = 32


def shown_tree(root: Any, *, is_ours: bool = True, **options: Any) -> tuple[Any, Tree]:
    """Return the tree of what a root shows, made with some options, and the root that it was read from.

    That is the same one, in which shadow trees are put in place if we have parsed it; else one with any is parsed anew.
    """
    tree = tree_of(root, **options)
    if tree.has_shadows and not tree.is_too_large:
        if not is_ours:
            whole = root.getroottree() if root.getparent() is None else root
            root = root_of(to_utf8(etree.tostring(whole, encoding="unicode", method="html", with_tail=False)))
        for template in root.xpath("//template"):
            around = (template.iterancestors("template"), islice(template.iterancestors("slot"), MOST_SLOTS, None))
            if _is_shadow(template) and not any(next(one, None) is not None for one in around):
                _attach(template)
        tree = tree_of(root, **options)
    return root, tree


def _is_shadow(node: Any) -> bool:
    """Return whether a node is a template that may be the shadow tree of the element around it."""
    host = node.getparent()
    is_open = node.tag == "template" and (node.get("shadowrootmode") or "").lower() in {"open", "closed"}
    return is_open and host is not None and _HOST.fullmatch(host.tag) is not None


def _attach(template: Any) -> None:
    """Put a shadow tree into its host, and the host's own children and texts into its slots, the first of each name."""
    host, slots = template.getparent(), dict[str, Any]()
    for slot in template.iter("slot"):
        if next(slot.iterancestors("template")) is template:
            slots.setdefault(slot.get("name", ""), slot)
    # by name: elements, and the texts behind each; first those before all
    given = defaultdict[str, list[tuple[Any, list[str]]]](lambda: [(None, [])])
    for child in (None, *host):
        if child is not None and isinstance(child.tag, str) and not _is_shadow(child):
            given[child.get("slot", "")].append((child, []))
        text = host.text if child is None else child.tail
        if text:
            given[""][-1][1].append(text)
    host.text, host[:] = template.text, list(template)
    for name, slot in slots.items():
        if name in given:
            slot[:] = [child for child, _ in given[name][1:]]
            slot.text, *tails = ("".join(texts) for _, texts in given[name])
            for child, tail in zip(slot, tails, strict=True):
                child.tail = tail
