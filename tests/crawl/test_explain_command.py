"""`scrapy denoise explain`: what it writes and prints, from files, standard input and the web."""

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from denoise_scrapy.commands import run
from tests.crawl.test_commands import scrapy
from tests.crawl.web import Web, article, story


def call(*argv: str, **given: Any) -> int:
    return run(["explain", *argv], Settings(given))


def test_writes_a_file_and_prints_a_table(three: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("0.html", "--compare", "1.html", "--compare", "2.html", "0.html") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("0.html: ")
    assert lines[1:3] == ["compared with 2 of 3 pages", "  0.html: left out: it is the page itself or a copy of it"]
    assert [line.split()[0] for line in lines[3:]] == ["blocks", "kept", "template", "low", "hidden", "written"]
    assert lines[-1] == "written to 0-explained.html"
    assert story(0).split(".")[0] in (three / "0-explained.html").read_text("utf-8")


def test_alone_to_a_named_file_and_to_standard_output(
    three: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("0.html", "-o", "x.html") == 0
    assert b"judged alone\n" in capsysbinary.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((three / "0.html").read_bytes())))
    assert call("-", "--output", "-") == 0
    written = capsysbinary.readouterr().out
    assert written == (three / "x.html").read_bytes().replace(b"0.html", b"-")


def test_the_settings_of_the_project_hold(three: Path) -> None:
    assert call("0.html", DENOISE_STRATEGY="repetition", DENOISE_REMOVE=["p"]) == 0
    written = (three / "0-explained.html").read_text("utf-8")
    assert "<dd>repetition</dd>" in written
    assert call("0.html", "--strategy", "block-filter", DENOISE_STRATEGY="repetition") == 0
    assert "<dd>block-filter</dd>" in (three / "0-explained.html").read_text("utf-8")


def test_what_is_wrong_is_said_and_nothing_written(three: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for code, argv in ((1, ["none.html"]), (2, ["-", "--compare", "-"]), (2, ["ftp://a.example/"])):
        assert call(*argv) == code
        assert capsys.readouterr().err.startswith("scrapy denoise: ")
    assert not list(three.glob("*-explained.html"))


def test_pages_of_the_web(three: Path, web: Web) -> None:
    web.pages |= {"/a": article(1), "/b": article(2)}
    done = scrapy("explain", web("/a"), "--compare", web("/b"), "0.html", cwd=three)
    assert done.returncode == 0, done.stderr
    assert "compared with 2 of 2 pages\n" in done.stdout
    assert done.stdout.endswith("written to 127.0.0.1-explained.html\n")
    assert web("/b") in (three / "127.0.0.1-explained.html").read_text("utf-8")
    assert sorted(web.asked) == ["/a", "/b"]
