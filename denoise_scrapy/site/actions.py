"""Whether a URL looks as if opening it did something: log out, delete, add to the cart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from denoise_scrapy.site.action_words import ACTION, CORE, DOOR, LAST, OPERATION, OPERATOR, TOKEN
from denoise_scrapy.site.folding import fold
from denoise_scrapy.site.url_shapes import decoded

PHRASE = 3  # words of the longest phrase: "add to cart"
SHORT = 2  # words of a name that says nothing but what to do: "vote-up"; titles have more
SHORT_CORE = 3  # the same of words that are rare in titles: "confirm-delete-item"
# Characters of a name that says what to do in a script without spaces: 删除评论, カートに入れる.
SHORT_RUN = 7
# Letters beyond a word that is glued to others: "deleteitem", but neither "deleted" nor "removers".
GLUED = 3

_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_EXTENSION = re.compile(r"\.[a-z]{1,5}\d?$", re.IGNORECASE)
_SEGMENT = re.compile(r"[/;,]")
_PAIR = re.compile(r"[&;]")
#: What parameters are called that no page to read has.
_IN_NAMES = ACTION | TOKEN
#: Core words that are long and rare enough inside of others.
_GLUED_FIRST = ("delete", "remove", "logout", "signout", "unsubscribe", "addtocart")
_GLUED_LAST = ("logout", "signout", "logoff", "delete", "addtocart", "unsubscribe")
#: Core words of scripts that are written without spaces, found inside of a run.
_UNSPACED = tuple(word for word in ACTION if re.search(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]", word))


def looks_like_action(path: str, query: str) -> bool:
    """Whether a reader would not open this URL to read, but to change something, by its words alone.

    Words count as whole pieces, in any case, percent-encoded, hyphenated or in camelCase. A name of many words is
    a title, and refused only if it begins as actions do; in a URL with a query more is refused, since there
    a title is rare.

    Args:
        path: Path of the URL, as written in it.
        query: Its query, as written.

    Example:
        >>> [looks_like_action(*url.split("?")) for url in ("/i?do=rm&id=3", "/deleteItem?id=3", "/users/sign_out?")]
        [True, True, True]
        >>> looks_like_action("/news/2021/how-to-vote.html", ""), looks_like_action("/thread.php", "id=7")
        (False, False)
    """
    names = [words for segment in _SEGMENT.split(decoded(path)) if (words := _words(_EXTENSION.sub("", segment)))]
    in_path = any(_names_action(words, bool(query)) for words in names)
    return in_path or (bool(names) and names[-1][0] in LAST and len(names[-1]) == 1) or _asks_for_action(query)


def _asks_for_action(query: str) -> bool:
    for pair in _PAIR.split(query):
        name, _, value = (decoded(part) for part in pair.partition("="))
        if name.startswith("utm_"):  # says where a reader came from: a feed, a share
            continue
        name_words, words = _words(name), _words(value)
        if _has_word(name_words, _IN_NAMES):
            return True
        if _is_operator(name_words):
            if _has_word(words, OPERATION):
                return True
        elif _names_action(words, len(words) <= SHORT):
            return True
    return False


def _is_operator(words: tuple[str, ...]) -> bool:
    return bool(words) and (words[-1] in OPERATOR or words[-1].endswith("action"))


def _has_word(words: tuple[str, ...], wanted: frozenset[str]) -> bool:
    return any(phrase in wanted for _, phrase in _phrases(words)) or any(map(_glued, words))


def _names_action(words: tuple[str, ...], anywhere: bool) -> bool:
    """Whether a name of these words says what to do; `anywhere`: also if not at its start."""
    short = len(words) <= SHORT
    for start, phrase in _phrases(words):
        if phrase in CORE or _glued(words[start]):
            if start == 0 or anywhere or len(words) <= SHORT_CORE:
                return True
        elif short and phrase in ACTION and (start == 0 or anywhere or phrase in DOOR):
            return True
    return False


def _glued(word: str) -> bool:
    """Whether a word consists of others, and one of them says what to do."""
    if not word.isascii():
        return len(word) <= SHORT_RUN and any(part in word for part in _UNSPACED)
    begins = any(word.startswith(part) and len(word) >= len(part) + GLUED for part in _GLUED_FIRST)
    return begins or word.endswith(_GLUED_LAST)


def _phrases(words: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Each run of up to three words as one, with the place of its first."""
    for start in range(len(words)):
        for end in range(start + 1, min(start + PHRASE, len(words)) + 1):
            yield start, "".join(words[start:end])


@lru_cache(4096)  # directories, parameters and their values recur in the links of a page
def _words(name: str) -> tuple[str, ...]:
    return tuple(fold(word) for word in _WORD.findall(_CAMEL.sub(" ", name)))
