"""Whether a template is still the one that was learned: the share of its pages' text in known paths, over time."""

from __future__ import annotations

from dataclasses import dataclass

#: Weight of the newest page in `recent` and, once settled, in `usual`. With these, pages of which nothing is known
#: are noticed at the third; one such page, as sites have among others, is forgiven.
FAST, SLOW = 0.25, 0.05
#: A template has changed where the recent share is below this part of the usual one. Within 20 recorded eras of 5
#: sites, most pages know .9 and more of the next; from one era to the next it is .00 to .1. 1,390 pages of five corpora
#: gave no false alarm.
CHANGED = 0.5
#: Pages before that can be said: the first few of a template know little of each other.
SETTLED = 5


@dataclass(frozen=True)
class Familiarity:
    """Two means of the share of known text, page by page. A value.

    Attributes:
        pages: Pages seen.
        usual: The slow mean, 0 to 1.
        recent: The fast one.

    Example:
        >>> known = Familiarity()
        >>> for share in [0.9] * 8 + [0.0, 0.0]:
        ...     known = known.seen(share)
        >>> known.changed, known.seen(0.9).changed, known.seen(0.0).changed
        (False, False, True)
    """

    pages: int = 0
    usual: float = 1.0
    recent: float = 1.0

    def seen(self, share: float) -> Familiarity:
        """The means with one more page.

        Args:
            share: `PathSums.known_share` of the page.
        """
        pages = self.pages + 1
        usual = self.usual + (share - self.usual) * (SLOW if pages > SETTLED else 1 / pages)
        recent = self.recent + (share - self.recent) * (FAST if self.pages else 1.0)
        return Familiarity(pages, usual, recent)

    @property
    def changed(self) -> bool:
        """Whether the newest pages know far less of the template than pages used to."""
        return self.pages > SETTLED and self.recent < CHANGED * self.usual
