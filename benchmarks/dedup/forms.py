"""Texts made from forms, and a stream of them in crawl order: forms of thirty kinds, stories, and copies of both.

A form is a skeleton of sentences with values filled in: fifty pages of one site, each about another thing however
similar they are. A copy is one of these pages, or a story, under another address.

The skeletons and the words are in `form_kinds/`: `= name: value|value` is a list of values, `== name` begins a form,
its lines are its paragraphs. `{name}` is a value, `{@name}` one that the whole text has in common, `{1-99}` a number.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple
from urllib.parse import urlsplit

from typing_extensions import override

from benchmarks.dedup.scores import ACROSS, FORMS, SAME, STORIES, Score, Share
from benchmarks.dedup.texts import Base, pieces, sentences, size, split, words
from denoise_scrapy.core.feature_strings import tokens
from denoise_scrapy.dedup import DuplicateIndex
from example_project.portal.grammar import RANGE, Voice

COMMON = (0.45, 0.6)  # share of a new record's units that the kept one has: pairs outside are discarded
_FOLDER = Path(__file__).with_name("form_kinds")
_OF_PAIRS = {"latin": "pairs_english", "chinese": "pairs_chinese"}

LANGUAGES = ("english", "german", "french", "spanish", "chinese", "russian")
PAGES = 50  # of a kind
COPIES = 60  # of forms, and of stories, made in each way
_SPEAKS = {"latin": "english", "chinese": "chinese"}  # language of lines around a story; else Russian
_STORY_HOSTS = ("www.saltmere-courier.example", "news.windlebay.example", "www.evening-ledger.example")
_REPRINT_HOSTS = tuple(
    f"www.{name}.example"
    for name in ("morning-wire", "allpages", "regio-portal", "the-digest", "infonet", "mirrorpost")
)
_CUT = (0.1, 0.5)  # share of the text that is cut off
_MOVED = 8  # fewest units of a sentence or paragraph to move: table rows stay in place
_LEFT_OUT = 0.02  # of the words, in an edited reprint
_TITLE = (6, 10)  # units of a headline made of a text


class Writer(Voice):
    """Fills in the values of one text."""

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
        span = RANGE.fullmatch(name)  # at least as many digits as the lower bound
        return f"{self.rng.randint(int(span[1]), int(span[2])):0{len(span[1])}}" if span else super()._slot(match)


@lru_cache
def values(file: str) -> Mapping[str, Sequence[str]]:
    """Return the lists of values of a file."""
    found = (line[2:].partition(": ") for line in _lines_of(file) if line.startswith("= "))
    return {name: listed.split("|") for name, _, listed in found}


@lru_cache
def skeletons(file: str) -> Mapping[str, Sequence[str]]:
    """Return the lines of each form of a file, by its name."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in _lines_of(file):
        if line.startswith("== "):
            lines = found.setdefault(line[3:], [])
        elif line and not line.startswith("= "):
            lines.append(line)
    return found


