"""`scrapy denoise extract` and `python -m denoise_scrapy`: one page, one command."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from denoise_scrapy import extract
from denoise_scrapy.commands import run
from tests.crawl.web import Web, article, story


def call(*argv: str, **given: Any) -> int:
    return run(["extract", *argv], Settings(given))


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_each_format_is_what_the_library_gives(three: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    assert call("0.html", "--compare", "1.html", "2.html", "--format", form) == 0
    body = extract(article(0), comparison_pages=[article(1), article(2)])
    assert capsys.readouterr().out == getattr(body, form) + "\n"


def test_json_is_a_line(three: Path) -> None:
    assert call("0.html", "--format", "json", "-o", "0.json", DENOISE_STRATEGY="repetition") == 0
    lines = (three / "0.json").read_text("utf-8").splitlines()
    assert len(lines) == 1
    assert json.loads(lines[0])["text"] == extract(article(0), strategy="repetition").text


def test_a_module_for_those_without_a_project(three: Path, web: Web) -> None:
    web.pages["/0"] = article(0)
    for page, code in (("0.html", 0), (web("/0"), 0), (web("/none"), 1), ("none.html", 1), ("ftp://a.example/", 2)):
        command = [sys.executable, "-m", "denoise_scrapy", page]
        done = subprocess.run(command, capture_output=True, text=True, cwd=three, timeout=60, check=False)
        assert done.returncode == code
        assert story(0).split(".")[0] in done.stdout if code == 0 else done.stderr.startswith("scrapy denoise: ")
        assert "Traceback" not in done.stderr


def test_metadata_stands_before_the_text(three: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (three / "0.html").write_text(article(0).replace("<head>", "<head><meta name=author content='Ann Reed'>"), "utf-8")
    assert call("0.html", "--meta") == 0
    front, _, text = capsys.readouterr().out.removeprefix("---\n").partition("\n---\n\n")
    assert 'authors: ["Ann Reed"]' in front.splitlines()
    assert text == extract(three / "0.html").text + "\n"
    assert call("0.html", "--meta", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["meta"]["authors"] == ["Ann Reed"]
    assert call("0.html", "--meta", "--format", "html") == 2
