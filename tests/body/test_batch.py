"""Many pages in one call: the bodies that pages of their site give, in order, read no further ahead than said."""

from pathlib import Path

import pytest
from scrapy.http import HtmlResponse

from denoise_scrapy import extract, extract_pages
from denoise_scrapy.body.extraction import AHEAD, AHEAD_BYTES
from denoise_scrapy.page import Page
from denoise_scrapy.site import PageMemory
from evaluation.corpora import portal
from tests.crawl.web import story

FRAME = "<body><div>Menu of the site, and its sections</div><p>{}</p><div>Imprint, and all rights</div>"


def made(count: int, host: str = "a.example") -> list[tuple[str, str]]:
    return [(f"http://{host}/{n}", FRAME.format(story(n, 3))) for n in range(count)]


def test_bodies_come_in_order_and_compared_from_the_first_on() -> None:
    pages = [*made(3), *made(40, "b.example")]
    told = list(extract_pages(pages))
    assert [url for url, _ in told] == [url for url, _ in pages]
    assert [len(body.comparison) for _, body in told[3:]] == [min(20, AHEAD + n) for n in range(40)]
    for (url, body), (_, html) in zip(told, pages, strict=True):
        assert body.text == html[len(FRAME.partition("{}")[0]) :].partition("</p>")[0], url
        assert url not in body.comparison
        assert all(other.startswith(url[:16]) for other in body.comparison)


@pytest.mark.parametrize(("more", "ahead"), [("", AHEAD), (f"<!--{'x' * AHEAD_BYTES}-->", 1)], ids=["small", "large"])
def test_pages_are_read_a_little_ahead_only(more: str, ahead: int) -> None:
    read = []

    def pages():
        for url, html in made(AHEAD + 3 if ahead > 1 else 6):
            read.append(url)
            yield url, html + more

    bodies = extract_pages(pages())
    assert read == []
    for given in (1, 2):
        assert next(bodies)[1].evidence == "comparison pages"
        assert len(read) == ahead + given


def test_what_is_read_of_a_body_at_once_is_not_computed_anew() -> None:
    """Nor do the columns of the pages that are remembered come back by it."""
    pages = []

    def remember(self: PageMemory, page: Page) -> None:
        pages.append(page)
        remembered(self, page)

    remembered = PageMemory.remember
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PageMemory, "remember", remember)
        for _, body in extract_pages(made(3)):
            assert body.title is not None and body.markdown
    assert len(pages) == 3 and not any({"elements", "blocks"} & set(page.__dict__) for page in pages)


def test_alone_it_is_as_extract() -> None:
    page = portal()[0]
    alone = extract(page.html, page.url)
    assert [(url, body.text) for url, body in extract_pages([(page.url, page.html)])] == [(page.url, alone.text)]
    assert [body.comparison for _, body in extract_pages(made(4), comparison_pages=0)] == [()] * 4
    for strategy in ("lcs", "repetition"):
        found = {(body.strategy, body.evidence) for _, body in extract_pages(made(4), strategy=strategy)}
        assert found == {(strategy, "comparison pages")}


def test_no_page_gives_no_body_and_what_is_wrong_is_told() -> None:
    assert list(extract_pages([])) == []
    with pytest.raises(ValueError, match="did you mean 'lcs'"):
        list(extract_pages(made(1), strategy="lsc"))
    with pytest.raises(TypeError, match="a page is HTML, a path or a response, not"):
        list(extract_pages([("http://a.example/", None)]))  # type: ignore[list-item]
    selectors = list(extract_pages(made(2), remove=iter(["p"])))
    assert all("Menu" in body.text or not body.text or body.fallback for _, body in selectors)


def test_pages_are_what_extract_takes(tmp_path: Path) -> None:
    pages = made(4)
    expected = [body.text for _, body in extract_pages(pages)]
    for number, (_, html) in enumerate(pages):
        (tmp_path / f"{number}.html").write_text(html, "utf-8")
    paths = sorted(tmp_path.iterdir())
    answers = [HtmlResponse(url, body=html, encoding="utf-8") for url, html in pages]
    parsed = [Page.parse(html, url=url) for url, html in pages]
    for given in (paths, [html for _, html in pages], answers, parsed, [(None, path) for path in paths]):
        found = list(extract_pages(given))
        assert [body.text for _, body in found] == expected
        assert {body.evidence for _, body in found} == {"comparison pages"}
    assert [name for name, _ in extract_pages(paths)] == [str(path) for path in paths]
    assert [name for name, _ in extract_pages(answers)] == [url for url, _ in pages]
    assert [body.comparison for _, body in extract_pages(paths)] == [()] * 4
