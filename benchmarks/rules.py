"""What each rule beside the model is worth: `python -m benchmarks.rules --corpora DIR... [--cases FILE...] [--write]`.

Each rule is switched off alone, by a patch of the function that has it, or of the page before it is parsed; comparison
pages are the same. Rules of hiding are tried on pages that hide something. Scored is token F1 by what readers marked,
else by the corpus. A page is better or worse with the rule by more than `NOTICED`, a report case is won if it is right
only with the rule. A file of cases has lines of JSON: `html` and `url`, `sisters` of its site, what text and Markdown
have and lack (`has`, `lacks`, `md`, `mdlacks`, `mdre`), `meta`; or, in a file of ways to hide, `html` with a word
`SECRET` and whether it is hidden or shown (`truth`).
"""

from __future__ import annotations

import argparse
import base64
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from denoise_scrapy.body import SiteModel, extract
from denoise_scrapy.body.code import CodeFrames
from denoise_scrapy.core.choice import choose, select_by_expected_f1
from denoise_scrapy.core.styles import styles_of
from denoise_scrapy.page import Page
from denoise_scrapy.page.parse import to_utf8
from evaluation import figures
from evaluation.corpora import add_folders_argument, portal, recorded
from example_project.scoring import f1
from training.truth import key_of, read_labels

#: Pages of a site, and fewest pages of a kind or a corpus that is named.
PAGES, LEAST = 40, 20
#: Difference of F1 that a reader notices.
NOTICED = 0.01
#: The word of a sentence that a case hides.
SECRET = "zebrafish"


class Rule(NamedTuple):
    """A rule: the function that has it, what stands in its place when it is off, and the promise that it keeps."""

    name: str
    place: str
    off: Any
    promise: str = ""

    @property
    def is_of_parsing(self) -> bool:
        """Whether it is applied when a page is parsed."""
        return self.place.startswith("page.")

    def switched_off(self) -> Any:
        """Return a context in which the rule is off."""
        return patch(f"denoise_scrapy.{self.place}", self.off)


def _nothing(*_: Any, **__: Any) -> list[int]:
    return []


def _as_decided(page: Page, decision: Any) -> tuple[Any, Any]:
    return decision, np.zeros(0, np.int64)


def _once_off(tree: Any, probability: Any, **given: Any) -> Any:
    found = choose(tree, probability, **given)
    return found._replace(kept=select_by_expected_f1(found.probability, tree.block_rows["tokens"])[0])


def _chosen(tree: Any, probability: Any, without: Iterable[str], **given: Any) -> Any:
    return choose(tree, probability, **{**given, **dict.fromkeys(without)})


def _sheets(pattern: str, instead: bytes, root: Any) -> tuple[bytes, bool, bool]:
    text, is_all, is_still = styles_of(root)
    return re.sub(pattern.encode(), instead, text), is_all, is_still


def _markup(pattern: str, instead: bytes, html: str | bytes, encoding: str | None = None) -> bytes:
    return re.sub(pattern.encode(), instead, to_utf8(html, encoding), flags=re.I)


def _property(name: str, words: str) -> Rule:
    pattern = rf"(?<=[\s;\"'{{])(?:{words})\s*:"
    return Rule(f"styles: {name}", "page.page.to_utf8", partial(_markup, pattern, b"x:"), HIDDEN)


def _sheet(name: str, pattern: str, instead: bytes = b":unknown ") -> Rule:
    return Rule(f"style sheets: {name}", "page.page.styles_of", partial(_sheets, pattern, instead), HIDDEN)


