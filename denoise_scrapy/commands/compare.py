"""`scrapy denoise compare`: why two texts are duplicates, variants or neither, or what differs between two feeds."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from denoise_scrapy.commands import SHOWN, Given, UsageError, check_output, show
from denoise_scrapy.commands.feed_changes import KEY, FeedDifference, is_feed
from denoise_scrapy.commands.inputs import GivenText, add_rule_arguments, rule_given, texts_of
from denoise_scrapy.core.feature_strings import FeatureStrings, tokens
from denoise_scrapy.dedup import RULES, DuplicateIndex, Verdict
from denoise_scrapy.dedup.rules import MOST_NEW, Check
from denoise_scrapy.dedup.variants import CERTAINTY, read_text, site_of
from denoise_scrapy.settings import DenoiseSettings

NEW = "no near-duplicate"

_INPUT = (
    "a file, an http(s) URL, or - for standard input; for HTML, the body is compared; or a feed (JSON, JSON lines, "
    "CSV, Parquet), whose items are compared with those of another"
)
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
    parser.add_argument("a", metavar="A", help=_INPUT)
    parser.add_argument("b", metavar="B", help="the other text, as for A")
    add_rule_arguments(parser)
    parser.add_argument(
        "--key", metavar="FIELD", default=KEY, help="of two feeds, the field that names an item; default: url"
    )
    named = "of two feeds, the fields to compare: body,title; default: all"
    parser.add_argument("--fields", type=lambda given: given.split(","), default=(), help=named)
    parser.add_argument("-o", "--output", metavar="FILE.html", help="of two feeds, also write their items side by side")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace, settings: Given) -> int:
    check_output(args)
    if is_feed(args.a) != is_feed(args.b):
        raise UsageError("a feed can be compared with another feed only")
    if is_feed(args.a):
        difference = FeedDifference.of(Path(args.a), Path(args.b), args.key, args.fields)
        value = {"changed": difference.changed, "gone": difference.gone, "new": difference.new}
        show(args, value, difference.lines())
        if args.output:
            Path(args.output).write_text(difference.page(), encoding="utf-8", errors="replace")
        return 0
    read = DenoiseSettings.from_settings(settings)
    rule, threshold = rule_given(args, read)
    a, b = texts_of((args.a, args.b), settings)
    lengths = {name: RULES[rule].read(one.text).n for name, one in (("A", a), ("B", b))}
    units = "characters" if rule == "patent" else "units"
    found = []
    lines = [f"{name}: {source}, {lengths[name]:,} {units}" for name, source in (("A", args.a), ("B", args.b))]
    lines.append(f"rule {rule}, threshold {_percent(threshold)}")
    for new, kept, one, other in (("B", "A", b, a), ("A", "B", a, b)):
        way = explained(one, other, rule, threshold, read.dedup_certainty)
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
