"""Values that pass between a process that learns of a site and the store that others save to as well."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from denoise_scrapy.page import PageFacts
from denoise_scrapy.site.learned_template import LearnedTemplate

#: Marks of forgotten templates that a site keeps: four times as many as it has templates. One that has left can harm
#: only where a process saves that has not saved for as many changes.
MAX_MARKS = 32
#: Stands among marks for whatever is or becomes a template of the site.
ALL = "*"
#: Processes of which a site keeps how far their saves came. More than these at once on one site can have one save of
#: theirs counted twice, where its answer was lost.
MAX_WRITERS = 64


@dataclass(frozen=True)
class StoredSite:
    """A site as a store has it. A value.

    Attributes:
        templates: Its templates, those saved longest ago first.
        version: Names the save that made it, "" where there was none.
        forgotten: Names of templates that were forgotten, each with a mark of its own: who finds a mark that it has
            not seen knows that what it holds of the template is old. The newest come last.
        writers: By process, the number of its last save that arrived.
    """

    templates: tuple[LearnedTemplate, ...] = ()
    version: str = ""
    forgotten: Mapping[str, str] = field(default_factory=dict)
    writers: Mapping[str, int] = field(default_factory=dict)

    def head(self) -> dict[str, dict[str, str] | dict[str, int]]:
        """All but templates and version as plain values, bounded."""
        return {
            "forgotten": dict(list(self.forgotten.items())[-MAX_MARKS:]),
            "writers": dict(list(self.writers.items())[-MAX_WRITERS:]),
        }


@dataclass(eq=False)
class Unsaved:
    """What one process has learned of a site since it last saved or loaded it.

    Attributes:
        templates: All its templates, those used longest ago first.
        base: What these grew from: the store as it was seen last.
        gone: How often each template was forgotten meanwhile.
        facts: Facts of new pages, oldest first, with the names of their templates.
        writer: Names the process; of one that saves once, any name.
        number: Numbers its saves of this site.
        earlier: Saves of which nobody knows whether they arrived, by number.
        sent: Whether this one may have arrived. Set by the store.
    """

    templates: tuple[LearnedTemplate, ...] = ()
    base: StoredSite = field(default_factory=StoredSite)
    gone: Mapping[str, int] = field(default_factory=dict)
    facts: tuple[tuple[str, PageFacts], ...] = ()
    writer: str = field(default_factory=lambda: secrets.token_hex(4))
    number: int = 1
    earlier: Mapping[int, Unsaved] = field(default_factory=dict)
    sent: bool = False


@dataclass(frozen=True)
class Merged:
    """What becomes of a site in the store when a process saves what it has learned.

    Attributes:
        site: The site as it is then.
        written: Those of its templates that differ from the stored ones.
        gone: Names of templates that leave the store.
        dropped: Names of templates that others have forgotten: what the process held of them is old.
        facts: Facts to write, with the names that their templates have in the store.
        evicted: How many templates left because there were too many.
    """

    site: StoredSite
    written: tuple[LearnedTemplate, ...]
    gone: frozenset[str]
    dropped: frozenset[str]
    facts: tuple[tuple[str, PageFacts], ...]
    evicted: int = 0


def site_of(templates: tuple[LearnedTemplate, ...], version: str, head: str | bytes) -> StoredSite:
    """The site of what a store has kept.

    Args:
        templates: Its templates.
        version: Its version.
        head: `StoredSite.head` as JSON; "" for none.

    Raises:
        ValueError: The head is damaged.
    """
    told = json.loads(head) if head else {}
    if not isinstance(told, dict):
        raise ValueError("damaged")
    forgotten = {str(name): str(mark) for name, mark in dict(told.get("forgotten", {})).items()}
    writers = {str(name): int(number) for name, number in dict(told.get("writers", {})).items()}
    return StoredSite(templates, version, forgotten, writers)
