"""What the index answers, on every store."""

import random

import pytest
from lxml import etree

from denoise_scrapy.dedup import RULES, DuplicateIndex, MemoryStore, SQLiteStore, Verdict
from denoise_scrapy.dedup.rules import Fingerprint
from denoise_scrapy.dedup.store import Name
from denoise_scrapy.dedup.variants import MOST_ALIGNED
from denoise_scrapy.exceptions import StoreMismatch
from tests.dedup.made_texts import chinese, english

A = english(1, 300)
TEXT = " ".join(A)
NEAR = " ".join(["by", "somebody", *A[2:]])


@pytest.fixture(params=["memory prefilter", "sqlite prefilter", "memory tree"])
def index(request, tmp_path):
    kind, search = request.param.split()
    store = SQLiteStore(tmp_path / "a.db") if kind == "sqlite" else MemoryStore()
    with DuplicateIndex(store=store, search=search) as one:
        yield one


def test_new_then_near_then_equal(index):
    assert index.check_and_add("a", TEXT) == Verdict()
    near = index.check_and_add("b", NEAR)
    assert near.duplicate and near.of == "a" and 0.9 < near.score < 1 and 0.9 < near.c1 <= 1
    assert near.reason == f"near-duplicate of a (c2 {near.score:.2f}, c1 {near.c1:.2f}, new {near.new:.2f})"
    equal = index.check_and_add("c", TEXT.upper())
    assert (equal.of, equal.score, equal.reason) == ("a", 1.0, "the same words as a")
    assert len(index) == 1


@pytest.mark.parametrize("rule", list(RULES))
def test_every_match_of_a_linear_scan_over_the_index(rule):
    """Not only the first: all that the rule calls duplicates, found by the search, in order."""
    rnd, judge = random.Random(8), RULES[rule]
    stock = [english(seed, rnd.choice([30, 80, 300, 900])) for seed in range(30)]
    kept: list[Fingerprint] = []
    hits = 0
    with DuplicateIndex(rule=rule, search="tree", variants=False) as index:
        for number in range(120):
            words = list(rnd.choice(stock))
            start = rnd.randrange(len(words) // 2)
            text = " ".join(words[start:] + english(1000 + number, rnd.randrange(1, 200)))
            name = Name(str(number))
            item = index._item(name, text, "", None)
            likes = index._likes(item, index._store.find(name))
            matches = [like.record.id - 1 for like in likes]
            verdicts = [judge.judge(item.text, one) for one in kept]
            found = [i for i, one in enumerate(verdicts) if one.duplicate]
            assert sorted(matches) == found or len(matches) == MOST_ALIGNED < len(found)
            hits += len(matches)
            index.add(str(number), text)
            kept.append(item.fingerprint)
    assert hits > 20


def test_of_many_candidates_the_likest_are_looked_at(monkeypatch):
    monkeypatch.setattr("denoise_scrapy.dedup.index.MOST_FOUND", 1)
    with DuplicateIndex() as index:
        for number in range(9):
            index.add(f"stranger {number}", " ".join([*english(number, 200), *TEXT.split()[:12]]))
        index.add("kept", TEXT)
        assert index.check("new", NEAR).of == "kept"
        assert index.stats["verified"] == 1


def test_how_much_of_a_duplicate_may_be_new():
    words = english(1, 400)
    longer = " ".join(words + english(2, 100))
    with DuplicateIndex(variants=False) as index, DuplicateIndex(most_new=0.1, variants=False) as strict:
        for one in (index, strict):
            one.add("kept", " ".join(words))
        verdict = index.check("longer", longer)
        assert verdict.duplicate and verdict.new == pytest.approx(0.2, abs=0.05)
        assert not strict.check("longer", longer).duplicate
        assert strict.check("shorter", " ".join(words[:300])).new == 0


class TestRules:
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
        ({"rule": "patents"}, "rule must be one of part, near-copy, patent, got 'patents'"),
        ({"search": "trees"}, "search must be one of auto, tree, prefilter, got 'trees'"),
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
        ({"title": 3}, "title must be a string, got int"),
        ({"title": None}, "title must be a string, got NoneType"),
        ({"site": 3}, "site must be a string, got 3"),
        ({"site": "\ud800"}, "site must be text UTF-8 can write"),
    ],
)
def test_wrong_arguments(index, arguments, message):
    with pytest.raises(ValueError, match=message):
        index.check_and_add(**{"key": "a", "text": TEXT, **arguments})
    assert len(index) == 0


def test_a_key_may_be_a_result_of_xpath(index):
    """It is a `str` of its own class."""
    [key] = etree.HTML("<a href=/a>").xpath("//@href")
    index.check_and_add(key, TEXT, scope=key)
    assert index.check_and_add("/a", TEXT, scope="/a").reason == "the same item with the same text"
    assert index.check(key, NEAR, scope="/a").updated and index.remove(key, key) and not len(index)
