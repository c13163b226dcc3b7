"""Shapes of URLs: a link is like those a crawl has visited, or nothing is known of what opening it does."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

from denoise_scrapy.site.urls import page_identity, site_key

DECODINGS = 3  # "%2564elete" is decoded twice by some servers; deeper ones were not seen
# A title has three words or more, and more letters than "add-to-cart" and "log-me-out"; in scripts without
# spaces, more characters than 加入购物车 and カートに入れる.
TITLE_WORDS, TITLE_CHARS, TITLE_RUN = 3, 12, 8
# Different words visited in one place, after which any word is of that kind: /user/profile and /user/orders make
# no /user/keluar. With two, 1 % more of the recorded links like their page would pass.
MANY_WORDS = 3
# Shapes remembered: a site has a handful. Some 200 bytes each, so 8 MB.
MOST_SHAPES = 40_000

#: Endings of pages; others are names of programs, which do what they are called: "view.php", "remove.asp".
_TEXT = re.compile(r"\.[sx]?html?", re.IGNORECASE)
_ENDING = re.compile(r"\.[A-Za-z]{1,5}\d?$")
_DIGITS = re.compile(r"\d+")
#: What is made for machines: a UUID, a hash, letters and digits by turns.
_ID = re.compile(r"(?=\D*\d)[\da-f][\da-f-]{7,}|(?=.{6})[a-z]*(?:\d+[a-z]+){2,}\d*", re.IGNORECASE)
#: Words, and the signs between those of a title.
_TITLE = re.compile(r"[\w\s.,:!?'‘’“”+()&–-]+")
_NUMBERS = re.compile(r"[\d\W_]+")
_WORDS = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W\d_]+(?:[-_ +][^\W\d_]+)*")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_PAIR = re.compile(r"&(?:amp;)?|;")
#: Pairs that say where a reader came from: a feed, a share.
_FROM = re.compile(r"(?:amp;)?utm_|$")
#: Directories that are no more than the root: /en/, /pt-br/.
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?", re.IGNORECASE)
_DATED = re.compile(r"(?:^|/)(?:19|20)\d\d/(?:0?[1-9]|1[0-2])(?:/\d\d?)?$")


class Shape(NamedTuple):
    """What a URL has in common with others of its kind.

    Attributes:
        path: A kind for each part of the path: ``0`` number, ``0x`` identifier, ``~`` title, ``A`` name with a capital,
            ``*`` `word`, ``=`` and the part where it stands for itself.
        query: A name with the kind of its value for each pair, in order.
        word: A name that says nothing by itself: other names in its place are of the same kind only if several are.
    """

    path: tuple[str, ...]
    query: tuple[str, ...] = ()
    word: str = ""


def url_shape(url: str) -> Shape:
    """The shape of a URL: numbers, identifiers and titles of many words stand for any of their kind.

    All else stands for itself. Two places are a `word`: the last part, below directories that are no numbers, and
    the first directory of a title. A name with a capital letter in directories without any is like others, as in wikis.

    Example:
        >>> url_shape("http://a.example/news/2021/05/storm-hits-coast.html?id=7")
        Shape(path=('*', '0', '0', '~.html'), query=('id=0',), word='news')
        >>> url_shape("http://a.example/item/13") == url_shape("http://a.example/item/7/")
        True
        >>> url_shape("http://a.example/item/13/rm").path, url_shape("http://a.example/del/13").path
        (('=item', '0', '=rm'), ('=del', '0'))
        >>> url_shape("http://a.example/tag/boston"), url_shape("http://a.example/logout").path
        (Shape(path=('=tag', '*'), query=(), word='boston'), ('=logout',))
    """
    parts = urlsplit(page_identity(url))
    path = [decoded(segment) for segment in parts.path.split("/")[1:]] or [""]
    kinds, word = [_kind(segment) for segment in path], ""
    kinds[-1], word = _last(path, kinds)
    if kinds[-1].startswith("~") and len(path) > 1 and kinds[0] == "=" + path[0]:
        kinds[0], word = "*", path[0]
    pairs = (pair.partition("=") for pair in _PAIR.split(parts.query) if not _FROM.match(pair))
    query = sorted(f"{decoded(name)}{sign}{_value(decoded(value))}" for name, sign, value in pairs)
    return Shape(tuple(kinds), tuple(query), word)


def _last(path: list[str], kinds: list[str]) -> tuple[str, str]:
    """The kind of a path's last part with regard to its directories, and the word that it is."""
    (stem, ending), above, kind = _split(path[-1]), path[:-1], kinds[-1]
    is_word = kind.startswith("=") and bool(_WORD.fullmatch(stem)) and (not ending or bool(_TEXT.fullmatch(ending)))
    named = all(kind == "=" + name for kind, name in zip(kinds, above, strict=False))
    if named and not all(map(_LANGUAGE.fullmatch, above)):
        if (is_word or kind[0] == "~") and stem[0].isupper() and "".join(above).islower():
            return "A" + ending, ""
        if is_word:
            return "*" + ending, stem
    if is_word and _DATED.search("/".join(above)) and (ending or not stem.isalpha()):
        return "~" + ending, ""
    return kind, ""


