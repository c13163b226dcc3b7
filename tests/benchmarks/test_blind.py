"""Blind reading: what the reader sees of a pair, whose text is A, and what is counted."""

import json
import sys
from collections import Counter

import pytest

from benchmarks import blind
from benchmarks.blind import RUN, difference
from evaluation.corpora import RecordedPage

STORY = [
    f"The {n} ferry sails from the old quay behind the market at noon, in all weathers of the year." for n in range(6)
]
MENU = "".join(f"<li><a href='/{n}'>Section {n}</a></li>" for n in range(8))
PAGE = f"<ul>{MENU}</ul><article>{''.join(f'<p>{line}</p>' for line in STORY)}</article>"


def pair(n=0, peer="first", corpus="one"):
    return blind.Pair(corpus, peer, f"http://a.example/{n}", f"Page {n}", "ours", "theirs", ["ours"])


def key_of(out):
    return json.loads((out / "key.json").read_text())


@pytest.mark.parametrize("seed", range(3))
def test_ours_is_first_in_half_of_the_pairs_of_each_peer(tmp_path, seed):
    blind.write(tmp_path, [pair(n, "first" if n < 12 else "second") for n in range(20)], seed)
    key = key_of(tmp_path)
    assert Counter(row["peer"] for row in key if row["ours"] == "A") == {"first": 6, "second": 4}
    for row in key:
        text = (tmp_path / "pairs" / f"{row['number']:03}.md").read_text()
        first, second = ("ours", "theirs") if row["ours"] == "A" else ("theirs", "ours")
        assert text.index(f"> {first}") < text.index(f"> {second}")
        assert row["url"].rpartition("/")[2] == text.splitlines()[0].rpartition(" ")[2]


def test_pairs_are_one_a_site_with_peers_in_turn_where_texts_differ():
    hosts, text = [f"s{n}.example" for n in range(8)], "\n".join(STORY)
    sites = [[RecordedPage(f"http://{host}/1", f"<title>By {host}</title>{PAGE}", text, host)] for host in hosts]
    found = list(blind.pairs("made", sites, 6, {"empty": lambda html: "", "other": lambda html: "Cookies."}, 0))
    assert [one.peer for one in found] == ["empty", "other"] * 3
    assert len({one.url for one in found}) == 6
    assert {(one.ours.count("quay"), one.theirs) for one in found} == {(6, ""), (6, "Cookies.")}
    assert not any(".example" in one.title for one in found)
    assert list(blind.pairs("made", sites, 6, {"same": lambda html: text}, 0)) == []


def test_a_difference_is_in_order_and_bounded():
    both, long = STORY[0], [f"Line {n} of the comments, number {n}." for n in range(400)]
    a, b = "\n".join([both, *long, STORY[1]]), "\n".join([STORY[1], both])
    text = difference(a, b, [*STORY, *long])
    assert len(text) < 3 * RUN and "characters cut" in text and "of the comments, number 200." not in text
    assert text.count("[A has this elsewhere]") == text.count("[B has this elsewhere]") == 1
    assert text.index("*Both*") < text.index("> Line 0 of") < text.index("number 399.")


def test_scores_by_hand(tmp_path):
    blind.write(tmp_path, [pair(n) for n in range(3)] + [pair(n, "second", "two") for n in range(3, 7)], 0)
    won = [("ours", "clearly", "teasers"), ("ours", "slightly", "teasers"), ("equal", "", "")]
    lost = [("theirs", "clearly", "caption"), ("theirs", "slightly", "other"), ("ours", "clearly", "caption")]
    by_peer = {"first": iter(won), "second": iter([*lost, ("", "", "")])}
    with (tmp_path / "verdicts.jsonl").open("w") as file:
        for row in key_of(tmp_path):
            better, how, error = next(by_peer[row["peer"]])
            letters = {"ours": row["ours"], "theirs": "AB"[row["ours"] == "A"]}
            verdict = {"verdict": letters.get(better, better), "how": how, "error": error}
            file.write(json.dumps({"number": row["number"], **verdict}) + "\n")
    tables = blind.score(tmp_path)
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in tables.splitlines() if line[:1] == "|"]
    rows = {name: " ".join(others) for name, *others in cells}
    assert tables.startswith("1 of 7 pairs are not read yet")
    assert rows["all"] == "6 3 2 2 1 1"
    assert rows["first"] == rows["one"] == "3 2 1 0 0 1"
    assert rows["second"] == rows["two"] == "3 1 1 2 1 0"
    assert rows["error of the loser"] == "ours first second"
    faults = {"teasers": "0 2 0", "caption": "1 0 1", "other": "1 0 0", "boilerplate": "0 0 0"}
    assert rows.items() >= faults.items()


GOOD = '{"number": 1, "verdict": "A", "how": "clearly", "error": "other"}\n'


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (GOOD, "not each number of the key once"),
        (GOOD + GOOD, "not each number of the key once"),
        (GOOD.replace('"A"', '"C"') + '{"number": 2}', "number 1: verdict 'C' is none of A, B, equal"),
        (GOOD + "{", "Expecting property name"),
    ],
)
def test_wrong_verdicts_are_one_line(tmp_path, monkeypatch, lines, message):
    blind.write(tmp_path, [pair(n) for n in range(2)], 0)
    (tmp_path / "verdicts.jsonl").write_text(lines)
    monkeypatch.setattr(sys, "argv", ["blind", "score", str(tmp_path)])
    with pytest.raises(SystemExit, match=message) as stopped:
        blind.main()
    assert "\n" not in str(stopped.value)