HIDDEN = "safety: hidden text"
RULES = (
    Rule("leftovers, all", "body.extraction.without_leftovers", _as_decided),
    Rule("permalinks", "body.leftovers.permalinks", _nothing, "signs, which F1 does not see"),
    Rule("links of headings: source, up", "body.leftovers._title_links", _nothing, "docs: Markdown of manuals"),
    Rule(
        "labels and buttons of code",
        "body.leftovers.code_frames",
        lambda _: CodeFrames([], [], {}),
        "docs: Markdown of manuals",
    ),
    Rule("line numbers of code", "body.leftovers.line_numbers", _nothing, "docs: Markdown of manuals"),
    Rule("wording of sentences", "body.strategies.combined.doubts", lambda _, __, probability: 0 * probability),
    Rule("price below the headline", "body.strategies.combined.block_of_price", lambda _: None),
    Rule("notes of corrections", "body.strategies.combined.notes_of_corrections", _nothing, "docs: corrections"),
    Rule("comments on articles", "body.strategies.combined.comments_on", lambda *_: False, "docs: parts, comments"),
    Rule("lower around story", "body.strategies.combined.around_story", lambda _, __, probability: probability),
    Rule("tables whole", "body.strategies.combined.tables_around", lambda _: None, "docs: parts, tables"),
    Rule("a text twice, once, and pulled quotations", "body.strategies.combined.choose", _once_off),
    Rule("stock", "body.strategies.combined.choose", partial(_chosen, without=["stock"])),
    Rule("stated text", "body.extraction._stated", lambda *_: None, "docs: structured data"),
    Rule("stated text: of scripts", "body.stated._prose_of", _nothing, "docs: structured data"),
    _property("display", "display|content-visibility"),
    _property("visibility", "visibility"),
    _property("opacity", "opacity|filter"),
    _property("size of text", "font-size|font"),
    _property("colour", "color|background-color|background"),
    _property("place", "position|left|top|right|bottom|inset[a-z-]*|text-indent|letter-spacing|margin[a-z-]*"),
    _property("transform", "zoom|transform|scale|translate|rotate"),
    _property("clip", "clip|clip-path|mask[a-z-]*"),
    _property("height and width", "(?:max-)?(?:height|width|(?:block|inline)-size)|grid-template-rows"),
    Rule("`hidden`", "page.page.to_utf8", partial(_markup, r"(?<=[\s\"'])hidden(?=[\s=>])", b"x"), HIDDEN),
    Rule("`aria-hidden`", "page.page.to_utf8", partial(_markup, r"\saria-hidden\s*=", b" x="), HIDDEN),
    Rule("style sheets, all", "page.page.styles_of", lambda root: (b"", False, styles_of(root)[2]), HIDDEN),
    _sheet("media, layers", r"@(?:media|supports|layer|container|scope)[^{;]*\{", b"@media print{"),
    _sheet("`:is`, `:where`", r":(?:is|where)\("),
    _sheet("attributes", r"\[[^\]{}]*\](?=[^{}]*\{)"),
    _sheet("siblings", r"[+~](?=[^{};]*\{)"),
    _sheet("states", r":(?:checked|target|open|popover-open|focus-within)\b(?=[^{}]*\{)"),
    _sheet("functions of lengths", r"\b(?:calc|min|max|clamp)\(", b"unknown("),
)


# ---- corpora --------------------------------------------------------------------------------------------------------


class Scored(NamedTuple):
    """F1 of a page with all rules, and without each whose absence changes its text."""

    corpus: str
    kind: str
    plain: float
    off: dict[str, float]


def scored(folders: Iterable[Path], rules: Iterable[Rule] = RULES, every: int = 1) -> Iterator[Scored]:
    """Score the portal's and recorded pages, of every so many sites, each corpus once."""
    read, seen = read_labels(), set[str]()
    for corpus, sites in chain([("portal", [portal()])], recorded(folders)):
        for site in sites[::every] if corpus not in seen else ():
            pages = [Page.parse(one.html, url=one.url) for one in site[:PAGES]]
            facts = [page.facts for page in pages]
            for number, (page, one) in enumerate(zip(pages, site, strict=False)):
                marked = read.get(key_of(corpus, one))
                truths = marked.texts(page) if marked else (one.gold,) if one.gold else ()
                if not truths:
                    continue
                model = SiteModel(facts[:number] + facts[number + 1 :])

                def score(text: str, truths: tuple[str, ...] = truths) -> float:
                    return mean(f1(text, truth) for truth in truths)

                plain, off = model.extract(page).text, dict[str, float]()
                for rule in rules:
                    if rule.is_of_parsing and not page.unseen_elements.any():
                        continue
                    with rule.switched_off():
                        without = Page.parse(one.html, url=one.url) if rule.is_of_parsing else page
                        text = model.extract(without).text
                    if text != plain:
                        off[rule.name] = score(text)
                yield Scored(corpus, (marked and marked.kind) or one.kind or corpus, score(plain), off)
        seen.add(corpus)


# ---- report cases ---------------------------------------------------------------------------------------------------


def _story(number: int, middle: str = "") -> str:
    """Return a page with the text of a way to hide between its paragraphs."""
    said = "".join(
        f"<p>In year {number * 7 + part} the ferry was late, and the {part}th of its captains wrote home."
        for part in range(5)
    )
    return f"<title>Story {number}</title><a href=/>Home</a><h1>Story {number}</h1>{said}{middle}{said}<div>Legal"


