"""What the index answers, on every store."""

import random
import threading

import pytest

from denoise_scrapy.dedup import RULES, DuplicateIndex, MemoryStore, SQLiteStore, Verdict
from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.store import Name, StoreMismatch
from tests.dedup.made_texts import chinese, cut_out, english

A, B = english(1, 300), english(2, 300)
TEXT, OTHER = " ".join(A), " ".join(B)
NEAR = " ".join(["by", "somebody", *A[2:]])


@pytest.fixture(params=["memory prefilter", "sqlite prefilter", "memory tree"])
def index(request, tmp_path):
    kind, search = request.param.split()
    store = SQLiteStore(tmp_path / "a.db") if kind == "sqlite" else MemoryStore()
    with DuplicateIndex(store=store, search=search) as one:
        yield one


class TestAnswers:
    def test_new_then_near_then_equal(self, index):
        assert index.check_and_add("a", TEXT) == Verdict()
        near = index.check_and_add("b", NEAR)
        assert near.duplicate and near.of == "a" and 0.9 < near.score < 1 and 0.9 < near.c1 <= 1
        assert near.reason == f"near-duplicate of a (c2 {near.score:.2f}, c1 {near.c1:.2f}, new {near.new:.2f})"
        equal = index.check_and_add("c", TEXT.upper())
        assert (equal.of, equal.score, equal.reason) == ("a", 1.0, "the same words as a")
        assert len(index) == 1

    def test_stats(self, index):
        for key, text in [("a", TEXT), ("b", NEAR), ("a", OTHER), ("a", OTHER), ("c", "")]:
            index.check_and_add(key, text)
        stats = index.stats
        counted = ("checked", "kept", "duplicates", "updated", "too_short")
        assert [stats[name] for name in counted] == [5, 2, 1, 1, 1]
        assert stats["verified"] <= 2
        assert len(index) == 2


class TestSameKey:
    def test_is_never_its_own_duplicate(self, index):
        for text in (TEXT, TEXT, NEAR, NEAR, TEXT):
            assert not index.check_and_add("a", text).duplicate
        assert len(index) == 1

    def test_another_text_replaces(self, index):
        index.check_and_add("a", TEXT)
        assert index.check_and_add("a", OTHER).updated
        assert not index.check_and_add("b", TEXT).duplicate  # nobody has that text any more
        assert index.check_and_add("c", OTHER).of == "a"


class TestRepresentative:
    def test_is_the_earliest_that_passes(self, index):
        index.check_and_add("first", OTHER)
        index.check_and_add("second", " ".join(english(3, 300)))
        index.check_and_add("first", NEAR)  # an update: now after 'second'
        index.check_and_add("second", TEXT)  # and this after that one
        assert index.check_and_add("x", " ".join(cut_out(A, 0.1))).of == "first"

    def test_is_the_earliest_whatever_its_length(self, index):
        """Of trees of different thresholds, too."""
        words = english(5, 700)
        index.check_and_add("long", " ".join(words))
        index.check_and_add("middle", TEXT)
        assert index.check_and_add("middle", " ".join(words[:400])).updated
        assert index.check_and_add("x", " ".join(words[:300])).of == "long"

    def test_copies_of_a_dropped_text_are_not_chained(self, index):
        index.check_and_add("a", TEXT)
        half = " ".join(A[:150])
        quarter = " ".join(A[:75])
        assert index.check_and_add("b", half).of == "a"
        assert not index.check_and_add("c", quarter).duplicate  # of 'b' it would be, of 'a' not

    def test_removed_frees_its_copies(self, index):
        index.check_and_add("a", TEXT)
        assert index.remove("a") and not index.remove("a")
        assert len(index) == 0
        assert not index.check_and_add("b", NEAR).duplicate
        assert index.check_and_add("a", TEXT).of == "b"

    def test_equal_texts_after_updates(self, index):
        for key in "ab":
            index.check_and_add(key, " ".join(english(ord(key), 100)))
        for key in "ab":
            assert index.check_and_add(key, TEXT).updated
        assert index.check_and_add("c", TEXT).of == "a"
        index.remove("a")
        assert index.check_and_add("c", TEXT).of == "b"
        index.remove("b")
        assert not index.check_and_add("c", TEXT).duplicate


