"""`scrapy denoise compare`: why two texts are duplicates, variants or neither, with every count, both ways round."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from denoise_scrapy.commands.inputs import GivenText, add_rule_arguments, rule_given, texts_of
from denoise_scrapy.core.feature_strings import BANDS, RUN, RUN_OF_IDEOGRAPHS, FeatureStrings
from denoise_scrapy.core.units import IDEOGRAPH, tokens
from denoise_scrapy.dedup import RULES, DuplicateIndex, Fingerprint
from denoise_scrapy.dedup.fingerprint import MIN_TOKENS, MIN_UNITS
from denoise_scrapy.dedup.rules import (
    FREQUENCY,
    LONG,
    MIN_RUNS,
    MOST_NEW,
    RATIO_PERCENT,
    SMALL_SHARE,
    Characters,
    NearCopyRule,
    PatentRule,
    above,
    needed,
    share_new,
    shares,
)
from denoise_scrapy.dedup.variants import Difference, difference, is_same_site, site_of
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.shown import say, say_json

if TYPE_CHECKING:
    from scrapy.settings import Settings

EXAMPLES = 8  # units and runs shown, a line of them

_INPUT = "a file, an http(s) URL, or - for standard input; of HTML the body is compared"
_16 = np.uint32(16)  # bits of a character
_SITE = "one.example"  # of two texts, to ask what they would be there


@dataclass(frozen=True)
class Share:
    """How much two texts have in common.

    Attributes:
        common: Elements in common.
        of: Elements they are a share of.
        needed: How many must be in common.
        new: Elements of the new text.
        kept: Elements of the kept one.
    """

    common: int
    of: int
    needed: int
    new: int
    kept: int

    @property
    def value(self) -> float:
        """The share, 0 to 1."""
        return self.common / max(1, self.of)

    @property
    def reached(self) -> bool:
        """Whether enough is in common."""
        return self.common >= self.needed


@dataclass(frozen=True)
class Floor:
    """What a text must have to be judged by similarity."""

    what: str
    value: int
    needed: int


@dataclass(frozen=True)
class Judged:
    """A new text against a kept one.

    Attributes:
        duplicate: The verdict of an index that compares every text; of two URLs it takes the sites into account.
        why: What decided, for a sentence.
        level: Frequency threshold t of the kept text.
        same_words: Whether both are the same units in the same order.
        floors: What both must have.
        c1: Main units in common.
        c2: Runs in common, of the patent's rule pairs; None where the rule does not look at them.
        bands: MinHash bands in common; None where the rule has none.
        lacking_units: Some main units of the new text that the kept one lacks.
        lacking_runs: Some of its runs, of the patent's rule pairs.
        share_new: Share of the new text that the kept one has not; None where the rule does not estimate it.
        variant: Why it is a variant of the kept one if both are of one site; "" where it is none.
        one_site: Whether both are known to be of one site.
        differs: Units of the new text that the kept one lacks, and runs of that which the new one lacks: before what
            both have, between, behind; None where the rule does not align texts.
        most_new: Most of the new text that may be new.
    """

    duplicate: bool
    why: str
    level: int
    same_words: bool
    floors: Sequence[Floor]
    c1: Share
    c2: Share | None
    bands: int | None
    lacking_units: Sequence[str]
    lacking_runs: Sequence[str]
    share_new: float | None = None
    variant: str = ""
    one_site: bool = False
    differs: Mapping[str, Mapping[str, float]] | None = None
    most_new: float = MOST_NEW


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.add_argument("a", metavar="A", help=_INPUT)
    parser.add_argument("b", metavar="B", help="the same")
    add_rule_arguments(parser)
    parser.add_argument("--body", action="store_true", help="take A and B for HTML, whatever they look like")
    parser.add_argument("--json", action="store_true", help="for machines")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the verdict, both ways round."""
    read = DenoiseSettings.from_settings(settings)
    rule, threshold = rule_given(args, read)
    a, b = texts_of((args.a, args.b), settings, as_html=args.body)
    ways = {
        (new, kept): judge(one, other, rule, threshold, read.dedup_most_new)
        for new, kept, one, other in (("B", "A", b, a), ("A", "B", a, b))
    }
    lengths = {name: RULES[rule].read(one.text).n for name, one in (("A", a), ("B", b))}
    if args.json:
        found = [{"new": new, "kept": kept, **_as_dict(judged)} for (new, kept), judged in ways.items()]
        head = {"a": args.a, "b": args.b, "rule": rule, "threshold": threshold, "lengths": lengths}
        say_json({**head, "comparisons": found})
        return 0
    kind = "characters" if rule == "patent" else "units"
    for name, source in (("A", args.a), ("B", args.b)):
        say(f"{name}: {source}, {lengths[name]:,} {kind}")
    say(f"rule {rule}, threshold {_percent(threshold)}")
    for (new, kept), judged in ways.items():
        say("", *_lines(new, kept, judged))
    return 0


