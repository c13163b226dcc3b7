"""`scrapy denoise …`: what it prints, what it returns, and that it harms nothing."""

import io
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from denoise_scrapy import __version__
from denoise_scrapy.commands import run
from denoise_scrapy.commands.judging import judge_words
from denoise_scrapy.commands.judging_patent import judge_characters
from denoise_scrapy.dedup import RULES, DuplicateIndex, Fingerprint, MemoryStore, SQLiteStore
from denoise_scrapy.dedup.fingerprint import Features
from denoise_scrapy.dedup.rules import judge
from denoise_scrapy.native import status
from tests.crawl.web import Reply, Web, article, story
from tests.dedup.redis_server import redis_server, shared_server

__all__ = ["redis_server", "shared_server"]  # fixtures

SCRAPY = [sys.executable, "-m", "scrapy", "denoise"]


@pytest.fixture
def news(here: Path) -> str:
    """An index of 12 texts."""
    with DuplicateIndex(store=SQLiteStore(here / "news.sqlite")) as index:
        for number in range(12):
            index.add(f"https://a.example/{number}", story(number, 3 + number))
    return "news.sqlite"


def call(*argv: str, **given: Any) -> int:
    return run(argv, Settings({"JOBDIR": None, **given}))


def scrapy(*argv: str, cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*SCRAPY, *argv], cwd=cwd, capture_output=True, encoding="utf-8", timeout=60, check=False, **more
    )
    assert "Traceback" not in done.stderr
    return done


class TestProcess:
    """A few for real, as a start of Scrapy takes most of a second."""

    def test_in_a_project_its_settings_name_the_store(self, here: Path, news: str) -> None:
        (here / "scrapy.cfg").write_text("[settings]\ndefault = conf\n")
        (here / "conf.py").write_text(
            f"DENOISE_DEDUP_STORE = {news!r}\nADDONS = {{'denoise_scrapy.DenoiseAddon': 500}}\n"
        )
        done = scrapy("dedup", "stats", "--json", cwd=here)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["texts"] == 12

    def test_help_is_that_of_the_subcommand(self, here: Path) -> None:
        done = scrapy("dedup", "forget", "-h", cwd=here)
        assert done.returncode == 0
        assert "--pattern" in done.stdout

    def test_outside_of_one_with_options_of_scrapy_anywhere(self, here: Path, news: str) -> None:
        done = scrapy("-s", "A=b", "dedup", "stats", "-L", "ERROR", news, "--json", "-s", "C=d", cwd=here)
        assert json.loads(done.stdout)["texts"] == 12

    def test_pages_of_the_web(self, here: Path, web: Web) -> None:
        web.pages["/a"] = article(1)
        web.pages["/moved"] = Reply(status=301, headers={"Location": "/a"})
        (here / "b.txt").write_text(story(1))
        done = scrapy("compare", web("/moved"), "b.txt", "--json", cwd=here)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["comparisons"][0]["duplicate"]
        assert web.asked == ["/moved", "/a"]

    def test_a_page_that_is_not_there_and_one_that_robots_txt_forbids(self, here: Path, web: Web) -> None:
        web.pages["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /secret", headers={"Content-Type": "text/plain"})
        web.pages["/secret"] = article(1)
        done = scrapy("-s", "ROBOTSTXT_OBEY=1", "compare", web("/none"), web("/secret"), cwd=here)
        assert done.returncode == 1
        assert f"{web('/none')}: status 404; {web('/secret')}: Forbidden by robots.txt\n" in done.stderr
        assert web.count("/secret") == 0


@pytest.fixture
def two(here: Path) -> Iterator[tuple[str, str]]:
    """A text, and most of it with a new beginning."""
    words = story(1, 8).split()
    (here / "a.txt").write_text(" ".join(words))
    (here / "b.txt").write_text("By our staff. " + " ".join(words[:100]))
    yield "a.txt", "b.txt"


SHORTER = st.lists(st.sampled_from("one two three four five six seven eight nine ten the of and".split()), max_size=60)


