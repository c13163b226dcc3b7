"""Others' benchmarks are run from a folder, by their own scorers."""

import gzip
import json
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
