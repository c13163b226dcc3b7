"""What browsers show elsewhere than it stands: shadow trees, streamed content, words that a label spells.

A `template` with `shadowrootmode` attaches its content to the element around it, its host. Of the host's own children
only those are shown that a `slot` of that content takes, by name; a slot that none is for shows its own. The standard
calls the result the flat tree (DOM, section 4.2.2; CSS Scoping, section 3.4).

React streams a part that comes late in a hidden element S:0, and a script puts its content where the `template` B:0 or
P:0 stands; after B:0 there is what shows meanwhile, up to the end of its boundary (`parse.boundaries`). Scripts that
animate words put each into an element of its own, hidden from screen readers, and the whole into `aria-label`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice
from typing import Any

from lxml import etree

from denoise_scrapy.core.tree import MAX_DEPTH, Tree, tree_of
from denoise_scrapy.page.parse import BOUNDARY, BOUNDARY_END, root_of, to_utf8

#: The standard's hosts: custom elements, and these.
_HOST = re.compile(".*-.*|article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span")

#: Slots around a shadow tree that is put in place: each host within another moves all below it once more. Components of
#: components nest a dozen deep.
MOST_SLOTS = 32


def shown_tree(root: Any, *, is_ours: bool = True, **options: Any) -> tuple[Any, Tree]:
    """Return the tree of what a root shows, made with some options, and the root that it was read from.

    That is the same one, in which parts are put in place if we have parsed it; else one with any is parsed anew.
    """
    tree = tree_of(root, **options)
    if tree.is_arranged and not tree.is_too_large:
        if not is_ours:
            whole = root.getroottree() if root.getparent() is None else root
            root = root_of(to_utf8(etree.tostring(whole, encoding="unicode", method="html", with_tail=False)))
        for template in root.xpath("//template"):
            around = (template.iterancestors("template"), islice(template.iterancestors("slot"), MOST_SLOTS, None))
            if _is_shadow(template) and not any(next(one, None) is not None for one in around):
                _attach(template)
        _put_parts(root)
        _write_labels(root)
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


def _put_parts(root: Any) -> None:
    """Put streamed content where its templates stand, in place of what shows meanwhile."""
    parts = {part.get("id")[2:]: part for part in root.xpath("//*[@hidden][starts-with(@id, 'S:')]")}
    places = root.xpath("//template[starts-with(@id, 'B:') or starts-with(@id, 'P:')]") if parts else []
    for place in places[:MAX_DEPTH]:
        part = parts.pop(place.get("id")[2:], None)
        if part is None or part in place.iterancestors():
            continue
        if place.get("id").startswith("B"):
            _drop_fallback(place)
        for child in list(part):
            place.addprevious(child)


def _drop_fallback(place: Any) -> None:
    """Drop what is behind a template up to the end of its boundary, if that is near."""
    depth, fallback = 1, list[Any]()
    for behind in islice(place.itersiblings(), MAX_DEPTH):
        depth += {BOUNDARY: 1, BOUNDARY_END: -1}.get(behind.get("id"), 0)
        if not depth:
            place.tail = None
            for one in fallback:
                one.getparent().remove(one)
            return
        fallback.append(behind)


def _write_labels(root: Any) -> None:
    """Write the label of each element whose words it spells, hidden from screen readers, in place of these."""
    for first in root.xpath("//*[@aria-label]/*[1][@aria-hidden]"):
        one = first.getparent()
        label = one.get("aria-label")
        if "".join(label.split()) == "".join("".join(islice(one.itertext(), len(label))).split()):
            one[:], one.text = [], label
