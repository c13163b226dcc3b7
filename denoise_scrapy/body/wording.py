"""How a short text is worded: as content, or as a wall, which only asks, refuses or apologises.

Logistic regression on the sequences of letters that a text has (n-grams, Cavnar and Trenkle 1994), in place of lists
of words: it was fitted on walls in 25 languages (`training/wording.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.columns import IntArray

#: Lengths of sequences, and bits of their numbers. Of walls in a wording that was not fitted 91% are found where 3.5%
#: of other short pages are doubted, 90% with 2 to 4 letters and 89% with 4 alone.
LENGTHS, BITS = (3, 4, 5), 14
#: Characters of a text that are read: walls are shorter.
MOST_CHARS = 1_500
#: Spreads numbers over all bits (Knuth 1998, section 6.4): the golden ratio's share of 2^32, odd.
_SPREAD = np.uint32(2_654_435_761)
_DIGIT, _BETWEEN_WORDS = re.compile(r"\d"), re.compile(r"\W+")


def letter_sequences(text: str) -> IntArray:
    """Return the different numbers, below 2^`BITS`, of a text's sequences of letters, in ascending order.

    Example:
        >>> len(letter_sequences("Not found")), len(letter_sequences(""))
        (24, 0)
    """
    plain = _BETWEEN_WORDS.sub(" ", _DIGIT.sub("0", text[:MOST_CHARS].lower())).strip()
    letters = np.frombuffer(f" {plain} ".encode("utf-32-le", "surrogatepass"), np.uint32)
    number, found = letters * _SPREAD, [np.zeros(0, np.int64)]
    for length in range(2, LENGTHS[-1] + 1):
        number = (number[:-1] + letters[length - 1 :]) * _SPREAD
        if length in LENGTHS:
            found.append((number >> np.uint32(32 - BITS)).astype(np.int64))
    return np.flatnonzero(np.bincount(np.concatenate(found)))


@dataclass(frozen=True, eq=False)
class Wording:
    """Log odds that a short text is content.

    Attributes:
        weights: Of each number of `letter_sequences`, and last of any text, shape (2^`BITS` + 1,).
    """

    weights: npt.NDArray[np.float16]

    def odds(self, text: str) -> float:
        """Return the log odds that a text is content and no wall."""
        numbers = letter_sequences(text)
        return float(self.weights[numbers].sum(dtype=np.float64) / max(len(numbers), 1) ** 0.5 + self.weights[-1])


#: Of a model that was fitted on no walls.
NO_WORDING = Wording(np.zeros(2**BITS + 1, np.float16))