def form_pairs(count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """Yield (new text, kept text, language group), equally many of each skeleton."""
    forms = [(group, file, *lines) for group, file in _OF_PAIRS.items() for lines in skeletons(file).values()]
    for i in range(count):
        group, file, skeleton = forms[i % len(forms)]
        rng = Random(f"{seed} one form {i}")
        while True:
            new, kept = (Writer(rng, values(file)).fill(skeleton) for _ in range(2))
            if COMMON[0] <= common(new, kept) <= COMMON[1]:
                yield new, kept, group
                break


def common(new: str, kept: str) -> float:
    """Return the share of the new text's units, with repetitions, that the kept one has."""
    units = Counter(tokens(new))
    return (units & Counter(tokens(kept))).total() / units.total()


def _lines_of(file: str) -> list[str]:
    return (_FOLDER / f"{file}.txt").read_text("utf-8").splitlines()


class Kind(NamedTuple):
    """Pages made from one form, all on one site."""

    name: str
    language: str
    url: str
    title: str
    text: str


@dataclass(frozen=True)
class Row:
    """A text of the stream; `what` it is: "form", "story", or "copy:" with how it was made, `of` a URL.

    `kind` is the kind of form, or "story"; `body` the text without the site's lines below it. The language of a
    story is that of the lines around it.
    """

    url: str
    site: str
    title: str
    text: str
    kind: str
    language: str
    what: str
    body: str
    of: str = ""

    @property
    def how(self) -> str:
        """The way a copy was made; empty for an original."""
        return self.what.partition(":")[2]


@lru_cache
def kinds() -> Sequence[Kind]:
    """Return all kinds of forms; the first two lines of a skeleton are address and title."""
    forms = ((language, name, lines) for language in LANGUAGES for name, lines in skeletons(language).items())
    return [Kind(name, language, url, title, "\n".join(text)) for language, name, (url, title, *text) in forms]


def stream(stories: Sequence[Base], seed: int = 0, pages: int = PAGES, copies: int = COPIES) -> list[Row]:
    """Return forms, stories and copies, in a random order in which each copy comes after its original.

    The two numbers count pages of each kind of form, and copies of forms, and of stories, made in each way.
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
    """Return a hash that identifies the rows."""
    lines = (json.dumps(asdict(row)).encode() for row in rows)
    return hashlib.sha256(b"\n".join(lines)).hexdigest()[:16]


def measure(rows: Sequence[Row], *, titles: bool) -> Score:
    """Check each row against an index, with its title or without, and keep each that is not a duplicate."""
    with DuplicateIndex() as index:
        verdicts = [index.check_and_add(row.url, row.text, title=row.title if titles else "") for row in rows]
    called = [(row, verdict.duplicate) for row, verdict in zip(rows, verdicts, strict=True)]
    marked = [(row, verdict.variant_of is not None) for row, verdict in zip(rows, verdicts, strict=True)]
    copies, originals = ([one for one in called if bool(one[0].how) is is_copy] for is_copy in (True, False))
    return Score(
        rule="part" if titles else "part without titles",
        goals={
            FORMS: Share.of(not one for row, one in originals if row.what == "form"),
            STORIES: Share.of(not one for row, one in originals if row.what == "story"),
            ACROSS: Share.of(one for row, one in copies if row.how in ACROSS_SITES),
            SAME: Share.of(one for row, one in copies if row.how not in ACROSS_SITES),
        },
        kinds={
            **_by(copies, lambda row: f"{row.how}, {'story' if row.kind == 'story' else 'form'}", True),
            **_by([one for one in originals if one[0].what == "form"], lambda row: row.kind, False),
            **_by([one for one in originals if one[0].what == "story"], lambda row: row.kind, False),
        },
        variants={
            name: Share.of(one for row, one in marked if row.what.startswith(what))
            for name, what in (("forms", "form"), ("stories", "story"), ("copies", "copy"))
        },
    )


def _by(called: Sequence[tuple[Row, bool]], name: Callable[[Row], str], truth: bool) -> dict[tuple[str, bool], Share]:
    names = sorted({name(row) for row, _ in called})
    return {(kind, truth): Share.of(one for row, one in called if name(row) == kind) for kind in names}


def _forms(kind: Kind, pages: int, rng: Random) -> Iterator[Row]:
    """Yield pages of a kind; no two have the same text."""
    seen: set[str] = set()
    while len(seen) < pages:
        writer = Writer(rng, values(kind.language), names={"id": str(rng.randint(10_000, 9_999_999))})
        title, text = writer.fill(kind.title), writer.fill(kind.text)
        if text not in seen:
            seen.add(text)
            url = writer.fill(kind.url.replace("{slug}", f"{_slug(title)}-{len(seen)}"))
            yield _original(url, title, text, kind.name, kind.language, rng)


def _story(base: Base, number: int, rng: Random) -> Row:
    line, text = base.text.strip().partition("\n")[0], base.text.strip()
    title = line if size(line) <= 2 * _TITLE[1] else _headline(text, rng)
    host = base.site if "." in base.site else _STORY_HOSTS[number % len(_STORY_HOSTS)]
    url = f"https://{host}/{rng.randint(2015, 2026)}/{rng.randint(1, 12):02}/{_slug(title)}-{number}.html"
    return _original(url, title, text, "story", _SPEAKS.get(base.group, "russian"), rng)


def _original(url: str, title: str, body: str, kind: str, language: str, rng: Random) -> Row:
    host = urlsplit(url).netloc
    text = _lines(body, *_below(host, language, rng))
    return Row(url, host, title, text, kind, language, "story" if kind == "story" else "form", body)


def _below(host: str, language: str, rng: Random) -> list[str]:
    """Return the lines below a site's texts: a date or a count, and share buttons, each on half of the sites."""
    site = Random(host)
    names = (name for name in (site.choice(["views", "updated"]), "share") if site.random() < 0.5)
    return [Writer(site if name == "share" else rng, values(language)).raw(name) for name in names]


def _lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line)


def _slug(title: str) -> str:
    return "-".join(re.findall("[a-z0-9]+", title.lower())[:6]) or "page"


def _headline(text: str, rng: Random) -> str:
    """Return the first words of a sentence."""
    units = rng.randint(*_TITLE)
    long = [one for one in sentences(text) if size(one) >= units] or [text]
    return split(rng.choice(long).strip(), units)[0].rstrip(" ,.;:，。、；：")


def _copy(row: Row, how: str, url: str, title: str, text: str) -> Row:
    return Row(url, urlsplit(url).netloc, title, text, row.kind, row.language, f"copy:{how}", text, row.url)


def _writer(row: Row, url: str, rng: Random) -> Writer:
    return Writer(rng, values(row.language), names={"url": url, "host": row.site})