_OTHERS = tuple(map(_story, range(1, 7)))


def is_right(case: Mapping[str, Any]) -> bool:
    """Return whether the body of a case is as it should be."""
    if "truth" in case:
        body = extract(_story(50, case["html"]), comparison_pages=_OTHERS)
        return bool((SECRET in body.text + body.markdown) == (case["truth"] == "shown"))
    body = extract(_html(case["html"]), case["url"], comparison_pages=map(_html, case["sisters"]))
    text, has = _plain(body.text), body.markdown.__contains__
    return (
        all(_plain(one) in text for one in case["has"])
        and not any(_plain(one) in text for one in case["lacks"])
        and all(map(has, case["md"]))
        and not any(map(has, case["mdlacks"]))
        and all(re.search(one, body.markdown) for one in case["mdre"])
        and all(_has_meta(body.meta, name, want, name in case["meta_any"]) for name, want in case["meta"].items())
    )


def _html(given: Any) -> Any:
    return given if isinstance(given, str) else base64.b64decode(given["base64"])


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _has_meta(meta: Any, name: str, want: Any, is_any: bool) -> bool:
    value = getattr(meta, name)
    value = list(value) if isinstance(value, tuple) else value
    return bool(value in want if is_any else value == want)


def changed_cases(files: Iterable[Path], rules: Iterable[Rule] = RULES) -> dict[str, Counter[bool]]:
    """Return of each rule how many cases are right only with it, True, and only without it, False."""
    found = defaultdict[str, Counter[bool]](Counter)
    for case in (json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()):
        if case.get("truth", "hidden") not in ("hidden", "shown"):
            continue
        plain = is_right(case)
        for rule in rules:
            with rule.switched_off():
                if is_right(case) != plain:
                    found[rule.name][plain] += 1
    return found


# ---- the table ------------------------------------------------------------------------------------------------------


def row_of(rule: Rule, pages: list[Scored], cases: Mapping[bool, int]) -> list[str]:
    """Return the row of a rule: what its pages gain by it."""
    gains = [(page.plain - page.off.get(rule.name, page.plain), page) for page in pages]
    changed = [gain for gain, page in gains if rule.name in page.off]
    sides = [str(sum(gain * sign > NOTICED for gain in changed)) for sign in (1, -1)]
    kinds, corpora = (_means(gains, key) for key in (lambda page: page.kind, lambda page: page.corpus))
    all_of = f"{mean(gain for gain, _ in gains):+.4f}"
    return [
        *(rule.name, str(len(changed)), *sides, all_of),
        *(_most(kinds, max), _most(kinds, min), _most(corpora, max), _most(corpora, min)),
        *(str(cases.get(True, 0)), str(cases.get(False, 0)), rule.promise),
    ]


def _means(gains: list[tuple[float, Scored]], key: Callable[[Scored], str]) -> dict[str, float]:
    found = defaultdict[str, list[float]](list)
    for gain, page in gains:
        found[key(page)].append(gain)
    return {name: mean(some) for name, some in found.items() if len(some) >= LEAST}


def _most(means: Mapping[str, float], choose: Any) -> str:
    name = choose(means, key=lambda one: means[one], default="")
    return f"{name} {means[name]:+.4f}" if name and round(means[name], 4) else ""


HEAD = [
    *("rule", "bodies changed", "better", "worse", "mean F1"),
    *("best kind", "worst kind", "best corpus", "worst corpus", "cases won", "lost", "kept for"),
]


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.rules", description=__doc__)
    add_folders_argument(ap)
    ap.add_argument("--cases", type=Path, nargs="*", default=[], help="files of report cases, and of ways to hide")
    ap.add_argument("--rules", default="", metavar="PATTERN", help="only rules whose names match")
    ap.add_argument("--every", type=int, default=1, metavar="N", help="every Nth site")
    ap.add_argument("--write", action="store_true", help="write the table into the documentation")
    args = ap.parse_args()
    rules = [rule for rule in RULES if re.search(args.rules, rule.name)]
    cases, pages = changed_cases(args.cases, rules), list(scored(args.corpora, rules, args.every))
    table = figures.table(HEAD, [row_of(rule, pages, cases.get(rule.name, {})) for rule in rules])
    print(f"{len(pages)} pages\n{table}")
    if args.write:
        figures.write("rules", f"{len(pages):,} pages.\n\n{table}")


if __name__ == "__main__":
    main()
