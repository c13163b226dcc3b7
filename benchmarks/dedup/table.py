"""The scores on pairs as Markdown: all as they are printed, and the short table of the documentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.dedup.quality import Score, Share
from benchmarks.markdown import table


def short(scores: Sequence[Score]) -> str:
    """The table of docs/figures.md: a row a rule, a column a goal."""
    return table(
        ["rule", *scores[0].goals], [[s.rule, *(f"{goal.value:.4f}" for goal in s.goals.values())] for s in scores]
    )


def full(scores: Sequence[Score]) -> str:
    """All scores: goals, and shares by language and by kind of pair.

    Args:
        scores: A score a rule, all of the same pairs.
    """
    goals = _shares("", scores, [(goal, [score.goals[goal] for score in scores]) for goal in scores[0].goals])
    return "\n\n".join([goals, *_by_truth(scores, languages=True)])


def forms(scores: Sequence[Score]) -> str:
    """The tables of docs/figures.md on forms: goals, and shares by how a copy was made and by kind of form."""
    return "\n\n".join([short(scores), *_by_truth(scores, languages=False)])


def _by_truth(scores: Sequence[Score], *, languages: bool) -> Iterator[str]:
    for truth, title in ((True, "duplicates found, by"), (False, "others taken for duplicates, by")):
        groups = [k for k in scores[0].groups if k[1] == truth and scores[0].groups[k].pairs]
        kinds = [k for k in scores[0].kinds if k[1] == truth]
        if languages:
            yield _shares(f"{title} language", scores, [(k[0], [s.groups[k] for s in scores]) for k in groups])
        yield _shares(f"{title} kind", scores, [(k[0], [s.kinds[k] for s in scores]) for k in kinds])


def _shares(title: str, scores: Sequence[Score], rows: Sequence[tuple[str, list[Share]]]) -> str:
    return table(
        [title, "pairs", *(score.rule for score in scores)],
        [[name, str(shares[0].pairs), *(f"{share.value:.4f}" for share in shares)] for name, shares in rows],
    )
