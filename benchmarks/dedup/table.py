"""The scores as a page of the documentation, which is also what is printed."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.dedup.quality import Score, Share

HEAD = """# Scores on near-duplicates

Share of the labelled pairs, made of {texts} texts, that each rule calls duplicates: high is right for duplicates,
low for the other pairs, which are chosen to be hard. Written by `python -m benchmarks.dedup --page`.

"""


def page(texts: str, scores: Sequence[Score]) -> str:
    """The Markdown page.

    Args:
        texts: What the pairs are made of, in a word.
        scores: A score a rule, all of the same pairs.
    """
    goals = [(goal, [score.goals[goal] for score in scores]) for goal in scores[0].goals]
    parts = [_table("", scores, goals)]
    for truth, title in ((True, "duplicates found, by"), (False, "others taken for duplicates, by")):
        groups = [k for k in scores[0].groups if k[1] == truth and scores[0].groups[k].pairs]
        kinds = [k for k in scores[0].kinds if k[1] == truth]
        parts.append(_table(f"{title} language", scores, [(k[0], [s.groups[k] for s in scores]) for k in groups]))
        parts.append(_table(f"{title} kind", scores, [(k[0], [s.kinds[k] for s in scores]) for k in kinds]))
    open_kinds = [k for k in scores[0].kinds if k[1] is None]
    parts.append(
        _table("called duplicates, by kind", scores, [(k[0], [s.kinds[k] for s in scores]) for k in open_kinds])
    )
    return HEAD.format(texts=texts) + "\n".join(parts)


def _table(title: str, scores: Sequence[Score], rows: Sequence[tuple[str, list[Share]]]) -> str:
    lines = [[title, "pairs", *(score.rule for score in scores)], ["---"] * (len(scores) + 2)]
    lines += [[name, str(shares[0].pairs), *(f"{share.value:.4f}" for share in shares)] for name, shares in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