def judge(new: GivenText, kept: GivenText, rule: str, threshold: float, most_new: float = MOST_NEW) -> Judged:
    """Judge a new text against a kept one.

    Example:
        >>> bees, more = GivenText("Bees dance"), GivenText("Bees dance to tell where heather blooms")
        >>> judged = judge(more, bees, "part", 0.7)
        >>> judged.duplicate, judged.c1.common, judged.c1.of, judged.lacking_runs[:2]
        (False, 2, 6, ['bees dance to tell where', 'dance to tell where heather'])
        >>> judge(GivenText("the cat sat on the mat " * 4), GivenText("the cat sat on the mat " * 5), "patent", 0.8).why
        'equal main feature strings; c2 is not looked at'
    """
    if rule == PatentRule.name:
        return _by_characters(new.text, kept.text, threshold)
    judged = _by_words(new.text, kept.text, rule, threshold, most_new)
    if not judged.duplicate:
        return judged
    names = (new.url, kept.url) if new.url and kept.url and new.url != kept.url else ("new", "kept")
    with DuplicateIndex(threshold, rule=rule, most_new=most_new, search="tree") as index:
        index.add(names[1], kept.text, title=kept.title, site=_SITE)
        verdict = index.check(names[0], new.text, title=new.title, site=_SITE)
    variant = "" if verdict.variant_of is None else verdict.reason.rpartition(": ")[2]
    one_site = is_same_site(site_of(new.url), site_of(kept.url))
    return replace(judged, duplicate=not (variant and one_site), variant=variant, one_site=one_site)