def _split(segment: str) -> tuple[str, str]:
    ending = _ENDING.search(segment)
    return (segment, "") if ending is None else (segment[: ending.start()], ending[0])


def _kind(segment: str) -> str:
    """The kind of a part of a path, with the ending of a file; what is of none stands for itself, but for digits."""
    stem, ending = _split(segment)
    kind = _value(stem)
    if kind.startswith("=") and _TITLE.fullmatch(stem):
        many = len(stem) >= TITLE_CHARS and len(_WORDS.findall(stem)) >= TITLE_WORDS
        if (many and not _NUMBERS.fullmatch(stem)) or len(_UNSPACED.findall(stem)) >= TITLE_RUN:
            kind = "~"
    return kind + ending


def _value(value: str) -> str:
    if value.isdigit():
        return "0"
    return "0x" if _ID.fullmatch(value) else "=" + _DIGITS.sub("0", value)


class VisitedShapes:
    """Shapes of the URLs that a crawl has asked for, by site; those not asked for longest go first.

    Args:
        most: Shapes remembered at most.

    Example:
        >>> visited = VisitedShapes()
        >>> for path in ("/item/12?page=2", "/zoo/ant", "/zoo/bee", "/zoo/cow", "/about"):
        ...     visited.add("http://a.example" + path)
        >>> [visited.has("http://a.example" + path) for path in ("/item/99", "/item/99?page=7", "/zoo/dog")]
        [True, True, True]
        >>> [visited.has("http://a.example" + path) for path in ("/item/99/trash", "/item/99?del=1", "/logout")]
        [False, False, False]
    """

    def __init__(self, most: int = MOST_SHAPES):
        self.evicted = 0
        self._most = most
        self._words: dict[int, tuple[int, ...]] = {}  # hashes: of a shape, of its words

    def __len__(self) -> int:
        return len(self._words)

    def add(self, url: str) -> None:
        """Note that the crawl asks for `url`, which is of use without its query too."""
        site = site_key(url)
        if not site:
            return
        path, query, word = url_shape(url)
        for each in {query, ()}:
            key, said = hash((site, path, each)), hash(word)
            words = self._words.pop(key, ())  # comes back as the youngest
            self._words[key] = words if len(words) == MANY_WORDS or said in words else (*words, said)
        while len(self._words) > self._most:
            del self._words[next(iter(self._words))]
            self.evicted += 1

    def has(self, url: str) -> bool:
        """Whether the crawl has asked for URLs of the shape that `url` has; a site's first page always has one.

        A word in it must be the same, or the crawl has asked for several. A title may stand where a word did.
        """
        site, (path, query, word) = site_key(url), url_shape(url)
        words = self._words.get(hash((site, path, query)), ())
        if path == ("=",) and not query:
            return True
        if len(words) == MANY_WORDS or hash(word) in words:
            return True
        if path[-1].startswith("~") and word:
            return hash((site, ("=" + word, *path[1:-1], "*" + path[-1][1:]), query)) in self._words
        return False


def decoded(part: str) -> str:
    """A part of a URL without percent-encoding, in UTF-8 or else in the encoding of Chinese sites.

    Example:
        >>> decoded("%2564elete"), decoded("%C9%BE%B3%FD")
        ('delete', '删除')
    """
    for _ in range(DECODINGS):
        if "%" not in part:
            break
        raw = unquote_to_bytes(part)
        try:
            part = raw.decode()
        except UnicodeDecodeError:
            return raw.decode("gb18030", "replace")
    return part
