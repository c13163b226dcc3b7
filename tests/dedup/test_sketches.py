"""The bound on what candidates have in common with a new text: no duplicate is refused, and most strangers are."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.dedup.rules import THRESHOLD, judge
from denoise_scrapy.dedup.fingerprint import Features
from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.rules import NearCopyRule, PartRule
from denoise_scrapy.dedup.sketches import Sketches
from tests.dedup.made_texts import cut_out, english


def sketches_of(kept):
    made = Sketches()
    made.extend([one.s2 for one in kept], [one.limit for one in kept])
    return made


def possible(sketches, rows, new, rule, threshold=THRESHOLD):
    return sketches.possible(rows, lambda limit: rule.run_query(new, limit, threshold)).tolist()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 9), st.integers(20, 900), st.floats(0, 0.6), st.sampled_from([0.3, 0.7, 1.0]))
def test_no_duplicate_is_refused(seed, length, share, threshold):
    words = english(seed, length)
    kept = [Fingerprint.of(" ".join(one)) for one in (words, cut_out(words, share), words[length // 3 :], words * 3)]
    new = Features.read(" ".join(cut_out(words, share / 2, 0.1)))
    for rule in (PartRule(), NearCopyRule()):
        can = possible(sketches_of(kept), range(4), new, rule, threshold)
        assert all(can[place] for place, one in enumerate(rule.judge(new, kept, threshold)) if one.duplicate)


def test_strangers_are_refused():
    kept = [Fingerprint.of(" ".join(english(seed, 150 + 12 * seed))) for seed in range(60)]
    sketches, passed = sketches_of(kept), 0
    for seed in range(100, 130):
        passed += sum(possible(sketches, range(60), Features.read(" ".join(english(seed, 400))), PartRule()))
    assert passed <= 18  # of 1,800


def test_what_a_store_did_not_tell_is_possible():
    new = Features.read(" ".join(english(1)))
    sketches = Sketches()
    sketches.extend([b"", b"", np.arange(150, dtype="<u2").tobytes()], [0, 17, 3])
    assert possible(sketches, [0, 1, 2], new, PartRule()) == [True] * 3
    assert possible(sketches, [], new, PartRule()) == []
    assert not judge(new, [Fingerprint.of("")], 0.7)[0].duplicate
