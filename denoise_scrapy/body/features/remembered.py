"""Answers about texts, remembered by the text, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

Answer = TypeVar("Answer")

#: Longer texts are asked about each time: five times as many characters as the longest block that announces something
#: usually has. A word of any length is one token, and pages are hostile.
MAX_CHARS = 1000


class RememberedTexts(Generic[Answer]):
    """What was answered about texts; when there are too many, all are forgotten.

    Args:
        most: Texts that are remembered.

    Attributes:
        forgotten: How many have been forgotten.

    Example:
        >>> lengths = RememberedTexts(2)
        >>> lengths.ask(["a", "bb", "a"], lambda texts: map(len, texts)), len(lengths)
        ([1, 2, 1], 2)
        >>> lengths.ask(["ccc"], lambda texts: map(len, texts)), len(lengths), lengths.forgotten
        ([3], 1, 2)
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.forgotten = 0
        self._known: dict[str, Answer] = {}

    def __len__(self) -> int:
        return len(self._known)

    def ask(self, texts: Sequence[str], find: Callable[[Sequence[str]], Iterable[Answer]]) -> list[Answer]:
        """An answer for each text.

        Args:
            texts: The texts.
            find: Gives the answers for new texts, none of them None.
        """
        found = list(map(self._known.get, texts))
        if None not in found:
            return found  # type: ignore[return-value]  # there is no None
        new = list(dict.fromkeys(text for text, known in zip(texts, found, strict=True) if known is None))
        learned = dict(zip(new, find(new), strict=True))
        self._keep({text: answer for text, answer in learned.items() if len(text) <= MAX_CHARS})
        return [learned[text] if known is None else known for text, known in zip(texts, found, strict=True)]

    def clear(self) -> None:
        """Forget all texts."""
        self.forgotten += len(self._known)
        self._known.clear()

    def _keep(self, learned: dict[str, Answer]) -> None:
        if len(self._known) + len(learned) > self.most:
            self.clear()
        if len(learned) <= self.most:  # the texts of one page are seldom as many
            self._known.update(learned)
