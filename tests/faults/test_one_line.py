"""A mistake that prevents a crawl from starting is reported in one line, without a traceback, and the process fails."""

import json
from importlib.metadata import requires
from pathlib import Path
from unittest.mock import Mock

import pytest
from packaging.requirements import Requirement

from denoise_scrapy.crawl import OLDEST_SCRAPY, parts
from denoise_scrapy.exceptions import ConfigurationError
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web, article
from tests.processes import ROOT, crawl_page, run_python

NOBODY = "redis://127.0.0.1:9/0"


def lines_of(folder: Path, page: str, *options: str, more: str = "", before: str = "") -> tuple[int, list[str]]:
    """Crawl; the exit code, and all that was written from WARNING on."""
    done = crawl_page(folder, page, "-L", "WARNING", *options, more=more, before=before, PYTHONWARNINGS="ignore")
    return done.returncode, done.stdout.splitlines()


OLDER = """
import sys, scrapy
scrapy.version_info, scrapy.__version__ = (2, 13, 3), "2.13.3"
for name in [one for one in sys.modules if one.startswith(("denoise_scrapy.crawl", "denoise_scrapy.addon"))]:
    del sys.modules[name]  # they look at it when they are imported
"""


NO_FOLDER, NO_STORE = "its folder does not exist; create it", "this is no SQLite database, and"
FILES = [
    ({"DENOISE_DEDUP_STORE": "no/texts.sqlite"}, f"by DENOISE_DEDUP_STORE = 'no/texts.sqlite': {NO_FOLDER}"),
    ({"DENOISE_SITE_MEMORY_PATH": "no/s.sqlite"}, f"site memory no/s.sqlite: {NO_FOLDER}"),
    ({"DENOISE_DEDUP_STORE": "pages.py"}, f"index of texts pages.py: {NO_STORE} an index of"),
    ({"DENOISE_SITE_MEMORY_PATH": "pages.py"}, f"site memory pages.py: {NO_STORE} a site mem"),
]
ADDON = f"ADDONS={json.dumps({'denoise_scrapy.DenoiseAddon': 500})}"


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("DENOISE_DEDUP_STORE=pages.py", f"index of texts pages.py: {NO_STORE} an index of"),
        ("DENOISE_STRATEGI=lcs", "DENOISE_STRATEGI = 'lcs': no such setting; did you mean DENOISE_STRATEGY?"),
        ("LOG_SHORT_NAMES=0", "DENOISE_DEDUP = 'dorp': valid is drop"),
        ("DENOISE_DEDUP=dorp", "DENOISE_DEDUP = 'dorp': valid is drop"),
        (ADDON, "needs Scrapy 2.14 or later, and this is 2.13.3"),
    ],
)
def test_a_crawl_that_does_not_start(page: str, web: Web, tmp_path: Path, setting: str, said: str) -> None:
    before, more = OLDER if setting == ADDON else "", '"DENOISE_DEDUP": "dorp"' if "LOG" in setting else ""
    project = ("-s", ADDON) if setting == "DENOISE_DEDUP=dorp" else ()  # read before there is a crawler
    code, lines = lines_of(tmp_path, page, "-s", setting, *project, more=more, before=before)
    assert code == 1
    assert len(lines) == 1
    assert said in lines[0] and ("CRITICAL: The crawl does not start: " in lines[0] or before or project)
    assert web.asked == []


@pytest.mark.parametrize(("settings", "said"), FILES)
def test_files_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pages.py").write_text(" " * 5000, "utf-8")
    with pytest.raises(ConfigurationError) as refused:
        crawl(spider_of("http://127.0.0.1:9/"), settings)
    assert said in str(refused.value)


def test_a_server_that_is_not_there(page: str, tmp_path: Path) -> None:
    """The site memory is left alone with a warning; the index is not."""
    code, lines = lines_of(tmp_path, page, "-s", f"DENOISE_DEDUP_STORE={NOBODY}")
    assert code == 1
    assert [line.split()[3] for line in lines] == ["WARNING:", "CRITICAL:"]
    assert f"The crawl does not start: the index of texts {NOBODY}: Error " in lines[1]
    assert lines[1].count(NOBODY) == 1
    assert lines[1].endswith(" (DENOISE_DEDUP_REQUIRED = False starts the crawl without it)")


@pytest.mark.parametrize("engine", [None, object()])
def test_a_crawler_that_is_refused_before_its_engine_has_no_spider(
    monkeypatch: pytest.MonkeyPatch, engine: object | None
) -> None:
    """Scrapy 2.14 recognises the failure only by this."""
    monkeypatch.setattr(parts, "hide_tracebacks", lambda: None)
    crawler = Mock(engine=engine)
    with pytest.raises(ConfigurationError), parts.refusing_to_start(crawler):
        raise ConfigurationError("no")
    assert (crawler.spider is None) == (engine is None)


def test_a_reactor_that_is_not_asyncio_fetches_nothing_and_says_so(page: str, web: Web, tmp_path: Path) -> None:
    web.pages["/1"] = article(1, ["/2", "/3"])
    reactor = ("TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor", "FORCE_CRAWLER_PROCESS=True")
    code, lines = lines_of(tmp_path, page, "-s", reactor[0], "-s", reactor[1], "-o", "items.jsonl")
    assert (code, web.asked) == (0, ["/1"])
    assert sum("the reactor is not an asyncio one" in line for line in lines) == 1
    assert json.loads((tmp_path / "items.jsonl").read_text("utf-8"))["body"]


def test_what_others_fail_with_is_shown_as_ever(page: str, tmp_path: Path) -> None:
    code, lines = lines_of(tmp_path, page, more='"ITEM_PIPELINES": {"pages.Missing": 1}')
    assert code == 1
    assert any("Traceback" in line for line in lines)


def test_the_oldest_scrapy_is_that_of_the_package() -> None:
    [needed] = [one for one in map(Requirement, requires("denoise-scrapy") or ()) if one.name == "scrapy"]
    assert str(needed.specifier) == ">=" + ".".join(map(str, OLDEST_SCRAPY))


def test_a_port_that_is_taken(web: Web) -> None:
    port = web.url.rpartition(":")[2].rstrip("/")
    done = run_python(ROOT, ["-m", "example_project.portal", "--port", port])
    assert done.returncode == 1
    assert done.stdout.startswith(f"python -m example_project.portal: port {port}: ") and done.stdout.count("\n") == 1
