"""Others' benchmarks are run from a folder, by their own scorers."""

import gzip
import json
import os
from pathlib import Path

import pytest

from tests.crawl.web import article, sentence
from tests.processes import run_python

SCORER = "import json, sys; print('scored', len(json.load(open('output/denoise_scrapy.json'))), *sys.argv[1:])"


@pytest.mark.parametrize(("name", "arguments"), [("zyte", ""), ("wcxb", " --snippets")])
def test_bodies_are_written_and_scored(tmp_path: Path, name: str, arguments: str) -> None:
    folder = tmp_path / "html"
    folder.mkdir()
    (folder / "0001.html").write_text(article(1), "utf-8")
    (folder / "0002.html.gz").write_bytes(gzip.compress(article(2).encode()))
    root = Path(__file__).parents[2]
    wrong = run_python(root, ["-m", "evaluation", name, str(tmp_path)])
    assert wrong.returncode == 2 and "has no evaluate.py" in wrong.stdout
    (tmp_path / "evaluate.py").write_text(SCORER, "utf-8")
    done = run_python(root, ["-m", "evaluation", name, str(tmp_path)])
    assert done.returncode == 0 and done.stdout.endswith(f"scored 2{arguments}\n"), done.stdout
    found = json.loads((tmp_path / "output" / "denoise_scrapy.json").read_text("utf-8"))
    assert all(sentence(number) in found[f"000{number}"]["articleBody"] for number in (1, 2))


PACKAGE = """
import json
import os
class BaseExtractor:
    def __init__(self, name):
        self._setup()
class ExtractionResult:
    def __init__(self, content):
        self.content = content
class DataLoader:
    load_jsonl = staticmethod(lambda path: [json.loads(line) for line in open(path)])
class Result:
    overall_metrics = {"overall": 0.5}
class Evaluator:
    def evaluate(self, rows, extractor):
        from webmainbench.config import LLM_CONFIG
        print([extractor._extract_content(row["html"], row["url"]).content for row in rows], LLM_CONFIG)
        return Result()
"""


def test_a_package_asks_for_markdown(tmp_path: Path) -> None:
    root, words = Path(__file__).parents[2], ["-m", "evaluation", "webmainbench", str(tmp_path)]
    wrong = run_python(root, words)
    assert wrong.returncode == 2 and "install the package webmainbench" in wrong.stdout
    package = tmp_path / "packages" / "webmainbench"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(PACKAGE, "utf-8")
    (package / "config.py").write_text("LLM_CONFIG = {'use_llm': True}", "utf-8")
    path = f"{package.parent}{os.pathsep}{root}"
    wrong = run_python(root, words, PYTHONPATH=path)
    assert wrong.returncode == 2 and "has no data" in wrong.stdout
    row = {"url": "http://a.example/1", "html": article(1)}
    (tmp_path / "WebMainBench_545.jsonl").write_text(json.dumps(row), "utf-8")
    done = run_python(root, words, PYTHONPATH=path)
    assert done.returncode == 0 and sentence(1) in done.stdout and "# Heading of 1" in done.stdout, done.stdout
    assert "{'use_llm': False}" in done.stdout
    assert done.stdout.endswith('WebMainBench_545.jsonl {"overall": 0.5}\n')