class TestCompare:
    def test_says_why(self, two: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
        assert call("compare", *two, "--threshold", "0.9") == 0
        out = capsys.readouterr().out
        assert "A is kept, B is new: B is a duplicate of A: c1 is .97; c2 is .97." in out
        assert "B is kept, A is new: A is no duplicate of B: c1 is .84; c2 is .69." in out
        assert "units of B that A lacks: staff\n" in out
        assert "runs of B that A lacks: by our staff " in out
        assert "MinHash bands in common" in out

    def test_for_machines(self, two: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
        assert call("compare", *two, "--json", "--rule", "near-copy") == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["rule"], found["threshold"], set(found["lengths"])) == ("near-copy", 0.6, {"A", "B"})
        assert [(one["new"], one["kept"]) for one in found["comparisons"]] == [("B", "A"), ("A", "B")]
        assert found["comparisons"][0]["c1"]["of"] == found["comparisons"][1]["c1"]["of"]

    def test_the_settings_choose_rule_and_threshold(
        self, two: tuple[str, str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        asked = {"DENOISE_DEDUP_RULE": "patent", "DENOISE_DEDUP_THRESHOLD": 0.9}
        assert call("compare", *two, **asked) == 0
        assert "rule patent, threshold .90" in capsys.readouterr().out
        assert call("compare", *two, "--rule", "part", **asked) == 0
        assert "rule part, threshold .60" in capsys.readouterr().out

    @given(SHORTER, SHORTER, st.sampled_from(["part", "near-copy", "patent"]), st.sampled_from([0.3, 0.7, 1.0]))
    def test_the_verdict_is_that_of_an_index(self, a: list[str], b: list[str], rule: str, threshold: float) -> None:
        kept, new = " ".join(a), " ".join(b)
        judged = judge_characters(new, kept, threshold) if rule == "patent" else judge_words(new, kept, rule, threshold)
        search = "tree"
        with DuplicateIndex(threshold, MemoryStore(), rule=rule, search=search) as index:
            index.add("kept", kept)
            verdict = index.check("new", new)
        assert judged.duplicate == verdict.duplicate

    @given(SHORTER, SHORTER, st.sampled_from([("part", False), ("near-copy", True)]))
    def test_the_counts_are_those_of_the_decision(self, a: list[str], b: list[str], by: tuple[str, bool]) -> None:
        kept, new = " ".join(a), " ".join(b)
        judged = judge_words(new, kept, by[0], 0.7)
        compared = judge(Features.read(new), [Fingerprint.of(kept)], 0.7, both=by[1])[0]
        if compared.c1 and not judged.same_words:
            assert judged.c2 is not None
            assert (judged.c1.value, judged.c2.value) == (compared.c1, compared.c2)

    def test_of_html_the_body_is_compared(
        self, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        Path("a.html").write_text(article(1))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(("<!-- x -->\n" + article(1)).encode())))
        assert call("compare", "a.html", "-") == 0
        assert "the same words in the same order" in capsys.readouterr().out
        Path("part.txt").write_text(f"<p>{story(1)}</p>")
        assert call("compare", "a.html", "part.txt", "--body", "--json") == 0
        found = json.loads(capsys.readouterr().out)
        assert "p" not in found["comparisons"][0]["lacking_units"]

    def test_empty_and_short_texts(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        Path("none.txt").touch()
        Path("few.txt").write_text("a few words")
        for rule in RULES:
            for pair in (("none.txt", "none.txt"), ("few.txt", "few.txt"), ("none.txt", "few.txt")):
                assert call("compare", *pair, "--rule", rule) == 0
                assert capsys.readouterr().out.count("too short to be judged") == 2

    @pytest.mark.parametrize("name", ["none.txt", ".", "data.bin"])
    def test_what_cannot_be_read(self, here: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        Path("data.bin").write_bytes(b"\x00\x01\x02")
        assert call("compare", name, name) == 1
        assert capsys.readouterr().err.startswith("scrapy denoise: ")

    @pytest.mark.parametrize("argv", [["-", "-"], ["file:///etc/hosts", "a"], ["ftp://a.example/x", "a"]])
    def test_wrong_usage(self, here: Path, argv: Sequence[str]) -> None:
        assert call("compare", *argv) == 2

    @pytest.mark.parametrize("argv", [["a"], ["a", "b", "--threshold", "0"], ["a", "b", "--rule", "x"]])
    def test_a_wrong_command_line(self, argv: Sequence[str]) -> None:
        with pytest.raises(SystemExit) as caught:
            call("compare", *argv)
        assert caught.value.code == 2


def test_version_tells_whether_the_accelerator_is_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("version", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["accelerator"] == status() and told["denoise_scrapy"] == __version__ and "lxml" in told
    assert call("version") == 0
    assert f"accelerator       : {status()}" in capsys.readouterr().out
