"""The library face: one call, a model, many pages in one call, and what is promised of them."""

import pickle
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import parsel
import pytest
import requests
from scrapy.http import HtmlResponse

from denoise_scrapy.body import STRATEGIES, SiteModel, extract, extract_pages
from denoise_scrapy.body.extraction import AHEAD, AHEAD_BYTES
from denoise_scrapy.page import Page
from denoise_scrapy.site import PageMemory
from evaluation.corpora import portal
from tests.crawl.web import story as prose

FRAME = (
    "<title>{0} wins - Daily Herald</title><body><div class=top>Daily Herald, founded long ago</div>{1}"
    "<div>Imprint and legal notice</div></body>"
)
PROSE = "<p>A paragraph of the {0} that goes on for some time, with commas, and with a full stop.</p>"
STORY = "<h1>{0} wins</h1><p>The {0} has won the prize, said the jury on Tuesday evening, and nobody was surprised.</p>"


def story(word: str) -> str:
    return FRAME.format(word, STORY.format(word))


def test_what_other_pages_say_too_is_left_out():
    body = extract(story("fox"), "http://a.example/fox", [story("owl"), story("cat").encode()])
    assert body.text.splitlines() == [
        "fox wins",
        "The fox has won the prize, said the jury on Tuesday evening, and nobody was surprised.",
    ]
    assert body.fallback == ""
    assert 0.5 < body.confidence <= 1


def test_extraction_is_a_pure_function_of_page_and_model():
    pages = [Page.parse(story(word), url=f"http://a.example/{word}") for word in ("fox", "owl", "cat", "dog")]
    model = SiteModel(pages[1:])
    first = model.extract(pages[0])
    for page in pages:
        model.extract(page)
    fresh = SiteModel([Page.parse(story(w), url=f"http://a.example/{w}") for w in ("owl", "cat", "dog")])
    assert model.extract(pages[0]).text == first.text == fresh.extract(pages[0]).text


@pytest.mark.parametrize("html", ["", "<body></body>", "<script>x</script>", b"\x00\xff"])
def test_empty_pages_have_empty_bodies(html):
    assert extract(html).text in ("", "\xff")  # a byte without a charset is read as browsers do


@pytest.mark.parametrize("strategy", sorted(STRATEGIES.keys() - {"style-tree", "framework", "block-filter"}))
def test_hidden_text_is_dropped_unless_it_is_the_page(strategy: str):
    def text(html: str) -> str:
        pages = [Page.parse(html.format(word, PROSE.format(word))) for word in ("ship", "train", "plane")]
        return SiteModel(pages[1:]).extract(pages[0], strategy=strategy).text

    assert "Secret" not in text("<body><div>{1}<p hidden>Secret {0}</p></div>")
    assert "paragraph of the ship" in text("<body><p>Loading</p><div hidden>{1}</div>")


TOLD = {"Content-Type": "text/html; charset=gbk"}
URL = "http://a.example/fox"


def requests_response(data: bytes, url: str) -> requests.Response:
    response = requests.Response()
    response.url, response._content = url, data
    response.headers = requests.structures.CaseInsensitiveDict(TOLD)
    return response


@pytest.mark.parametrize(
    "response",
    [
        lambda data, url: HtmlResponse(url, body=data, headers=TOLD),
        lambda data, url: HtmlResponse(url, body=data, encoding="gbk"),
        requests_response,
        lambda data, url: SimpleNamespace(url=url, content=data, headers=TOLD),  # as of httpx
    ],
)
def test_a_response_tells_its_address_and_its_encoding(response):
    page = story("fox").replace("Tuesday", "\u661f\u671f\u4e8c").replace("</h1>", "<a href=/b>b</a></h1>")
    whole = extract(page, URL, [story("owl")])
    assert "\u661f\u671f\u4e8c" in whole.text
    body = extract(response(page.encode("gbk"), URL), comparison_pages=[response(story("owl").encode(), URL + "2")])
    assert (body.text, body.html) == (whole.text, whole.html)
    assert extract(response(b"", URL)).text == ""


