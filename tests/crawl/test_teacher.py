"""DENOISE_TEACHER: a function of the project gives the right text of a page, once per template, and costs no item."""

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from denoise_scrapy.body.example_files import SAID
from denoise_scrapy.crawl import asking, teacher
from denoise_scrapy.exceptions import ConfigurationError
from tests.body.test_examples import page
from tests.crawl import teachers
from tests.crawl.crawling import Crawl, crawl, spider_of
from tests.crawl.web import Reply, Web
from tests.docs.pages import DOCS, blocks_of

PATH = "tests.crawl.teachers."
FACT = re.compile(r"Fact \d of")


@pytest.fixture(autouse=True)
def _every_page_is_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teacher, "DOUBTED", 1.1)
    teachers.ASKED.clear()


def crawled(web: Web, function: str, paths: list[str] | None = None, **settings: Any) -> Crawl:
    stories = {f"/a/{number}": page(number) for number in range(8)}
    web.pages |= stories
    given = {"DENOISE_TEACHER": PATH + function, "DENOISE_DEDUP": "off", "DENOISE_COMPARISON_WAIT": 0.05, **settings}
    return crawl(spider_of(*map(web, paths or stories)), given)


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("function", ["told", "told_later", "selectors"])
def test_one_page_is_asked_about_and_all_are_taught(web: Web, function: str, workers: int) -> None:
    done = crawled(web, function, DENOISE_WORKERS=workers)
    assert len(done.items) == 8 and len(teachers.ASKED) == 1
    assert not any(FACT.search(item["body"]) for item in done.items)
    assert [done.stat(f"teacher/{name}") for name in ("asked", "used", "none", "refused", "failed")] == [1, 1, 0, 0, 0]
    [asked] = teachers.ASKED
    assert asked.url.startswith(web.url) and asked.html == page(int(asked.url[-1])) and FACT.search(asked.text)
    assert 0 <= asked.confidence <= 1
    assert done.stat("examples/taught") >= 7 and not done.lines(" ERROR ")
    [said] = done.lines(" WARNING ")
    assert "kept for this crawl only" in said


def test_each_template_is_asked_about_once(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    other = "<title>x</title><header><ul><li>a<li>b</ul></header><main><section><ol><li>{}</ol></section></main>"
    web.pages |= {f"/b/{number}": other.format(page(number)[90:190]) for number in range(3)}
    done = crawled(web, "nothing", [*(f"/a/{number}" for number in range(3)), *(f"/b/{number}" for number in range(3))])
    assert len(done.items) == 6 and done.stat("teacher/asked") == done.stat("teacher/none") == 2
    assert {asked.url[-3] for asked in teachers.ASKED} == {"a", "b"}
    teachers.ASKED.clear()
    monkeypatch.setattr(teacher, "MOST_ASKED", 1)
    done = crawled(web, "nothing", ["/a/1", "/b/1"])
    assert len(done.items) == 2 and len(teachers.ASKED) == done.stat("teacher/over_budget") == 1


@pytest.mark.parametrize(
    "more", [{}, {"DENOISE_FALLBACK": "tests.crawl.fallbacks.nothing", "DENOISE_FALLBACK_BELOW": 1}]
)
def test_only_pages_in_doubt_are_asked_about(web: Web, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]) -> None:
    monkeypatch.setattr(teacher, "DOUBTED", 0.01)
    done = crawled(web, "told", **more)
    assert len(done.items) == 8 and done.stat("teacher/asked") == 0


