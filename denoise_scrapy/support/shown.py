"""Output of untrusted text from pages, items and files: for logs, terminals and HTML reports."""

from __future__ import annotations

import difflib
import json
import logging
import re
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from html import escape
from pathlib import Path
from string import Template

# Maximum characters of an argument in a log line: enough for advice, but text from sites is cut.
MAX_LOGGED = 1000
# Maximum characters of a table cell, a line or two; longer text, such as tracking URLs, is cut.
MAX_CELL = 200
_TURNS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")


def shown(text: str, most: int | None = None) -> str:
    r"""Return a text in one line, cut after `most` characters.

    Characters that move the cursor, change the direction of writing or are invisible are escaped as in JSON, so that a
    line of JSON keeps its meaning.

    Example:
        >>> shown("a\x1b[2J\u202eb\n"), shown("abcdefgh", 5)
        ('a\\u001b[2J\\u202eb\\u000a', 'abcd…')
    """
    start = text if most is None else text[: most + 1]
    odd = {char for char in set(start) if not char.isprintable()} - {"\u3000"}
    if odd:
        start = "".join(_escaped(char) if char in odd else char for char in start)
    return start if most is None or len(start) <= most else f"{start[: most - 1]}…"


def straight(text: str) -> str:
    r"""Return a text of several lines for a terminal; what changes the direction of writing is escaped as by `shown`.

    Example:
        >>> straight("a \u202eb\n")
        'a \\u202eb\n'
    """
    return _TURNS.sub(lambda found: _escaped(found[0]), text)


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def nearest_hint(name: str, valid: Iterable[str], prefix: str = "") -> str:
    """Return "; did you mean X?" for the valid name most similar to `name` behind a lower-case prefix, or ""."""
    names = {one.lower().removeprefix(prefix): one for one in valid}
    given = name.lower().removeprefix(prefix)
    nearest = [one for one in names if given and one.startswith(given)]
    nearest = nearest or difflib.get_close_matches(given, names, n=1, cutoff=0.5)
    return f"; did you mean {names[nearest[0]]}?" if nearest else ""


def say(*lines: object) -> None:
    """Print lines, each of them `shown`."""
    for line in lines:
        print(shown(str(line)))


def report(line: object) -> None:
    """Print a line on standard error, `shown`."""
    print(shown(str(line)), file=sys.stderr, flush=True)


def say_json(value: object) -> None:
    """Print a value as indented JSON."""
    say(*json.dumps(value, ensure_ascii=False, indent=2).split("\n"))


def json_line(value: object) -> str:
    """Return a value as one line of JSON, `shown`: nothing in it is without bytes in UTF-8."""
    return shown(json.dumps(value, ensure_ascii=False))


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with its noun in singular or plural.

    Example:
        >>> counted(1, "body", "bodies"), counted(1200, "page")
        ('1 body', '1,200 pages')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def numbered(name: str, met: Counter[str]) -> str:
    """Return a name, with "#2", "#3" … behind it where it was met before: another each time, which is met then.

    Example:
        >>> met = Counter()
        >>> [numbered(name, met) for name in ("a", "a#2", "a", "a")]
        ['a', 'a#2', 'a#3', 'a#4']
    """
    unique = name
    while unique in met:
        met[name] += 1
        unique = f"{name}#{met[name]}"
    met[unique] = 1
    return unique


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[int]) -> list[str]:
    r"""Return the lines of a table: the columns of `texts` are left-aligned, numbers right-aligned.

    Example:
        >>> print(*text_table(["pages", "host"], [["7", "a.example"], ["1,210", "b.example"]], [1]), sep="\n")
        pages  host
            7  a.example
        1,210  b.example
    """
    lines = [[shown(cell, MAX_CELL) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if number in texts else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def drawn(text: str, most: int | None = None) -> str:
    """Return a text as HTML, as `shown`."""
    return escape(shown(text, most))


def figures_page(title: str, parts: Iterable[str], style: str = "") -> str:
    """Return a self-contained HTML page, light or dark, for screens of any width; the parts are HTML."""
    # it loads and runs nothing, whatever a crawled site has put into it
    page = Template(Path(__file__).with_name("figures.html").read_text("utf-8"))
    return page.substitute(title=drawn(title, MAX_CELL), parts="\n".join(parts), style=style)


#: The words of a text that `beside` aligns, with the white space behind them; and signs.
WORDS = re.compile(r"\w+\s*|\W")


#: Pairs of equal words of two texts that are looked at, a second's work: of texts of one word there is a cube of them.
MOST_PAIRS = 5_000_000


def shared(words: Sequence[str], others: Sequence[str]) -> tuple[set[int], set[int]]:
    """Return the places of the words that two texts share in order, in each; of texts that repeat themselves, fewer.

    Example:
        >>> shared("abcd", "xbcya")
        ({1, 2}, {1, 2})
    """
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    times = Counter(others)
    left = MOST_PAIRS
    here, there = set[int](), set[int]()
    todo = [(0, len(words), 0, len(others))]
    while todo:
        start, end, low, high = todo.pop()
        left -= sum(1 + times[word] for word in words[start:end])
        if left < 0:
            break
        place, other, size = matcher.find_longest_match(start, end, low, high)
        if size:
            here.update(range(place, place + size))
            there.update(range(other, other + size))
            todo += [(place + size, end, other + size, high), (start, place, low, other)]
    return here, there


def beside(text: str, other: str, most: int) -> str:
    """Return the beginning of a text for a page, with the words marked that another text lacks there.

    Example:
        >>> beside("Roads <closed> till May", "Roads till June", 21)
        '<p>Roads <mark>&lt;</mark><mark>closed</mark><mark>&gt;</mark> till …'
    """
    words, others = WORDS.findall(text[:most]), WORDS.findall(other[: 2 * most])
    words = words[:-1] if len(text) > most else words  # the last one is cut
    alike, _ = shared(words, others)
    lines = [""]
    for number, word in enumerate(words):
        said, end = drawn(word.strip()), word[len(word.rstrip()) :]
        lines[-1] += said if number in alike or not said else f"<mark>{said}</mark>"
        lines += [""] if "\n" in end else []
        lines[-1] += "" if "\n" in end else end
    return "".join(f"<p>{line}" for line in lines) + "…" * (len(text) > most)


def differing(before: Iterable[str], after: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the lines that only one of two texts has, with "-" or "+".

    Example:
        >>> [*differing("abb", "bc")]
        [('-', 'a'), ('-', 'b'), ('+', 'c')]
    """
    old, new = Counter(before), Counter(after)
    yield from (("-", line) for line in (old - new).elements())
    yield from (("+", line) for line in (new - old).elements())


def logger_of(name: str) -> logging.Logger:
    """Return the logger of a module, which formats the arguments of messages by `shown`."""
    logger = logging.getLogger(name)
    if not any(isinstance(one, _Showing) for one in logger.filters):
        logger.addFilter(_Showing())
    return logger


class _Showing(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(one if isinstance(one, (int, float)) else _Shown(one) for one in record.args)
        if record.exc_info and record.exc_info[1] is not None:
            lines = "".join(traceback.format_exception(record.exc_info[1])).rstrip("\n").split("\n")
            record.exc_text = "\n".join(map(shown, lines))
        return True


class _Shown:
    """An argument of a message, formatted only with the message."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __str__(self) -> str:
        return shown(str(self._value), MAX_LOGGED)

    def __repr__(self) -> str:
        return shown(repr(self._value), MAX_LOGGED)