def test_a_path_is_read_and_a_parsed_page_taken(tmp_path: Path):
    (tmp_path / "fox.html").write_text(story("fox"), "utf-8")
    whole = extract(story("fox"), comparison_pages=[story("owl")]).text
    assert extract(tmp_path / "fox.html", comparison_pages=[story("owl")]).text == whole
    assert extract(Page.parse(story("fox")), comparison_pages=[story("owl")]).text == whole
    with pytest.raises(FileNotFoundError):
        extract(tmp_path / "none.html")


@pytest.mark.parametrize(
    "selector",
    [parsel.Selector(story("fox"), base_url=URL), HtmlResponse(URL, body=story("fox"), encoding="utf-8").selector],
)
def test_of_a_selector_the_element_is_read(selector: parsel.Selector) -> None:
    whole = extract(story("fox"), URL, [story("owl")])
    body = extract(selector, comparison_pages=[parsel.Selector(story("owl"))])
    assert (body.text, body.html, body.url, body.title) == (whole.text, whole.html, URL, whole.title)
    part = extract(selector.css("h1")[0], keep="//div | //h1")
    assert (part.text, part.url) == ("fox wins", URL)
    assert pickle.loads(pickle.dumps(part)).meta.title == "fox wins"
    assert [one.text for _, one in extract_pages(selector.css("h1"))] == ["fox wins"]


def test_an_address_may_be_no_text() -> None:
    body = extract(story("fox"), url="http://a.example/\ud800")
    assert body.selector.xpath("//h1/text()").getall() == ["fox wins"]


def test_a_selector_of_xml_is_read() -> None:
    assert extract(parsel.Selector("<r><p>Two foxes.</p></r>", type="xml")).text == "Two foxes."


@pytest.mark.parametrize(
    "selector",
    [
        parsel.Selector('{"a": 1}'),
        parsel.Selector("x", type="text"),
        *parsel.Selector("<!--x--><p>y").xpath("//p/text() | //comment()"),
        *parsel.Selector("<p>").xpath("count(//p)"),
    ],
)
def test_a_selector_of_no_element_is_refused(selector: parsel.Selector) -> None:
    with pytest.raises(TypeError, match="must select an element"):
        extract(selector)


def test_a_rendering_is_made_once_for_all_that_is_made_of_it() -> None:
    made = list[str]()
    body = replace(extract(story("fox")), make_rendering=lambda: made.append("rendering") or ())
    assert (body.markdown, body.html, body.chunks(), body.to_markdown(links="text")) == ("", "", [], "")
    assert made == ["rendering"]


def test_a_body_is_asked_for_its_links_and_images() -> None:
    source = (
        story("fox")
        .replace("nobody", "<a href=/n>nobody</a> <img src=/n.png alt=n>")
        .replace("Imprint", "<a href=/i>I</a>")
    )
    body = extract(source, URL, [story("owl").replace("Imprint", "<a href=/i>I</a>")])
    assert body.selector is body.selector
    assert body.selector.css("a::attr(href)").getall() == ["http://a.example/n"]
    assert body.selector.xpath("//img/@src").getall() == ["http://a.example/n.png"]
    assert body.selector.root.getroottree().docinfo.URL == URL
    assert pickle.loads(pickle.dumps(body)).selector.css("img")
    assert extract("").selector.css("*:not(html)").getall() == []


@pytest.mark.parametrize("wrong", [None, object()])
def test_what_is_no_page_is_refused(wrong):
    with pytest.raises(TypeError, match=type(wrong).__name__):
        extract(wrong)


