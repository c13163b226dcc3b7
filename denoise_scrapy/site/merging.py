"""What several processes learn of a site, added up: a merge of three, as of files in version control.

What a process has learned since it last saved or loaded is what it holds, less what that grew from; it comes on top of
what the store holds now. Sums with decay allow that: after n further pages they are KEPT^n times what they were, plus
what these pages add, whatever was there before. So the sums are those of one memory that had the pages in the order
in which they were saved.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from denoise_scrapy.site.known_site import MAX_TEMPLATES
from denoise_scrapy.site.learned_template import KEPT, LearnedTemplate, like_template, votes_of
from denoise_scrapy.site.path_names import names_of_both
from denoise_scrapy.site.stored_site import ALL, Merged, StoredSite, Unsaved

_Value = TypeVar("_Value")
_Templates = OrderedDict[str, LearnedTemplate]


def merge_templates(theirs: LearnedTemplate, base: LearnedTemplate, ours: LearnedTemplate) -> LearnedTemplate:
    """The template that `theirs` becomes by what `ours` has learned since it was `base`.

    Pages and sums are exact but for rounding, as long as no path has left for want of room. Votes, and means of known
    text, are those that were given: a memory that knew all pages would have asked others for their votes, and known
    more of their text.

    Example:
        >>> import numpy as np
        >>> from denoise_scrapy.page import Page
        >>> page = Page.parse("<div id=main><p>One story.</p></div>", url="http://a.example/1")
        >>> base = LearnedTemplate(page.signature).learn(page, np.ones(1))
        >>> ours, theirs = base.learn(page, np.ones(1)), base.learn(page, np.ones(1))
        >>> both = merge_templates(theirs, base, ours)
        >>> both.pages, bool(np.allclose(both.sums.tokens, ours.learn(page, np.ones(1)).sums.tokens))
        (3, True)
    """
    if theirs is base:
        return ours
    pages = ours.pages - base.pages
    decay, voted = KEPT**pages, KEPT ** votes_of(base.pages, ours.pages)
    sums = theirs.sums.decay(decay).merge(ours.sums.since(base.sums, decay))
    return LearnedTemplate(
        theirs.signature,
        theirs.pages + pages,
        sums,
        theirs.votes.decay(voted).with_those_since(ours.votes, base.votes, voted),
        theirs.familiarity.with_those_since(ours.familiarity, base.familiarity),
        ours.example if pages else theirs.example,
        names_of_both(theirs.names, ours.names, sums),
    )


def merge(ours: Unsaved, theirs: StoredSite) -> Merged:
    """What becomes of a site in the store by what a process has learned.

    Args:
        ours: What it has learned.
        theirs: The site as the store has it now.

    Example:
        >>> signature = frozenset({1, 2})
        >>> ours, theirs = LearnedTemplate(signature, pages=3), LearnedTemplate(signature, pages=4)
        >>> merge(Unsaved((ours,)), StoredSite((theirs,))).site.templates[0].pages
        7
    """
    ours = _what_has_not_arrived(ours, theirs)
    heard = {name for name, mark in theirs.forgotten.items() if ours.base.forgotten.get(name) != mark}
    own = {name for name, mark in theirs.forgotten.items() if mark.startswith(f"{ours.writer}.")}
    news = heard - own
    known = {one.name for one in ours.templates} if ALL in news else set()
    dropped = frozenset((known | news) - {ALL} - set(ours.gone))
    found = _Templates((one.name, one) for one in theirs.templates)
    gone = {name for name in ours.gone if name not in news}  # nobody else has noticed
    for name in gone:
        found.pop(name, None)
    base = {one.name: one for one in ours.base.templates if one.name not in ours.gone}
    names = {one.name: _put(found, base.get(one.name), one) for one in ours.templates if one.name not in dropped}
    excess = _excess(found)
    for name in excess:
        del found[name]
    version = f"{ours.writer}.{ours.number}"
    return Merged(
        StoredSite(
            tuple(found.values()),
            version,
            _with(theirs.forgotten, dict.fromkeys(sorted(gone | excess), version)),
            _with(theirs.writers, {ours.writer: ours.number}),
        ),
        tuple(one for one in found.values() if not any(one is stored for stored in theirs.templates)),
        frozenset(gone | excess),
        dropped,
        tuple((names[name], page) for name, page in ours.facts if names.get(name) in found),
        len(excess),
    )


def _what_has_not_arrived(ours: Unsaved, theirs: StoredSite) -> Unsaved:
    """What is unsaved where one of the earlier saves has arrived after all."""
    arrived = ours.earlier.get(theirs.writers.get(ours.writer, 0))
    if arrived is None:
        return ours
    gone = Counter(ours.gone)
    gone.subtract(arrived.gone)
    there = replace(ours.base, templates=arrived.templates, version="")
    return replace(ours, base=there, gone={name: count for name, count in gone.items() if count > 0})


def _put(found: _Templates, base: LearnedTemplate | None, ours: LearnedTemplate) -> str:
    """Put what was learned of a template with the stored one, the newest last; the name it has there."""
    stored = found.get(ours.name) or like_template(ours.signature, found.values())
    if stored is None:
        found[ours.name] = ours
        return ours.name
    if base is not ours:
        found[stored.name] = merge_templates(stored, base or LearnedTemplate(ours.signature), ours)
        found.move_to_end(stored.name)
    return stored.name


def _excess(found: _Templates) -> set[str]:
    """Templates that are too many: those of the fewest pages leave, and of several the one used longest ago."""
    *others, _ = found.values() or [None]
    least = sorted((one for one in others if one is not None), key=lambda template: template.pages)
    return {one.name for one in least[: max(len(found) - MAX_TEMPLATES, 0)]}


def _with(old: Mapping[str, _Value], new: Mapping[str, _Value]) -> dict[str, _Value]:
    """Both, with the new ones last."""
    return {**{key: value for key, value in old.items() if key not in new}, **new}
