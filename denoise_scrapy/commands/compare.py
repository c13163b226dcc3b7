"""`scrapy denoise compare`: why two texts are duplicates, variants or neither, or what differs between two feeds."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from denoise_scrapy.commands import SHOWN, Given, UsageError, check_output, show
from denoise_scrapy.commands.inputs import GivenText, add_rule_arguments, rule_given, texts_of
from denoise_scrapy.core.feature_strings import FeatureStrings, tokens
from denoise_scrapy.dedup import RULES, DuplicateIndex, Verdict
from denoise_scrapy.dedup.rules import MOST_NEW, Check
from denoise_scrapy.dedup.variants import CERTAINTY, read_text, site_of
from denoise_scrapy.dedup.versions import written
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.support.formats import ROW_FORMATS, format_of
from denoise_scrapy.support.row_files import as_text, named, row_file
from denoise_scrapy.support.shown import WORDS, beside, counted, drawn, figures_page, numbered, shared

NEW = "no near-duplicate"
KEY = "url"
# Changed items that are drawn on the page.
DRAWN = 200
# Words and characters of a text that are aligned: more take seconds.
ALIGNED, MOST_CHARS = 5000, 20_000

_ESTIMATES = {"new", "missing"}  # checks of shares estimated from runs


@dataclass(frozen=True)
class TextComparison:
    """The reasons why a new text is a duplicate of a kept one, or is not."""

    duplicate: bool  # for an index that compares every text; considers the sites of URLs
    verdict: str  # the same in words, and what the text would be if both were of one site
    why: str  # what decided, to be part of a sentence
    level: int  # frequency threshold t of the kept text
    checks: Sequence[Check]  # all steps of the decision
    lacking_units: Sequence[str]  # some main units of the new text that the kept one lacks; none with the literal rule


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "a",
        metavar="A",
        help="a file, an http(s) URL, or - for standard input; for HTML, the body is compared; or a feed (JSON, JSON "
        "lines, CSV, Parquet), whose items are compared with those of another",
    )
    parser.add_argument("b", metavar="B", help="the other text, as for A")
    add_rule_arguments(parser)
    parser.add_argument(
        "--key", metavar="FIELD", default=KEY, help="of two feeds, the field that names an item; default: url"
    )
    parser.add_argument(
        "--fields",
        type=lambda given: given.split(","),
        default=(),
        help="of two feeds, the fields to compare: body,title; default: all",
    )
    parser.add_argument("-o", "--output", metavar="FILE.html", help="of two feeds, also write their items side by side")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace, settings: Given) -> int:
    check_output(args)
    kinds = [format_of(name, ROW_FORMATS) for name in (args.a, args.b)]
    if any(kinds):
        if not all(kinds):
            raise UsageError("a feed can be compared with another feed only")
        difference = FeedDifference(Path(args.a), Path(args.b), args.key, args.fields)
        value = {"changed": difference.changed, "gone": difference.gone, "new": difference.new}
        show(args, value, difference.lines())
        if args.output:
            Path(args.output).write_text(difference.page(), encoding="utf-8", errors="replace")
        return 0
    read = DenoiseSettings.from_settings(settings)
    rule, threshold = rule_given(args, read)
    texts = dict(zip("AB", texts_of((args.a, args.b), settings), strict=True))
    lengths = {name: RULES[rule].read(one.text).n for name, one in texts.items()}
    units = "characters" if rule == "patent" else "units"
    found = []
    lines = [f"{name}: {source}, {lengths[name]:,} {units}" for name, source in (("A", args.a), ("B", args.b))]
    lines.append(f"rule {rule}, threshold {_percent(threshold)}")
    for new, kept in ("BA", "AB"):
        way = explained(texts[new], texts[kept], rule, threshold, read.dedup_certainty)
        checks = [{**check._asdict(), **({"share": check.share} if check.of else {})} for check in way.checks]
        found.append({"new": new, "kept": kept, **asdict(way), "checks": checks})
        lines += ["", *_lines(new, kept, way, "runs" if RULES[rule].has_runs else "pairs")]
    head = {"a": args.a, "b": args.b, "rule": rule, "threshold": threshold, "lengths": lengths}
    show(args, {**head, "comparisons": found}, lines)
    return 0


def explained(
    new: GivenText, kept: GivenText, rule_name: str, threshold: float, certainty: float = CERTAINTY
) -> TextComparison:
    """Judge a new text against a kept one.

    Example:
        >>> bees, more = GivenText("Bees dance"), GivenText("Bees dance to tell where heather blooms")
        >>> found = explained(more, bees, "part", 0.7)
        >>> found.duplicate, found.why.partition(";")[0], found.lacking_units
        (False, 'too short to be judged', ['tell', 'where', 'heather', 'blooms'])
        >>> cats = (GivenText("the cat sat on the mat " * times) for times in (4, 5))
        >>> explained(*cats, "patent", 0.8).why
        'c1 is 1.00; c2 is 1.00'
    """
    rule = RULES[rule_name].at(threshold, MOST_NEW)
    item, there = (read_text(rule, one.text).of_item(one.title, {}) for one in (new, kept))
    own, other = item.fingerprint, there.fingerprint
    checks = [*rule.checks(item.text, other)]
    same = bool(own.n) and own.digest == other.digest
    alike = rule.judge(item.text, other).duplicate and not item.is_short
    keys = (new.url, kept.url) if new.url and kept.url and new.url != kept.url else ("new", "kept")

    def judged(site: str, its: str) -> Verdict:
        with DuplicateIndex(threshold, rule=rule_name, certainty=certainty) as index:
            index.add(keys[1], there, site=its)
            return index.check(keys[0], item, site=site)

    found, near = judged(site_of(new.url), site_of(kept.url)), judged("one", "one")
    units = list[str]()
    if isinstance(item.text, FeatureStrings) and isinstance(there.text, FeatureStrings):
        units = _lacking_units(item.text, there.text, other.t)
    verdict, elsewhere = _kind(near), _kind(found)
    if verdict != elsewhere:  # by titles
        verdict += f" on one site, elsewhere {elsewhere},"
    told = [_said_of(one) for one in (found, near) if alike and not (same and one.duplicate)]
    why = [_why(checks, short=item.is_short, same=same, duplicate=alike), *told]
    said = "; ".join(dict.fromkeys(filter(None, why)))
    return TextComparison(found.duplicate, verdict, said, other.t, checks, units)


def _kind(found: Verdict) -> str:
    if found.duplicate:
        return "a near-duplicate"
    return "a variant" if found.variant_of else "an update" if found.update_of else NEW


def _said_of(found: Verdict) -> str:
    """Describe what the evidence says of two similar texts."""
    if found.duplicate:
        return f"a copy by {_percent(found.share)}" * (found.share < 1)
    reason = found.reason.partition(": ")[2]
    return f"{reason} ({_percent(found.share)})" if 0 < found.share < 1 else reason


def _why(checks: Sequence[Check], *, short: bool, same: bool, duplicate: bool) -> str:
    """Describe the deciding steps."""
    if short:
        return "too short to be judged"
    if same:
        return "the same words in the same order"
    decided = [check for check in checks if check.passed == duplicate and (check.of or not duplicate)]
    return "; ".join(map(_said, decided or checks[-1:]))


def _said(check: Check) -> str:
    if check.of:
        return f"{check.name} is {_percent(check.share)}"
    if check.name in _ESTIMATES:
        return f"{_percent(check.value)} of it is {check.name}"
    return check.name if check.passed else f"{check.value:g} {check.name}, at least {check.bound:g} needed"


def _lacking_units(new: FeatureStrings, kept: FeatureStrings, t: int) -> list[str]:
    """Return main units of the new text that the kept one lacks, the most frequent first."""
    mine, theirs = new.frequencies, kept.frequencies
    word_of = dict(zip(new.hashes.tolist(), tokens(new.text), strict=True))
    units = [unit for unit in word_of if mine.get(unit, 0) > t >= theirs.get(unit, 0)]
    units.sort(key=lambda unit: -mine[unit])
    return [word_of[unit] for unit in units[:SHOWN]]


def _lines(new: str, kept: str, found: TextComparison, runs: str) -> Iterator[str]:
    yield f"{new} is {found.verdict} of {kept}: {found.why}."
    yield f"  t            {found.level}: main units occur more often; set by the length of {kept}"
    for check in found.checks:
        if check.of:
            kind = "main units" if check.name == "c1" else runs
            fact = f"{check.value} of {check.of} {kind} = {_percent(check.share)} (needed {check.bound})"
        elif check.name in _ESTIMATES:
            fact = f"{_percent(check.value)}, as estimated from the runs (at most {_percent(check.bound)})"
        else:
            fact = f"{check.value} (needed {check.bound})"
        yield f"  {check.name:<12} {fact}"
    if found.lacking_units:
        yield f"  units of {new} that {kept} lacks: {', '.join(found.lacking_units)}"


def _percent(value: float) -> str:
    """Format a share: .84."""
    return f"{value:.2f}".removeprefix("0")


class FeedDifference:
    """What differs between two feeds of one spider: before and after a setting, a version or a redesign.

    Args:
        before: The first feed.
        after: The second.
        key: The field that names an item.
        fields: Fields that are compared; by default all.

    Attributes:
        changed: Names of the fields that differ, by the key of their item.
        gone: Keys of the first feed alone.
        new: Keys of the second feed alone.

    Raises:
        ValueError: One has no such key, no item has one of the fields, or one is no feed.
        OSError: One cannot be read.
    """

    def __init__(self, before: Path, after: Path, key: str, fields: Collection[str]) -> None:
        self._before, self._after = (_items(path, key) for path in (before, after))
        kinds = {format_of(path.name) for path in (before, after)}
        text = _cell if "csv" in kinds else _column if "parquet" in kinds else _shape
        known = {name for item in (*self._before.values(), *self._after.values()) for name in item}
        unknown = [field for field in fields if field not in known]
        if known and unknown:
            raise ValueError(f"no item has a field {unknown[0]!r}, only {', '.join(sorted(known))}")
        self.gone = [name for name in self._before if name not in self._after]
        self.new = [name for name in self._after if name not in self._before]
        self.changed: dict[str, list[str]] = {}
        for name, old in self._before.items():
            new = self._after.get(name, old)
            # what is empty is as if it were not there
            every = dict.fromkeys(fields or [*old, *new])
            if both := [field for field in every if text(old.get(field)) != text(new.get(field))]:
                self.changed[name] = both

    def lines(self) -> Iterator[str]:
        """Yield a summary, and what differs in some items."""
        same = len(self._before) - len(self.gone) - len(self.changed)
        yield f"{same:,} the same, {len(self.changed):,} changed, {len(self.gone):,} gone, {len(self.new):,} new"
        fields = Counter(field for changed in self.changed.values() for field in changed)
        if fields:
            yield "changed fields: " + ", ".join(f"{name} {count:,}" for name, count in fields.most_common())
        for name in [*self.changed][:SHOWN]:
            told = (self._said(name, field) for field in self.changed[name])
            yield f"{name}: {'; '.join(told)}"
        for what, names in (("gone", self.gone), ("new", self.new)):
            yield from (f"{what}: {name}" for name in names[:SHOWN])

    def page(self) -> str:
        """Return an HTML page with the changed items, before and after."""
        lines = list(self.lines())
        parts = [f"<p>{drawn(line)}" for line in lines[: 1 + bool(self.changed)]]
        for name in [*self.changed][:DRAWN]:
            rows = "".join(self._drawn(name, field) for field in self.changed[name])
            parts.append(f"<h2>{drawn(name)}</h2><div class='two pair'>{rows}</div>")
        for what, names in (("Gone", self.gone), ("New", self.new)):
            if names:
                listed = "".join(f"<li>{drawn(name)}" for name in names[:DRAWN])
                parts.append(f"<h2>{what}: {len(names):,}</h2><ul>{listed}</ul>")
        return figures_page("What differs between two feeds", parts)

    def _both(self, name: str, field: str) -> tuple[str, str]:
        return as_text(self._before[name].get(field)) or "", as_text(self._after[name].get(field)) or ""

    def _said(self, name: str, field: str) -> str:
        old, new = (WORDS.findall(text)[:ALIGNED] for text in self._both(name, field))
        gone, come = (
            [word for place, word in enumerate(words) if place not in same]
            for words, same in zip((old, new), shared(old, new), strict=True)
        )
        told = [f"{sign} {''.join(some[:SHOWN]).strip()!r}" for sign, some in (("-", gone), ("+", come)) if some]
        return f"{field} {counted(len(gone), 'word')} gone, {len(come):,} new: {' '.join(told)}"

    def _drawn(self, name: str, field: str) -> str:
        old, new = self._both(name, field)
        sides = ("before", beside(old, new, MOST_CHARS)), ("after", beside(new, old, MOST_CHARS))
        return "".join(f"<div><h3>{drawn(field)} {when}</h3>{text}</div>" for when, text in sides)


def _items(path: Path, key: str) -> dict[str, Mapping[str, Any]]:
    """Return the items of a feed by their keys; of several with one key, those after the first get a number."""
    found, met = dict[str, Mapping[str, Any]](), Counter[str]()
    with named(path):
        for number, row in enumerate(row_file(format_of(path.name), lambda: path.open("rb")).rows(), 1):
            if row.fields is None:
                raise ValueError(f"row {number}: {row.problem}")
            if key not in row.fields:
                there = ", ".join(row.fields) or "none"
                raise ValueError(f"an item has no field {key!r}, only {there}; --key names another")
            found[numbered(str(row.fields[key]), met)] = row.fields
    return found


def _shape(value: Any) -> str:
    return written(value or None)


def _column(value: Any) -> str:
    return as_text(value or None) or ""


def _cell(value: Any) -> str:
    """Return a value as Scrapy writes it in a cell of CSV."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ",".join(value)
    return "" if value is None else str(value)
