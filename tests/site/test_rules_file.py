"""The file of rules: read by people, pinned by people, never half written; and the rules of a site memory in print."""

import json
from pathlib import Path

import pytest

from denoise_scrapy.site import LearnedRule, RulesFile, SQLiteSiteStore, Unsaved
from denoise_scrapy.site.__main__ import main
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.rules import Rule
from tests.site.made_sites import page, truth

LEARNED = {"http://a.example:80": [LearnedRule(Rule.parse("#main"), 0.9, 4, 0.97, ("h1",), "ab12")]}


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "rules.json"
    RulesFile.read(path).write(LEARNED)
    assert RulesFile.read(path).pinned == {}
    text = path.read_text("utf-8").replace('"pinned": false', '"pinned": true')
    path.write_text(text, "utf-8")
    (rule,) = RulesFile.read(path).pinned["http://a.example:80"]
    assert str(rule) == str(LEARNED["http://a.example:80"][0]) + " (pinned)"


def test_a_pinned_rule_stays_as_it_is_and_is_not_learned_twice(tmp_path):
    path = tmp_path / "rules.json"
    pin = {"rule": "#main", "template": "ab12", "pinned": True, "why": "the first paragraph was lost"}
    path.write_text(json.dumps({"sites": {"http://a.example/": [pin, {"rule": "#old"}]}}), "utf-8")
    for _ in range(2):
        RulesFile.read(path).write(LEARNED)
    assert json.loads(path.read_text("utf-8"))["sites"] == {"http://a.example/": [pin]}


def test_a_file_that_cannot_be_written_stays(tmp_path, monkeypatch):
    path = tmp_path / "rules.json"
    RulesFile.read(path).write(LEARNED)
    before = path.read_text("utf-8")

    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space"):
        RulesFile.read(path).write({})
    assert [p.name for p in tmp_path.iterdir()] == ["rules.json"]
    assert path.read_text("utf-8") == before


def test_the_rules_of_a_site_memory_are_printed(tmp_path, capsys):
    template = LearnedTemplate(page(0).signature)
    for n in range(3):
        template = template.learn(page(n), truth(page(n)))
    store = SQLiteSiteStore(tmp_path / "sites.sqlite")
    store.open()
    assert len(list(store.save({"http://a.example:80": Unsaved((template,))}))) == 1
    store.close()
    assert main([str(tmp_path / "sites.sqlite")]) == 0
    assert capsys.readouterr().out == (
        f"http://a.example:80\n  {template.name}  #main: 100% of the votes, 3 pages, 96% content, "
        "without div.tools, h1  (http://a.example/news/2)\n"
    )
    assert main([str(tmp_path / "sites.sqlite"), "https://b.example/x"]) == 0
    assert main([str(tmp_path / "none.sqlite")]) == 1
    (tmp_path / "notes").write_text("notes")
    assert main([str(tmp_path / "notes")]) == 1
    assert "no SQLite database" in capsys.readouterr().err
