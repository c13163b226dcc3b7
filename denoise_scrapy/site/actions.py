"""Whether a URL looks as if opening it did something: log out, delete, add to the cart.

The second net: a link has the shape of visited URLs (`url_shapes`), so that words matter where a shape has a title or
a word, which are parts of its path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from denoise_scrapy.site.action_words import ACTION, CORE
from denoise_scrapy.site.folding import fold
from denoise_scrapy.site.url_shapes import decoded

PHRASE = 3  # words of the longest phrase: "add to cart"
SHORT = 2  # words of a name that says nothing but what to do: "vote-up"; titles have more
SHORT_CORE = 3  # the same of words that are rare in titles: "confirm-delete-item"
# Characters of a name that says what to do in a script without spaces: 删除评论, カートに入れる.
SHORT_RUN = 7

_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_EXTENSION = re.compile(r"\.[a-z]{1,5}\d?$", re.IGNORECASE)
_SEGMENT = re.compile(r"[/;,]")
#: Words of scripts that are written without spaces, found inside of a run.
_UNSPACED = tuple(word for word in ACTION if re.search(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]", word))


def looks_like_action(path: str) -> bool:
    """Whether a reader would not open this URL to read, but to change something, by the words of its path.

    Words count as whole pieces, in any case, percent-encoded, hyphenated or in camelCase. A name of many words is
    a title, and refused only if it begins as actions do.

    Args:
        path: Path of the URL, as written in it.

    Example:
        >>> [looks_like_action(path) for path in ("/a/delete", "/deleteItem", "/users/sign_out", "/unsubscribe-me-now")]
        [True, True, True, True]
        >>> [looks_like_action(path) for path in ("/news/2021/how-to-vote.html", "/deleted-scenes")]
        [False, False]
    """
    return any(_names_action(_words(_EXTENSION.sub("", name))) for name in _SEGMENT.split(decoded(path)))


def _names_action(words: tuple[str, ...]) -> bool:
    for start, phrase in _phrases(words):
        if phrase in CORE or _in_run(phrase):
            if start == 0 or len(words) <= SHORT_CORE:
                return True
        elif start == 0 and len(words) <= SHORT and phrase in ACTION:
            return True
    return False


def _in_run(word: str) -> bool:
    """Whether a word of a script without spaces has one in it that says what to do."""
    return not word.isascii() and len(word) <= SHORT_RUN and any(part in word for part in _UNSPACED)


def _phrases(words: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Each run of up to three words as one, with the place of its first."""
    for start in range(len(words)):
        for end in range(start + 1, min(start + PHRASE, len(words)) + 1):
            yield start, "".join(words[start:end])


@lru_cache(4096)  # directories recur in the links of a page
def _words(name: str) -> tuple[str, ...]:
    return tuple(fold(word) for word in _WORD.findall(_CAMEL.sub(" ", name)))