class TestScope:
    def test_separates(self, index):
        index.check_and_add("a", TEXT, scope="one.example")
        assert not index.check_and_add("b", TEXT, scope="two.example").duplicate
        assert not index.check_and_add("c", NEAR).duplicate
        assert index.check_and_add("d", NEAR, scope="two.example").of == "b"
        assert not index.remove("a", "two.example")

    def test_a_key_is_one_item_in_each(self, index):
        index.check_and_add("a", TEXT, scope="one")
        assert not index.check_and_add("a", OTHER, scope="two").updated
        assert index.check_and_add("b", TEXT, scope="one").duplicate


class TestShort:
    @pytest.mark.parametrize("text", ["", "  \n", "Page not found", "word " * 50, "的是在了" * 20])
    def test_is_never_dropped(self, index, text):
        for key in "abc":
            verdict = index.check_and_add(key, text)
            assert not verdict.duplicate and verdict.too_short

    def test_equal_words_by_option(self):
        with DuplicateIndex(short_duplicates=True) as index:
            index.check_and_add("a", "Page not found")
            verdict = index.check_and_add("b", "page NOT found!")
            assert verdict.duplicate and verdict.too_short and verdict.of == "a"
            assert not index.check_and_add("c", "page not here").duplicate
            assert not index.check_and_add("d", "").duplicate
            assert not index.check_and_add("e", "").duplicate