@pytest.mark.parametrize(
    ("function", "stat", "said"),
    [
        ("made_up", "refused", "is refused: it is not the page's own text"),
        ("no_place", "refused", "is refused: its selectors find nothing"),
        ("invalid", "refused", "is refused: "),
        ("number", "failed", "returned int, not str, a list of str, or None"),
        ("broken", "failed", "no model today"),
        ("exits", "failed", "SystemExit"),
        ("sleeps", "slow", "DENOISE_TEACHER took more than 0.2 seconds"),
    ],
)
def test_what_goes_wrong_costs_no_item(
    web: Web, function: str, stat: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "LONGEST_WAIT", 0.2)
    done = crawled(web, function)
    assert len(done.items) == 8 and all("line 3" in item["body"] for item in done.items)
    assert done.stat("teacher/asked") == done.stat(f"teacher/{stat}") == 1 and done.stat("teacher/used") == 0
    assert said in "".join(done.lines(" WARNING ")) and not done.lines(" ERROR ")


@pytest.mark.parametrize("function", ["told", "nothing", "made_up"])
def test_the_next_crawl_asks_for_no_template_again(web: Web, tmp_path: Path, function: str) -> None:
    (tmp_path / "mine").mkdir()
    for settings, folder in (
        ({"DENOISE_EXAMPLES": str(tmp_path / "mine")}, "mine"),
        ({"DENOISE_SITE_MEMORY_PATH": str(tmp_path / "sites.sqlite")}, teacher.FOLDER),
    ):
        teachers.ASKED.clear()
        for _ in range(2):
            done = crawled(web, function, **settings)
            assert len(done.items) == 8 and len(teachers.ASKED) == 1
            assert any(FACT.search(item["body"]) for item in done.items) == (function != "told")
            assert "kept for this crawl only" not in done.log
        stored = [*(tmp_path / folder).rglob(SAID)]
        assert len(stored) == (function == "told")
        if function != "told":
            [line] = (tmp_path / folder / teacher.ASKED).read_text().splitlines()
            assert json.loads(line)["site"] == f"{web.url}"
    (tmp_path / "mine" / teacher.ASKED).write_text("{\n[]\n" + json.dumps({"site": 1, "template": "x"}))
    teachers.ASKED.clear()
    crawled(web, "nothing", DENOISE_EXAMPLES=str(tmp_path / "mine"))
    assert len(teachers.ASKED) == (function != "told")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"DENOISE_TEACHER": f"{PATH}tol"}, "has no attribute 'tol'; did you mean told?"),
        ({"DENOISE_TEACHER": "nowhere.at_all"}, "No module named 'nowhere'"),
        ({"DENOISE_TEACHERS": "x.y"}, "no such setting; did you mean DENOISE_TEACHER?"),
        ({"DENOISE_TEACHER_CALLS": 9}, "DENOISE_TEACHER_CALLS = 9: no such setting; did you mean DENOISE_TEACHER?"),
    ],
)
def test_a_wrong_setting_stops_the_crawl_at_its_start(web: Web, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        crawl(spider_of(web("/")), settings)
    assert web.asked == []


def model(_: Web, handler: Any) -> None:
    """A stand-in for a language model behind an HTTP API."""
    asked = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
    blocks = asked["messages"][-1]["content"].split("\n")
    chosen = [int(line.split(":")[0]) for line in blocks if re.match(r"\d+: (Story|.* number \d line)", line)]
    reply = {"choices": [{"message": {"content": json.dumps(chosen)}}]}
    data = json.dumps(reply).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def test_the_recipe_of_the_docs_asks_a_model(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    [block] = [block.text for block in blocks_of(DOCS / "teaching.md") if "def by_model(" in block.text]
    module = ModuleType("newsroom")
    exec(block, vars(module))
    monkeypatch.setitem(__import__("sys").modules, "newsroom", module)
    vars(module)["SERVER"], web.pages["/chat"] = web("/chat"), model
    done = crawled(web, "", DENOISE_TEACHER="newsroom.by_model")
    assert done.stat("teacher/used") == 1 and web.asked.count("/chat") == 1
    assert not any(FACT.search(item["body"]) for item in done.items)
    web.pages["/chat"] = Reply(b"no model", 500)
    done = crawled(web, "", DENOISE_TEACHER="newsroom.by_model")
    assert len(done.items) == 8 and done.stat("teacher/failed") == 1
