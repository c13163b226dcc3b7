"""What the site memory asks of the place that outlives a crawl."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from denoise_scrapy.page import PageFacts
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.stored_site import ALL, Merged, StoredSite, Unsaved

#: Sites saved longest ago leave a store that is larger. A site takes some 30 to 100 KB: room for thousands of them.
MAX_BYTES = 256_000_000
#: How often a step is begun anew because another process was quicker: one of them always is done, so that as many may
#: end at the same time.
TRIES = 20

Facts = list[tuple[str, PageFacts]]


class SiteStore(ABC):
    """Keeps what was learned of sites, facts of their newest pages, and pinned rules, for any number of processes.

    What a process saves is merged with what others have saved (`denoise_scrapy.site.merging`), as one step.

    Attributes:
        place: Where it is, for messages.
        path: Its file, None where it is none.
        counts: How often what happened: "corrupt" rows that were skipped, "evicted/saved_sites".
        read_only: Why nothing can be saved, None where it can.
    """

    def __init__(self, place: str) -> None:
        self.place = place
        self.path: Path | None = None
        self.counts: Counter[str] = Counter()
        self.read_only: Exception | None = None

    @abstractmethod
    def open(self) -> None:
        """Make the store ready. Whatever needs it does so too, where this has failed.

        Raises:
            StoreMismatch: It was written by another version, or is none of ours.
            ValueError: The store is damaged.
            sqlite3.Error, OSError: It cannot be reached; the other methods raise these too.
        """

    @abstractmethod
    def exists(self) -> bool:
        """Whether it was ever opened, by anybody: what is there, `open` does not make."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it. A second call does nothing."""

    @abstractmethod
    def sites(self) -> list[str]:
        """The sites of which something was learned, or that have pinned rules, by name."""

    @abstractmethod
    def pinned(self) -> dict[str, list[LearnedRule]]:
        """The pinned rules by site. They stay whatever is learned or makes room."""

    @abstractmethod
    def pin(self, site: str, change: Callable[[list[LearnedRule]], Sequence[LearnedRule]]) -> None:
        """Replace the pinned rules of a site, as one step.

        Args:
            site: See `site_key`.
            change: Gives the rules from those that it has. May be called again, where others change them too.
        """

    @abstractmethod
    def read(self, site: str) -> tuple[StoredSite, Facts]:
        """What is known of a site; rows that cannot be read are skipped and counted.

        Args:
            site: See `site_key`.

        Returns:
            The site, and facts of its newest pages, oldest first, with the names of their templates.
        """

    @abstractmethod
    def save(self, sites: Mapping[str, Unsaved]) -> Iterator[tuple[str, Merged]]:
        """Merge what was learned of sites with what the store holds of them.

        Args:
            sites: What was learned, by site. See `site_key`.

        Yields:
            Each site when it is saved, and what has become of it. One that others save to all the time may be missing;
            it can be saved later.
        """

    @abstractmethod
    def names(self, site: str) -> set[str]:
        """Names of all templates of a site, also of those that cannot be read."""

    def load(self, site: str) -> tuple[list[LearnedTemplate], Facts]:
        """The templates of a site and facts of its newest pages, as `read`."""
        stored, facts = self.read(site)
        return list(stored.templates), facts

    def forget(self, site: str, template: str | None = None) -> None:
        """Delete what was learned of a site, or of one template of it. Pinned rules stay.

        Crawls under way do not bring it back.

        Raises:
            OSError: Others save to the site all the time.
        """
        for _ in range(TRIES):
            names = {ALL, *self.names(site)} if template is None else {template}
            stored, _facts = self.read(site)
            if any(self.save({site: Unsaved(base=stored, gone=dict.fromkeys(names, 1))})):
                return
        raise OSError(f"{self.place}: others save to {site} all the time")

    @contextmanager
    def _skipping(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError):  # written by no version of ours
            self.counts["corrupt"] += 1
