"""The site of the docs: built without warnings, complete, self-contained, shows what we wrote."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from docs.site_hook import on_page_markdown
from tests.docs.pages import DOCS, ROOT
from tests.rendered.browser import chromium_options

# Modules of which the reference lists all that is public.
PUBLIC = (
    "denoise_scrapy",
    "denoise_scrapy.archive",
    "denoise_scrapy.body",
    "denoise_scrapy.dedup",
    "denoise_scrapy.llm.loaders",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site. A warning, as of a page that is not in the navigation, ends the build."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True)
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
    return folder


def tree(path: Path) -> Any:
    return html.parse(str(path)).getroot()


def test_the_start_page_has_the_way_of_the_readme(site: Path) -> None:
    """That way is gone from the wheel to the items by tests/package/new_user.py."""
    start = tree(site / "index.html").text_content()
    assert "scrapy startproject courier" in start and "class StoriesSpider" in start
    assert "../README.md" not in start


def test_nothing_is_loaded_from_other_servers(site: Path) -> None:
    for path in site.rglob("*.html"):
        page = tree(path)
        loaded = page.xpath("//@src | //link[not(@rel='canonical')]/@href | //form/@action | //@srcset")
        assert [address for address in loaded if re.match(r"(https?:)?//", address)] == [], path
        assert not page.xpath("//*[contains(@class, 'mermaid')]"), path  # a script of another server would draw it
    styles = [path for path in site.rglob("*.css") if re.search(r"url\(['\"]?(https?:)?//", path.read_text("utf-8"))]
    assert [*styles, *site.rglob("*.py")] == []


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    options = chromium_options()
    with pytest.importorskip("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(**options)
        yield browser
        browser.close()


def test_search_works_from_the_file_system(site: Path, browser: Any) -> None:
    view = browser.new_page()
    view.goto((site / "strategies.html").as_uri())
    view.click("input.md-search__input")
    view.keyboard.type("MinHash", delay=20)
    view.wait_for_selector(".md-search-result__link[href*='dedup.html']", state="attached")


# Names in first columns, and figures, that are broken into lines; and the pixels by which a page is too wide.
BROKEN = """
() => {
  const cells = [...document.querySelectorAll("td:first-child > code, td[style*=right]")]
  const lines = cell => {
    const range = document.createRange()
    range.selectNodeContents(cell)
    return new Set([...range.getClientRects()].map(box => Math.round(box.top / 4))).size
  }
  const broken = cells.filter(cell => !cell.textContent.includes(" ") && lines(cell) > 1)
  return [cells.length, broken.map(cell => cell.textContent), document.documentElement.scrollWidth - innerWidth]
}
"""


@pytest.mark.parametrize("page", ["settings", "stats", "figures", "api/bodies"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_name_and_no_figure_is_broken_into_lines(site: Path, browser: Any, page: str, width: int) -> None:
    view = browser.new_page(viewport={"width": width, "height": 900})
    view.goto((site / f"{page}.html").as_uri())
    cells, broken, wider = view.evaluate(BROKEN)
    assert cells > 10
    assert (broken, wider) == ([], 0)


def test_the_reference_lists_all_that_is_public_and_begins_with_its_names(site: Path) -> None:
    pages = list(map(tree, (site / "api").glob("*.html")))
    words = set(re.findall(r"\w+", " ".join(page.text_content() for page in pages)))
    public = {name for module in PUBLIC for name in importlib.import_module(module).__all__}
    assert public - words - {"__version__", "DenoiseAddon"} == set()
    listed = re.findall(r"`(\w+)`", (DOCS / "api.md").read_text("utf-8"))
    for page in pages:
        headings = page.xpath("//h2[@class='doc doc-heading']/span[contains(@class, 'doc-object-name')]/text()")
        assert headings and set(headings) <= set(listed)


def test_a_list_may_follow_a_line_at_once() -> None:
    text = "Where to:\n- one\n  more of it\n- two\n\n```\nno list:\n- here\n```\n1. first\n2. second\nend"
    assert on_page_markdown(text) == text.replace("to:\n-", "to:\n\n-").replace("```\n1.", "```\n\n1.")
