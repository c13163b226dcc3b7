"""A user's typed files pass `mypy --strict` against the package as it is installed, and do what they say."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.api.typed_project import BY_HAND, SETTINGS, Stories
from tests.api.typed_use import share_an_index, use_all
from tests.crawl.crawling import crawl
from tests.crawl.web import Web, article
from tests.dedup.redis_server import RedisServer

HERE = Path(__file__).parent
FILES = ("typed_use.py", "typed_project.py")
WRONG = """\
from denoise_scrapy import extract

extract("", strategy=1)
extract("").text + 1
"""


def test_mypy_passes_and_sees_our_types(tmp_path: Path) -> None:
    """In a folder where it finds no configuration, and the package only as it is installed."""
    for name in FILES:
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")  # passes too where all is Any
    command = (sys.executable, "-m", "mypy", "--strict", "--config-file=", *FILES, "wrong.py")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line.partition(" error: ") for line in done.stdout.splitlines() if " error: " in line]
    assert [(place, said.split('"')[0]) for place, _, said in errors] == [
        ("wrong.py:3:", "Argument "),
        ("wrong.py:4:", "Unsupported operand types for + ("),
    ], done.stdout + done.stderr


def test_what_is_typed_runs(tmp_path: Path) -> None:
    use_all(tmp_path)


def test_a_shared_index(redis_server: RedisServer) -> None:
    with share_an_index(redis_server.url) as index:
        assert index.check("a", "text").of is None


def test_the_typed_project_crawls(web: Web) -> None:
    web.pages |= {"/1": article(1, ["/2"]), "/2": article(2)}
    crawled = crawl(Stories, SETTINGS, start_urls=[web("/1")])
    assert sorted(item.url for item in crawled.items) == [web("/1"), web("/2")]
    assert all(item.body and 0 < item.confidence <= 1 for item in crawled.items)


def test_its_components_can_be_listed_by_hand(web: Web) -> None:
    web.pages["/1"] = article(1)
    crawled = crawl(Stories, BY_HAND | {"ADDONS": {}}, start_urls=[web("/1")])
    assert [bool(item.body) for item in crawled.items] == [True]
