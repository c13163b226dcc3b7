"""No outside text moves the cursor, begins a line or changes the direction of writing in a log or a terminal."""

import json
import logging
import re
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import scrapy
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

import denoise_scrapy
from denoise_scrapy.commands import run
from denoise_scrapy.support.shown import logger_of, shown
from tests.crawl.crawling import crawl

HOSTILE = "key\x1b]0;owned\x07\x1b[2J\n2026-01-01 CRITICAL: all is lost\r\x9b31m\u202egpj.exe\u2028\x7f\x00\U000e0041"
STORY = "The river rose again on Tuesday, and by noon it was high. The old bridge was closed to all but walkers. " * 9
SOURCES = Path(denoise_scrapy.__file__).parent


def harmful(text: str) -> set[str]:
    return {char for char in text if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp", "Cs"} and char != "\n"}


@given(st.text())
def test_what_is_shown_is_one_line_and_says_the_same_in_json(text: str) -> None:
    assert not harmful(shown(text)) and "\n" not in shown(text)
    assert json.loads(shown(json.dumps(text, ensure_ascii=False))) == text
    assert len(shown(text, 7)) <= 7


def test_no_module_prints_or_logs_by_itself() -> None:
    for path in SOURCES.rglob("*.py"):
        name = path.relative_to(SOURCES).as_posix()
        code = "\n".join(line for line in path.read_text("utf-8").splitlines() if ">>>" not in line)
        if name != "support/shown.py":
            assert "getLogger(__name__)" not in code, name
        if name.startswith("commands/"):
            assert not re.search(r"(?<![\w.])print\(|sys\.std(out|err)\.write\(", code), name


def test_a_logger_shows_arguments_and_tracebacks(caplog: pytest.LogCaptureFixture) -> None:
    logger = logger_of("denoise_scrapy.of_a_test")
    assert logger_of("denoise_scrapy.of_a_test").filters == logger.filters
    assert len(logger.filters) == 1
    with caplog.at_level(logging.INFO):
        logger.info("%s %r %d %.2f", HOSTILE, ValueError(HOSTILE), 3, 0.5)
        logger.error("failed", exc_info=ValueError(HOSTILE))
    first, second = caplog.records
    assert "\n" not in first.getMessage() and not harmful(first.getMessage())
    assert first.getMessage().endswith(" 3 0.50")
    assert not harmful(caplog.text) and "ValueError: key\\u001b" in caplog.text and second.exc_text


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    class Keys(scrapy.Spider):
        name = "keys"

        async def start(self) -> Any:
            for number in range(3):
                yield {"url": f"{HOSTILE}{number}", "body": STORY}

    file = tmp_path_factory.mktemp("index") / "texts.sqlite"
    settings = {"DENOISE_DEDUP_STORE": str(file), "DENOISE_DEDUP_SCOPE": "global", "LOG_LEVEL": "INFO"}
    settings |= {"DENOISE_DEDUP_FIELDS": "body"}
    return file, crawl(Keys, settings)


def test_a_crawl_logs_no_control_character(index: tuple[Path, Any]) -> None:
    _, done = index
    assert len(done.dropped) == 2
    assert not harmful(done.log)
    assert "2026-01-01 CRITICAL" in done.log and "\n2026-01-01 CRITICAL" not in done.log
    assert all(not harmful(str(reason)) for _, reason in done.dropped)


@pytest.mark.parametrize(
    "line",
    [
        "dedup stats {store} --json",
        "dedup forget {store} {key}",
        "compare {file} {file}",
        "dedup run {rows} -o {out}",
        "dedup run {rows} --pairs",
        "dedup chunks {rows}",
        "site {key}",
        "explain {key}",
    ],
)
def test_no_command_prints_one(
    line: str, index: tuple[Path, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"store": "texts.sqlite", "rows": "rows.jsonl", "out": "out.jsonl"}
    names["file"] = f"{HOSTILE[:14]}\n.txt".replace("\0", "")
    places = {name: tmp_path / file for name, file in names.items()}
    shutil.copy(index[0], places["store"])  # some commands change it
    row = {"url": HOSTILE, "body": "some text of a row", "denoise": HOSTILE}
    places["rows"].write_text("".join(json.dumps(one) + "\n" for one in (row, row, {HOSTILE: 1}, HOSTILE)), "utf-8")
    places["file"].write_text(HOSTILE)
    capsys.readouterr()
    run([word.format(key=HOSTILE.replace("\0", ""), **places) for word in line.split()], Settings())
    said = "".join(capsys.readouterr())
    assert said and not harmful(said)
    assert "\n2026-01-01" not in said
