"""Made-up texts and edits of them: the same on every run."""

from __future__ import annotations

import random

_SYLLABLES = "ba ce di fo gu ha ki lo mu ne pi ra so tu ve wi xo ya zu bre cla dro fri gle".split()
_STOPS = "the of and to in a is that for it".split()
_HANZI = [chr(code) for code in range(0x4E10, 0x5A00, 3)]


def word(rnd: random.Random) -> str:
    return "".join(rnd.choices(_SYLLABLES, k=rnd.randint(2, 4)))


def english(seed: int, length: int = 300) -> list[str]:
    """Words of a text of its own vocabulary, a third of them stop words, some of them repeated."""
    rnd = random.Random(seed)
    own = [word(rnd) for _ in range(max(10, length // 2))]
    return [rnd.choice(_STOPS) if rnd.random() < 0.33 else rnd.choice(own) for _ in range(length)]


def chinese(seed: int, length: int = 300) -> str:
    rnd = random.Random(seed)
    return "".join("的" if rnd.random() < 0.06 else rnd.choice(_HANZI) for _ in range(length))


def cut_out(words: list[str], share: float, start: float = 0.4) -> list[str]:
    first, count = int(len(words) * start), int(len(words) * share)
    return words[:first] + words[first + count :]