def _by_words(new_text: str, kept_text: str, rule_name: str, threshold: float, most_new: float) -> Judged:
    rule, new = RULES[rule_name], FeatureStrings(new_text)
    own, kept = Fingerprint.of(new), Fingerprint.of(kept_text)
    both = rule_name == NearCopyRule.name

    def share(mine: npt.NDArray[np.uint16], theirs: bytes) -> Share:
        common, of = shares(mine, [theirs], both=both)[0]
        return Share(common, of, needed(of, threshold), len(mine), len(theirs) // 2)

    same = bool(new.n) and new.digest == kept.digest
    c1, c2 = share(new.main_units(kept.t), kept.s1), share(new.sample(kept.limit), kept.s2)
    floors = (
        Floor("units", min(new.n, kept.n), MIN_TOKENS),
        Floor("per cent of the kept text's length", new.n * 100 // max(1, kept.n), RATIO_PERCENT),
        Floor("main units", min(c1.of, c1.kept), MIN_UNITS),
        Floor("runs", c2.of, MIN_RUNS),
    )
    estimate = share_new(new, kept)
    if rule.too_short(own):
        duplicate = False
        why = f"too short to be judged: under {MIN_TOKENS} units, or under {MIN_UNITS} main units"
        why += "; DENOISE_DEDUP_SHORT looks for texts of the same words" if same else ""
    elif same:
        duplicate, why = True, "the same words in the same order"
    else:
        duplicate = rule.judge(new, [kept], threshold, most_new)[0].duplicate
        reasons = [f"{one.value} {one.what}, {one.needed} are needed" for one in floors if one.value < one.needed]
        reached = {"c1": c1.common >= c1.needed, "c2": c2.common >= c2.needed}
        reasons += [
            f"{name} is {_percent(s.value)}" for name, s in (("c1", c1), ("c2", c2)) if reached[name] == duplicate
        ]
        if all(reached.values()) and estimate > most_new:
            reasons.append(f"{_percent(estimate)} of it is new")
        why = "; ".join(reasons) or "too much of the kept text is not in it"
    bands = 0
    if own.bands and kept.bands:
        bands = int((np.frombuffer(own.bands, "<u4") == np.frombuffer(kept.bands, "<u4")).sum())
    lacking = _lacking_words(new_text, kept_text, kept.t)
    found = Judged(duplicate, why, kept.t, same, floors, c1, c2, bands, *lacking, estimate, most_new=most_new)
    return replace(found, differs=_differs(difference(new, kept)))


def _differs(found: Difference) -> dict[str, dict[str, float]]:
    return {"novel": found.novel._asdict(), "lost": found.lost._asdict()}


def _lacking_words(new_text: str, kept_text: str, t: int) -> tuple[list[str], list[str]]:
    """Words and runs of the new text that the kept one lacks, the most frequent words first, runs in their order."""
    words, new, kept = tokens(new_text), FeatureStrings(new_text), FeatureStrings(kept_text)
    word_of, mine, theirs = dict(zip(new.hashes.tolist(), words, strict=True)), _frequencies(new), _frequencies(kept)
    units = [unit for unit in word_of if mine.get(unit, 0) > t >= theirs.get(unit, 0)]
    units.sort(key=lambda unit: -mine[unit])
    lacking = ~np.isin(new.runs.at >> np.uint64(32), kept.runs.distinct) & (new.runs.at > 0)
    runs: dict[str, None] = {}
    for place in np.flatnonzero(lacking)[: 4 * EXAMPLES].tolist():
        length = RUN_OF_IDEOGRAPHS if new.kinds[place] == IDEOGRAPH else RUN
        runs[" ".join(words[place : place + length])] = None
    return [word_of[unit] for unit in units[:EXAMPLES]], list(runs)[:EXAMPLES]


def _frequencies(text: FeatureStrings) -> dict[int, int]:
    """How often each unit counts, stop units left out."""
    runs = text.runs
    return dict(zip(runs.units[~runs.stop].tolist(), runs.counts[~runs.stop].tolist(), strict=True))


def _by_characters(new_text: str, kept_text: str, threshold: float) -> Judged:
    rule = PatentRule()
    new = rule.read(new_text)
    own, kept = rule.fingerprint(new), rule.fingerprint(rule.read(kept_text))
    floors = (
        Floor("characters", min(own.n, kept.n), MIN_TOKENS),
        Floor(f"characters that come more than {FREQUENCY} times", min(len(own.units), len(kept.units)), 1),
    )
    same = bool(own.n) and own.digest == kept.digest
    common = np.intersect1d(own.units, kept.units)
    c1 = Share(len(common), len(own.units), above(len(own.units), threshold), len(own.units), len(kept.units))
    verdict, c2 = rule.judge(new, [kept], threshold)[0], None
    if not np.array_equal(own.units, kept.units):
        of = int(np.isin(new.neighbours >> _16, common).sum())
        c2 = Share(round(verdict.c2 * of), of, above(of, threshold), len(new.neighbours), len(kept.s2) // 4)
    short = rule.too_short(own)
    why = "too short to be judged" if short else "the same characters" if same else _step(own, kept, c1, c2)
    duplicate = not short and (same or verdict.duplicate)
    return Judged(duplicate, why, FREQUENCY, same, floors, c1, c2, None, *_lacking_characters(new, own, kept))


def _step(own: Fingerprint, kept: Fingerprint, c1: Share, c2: Share | None) -> str:
    """Say which step of the patent decided."""
    if not kept.units.size or min(own.n, kept.n) < MIN_TOKENS:
        return "the kept text is too short to be judged, or no character comes often in it"
    if c2 is None:
        return "equal main feature strings; c2 is not looked at"
    shorter, longer = sorted((own.n, kept.n))
    if shorter > LONG:
        return f"c2 is {_percent(c2.value)}, which decides where both have more than {LONG} characters"
    if shorter < SMALL_SHARE * longer:
        return f"c2 is {_percent(c2.value)}, which decides where one is under {SMALL_SHARE:.0%} of the other"
    return f"c1 is {_percent(c1.value)}, which decides where one has {LONG} characters or fewer"


def _lacking_characters(new: Characters, own: Fingerprint, kept: Fingerprint) -> tuple[list[str], list[str]]:
    units = np.setdiff1d(own.units, kept.units)
    pairs = np.setdiff1d(new.neighbours, np.frombuffer(kept.s2, "<u4"))[:EXAMPLES]
    return _letters(units[:EXAMPLES]), ["".join(_letters((pair >> _16, pair & 0xFFFF))) for pair in pairs]


def _letters(codes: Iterable[np.integer[npt.NBitBase]]) -> list[str]:
    """Characters; half of one beyond 16 bits becomes a question mark."""
    return [chr(int(code)).encode("utf-8", "replace").decode() for code in codes]


def _as_dict(judged: Judged) -> dict[str, object]:
    named = (("c1", judged.c1), ("c2", judged.c2))
    return {**asdict(judged), "shares": {name: share.value for name, share in named if share is not None}}


def _lines(new: str, kept: str, judged: Judged) -> Iterator[str]:
    verdict = "a duplicate" if judged.duplicate else "a variant" if judged.variant else "no duplicate"
    why = judged.why
    if judged.variant:
        why += f"; {'' if judged.one_site else 'on one site it is a variant, and kept: '}{judged.variant}"
    yield f"{kept} is kept, {new} is new: {new} is {verdict} of {kept}: {why}."
    runs = "pairs" if judged.share_new is None else "runs"
    facts = {
        "has (needs)": ", ".join(f"{floor.value} {floor.what} ({floor.needed})" for floor in judged.floors),
        "t": f"{judged.level}: main units come more often; it is that of {kept}, by its length",
        "c1": _counts(judged.c1, "main units", new, kept),
    }
    if judged.c2 is not None:
        facts["c2"] = _counts(judged.c2, runs, new, kept)
    if judged.share_new is not None:
        estimate, most = _percent(judged.share_new), _percent(judged.most_new)
        facts["new"] = f"{estimate} of {new}, as estimated from the runs (at most {most})"
    if judged.differs is not None:
        facts["differs"] = _places(judged.differs, new, kept)
    facts["same words"] = "yes" if judged.same_words else "no"
    if judged.bands is not None:
        facts["prefilter"] = _prefilter(judged)
    yield from (f"  {name:<13}{fact}" for name, fact in facts.items())
    for what, examples in (("units", judged.lacking_units), (runs, judged.lacking_runs)):
        if examples:
            yield f"  {what} of {new} that {kept} lacks: {', '.join(examples)}"


def _places(differs: Mapping[str, Mapping[str, float]], new: str, kept: str) -> str:
    """Say how much of each text the other lacks, before what both have, between, and behind."""
    units, runs = (" + ".join(f"{value:.0f}" for value in differs[name].values()) for name in ("novel", "lost"))
    return f"{units} units of {new}, {runs} runs of {kept}: before what both have, between, behind"


def _counts(share: Share, what: str, new: str, kept: str) -> str:
    counts = f"{share.common} of {share.of} {what} = {_percent(share.value)} (needed {share.needed})"
    return f"{counts}; {new} has {share.new}, {kept} has {share.kept}"


def _prefilter(judged: Judged) -> str:
    if judged.bands or judged.same_words:
        return f"finds it: {judged.bands} of {BANDS} MinHash bands in common"
    missed = ", and so a duplicate is missed; DENOISE_DEDUP_SEARCH = 'tree' finds it" if judged.duplicate else ""
    return f"does not find it: no MinHash band in common{missed}"


def _percent(value: float) -> str:
    """Write a share: .84."""
    return f"{value:.2f}".removeprefix("0")