def _reprint(row: Row, rng: Random) -> Row:
    """Print it on another site, with a headline and an agency line or a byline of its own."""
    return _reprinted(row, "reprint", row.body, rng)


def _edited_reprint(row: Row, rng: Random) -> Row:
    """Reprint it with a few words left out, and an extra sentence and its source below."""
    parts = list(pieces(row.body))
    plain = [i for i in words(parts) if parts[i] == parts[i].lower() and not re.search(r"\d", parts[i])]
    for i in rng.sample(plain, min(len(plain), max(1, round(_LEFT_OUT * len(plain))))):
        parts[i] = ""
    writer = _writer(row, row.url, rng)
    return _reprinted(row, "edited reprint", _lines("".join(parts), writer.raw("closing"), writer.raw("source")), rng)


def _reprinted(row: Row, how: str, text: str, rng: Random) -> Row:
    url = f"https://{rng.choice(_REPRINT_HOSTS)}/{row.language[:2]}/{rng.randint(100_000, 999_999)}-{how[0]}.html"
    head = _writer(row, url, rng).raw(rng.choice(["agency", "byline"]))
    return _copy(row, how, url, _headline(row.body, rng), _lines(head, text))


def _print_view(row: Row, rng: Random) -> Row:
    """Take the text alone, with a line of the date and the address of the print."""
    url = rng.choice([f"{row.url}?print=1", f"{row.url}/print", f"{row.url}?view=print&layout=plain"])
    writer = _writer(row, url, rng)
    lines = [writer.raw("printed"), row.body]
    title = row.title if rng.random() < 0.5 else f"{row.title} - {writer.raw('print')}"
    return _copy(row, "print view", url, title, _lines(*lines[:: rng.choice([1, -1])]))


def _session(row: Row, rng: Random) -> Row:
    """Take the same text at an address with a session number."""
    number = f"{rng.getrandbits(96):024x}"
    url = row.url + rng.choice([f"?sid={number}", f";jsessionid={number}", f"?PHPSESSID={number}"])
    return _copy(row, "session address", url, row.title, row.text)


def _cut(row: Row, rng: Random) -> Row:
    """Cut off the first paragraphs, or the last; sentences or words if no paragraphs are that long."""
    whole, (low, high), at_start = size(row.text), _CUT, rng.random() < 0.5
    for parts in (row.text.splitlines(keepends=True), sentences(row.text), pieces(row.text)):
        shares = {i: size("".join(parts[:i] if at_start else parts[i:])) / whole for i in range(1, len(parts))}
        places = [i for i, share in shares.items() if low <= share <= high]
        if places:
            break
    place = rng.choice(places)
    text = "".join(parts[place:] if at_start else parts[:place]).strip()
    return _copy(row, "cut", f"{row.url}?part={rng.randint(2, 9)}", row.title, text)


def _reordered(row: Row, rng: Random) -> Row:
    """Put paragraphs in another order, or a third of the sentences."""
    lines, few = row.text.splitlines(keepends=True), sentences(row.text)
    places = [i for i, line in enumerate(lines) if size(line) >= _MOVED]
    if len(places) >= 3 and rng.random() < 0.5:
        text = _moved(lines, places, rng)
    else:
        places = [i for i, one in enumerate(few) if size(one) >= _MOVED]
        text = _moved(few, rng.sample(places, min(len(places), max(2, len(places) // 3))), rng)
    return _copy(row, "reordered", f"{row.url}?sort={rng.choice('ad')}{rng.randint(1, 9)}", row.title, text)


def _moved(parts: Sequence[str], places: Sequence[int], rng: Random) -> str:
    """Return a text in which each part at some places has moved to another of them."""
    found, order = list(parts), list(places)
    rng.shuffle(order)
    for place, other in zip(order, order[1:] + order[:1], strict=True):
        found[place] = parts[place].replace(parts[place].strip(), parts[other].strip())  # white space stays in place
    return "".join(found)


def _again(row: Row, rng: Random) -> Row:
    """Take the same page at another time, with another date or count, or with one added."""
    url = f"{row.url}?ref={rng.choice(['home', 'list', 'search', 'rss'])}&t={rng.randint(1, 99)}"
    text = _lines(row.body, *_below(row.site, row.language, rng))
    if text == row.text:
        lines = [_writer(row, url, rng).raw(rng.choice(["views", "updated"])), text]
        text = _lines(*lines[:: rng.choice([1, -1])])
    return _copy(row, "again", url, row.title, text)


HOWS: Mapping[str, Callable[[Row, Random], Row]] = {
    "reprint": _reprint,
    "edited reprint": _edited_reprint,
    "print view": _print_view,
    "session address": _session,
    "cut": _cut,
    "reordered": _reordered,
    "again": _again,
}
"""Each way in which a copy is made."""
ACROSS_SITES = ("reprint", "edited reprint")
