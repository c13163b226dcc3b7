"""A stream as a crawl meets it: forms of thirty kinds, stories, and true copies of both, among thousands of siblings.

A form is a skeleton of sentences with values filled in: fifty pages of one site, each about another thing however
alike they are. A copy is one of these pages, or a story, under another address. The skeletons and the words are in
`form_kinds/`, a file a language: `= name: value|value` is a list of values, `== name` begins a kind, with its address,
its title and its paragraphs. `{name}` is a value, `{@name}` one that the whole page has in common, `{1-99}` a number.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from inspect import signature
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

from typing_extensions import override

from benchmarks.dedup.bases import Base
from benchmarks.dedup.pieces import excerpt, pieces, sentences, size, words
from benchmarks.dedup.quality import ACROSS, FORMS, SAME, STORIES, Score, Share
from denoise_scrapy.dedup import DuplicateIndex
from example_project.portal.grammar import RANGE, Voice

LANGUAGES = ("english", "german", "french", "spanish", "chinese", "russian")
PAGES = 50  # of a kind
COPIES = 60  # of forms, and of stories, in each way
_FOLDER = Path(__file__).with_name("form_kinds")
_SPEAKS = {"latin": "english", "chinese": "chinese"}  # what stands around a story; else Russian
_STORY_HOSTS = ("www.saltmere-courier.example", "news.windlebay.example", "www.evening-ledger.example")
_REPRINT_HOSTS = tuple(
    f"www.{name}.example" for name in ("morning-wire", "allpages", "regio-portal", "the-digest", "infonet", "mirrorpost")
)
_CUT = (0.1, 0.5)  # share of the text that is cut off
_MOVED = 8  # units of a sentence or a paragraph that stands elsewhere: rows of a table stay
_CHANGED = 0.02  # of the words, in an edited reprint
_ASKS_TITLES = "title" in signature(DuplicateIndex.check_and_add).parameters


@dataclass(frozen=True)
class Kind:
    """Pages that are made from one form, all on one site."""

    name: str
    language: str
    url: str
    title: str
    text: str

    @property
    def own_titles(self) -> bool:
        """Whether each page has a title of its own."""
        return "{" in self.title


@dataclass(frozen=True)
class Row:
    """A text of the stream.

    Attributes:
        site: The host.
        kind: Name of the kind of form, or "story".
        language: A language; of a story the one in which what stands around it is written.
        what: "form", "story", or "copy:" with how it was made.
        of: Address of what it is a copy of; else empty.
    """

    url: str
    site: str
    title: str
    text: str
    kind: str
    language: str
    what: str
    of: str = ""

    @property
    def how(self) -> str:
        """How a copy was made; empty for an original."""
        return self.what.partition(":")[2]


class Writer(Voice):
    """A voice for which `{@name}` is the same in all of a page, and `{00-59}` has as many digits as its lower bound."""

    @override
    def raw(self, symbol: str) -> str:
        return self.fill(self.deal(symbol))

    @override
    def _slot(self, match: re.Match[str]) -> str:
        name = match[1]
        if name.startswith("@"):
            if name not in self.names:
                self.names[name] = self.fill(f"{{{name[1:]}}}")
            return self.names[name]
        span = RANGE.fullmatch(name)
        if span:
            return f"{self.rng.randint(int(span[1]), int(span[2])):0{len(span[1])}}"
        return super()._slot(match)


@lru_cache
def lists(language: str) -> Mapping[str, Sequence[str]]:
    """The lists of values of a language."""
    lines = (_FOLDER / f"{language}.txt").read_text("utf-8").splitlines()
    found = (line[2:].partition(": ") for line in lines if line.startswith("= "))
    return {name: values.split("|") for name, _, values in found}


@lru_cache
def kinds() -> Sequence[Kind]:
    """All kinds of forms."""
    found = []
    for language in LANGUAGES:
        for block in (_FOLDER / f"{language}.txt").read_text("utf-8").split("\n== ")[1:]:
            name, url, title, *text = (line for line in block.splitlines() if line and not line.startswith("= "))
            found.append(Kind(name, language, url, title, "\n".join(text)))
    return found


def stream(stories: Sequence[Base], seed: int = 0, pages: int = PAGES, copies: int = COPIES) -> list[Row]:
    """Forms, stories and copies, in a random order in which each copy comes after its original.

    Args:
        stories: Texts of which no two say the same.
        seed: Another seed gives another stream.
        pages: Forms of each kind.
        copies: Copies of forms, and as many of stories, in each way.
    """
    rng = Random(f"{seed} order")
    originals = [list(_forms(kind, pages, Random(f"{seed} {kind.name}"))) for kind in kinds()]
    rows = [row for one in originals for row in one]
    rows += (told := [_story(base, number, Random(f"{seed} {base.name}")) for number, base in enumerate(stories)])
    places = {row.url: rng.random() for row in rows}
    for number, (how, copy) in enumerate(HOWS.items()):
        for turn in range(copies):
            some = originals[turn % len(originals)]
            per_kind = -(-copies // len(originals))
            chosen = [some[(number * per_kind + turn // len(originals)) % len(some)]]
            chosen += [told[(number * copies + turn) % len(told)]] if told else []
            for row in chosen:
                made = copy(row, Random(f"{seed} {how} {turn} {row.url}"))
                rows.append(made)
                places[made.url] = rng.uniform(places[row.url], 1)
    return sorted(rows, key=lambda row: places[row.url])


def digest(rows: Iterable[Row]) -> str:
    """A hash of the rows, to know them again."""
    lines = (json.dumps(asdict(row)).encode() for row in rows)
    return hashlib.sha256(b"\n".join(lines)).hexdigest()[:16]


def measure(rows: Sequence[Row], *, titles: bool) -> Score:
    """Ask an index about each row, and keep each that is no duplicate, as a crawl does.

    Args:
        rows: In their order.
        titles: Whether the index is given the titles.
    """
    asked = []
    with DuplicateIndex() as index:
        for row in rows:
            title: dict[str, Any] = {"title": row.title} if titles and _ASKS_TITLES else {}
            asked.append((row, index.check_and_add(row.url, row.text, **title).duplicate))
    forms = [(row, called) for row, called in asked if row.what == "form"]
    copies = [(row, called) for row, called in asked if row.how]
    stories = [(row, called) for row, called in asked if row.what == "story"]
    across, same = ([(row, called) for row, called in copies if (row.how in ACROSS_SITES) is one] for one in (True, False))
    return Score(
        rule="part" if titles else "part without titles",
        goals={FORMS: _kept(forms), STORIES: _kept(stories), ACROSS: _called(across), SAME: _called(same)},
        groups={
            **_by(copies, lambda row: row.language, True),
            **_by(forms, lambda row: row.language, False),
        },
        kinds={
            **_by(copies, lambda row: f"{row.how}, {'story' if row.kind == 'story' else 'form'}", True),
            **_by(forms, lambda row: row.kind, False),
            **_by(stories, lambda row: row.kind, False),
        },
    )


Asked = Sequence[tuple[Row, bool]]


def _kept(asked: Asked) -> Share:
    return Share(sum(not called for _, called in asked), len(asked))


def _called(asked: Asked) -> Share:
    return Share(sum(called for _, called in asked), len(asked))


def _by(asked: Asked, name: Callable[[Row], str], truth: bool) -> dict[tuple[str, bool | None], Share]:
    names = dict.fromkeys(name(row) for row, _ in asked)
    return {(one, truth): _called([(row, called) for row, called in asked if name(row) == one]) for one in names}


def _forms(kind: Kind, pages: int, rng: Random) -> Iterator[Row]:
    """Pages of a kind; no two have the same text."""
    seen: set[str] = set()
    share = _share_line(kind.url, kind.language)
    while len(seen) < pages:
        writer = Writer(rng, lists(kind.language), names={"id": str(rng.randint(10_000, 9_999_999))})
        title, text = writer.fill(kind.title), writer.fill(kind.text)
        if text in seen:
            continue
        seen.add(text)
        url = writer.fill(kind.url.replace("{slug}", f"{_slug(title)}-{len(seen)}"))
        yield Row(url, _host(url), title, _lines(text, share), kind.name, kind.language, "form")


def _story(base: Base, number: int, rng: Random) -> Row:
    language = _SPEAKS.get(base.group, "russian")
    line = base.text.strip().partition("\n")[0]
    title = line if size(line) <= 20 else excerpt(line, 10, rng)
    host = base.site if "." in base.site else _STORY_HOSTS[number % len(_STORY_HOSTS)]
    url = f"https://{host}/{rng.randint(2015, 2026)}/{rng.randint(1, 12):02}/{_slug(title)}-{number}.html"
    return Row(url, host, title, _lines(base.text.strip(), _share_line(url, language)), "story", language, "story")


def _share_line(url: str, language: str) -> str:
    """The line for sharing that all pages of a site have; none on every other site."""
    host = _host(url)
    rng = Random(host)
    return Writer(rng, lists(language)).raw("share") if rng.random() < 0.5 else ""


def _lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line)


def _host(url: str) -> str:
    return urlsplit(url).netloc


def _slug(title: str) -> str:
    words = re.findall("[a-z0-9]+", title.lower())
    return "-".join(words[:6]) or "page"


def _unshared(row: Row) -> str:
    """The text less the line for sharing."""
    share = _share_line(row.url, row.language)
    return row.text.removesuffix(f"\n{share}") if share else row.text


def _copy(row: Row, how: str, url: str, title: str, text: str) -> Row:
    return Row(url, _host(url), title, text, row.kind, row.language, f"copy:{how}", row.url)


def _writer(row: Row, url: str, rng: Random) -> Writer:
    return Writer(rng, lists(row.language), names={"url": url, "host": row.site})


def _reprint(row: Row, rng: Random) -> Row:
    """On another site, with a headline and an agency line or a byline of its own."""
    return _reprinted(row, "reprint", _unshared(row), rng)


def _edited_reprint(row: Row, rng: Random) -> Row:
    """The same with a few words changed, and a sentence and its source below."""
    parts = list(pieces(_unshared(row)))
    places = [i for i in words(parts) if parts[i].islower() or not parts[i].isascii()]
    for i in rng.sample(places, min(max(1, round(_CHANGED * len(places))), len(places))):
        parts[i] = parts[rng.choice(places)]
    writer = _writer(row, row.url, rng)
    return _reprinted(row, "edited reprint", _lines("".join(parts), writer.raw("closing"), writer.raw("source")), rng)


def _reprinted(row: Row, how: str, text: str, rng: Random) -> Row:
    host = rng.choice(_REPRINT_HOSTS)
    url = f"https://{host}/{row.language[:2]}/{rng.randint(100_000, 999_999)}-{how[0]}.html"
    head = _writer(row, url, rng).raw(rng.choice(["agency", "byline"]))
    return _copy(row, how, url, excerpt(row.text.replace("\n", " "), rng.randint(6, 10), rng), _lines(head, text))


def _print_view(row: Row, rng: Random) -> Row:
    url = rng.choice([f"{row.url}?print=1", f"{row.url}/print", f"{row.url}?view=print&layout=plain"])
    writer = _writer(row, url, rng)
    lines = [writer.raw("printed"), _unshared(row)]
    title = row.title if rng.random() < 0.5 else f"{row.title} - {writer.raw('print')}"
    return _copy(row, "print view", url, title, _lines(*lines[:: rng.choice([1, -1])]))


def _session(row: Row, rng: Random) -> Row:
    number = f"{rng.getrandbits(96):024x}"
    url = rng.choice([f"{row.url}?sid={number}", f"{row.url};jsessionid={number}", f"{row.url}?PHPSESSID={number}"])
    return _copy(row, "session address", url, row.title, row.text)


def _cut(row: Row, rng: Random) -> Row:
    """Without the first paragraphs, or with these alone; sentences where a text has no fitting paragraphs."""
    whole = size(row.text)
    for parts in (row.text.splitlines(keepends=True), list(sentences(row.text)), list(pieces(row.text))):
        sizes = [size("".join(parts[:i])) for i in range(len(parts))]
        fit = [i for i, units in enumerate(sizes) if _CUT[0] * whole <= units <= _CUT[1] * whole]
        fit_end = [i for i, units in enumerate(sizes) if _CUT[0] * whole <= whole - units <= _CUT[1] * whole]
        if fit and fit_end:
            break
    text = "".join(parts[rng.choice(fit) :] if rng.random() < 0.5 else parts[: rng.choice(fit_end)]).strip()
    return _copy(row, "cut", f"{row.url}?part={rng.randint(2, 9)}", row.title, text)


def _reordered(row: Row, rng: Random) -> Row:
    """Paragraphs in another order, or a third of the sentences."""
    lines, few = row.text.split("\n"), list(sentences(row.text))
    long = [i for i, line in enumerate(lines) if size(line) >= _MOVED]
    if len(long) >= 3 and rng.random() < 0.5:
        text = "\n".join(_moved(lines, long, rng))
    else:
        long = [i for i, one in enumerate(few) if size(one) >= _MOVED]
        text = "".join(_moved(few, rng.sample(long, min(len(long), max(2, len(long) // 3))), rng))
    return _copy(row, "reordered", f"{row.url}?sort={rng.choice('ad')}{rng.randint(1, 9)}", row.title, text)


def _moved(parts: Sequence[str], places: Sequence[int], rng: Random) -> list[str]:
    """Parts of which those at some places have changed places, all of them."""
    found, order = list(parts), list(places)
    rng.shuffle(order)
    for place, other in zip(order, order[1:] + order[:1], strict=True):
        found[place] = parts[other]
    return found


def _again(row: Row, rng: Random) -> Row:
    """The same page at another time."""
    url = f"{row.url}?ref={rng.choice(['home', 'list', 'search', 'rss'])}&t={rng.randint(1, 99)}"
    line = _writer(row, url, rng).raw(rng.choice(["views", "updated"]))
    lines = [line, row.text]
    return _copy(row, "again", url, row.title, _lines(*lines[:: rng.choice([1, -1])]))


HOWS: Mapping[str, Callable[[Row, Random], Row]] = {
    "reprint": _reprint,
    "edited reprint": _edited_reprint,
    "print view": _print_view,
    "session address": _session,
    "cut": _cut,
    "reordered": _reordered,
    "again": _again,
}
ACROSS_SITES = {"reprint", "edited reprint"}
