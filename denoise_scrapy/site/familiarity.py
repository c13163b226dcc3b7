"""Whether a template is still the one that was learned: the share of its pages' text in known paths, over time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

#: Weight of the newest page in `recent` and, once settled, in `usual`. With these, pages of which nothing is known
#: are noticed at the third; one such page, as sites have among others, is forgiven.
FAST, SLOW = 0.25, 0.05
#: A template has changed where the recent share is below this part of the usual one. Within 20 recorded eras of 5
#: sites, most pages know .9 and more of the next; from one era to the next it is .00 to .1. 1,390 pages of five corpora
#: gave no false alarm.
CHANGED = 0.5
#: Pages before that can be said: the first few of a template know little of each other.
SETTLED = 5
#: Shares that are remembered for a merge: of those before, a twenty-fifth is left in `usual`, and nothing in `recent`.
REMEMBERED = 64


@dataclass(frozen=True)
class Familiarity:
    """Two means of the share of known text, page by page. A value.

    Attributes:
        pages: Pages seen.
        usual: The slow mean, 0 to 1.
        recent: The fast one.
        newest: The newest shares, as far as this process has seen them; no part of what is kept.

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
    newest: tuple[float, ...] = field(default=(), compare=False, repr=False)

    def seen(self, share: float) -> Familiarity:
        """The means with one more page.

        Args:
            share: `PathSums.known_share` of the page.
        """
        pages = self.pages + 1
        usual = self.usual + (share - self.usual) * (SLOW if pages > SETTLED else 1 / pages)
        recent = self.recent + (share - self.recent) * (FAST if self.pages else 1.0)
        return Familiarity(pages, usual, recent, (*self.newest[1 - REMEMBERED :], share))

    def with_those_since(self, after: Familiarity, before: Familiarity) -> Familiarity:
        """The means with the shares that another memory has seen meanwhile.

        Args:
            after: Its means.
            before: Its means before these.

        Example:
            >>> before = Familiarity().seen(0.5)
            >>> both = before.seen(0.7).with_those_since(before.seen(0.1).seen(0.2), before)
            >>> both == before.seen(0.7).seen(0.1).seen(0.2)
            True
        """
        count = after.pages - before.pages
        newest = after.newest[-count:] if count > 0 else ()
        means = replace(self, pages=self.pages + max(count, 0) - len(newest))
        for share in newest:
            means = means.seen(share)
        return means

    @property
    def changed(self) -> bool:
        """Whether the newest pages know far less of the template than pages used to."""
        return self.pages > SETTLED and self.recent < CHANGED * self.usual
