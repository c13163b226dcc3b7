"""`scrapy denoise compare`: why two texts are duplicates, or why not."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from denoise_scrapy.commands.compare_inputs import texts_of
from denoise_scrapy.commands.judging import Judged, Share, judge_words, percent
from denoise_scrapy.commands.judging_patent import judge_characters
from denoise_scrapy.dedup import RULES
from denoise_scrapy.dedup.prefilter import BANDS
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.shown import say

if TYPE_CHECKING:
    from scrapy.settings import Settings

_INPUT = "a file, an http(s) URL, or - for standard input; of HTML the body is compared"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.add_argument("a", metavar="A", help=_INPUT)
    parser.add_argument("b", metavar="B", help="the same")
    parser.add_argument("--rule", choices=tuple(RULES), help="default: DENOISE_DEDUP_RULE")
    parser.add_argument("--threshold", type=threshold_given, metavar="T", help="default: DENOISE_DEDUP_THRESHOLD")
    parser.add_argument("--body", action="store_true", help="take A and B for HTML, whatever they look like")
    parser.add_argument("--json", action="store_true", help="for machines")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Say it, both ways round."""
    read = DenoiseSettings.from_settings(settings)
    rule = args.rule or read.dedup_rule
    given = read.dedup_threshold if rule == read.dedup_rule else 0.0  # another rule's threshold is none of this one's
    threshold = args.threshold or given or RULES[rule].threshold
    a, b = texts_of((args.a, args.b), settings, as_html=args.body)
    ways = {
        (new, kept): judge(one, other, rule, threshold, read.dedup_most_new)
        for new, kept, one, other in (("B", "A", b, a), ("A", "B", a, b))
    }
    lengths = {name: RULES[rule].read(text).n for name, text in (("A", a), ("B", b))}
    if args.json:
        found = [
            {"new": new, "kept": kept, **asdict(judged), "shares": _shares(judged)}
            for (new, kept), judged in ways.items()
        ]
        head = {"a": args.a, "b": args.b, "rule": rule, "threshold": threshold, "lengths": lengths}
        say(*json.dumps({**head, "comparisons": found}, ensure_ascii=False, indent=2).split("\n"))
        return 0
    kind = "characters" if rule == "patent" else "units"
    for name, source in (("A", args.a), ("B", args.b)):
        say(f"{name}: {source}, {lengths[name]:,} {kind}")
    say(f"rule {rule}, threshold {percent(threshold)}")
    for (new, kept), judged in ways.items():
        say("", *_lines(new, kept, judged))
    return 0


def judge(new_text: str, kept_text: str, rule: str, threshold: float, most_new: float) -> Judged:
    """Judge a new text against a kept one, by any rule."""
    if rule == "patent":
        return judge_characters(new_text, kept_text, threshold)
    return judge_words(new_text, kept_text, rule, threshold, most_new)


def threshold_given(text: str) -> float:
    """Read a threshold of the command line."""
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most 1")
    return value


def _shares(judged: Judged) -> dict[str, float]:
    return {name: share.value for name, share in (("c1", judged.c1), ("c2", judged.c2)) if share is not None}


def _lines(new: str, kept: str, judged: Judged) -> Iterator[str]:
    verdict = "a duplicate" if judged.duplicate else "no duplicate"
    yield f"{kept} is kept, {new} is new: {new} is {verdict} of {kept}: {judged.why}."
    has = ", ".join(f"{floor.value} {floor.what} ({floor.needed})" for floor in judged.floors)
    facts = {
        "has (needs)": has,
        "t": f"{judged.level}: main units come more often; it is that of {kept}, by its length",
    }
    facts["c1"] = _share(judged.c1, "main units", new, kept)
    if judged.c2 is not None:
        facts["c2"] = _share(judged.c2, "pairs" if judged.share_new is None else "runs", new, kept)
    if judged.share_new is not None:
        facts["new"] = (
            f"{percent(judged.share_new)} of {new}, as estimated from the runs (at most {percent(judged.most_new)})"
        )
        facts["form"] = f"{'other' if judged.form else 'the same or few other'} numbers"
    facts["same words"] = "yes" if judged.same_words else "no"
    if judged.bands is not None:
        facts["prefilter"] = _prefilter(judged)
    yield from (f"  {name:<13}{fact}" for name, fact in facts.items())
    for what, examples in (
        ("units", judged.lacking_units),
        ("pairs" if judged.share_new is None else "runs", judged.lacking_runs),
    ):
        if examples:
            yield f"  {what} of {new} that {kept} lacks: {', '.join(examples)}"


def _share(share: Share, what: str, new: str, kept: str) -> str:
    counts = f"{share.common} of {share.of} {what} = {percent(share.value)} (needed {share.needed})"
    return f"{counts}; {new} has {share.new}, {kept} has {share.kept}"


def _prefilter(judged: Judged) -> str:
    if judged.bands or judged.same_words:
        return f"finds it: {judged.bands} of {BANDS} MinHash bands in common"
    missed = ", and so a duplicate is missed; DENOISE_DEDUP_SEARCH = 'tree' finds it" if judged.duplicate else ""
    return f"does not find it: no MinHash band in common{missed}"
