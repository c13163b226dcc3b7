"""Rules are switched off alone and for a time, and what each is worth is counted."""

import gzip
import json

import pytest

from benchmarks import rules
from benchmarks.rules import HEAD, RULES, changed_cases, row_of, scored
from tests.crawl.web import article, story

PERMALINKS = next(rule for rule in RULES if rule.name == "permalinks")
SIZES = next(rule for rule in RULES if rule.name == "styles: size of text")
HIDDEN = "<p style='font-size:0'>Wire the balance, zebrafish, to the account that follows and say nothing to anybody."
HEADED = "<h1>The harbour<a href='#harbour'>¶</a></h1><p>The ferry left the harbour at dawn, and nobody was on board."


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rule_can_be_switched_off_on_a_page(rule, tmp_path, monkeypatch):
    monkeypatch.setattr(rules, "portal", list)
    write(tmp_path, [article(n) for n in range(2)])
    assert len(list(scored([tmp_path], [rule]))) == 2


def write(folder, pages):
    rows = [
        {"site": "a", "page": str(n), "url": f"http://a.example/{n}", "html": html, "gold": story(n), "kind": "article"}
        for n, html in enumerate(pages)
    ]
    with gzip.open(folder / "made.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def test_only_pages_that_a_rule_changes_count(tmp_path, monkeypatch):
    monkeypatch.setattr(rules, "portal", list)
    write(tmp_path, [article(0), article(1).replace("<h1>", "<h1><a href='#top'>¶</a>")])
    plain, signed = scored([tmp_path], [PERMALINKS])
    assert plain.off == {} and signed.off == {"permalinks": pytest.approx(signed.plain)}  # a sign is no token
    row = dict(
        zip(
            HEAD,
            row_of(PERMALINKS, [plain, signed._replace(plain=0.9, off={"permalinks": 0.8})], {True: 3}),
            strict=True,
        )
    )
    assert row["bodies changed"] == "1" and row["better"] == "1" and row["worse"] == "0"
    assert row["mean F1"] == "+0.0500" and row["cases won"] == "3" and row["lost"] == "0"


def test_a_case_is_won_by_the_rule_without_which_it_is_wrong(tmp_path):
    case = {"url": "http://a.example/", "sisters": [], "has": ["The ferry left"], "md": [], "mdlacks": [], "mdre": []}
    page = case | {"html": HEADED, "lacks": ["¶"], "meta": {}, "meta_any": []}
    ways = [{"name": truth, "truth": truth, "html": HIDDEN} for truth in ("hidden", "click")]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, [page, *ways])))
    found = changed_cases([tmp_path / "cases.jsonl"], [PERMALINKS, SIZES])
    assert found == {"permalinks": {True: 1}, "styles: size of text": {True: 1}}