@pytest.mark.parametrize("rule", list(RULES))
def test_every_match_of_a_linear_scan_over_the_index(rule):
    """Not only the first: all that the rule calls duplicates, found by the search, in order."""
    rnd, judge = random.Random(8), RULES[rule]
    stock = [english(seed, rnd.choice([30, 80, 300, 900])) for seed in range(30)]
    kept: list[Fingerprint] = []
    hits = 0
    with DuplicateIndex(rule=rule, search="tree") as index:
        for number in range(200):
            words = list(rnd.choice(stock))
            start = rnd.randrange(len(words) // 2)
            text = " ".join(words[start:] + english(1000 + number, rnd.randrange(1, 200)))
            item = index._read(text, Name(str(number)))
            found = index._find(item, similar=True)
            matches = [
                like.record.id - 1 for like in index._likes(item, found, short=judge.too_short(item.fingerprint))
            ]
            verdicts = judge.judge(item.text, kept, judge.threshold)
            assert matches == [i for i, one in enumerate(verdicts) if one.duplicate]
            hits += len(matches)
            index.add(str(number), text)
            kept.append(item.fingerprint)
    assert hits > 50


def test_of_many_candidates_the_likest_are_looked_at():
    with DuplicateIndex(candidate_limit=1) as index:
        for number in range(9):
            index.add(f"stranger {number}", " ".join([*english(number, 200), *TEXT.split()[:12]]))
        index.add("kept", TEXT)
        assert index.check("new", NEAR).of == "kept"
        assert index.stats["verified"] == 1


def test_how_much_of_a_duplicate_may_be_new():
    words = english(1, 400)
    longer = " ".join(words + english(2, 100))
    with DuplicateIndex() as index, DuplicateIndex(most_new=0.1) as strict:
        for one in (index, strict):
            one.add("kept", " ".join(words))
        verdict = index.check("longer", longer)
        assert verdict.duplicate and verdict.new == pytest.approx(0.2, abs=0.05)
        assert not strict.check("longer", longer).duplicate
        assert strict.check("shorter", " ".join(words[:300])).new == 0


class TestCheckAndAddApart:
    def test_add_keeps_whatever_it_is_like(self, index):
        index.add("a", TEXT)
        assert not index.add("b", TEXT).duplicate and len(index) == 2
        assert index.add("b", NEAR).updated and len(index) == 2
        assert not index.add("b", NEAR).updated


class TestGroup:
    def test_texts_of_one_group_are_no_duplicates_of_each_other(self, index):
        index.check_and_add("a", TEXT, group="seller 1")
        assert not index.check_and_add("b", TEXT, group="seller 1").duplicate
        assert not index.check_and_add("c", NEAR, group="seller 1").duplicate
        assert index.check_and_add("d", " ".join(cut_out(A, 0.1)), group="seller 2").of == "a"
        assert index.check_and_add("e", TEXT).of == "a"
        assert index.check_and_add("f", NEAR).reason == "the same words as c"


class TestRules:
    def test_a_near_copy_is_one_both_ways(self):
        with DuplicateIndex(rule="near-copy") as index:
            index.check_and_add("a", TEXT)
            assert not index.check_and_add("half", " ".join(A[:150])).duplicate
            assert index.check_and_add("near", NEAR).of == "a"

    def test_one_index_may_be_read_by_both_rules_of_words(self, tmp_path):
        with DuplicateIndex(store=SQLiteStore(tmp_path / "a.db")) as index:
            index.check_and_add("a", TEXT)
        with DuplicateIndex(store=SQLiteStore(tmp_path / "a.db"), rule="near-copy", search="tree") as index:
            assert index.check("b", NEAR).of == "a"
        with pytest.raises(StoreMismatch, match="'rule' is None there and patent here"):
            DuplicateIndex(store=SQLiteStore(tmp_path / "a.db"), rule="patent")

    def test_equal_main_strings_are_found_at_the_patents_highest_threshold(self):
        with DuplicateIndex(threshold=1.0, rule="patent") as index:
            index.check_and_add("a", "three " * 40)
            assert index.check_and_add("b", "one " + "three " * 40).of == "a"

    def test_the_patents_rule(self, tmp_path):
        text, other = chinese(1, 900), chinese(2, 900)
        text, other = text[:300] * 4, other[:300] * 4
        with DuplicateIndex(store=SQLiteStore(tmp_path / "a.db"), rule="patent") as index:
            index.check_and_add("a", text)
            assert index.check_and_add("b", "作者" + text[2:]).of == "a"
            assert not index.check_and_add("c", other).duplicate
            for key in "def":
                assert not index.check_and_add(key, "Page not found").duplicate
        with DuplicateIndex(store=SQLiteStore(tmp_path / "a.db"), rule="patent") as index:
            assert index.check("z", text + "。").of == "a"


def test_threads_keep_one_of_each():
    texts = [" ".join(english(seed, 80)) for seed in range(30)]
    kept, errors = [], []

    def work(name):
        try:
            for number, text in enumerate(texts):
                if not index.check_and_add(f"{name}-{number}", text).duplicate:
                    kept.append(number)
        except Exception as error:
            errors.append(error)

    with DuplicateIndex() as index:
        threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        assert sorted(kept) == list(range(30)) and len(index) == 30


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threshold": 0}, r"threshold must be a number in \(0, 1\], got 0"),
        ({"threshold": 1.01}, r"threshold must be a number in \(0, 1\], got 1.01"),
        ({"threshold": float("nan")}, r"threshold must be a number in \(0, 1\], got nan"),
        ({"threshold": "0.7"}, r"threshold must be a number in \(0, 1\], got '0.7'"),
        ({"threshold": True}, "threshold must be a number"),
        ({"store": "a.db"}, "store must be a Store or None, got 'a.db'"),
        ({"most_new": 1.1}, r"most_new must be a number in \[0, 1\], got 1.1"),
        ({"candidate_limit": 0}, "candidate_limit must be 1 or more, got 0"),
        ({"rule": "patents"}, "rule must be one of part, near-copy, patent, got 'patents'"),
        ({"search": "trees"}, "search must be one of prefilter, tree, got 'trees'"),
        ({"rule": "patent", "search": "prefilter"}, "search must be tree for the rule 'patent'"),
    ],
)
def test_wrong_settings(arguments, message):
    with pytest.raises(ValueError, match=message):
        DuplicateIndex(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"key": ""}, "key must be a string not empty, got ''"),
        ({"key": 3}, "key must be a string not empty, got 3"),
        ({"key": "\ud800"}, "key must be text UTF-8 can write"),
        ({"scope": None}, "scope must be a string, got None"),
        ({"text": b"bytes"}, "text must be a string, got bytes"),
        ({"text": None}, "text must be a string, got NoneType"),
    ],
)
def test_wrong_arguments(index, arguments, message):
    with pytest.raises(ValueError, match=message):
        index.check_and_add(**{"key": "a", "text": TEXT, **arguments})
    assert len(index) == 0