@pytest.mark.parametrize("looked_at", [False, True])
@pytest.mark.parametrize("source", [story("fox"), "", "<p>x" * 20, "<b>" * 600 + story("fox")])
def test_a_body_is_pickled_with_all_it_has(source: str, looked_at: bool) -> None:
    body = extract(source, "http://a.example/fox", [story("owl")])
    if looked_at:
        assert body.meta.title == body.title
    back = pickle.loads(pickle.dumps(body))
    for name in ("text", "confidence", "strategy", "comparison", "fallback", "evidence", "blocks", "html", "markdown"):
        assert getattr(back, name) == getattr(body, name)
    assert back.probability.tolist() == body.probability.tolist()
    assert (back.title, asdict(back.meta), back.chunks()) == (body.title, asdict(body.meta), body.chunks())
    _, many = next(extract_pages([("http://a.example/fox", source)]))
    assert pickle.loads(pickle.dumps(many)).blocks == many.blocks
    model = SiteModel([Page.parse(story("owl"))])
    assert pickle.loads(pickle.dumps(model.extract(Page.parse(source)))).markdown == body.markdown


@pytest.mark.parametrize("strategy", ["combined", "lcs"])
@pytest.mark.parametrize("copied", [deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_pages_and_their_model_can_be_copied_and_sent_to_another_process(copied, strategy: str) -> None:
    model, page = SiteModel([Page.parse(story("owl"))]), Page.parse(story("fox"), remove="h1", keep="p")
    again = copied(model).extract(copied(page), strategy=strategy)
    assert again.text and again.blocks == model.extract(page, strategy=strategy).blocks


# ---- many pages in one call: their bodies in order, read no further ahead than said ----

IN_FRAME = "<body><div>Menu of the site, and its sections</div><p>{}</p><div>Imprint, and all rights</div>"


def made(count: int, host: str = "a.example") -> list[tuple[str, str]]:
    return [(f"http://{host}/{n}", IN_FRAME.format(prose(n, 3))) for n in range(count)]


def test_bodies_come_in_order_and_compared_from_the_first_on() -> None:
    pages = [*made(3), *made(40, "b.example")]
    told = list(extract_pages(pages))
    assert [url for url, _ in told] == [url for url, _ in pages]
    assert [len(body.comparison) for _, body in told[3:]] == [min(20, AHEAD + n) for n in range(40)]
    for (url, body), (_, html) in zip(told, pages, strict=True):
        assert body.text == html[len(IN_FRAME.partition("{}")[0]) :].partition("</p>")[0], url
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
    with pytest.raises(ValueError, match="did you mean lcs"):
        list(extract_pages(made(1), strategy="lsc"))
    with pytest.raises(TypeError, match="a page must be HTML, a path, a selector or a response, got"):
        list(extract_pages([("http://a.example/", None)]))  # type: ignore[list-item]
    for way in (lambda: extract("<p>A", comparison_pages="<p>B"), lambda: list(extract_pages("<p>A"))):
        with pytest.raises(TypeError, match="must be a list of pages, got one text"):
            way()
    selectors = list(extract_pages(made(2), remove=iter(["p"])))
    assert all("Menu" in body.text or not body.text or body.fallback for _, body in selectors)


ADDRESSES = ["https://a.example/7?x=1", " http://a.example/ä\n", "site/page.xhtml", "C:\\site\\7.HTM.gz"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_in_place_of_a_page_is_told(address: str) -> None:
    ways: list[Callable[[], object]] = [
        lambda: extract(address),
        lambda: extract("<p>A ferry.", comparison_pages=[address]),
        lambda: list(extract_pages([address])),
        lambda: list(extract_pages({address: "<p>A ferry."})),
    ]
    for way in ways:
        with pytest.warns(UserWarning, match="is read as HTML"):
            way()


@pytest.mark.parametrize("page", ["", "Fog.", "<p>http://a.example/", "See http://a.example/7.html", "a.html\nb.html"])
def test_a_text_that_is_no_address_is_a_page(page: str, recwarn: pytest.WarningsRecorder) -> None:
    extract(page)
    assert not recwarn


def test_what_a_notebook_shows_of_a_body_is_its_text() -> None:
    body = extract("<p>It rained all night.</p>" + "<script>;</script>" * 1000, "http://a.example/")
    assert repr(body) == f"Body('It rained all night.', confidence={body.confidence:.2f}, evidence='page alone')"
    assert len(repr(extract("<p>" + "It rained all night. " * 99))) < 99


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
