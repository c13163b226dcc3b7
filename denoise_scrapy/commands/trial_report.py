"""What a trial shows: lines for the terminal, and a page with each item's text beside what its page has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from denoise_scrapy.body import Body
from denoise_scrapy.crawl.teacher import DOUBTED
from denoise_scrapy.pipelines import COPY
from denoise_scrapy.settings import CONTAINS, NO_CONTENT, UPDATE, VARIANT
from denoise_scrapy.support.shown import beside, counted, drawn, figures_page

# Blocks of a page that are drawn, and characters of one: a list may have thousands.
MOST_BLOCKS, MOST_CHARS = 300, 2000
# Characters of two texts that are shown beside each other.
BESIDE = 700
WHY_NONE = {
    "several": "shares its page with other items: DENOISE_SHARED_BODY = True gives each the page's text",
    "elsewhere": "names a page that the spider has not fetched: yield it from that page's callback",
    "no_html": "comes from a response that is no HTML",
    "no_markup": "comes from a response that is no HTML, though its headers say so",
    "no_page": "comes from no HTML page",
    "opted_out": 'its request has meta["denoise"] = False',
}
#: Nouns of items that are similar, and kept.
_KEPT = {VARIANT: ("variant",), UPDATE: ("update",), CONTAINS: ("item that contains others", "items that do")}
_STYLE = """
:root { --kept: light-dark(#e6f4ea, #17341f); --out: light-dark(#777, #999); --bad: light-dark(#b3261e, #ff8a80); }
body { max-width: 90em; }
.two .kept { background: var(--kept); }
.two .out { color: var(--out); text-decoration: line-through; }
details { border-bottom: 1px solid light-dark(#ddd, #444); padding: .4em 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
small { color: var(--out); }
.bad { color: var(--bad); }
"""


@dataclass(frozen=True)
class TriedItem:
    """An item of a trial.

    Attributes:
        url: URL of its page, or its key.
        kind: Name of its class.
        lacks: Fields that its class does not have, of those that are filled.
        text: The text of its page.
        body: The body, with all blocks of the page; None if there is none.
        confidence: That of the body.
        reason: Why it has no text of its own (`denoise/body/…`), "" if it has.
        outcome: What becomes of it (`denoise/dedup/…`), "" if it is new.
        of: Key of the kept item that it is a copy, a variant or an update of.
        share: How sure that is, 0 to 1.
        key: Its own key.
    """

    url: str
    kind: str
    lacks: tuple[str, ...]
    text: str
    body: Body | None
    confidence: float
    reason: str
    outcome: str
    of: str
    share: float
    key: str

    @property
    def is_dropped(self) -> bool:
        """True if it would be dropped."""
        return self.outcome == COPY


class Costs(NamedTuple):
    """What the crawl cost."""

    requests: int
    added: int  # of these, for comparison pages
    seconds: float  # of the crawl
    milliseconds: float  # of processor time for a body
    errors: int  # of callbacks
    losses: Mapping[str, int]  # items that the project's pipelines dropped or failed for, by the reason
    left_out: Sequence[str]  # pipelines of the project that did not run


def lines_of(items: Sequence[TriedItem], costs: Costs) -> list[tuple[str, str]]:
    """Return the summary: a name and a sentence each."""
    bodies = [item for item in items if item.body is not None and item.text]
    lacking = Counter(WHY_NONE.get(item.reason, item.reason) for item in items if item not in bodies and item.reason)
    empty = sum(item.body is not None and not item.text for item in items)
    found = f"{len(bodies)} of {len(items)} items have one"
    if bodies:
        share = median(kept / max(whole, 1) for kept, whole in map(_words, bodies))
        found += f", in the median with {share:.0%} of the page's words: the rest is what the report strikes out"
    doubted = sum(item.confidence < DOUBTED for item in bodies)
    dropped = sum(item.is_dropped for item in items)
    others = Counter(item.outcome for item in items if item.outcome in _KEPT)
    kept = [f"{counted(count, *_KEPT[outcome])} kept" for outcome, count in others.items()]
    keeps = "; DENOISE_DEDUP = 'mark' keeps and marks what is dropped" if dropped else ""
    copies = f"{counted(dropped, 'item') if dropped else 'none'} would be dropped{keeps}"
    walls = sum(item.outcome == NO_CONTENT for item in items)
    classes = Counter((item.kind, item.lacks) for item in items if item.lacks)
    hint = "" if items else ": -L DEBUG shows why"
    lines = [
        ("items", f"{len(items)} from {counted(costs.requests, 'request')} in {costs.seconds:.0f} s{hint}"),
        ("bodies", found),
        *(("no text", f"{counted(count, 'item')}: each {why}") for why, count in lacking.most_common()),
        ("empty", empty and f"{counted(empty, 'page')} with no content"),
        ("doubtful", doubted and f"{counted(doubted, 'body', 'bodies')} with a confidence below {DOUBTED}"),
        ("duplicates", "; ".join([copies, *kept])),
        ("no content", walls and f"{counted(walls, 'item')} from walls or error pages, kept and marked"),
        *(
            ("fields", f"{kind} has no field {names}: declare it, else {counted(count, 'item')} lack it")
            for (kind, lacks), count in classes.items()
            for names in [", ".join(map(repr, lacks))]
        ),
        ("cost", f"{costs.added} of the requests are ours; {costs.milliseconds:.1f} ms of processor a body"),
        ("errors", costs.errors and f"{costs.errors} in callbacks; -L ERROR shows them"),
        *(("lost", f"{counted(count, 'item')} in your pipelines: {why}") for why, count in costs.losses.items()),
        ("pipelines", costs.left_out and f"not run, --pipelines runs them: {', '.join(costs.left_out)}"),
    ]
    return [(name, str(said)) for name, said in lines if said]


def report_of(name: str, items: Sequence[TriedItem], costs: Costs) -> str:
    """Return the report as an HTML page: the summary, what would be dropped, and each page before and after."""
    summary = "".join(f"<tr><td><b>{what}</b><td>{drawn(said)}" for what, said in lines_of(items, costs))
    parts = [f"<table>{summary}</table>"]
    kept = {item.key: item for item in reversed(items) if item.key}
    dropped = [item for item in items if item.is_dropped]
    if dropped:
        parts.append("<h2>What would be dropped, beside what is kept</h2>")
        parts += [_copy(item, kept.get(item.of)) for item in dropped]
    parts.append("<h2>Each page, before and after</h2>")
    order = sorted(items, key=lambda item: item.body is not None and item.confidence)  # the doubtful ones first
    parts += [_item(item) for item in order]
    return figures_page(f"Trial of {name}", parts, style=_STYLE)


def _copy(item: TriedItem, kept: TriedItem | None) -> str:
    """Return the texts of a copy and of the kept item beside each other, with what only one of them has."""
    new, old = item.text, "" if kept is None else kept.text
    sure = f"<small>sure to {item.share:.0%}</small>" if 0 < item.share < 1 else ""
    return (
        f"<div class='two pair'><div><h3>dropped: {drawn(item.url)} {sure}</h3>{beside(new, old, BESIDE)}</div>"
        f"<div><h3>kept: {drawn(item.of)}</h3>{beside(old, new, BESIDE)}</div></div>"
    )


def _item(item: TriedItem) -> str:
    kept, whole = _words(item)
    said = [f"{kept:,} of {whole:,} words", f"confidence {item.confidence:.2f}"] if item.body is not None else []
    said += [WHY_NONE.get(item.reason, item.reason)] if item.reason else []
    said += [item.outcome.replace("_", " ")] if item.outcome else []
    bad = ' class="bad"' if item.reason or item.confidence < DOUBTED else ""
    head = f"<summary>{drawn(item.url)} <small{bad}>{drawn(', '.join(said))}</small></summary>"
    if item.body is None:
        return f"<details>{head}{_lines(item.text)}</details>"
    before = "".join(_blocks(item.body)) or "<p class=out>nothing"
    sides = f"<div><h3>the page</h3>{before}</div><div><h3>its body</h3>{_lines(item.text)}</div>"
    return f"<details>{head}<div class=two>{sides}</div></details>"


def _blocks(body: Body) -> Iterator[str]:
    for block in body.blocks[:MOST_BLOCKS]:
        name = "kept" if block.kept else "out"
        yield f'<p class="{name}" title="{drawn(block.reason)}">{_cut(block.text)}'
    if len(body.blocks) > MOST_BLOCKS:
        yield f"<p>… and {len(body.blocks) - MOST_BLOCKS:,} more"


def _lines(text: str) -> str:
    return "".join(f"<p>{_cut(line)}" for line in text.splitlines()[:MOST_BLOCKS]) or "<p class=out>nothing"


def _words(item: TriedItem) -> tuple[int, int]:
    """Return the words of a body, and of its page; of Chinese, the runs between its signs."""
    whole = sum(len(block.text.split()) for block in item.body.blocks) if item.body is not None else 0
    return len(item.text.split()), whole


def _cut(text: str) -> str:
    return "<br>".join(map(drawn, text[:MOST_CHARS].split("\n"))) + "…" * (len(text) > MOST_CHARS)
