"""Examples: one page with its right text tells what belongs to the text in the same places of other pages."""

import numpy as np
import pytest

from denoise_scrapy import Example, extract
from denoise_scrapy.body.example_files import PAGE, SAID, examples_of, read_examples, write_example
from denoise_scrapy.body.examples import MOST_EXAMPLES, Lesson, Places, _moves, lesson_of
from tests.crawl.conftest import _reactor, told, web
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web, story

__all__ = ["_reactor", "told", "web"]

SITE = "http://a.example/"


def page(number: int, more: str = "") -> str:
    """A page whose box of facts a reader may want or not."""
    paragraphs = "".join(f"<p>{one}.</p>" for one in story(number).rstrip(".").split(". "))
    told = story(number + 100).split(". ")[:3]
    facts = "".join(f"<li>Fact {n} of {number}: {one}.</li>" for n, one in enumerate(told))
    return (
        f"<title>Story {number} | Herald</title><nav><a href=/>Home</a> <a href=/world>World</a></nav>"
        f"<article class='story css-{number}x'><h1>Story {number}</h1><div class=body>{paragraphs}</div>"
        f"<ul class=facts>{facts}</ul></article>{more}<footer>All rights reserved</footer>"
    )


def text_of(number: int) -> str:
    return f"Story {number}\n" + story(number).replace(". ", ".\n")


FACT = "Fact 1 of 8"
OTHERS = [page(number) for number in range(3, 7)]


GIVEN = [Example(page(1), text_of(1)), Example(page(1), keep=("h1", "div.body"))]


@pytest.mark.parametrize("example", GIVEN)
def test_what_is_left_out_of_one_page_is_left_out_of_others(example: Example) -> None:
    assert FACT in extract(page(8), SITE, OTHERS).text
    body = extract(page(8), SITE, OTHERS, examples=[example])
    assert FACT not in body.text and body.text.count("number 8 line") == 12
    assert next(block.reason for block in body.blocks if FACT in block.text) == "as in your example"
    dated = Example(page(1), text_of(1), date="2026-11-03")
    reasons = {block.reason for block in extract(page(8), SITE, OTHERS, examples=[dated]).blocks}
    assert "as in your example of 2026-11-03" in reasons


def test_examples_that_disagree_change_nothing_in_any_order() -> None:
    whole, without = Example(page(11), keep=("article",)), Example(page(12), text_of(12))
    plain = extract(page(8), SITE, OTHERS).text
    assert FACT in plain and FACT not in extract(page(8), SITE, OTHERS, examples=[without]).text
    for examples in ([whole, without], [without, whole]):
        assert extract(page(8), SITE, OTHERS, examples=examples).text == plain


def test_what_is_wanted_of_one_page_is_kept_of_others() -> None:
    credits = "<section class=credits><p>Drawn by Ann Reed for the Herald</p></section>"
    wanted = Example(page(1, credits), text_of(1) + "\nDrawn by Ann Reed for the Herald")
    others = [page(number, credits) for number in range(3, 7)]
    assert "Drawn by Ann" not in extract(page(8, credits), SITE, others).text
    assert "Drawn by Ann" in extract(page(8, credits), SITE, others, examples=[wanted]).text


@pytest.mark.parametrize(
    "example",
    [
        Example("<p>Quite another page.", "Something else."),
        Example("", "Nothing of it."),
        Example("<table><tr><td>1<td>2</table>", keep=("td",)),
        Example(page(1), "No word of this page, in any place of it, is right."),
        Example("<script>alert(1)</script><p>x", "x"),
    ],
)
def test_no_example_empties_a_page(example: Example) -> None:
    assert extract(page(8), SITE, OTHERS, examples=[example] * 30).text
    assert extract("", SITE, examples=[example]).text == ""


FOREIGN = [
    Example(page(1), "Das ist ein Text in einer anderen Sprache, den die Seite nicht hat."),
    Example(page(1), text_of(2)),
    Example("<main><table><tr><td>Quite another site, of another kind.</table></main>", "Quite another site"),
    Example("<p>" + "a b " * 30_000, "a b " * 30_000),
    Example("<p>" + "x" * 9_999_000, "x" * 9_999_000),
    Example("", "Nothing of it."),
]


@pytest.mark.parametrize("example", FOREIGN, ids=range(len(FOREIGN)))
def test_an_example_of_something_else_changes_nothing(example: Example) -> None:
    alone = extract(page(8), SITE, OTHERS)
    assert extract(page(8), SITE, OTHERS, examples=[example]).text == alone.text


def test_of_a_hundred_examples_ten_are_asked() -> None:
    lesson_of.cache_clear()
    many = [Example(page(number), text_of(number)) for number in range(100)]
    assert FACT not in extract(page(8), SITE, OTHERS, examples=many).text
    assert lesson_of.cache_info().misses == MOST_EXAMPLES


def test_examples_of_tens_of_millions_of_words_move_odds_by_a_number() -> None:
    keys, words, all_of = np.array([[1]], np.uint64), np.array([2.0**25]), np.ones(1)
    lesson = Lesson((Places.of(keys[0], words, all_of, all_of),), "")
    assert _moves(keys, words, [lesson])[0].tolist() == [0.0]


@pytest.mark.parametrize("example", GIVEN)
def test_a_few_words_of_an_example_take_no_long_text_away(example: Example) -> None:
    paragraphs = "".join(f"<p>{one}.</p>" for one in story(8, 48).rstrip(".").split(". "))
    head, body, rest = page(8).partition("<div class=body>")
    long = head + body.replace("body", "facts") + paragraphs + rest[rest.index("</article>") :]
    alone = extract(long, SITE, OTHERS).text
    assert len(extract(long, SITE, OTHERS, examples=[example]).text) > 0.8 * len(alone)


MANY = pytest.mark.xfail(reason="the model is too sure of many posts", strict=True)


@pytest.mark.parametrize("posts", [2, 5, 8, pytest.param(11, marks=MANY)])
def test_of_a_thread_the_first_post_is_right_however_many_follow(posts: int) -> None:
    def thread(number: int, posts: int) -> str:
        said = (story(number * 20 + post, 4) for post in range(posts))
        marked = (f"<div class='post{' op' * (not post)}'>{text}</div>" for post, text in enumerate(said))
        return f"<nav><a href=/>Home</a></nav><h1>Thread {number}</h1>{''.join(marked)}<footer>All rights</footer>"

    example, others = Example(thread(1, 3), keep=("h1", ".op")), [thread(number, 3 + number) for number in range(3, 6)]
    body = extract(thread(7, posts), SITE, others, examples=[example])
    assert [block.kept for block in body.blocks] == [False, True, True, *[False] * posts]


def test_an_example_has_a_text_or_selectors_and_a_bounded_page() -> None:
    for given in ({}, {"text": " \n"}, {"keep": ()}):
        with pytest.raises(ValueError, match="has a text or selectors"):
            Example(page(1), **given)
    with pytest.raises(ValueError, match="at most 10,000,000 bytes"):
        Example(b" " * 10_000_001, "x")
    for given in ({"keep": ("div[",)}, {"fields": {"by": "css:div["}}):
        with pytest.raises(ValueError, match="div\\["):
            Example(page(1), **given)


@pytest.mark.parametrize("keep", ["div.body", ["div.body"], ("div.body",)])
def test_a_selector_is_given_alone_or_among_others(keep: str | list[str]) -> None:
    example = Example(page(1), keep=keep)
    assert example.keep == ("div.body",)
    assert extract(page(8), SITE, OTHERS, examples=[example]).text


#: Files that are no example, and what is wrong with them.
WRONG = {
    '{"url": "x", "text": "x"}': "url 'x' is no http",
    '{"text": "x"}': "url '' is no http",
    '{"url": "http://a.example/"}': "an example has a text",
    '{"url": "http://a.example/", "text": ["x"]}': r"text is \['x'\]",
    '{"url": "http://a.example/", "keep": 7}': "keep is 7",
    '{"url": "http://a.example/", "keep": ["p", 7]}': r"keep is \['p', 7\]",
    '{"url": "http://a.example/", "fields": ["price"]}': r"fields is \['price'\]",
    '["x"]': "not a JSON object",
    "{": "Expecting property name",
    "[" * 100_000: "maximum recursion depth",
}


def test_examples_are_files_by_site(tmp_path) -> None:
    for number, keep in ((1, ()), (2, ("div.body",))):
        text = "" if keep else text_of(number)
        write_example(tmp_path, Example(page(number), text, keep, f"http://a.example/{number}", f"2026-11-0{number}"))
    place = write_example(tmp_path, Example(page(9).encode(), "x", url="https://b.example/../x?y=1"))
    assert place.parent == tmp_path and {path.name for path in place.iterdir()} == {PAGE, SAID}
    found = examples_of(str(tmp_path), "http://a.example/77")
    assert [(one.date, one.keep, bool(one.text)) for one in found] == [
        ("2026-11-02", ("div.body",), False),
        ("2026-11-01", (), True),
    ]
    assert examples_of(str(tmp_path), "http://c.example/") == ()
    with pytest.raises(ValueError, match="has an http"):
        write_example(tmp_path, Example(page(1), "x", url="ftp://a.example/"))
    for said, problem in WRONG.items():
        (place / SAID).write_text(said)
        read_examples.cache_clear()
        with pytest.raises(ValueError, match=rf"example\.json: not an example: {problem}"):
            read_examples(str(tmp_path))
    (place / SAID).write_text('{"url": "http://a.example/3", "keep": "p"}')
    whole = (place / PAGE).read_bytes()
    for damaged in (whole[:40], whole[:30] + bytes(9) + whole[39:]):
        (place / PAGE).write_bytes(damaged)
        with pytest.raises(ValueError, match=r"page\.html\.gz: the compressed file is cut short or damaged"):
            read_examples(str(tmp_path))
    (place / PAGE).write_bytes(whole)
    (place / SAID).write_text('{"url": "http://a.example/3", "date": null, "text": "x"}')
    read_examples.cache_clear()
    assert len(examples_of(str(tmp_path), "http://a.example/77")) == 3


def test_a_page_teaches_a_crawl(web: Web, tmp_path, told, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    web.pages = {f"/{number}": page(number) for number in range(1, 13)}
    (tmp_path / "page.html").write_text(page(1), "utf-8")
    (tmp_path / "other.html").write_text(page(8), "utf-8")
    line = f"teach page.html --url {web('/1')} --css h1 --css div.body --compare other.html"
    out, _ = told(line)
    assert "0 lines more and 3 less than without the example" in out and 'DENOISE_EXAMPLES = "examples"' in out
    spider = spider_of(*(web(f"/{number}") for number in range(2, 13)))
    for workers in (0, 1):
        done = crawl(spider, {"DENOISE_EXAMPLES": "examples", "DENOISE_WORKERS": workers})
        assert len(done.items) == 11 and not any("Fact" in item["body"] for item in done.items)
        assert done.stat("examples/taught") == 11 and done.stat("examples/refused") == 0
    assert any("Fact" in item["body"] for item in crawl(spider, {}).items)
    web.pages["/plain"] = "<main><ol><li>" + story(50) + "</ol></main>"
    write_example("examples", Example(page(2), "Not a word of the page.", url=web("/2")))
    done = crawl(spider_of(web("/2"), web("/plain")), {"DENOISE_EXAMPLES": "examples"})
    assert [done.stat(f"examples/{name}") for name in ("taught", "set_aside", "none", "refused")] == [1, 1, 0, 1]
    write_example("other", Example(page(2), text_of(2), url="http://a.example/2"))
    assert crawl(spider, {"DENOISE_EXAMPLES": "other"}).stat("examples/none") == 11
    told(f"{line} --field 'story=Story 1' --field 'facts=css:ul.facts li'")
    fields = {"taught": "taught", "taught.story": "story", "title": "title"}
    for workers in (0, 1):
        given = {"DENOISE_EXAMPLES": "examples", "DENOISE_WORKERS": workers, "DENOISE_FIELDS": fields}
        done = crawl(spider_of(*(web(f"/{number}") for number in range(2, 13))), given)
        assert len(done.items) == 11
        for item in done.items:
            number = item["url"].rpartition("/")[2]
            assert item["story"] == item["taught"]["story"]["text"] == item["title"] == f"Story {number}"
            assert item["taught"]["facts"]["text"].startswith(f"Fact 0 of {number}")
    with pytest.raises(Exception, match=r"names this field; did you mean taught.story"):
        crawl(spider, {"DENOISE_EXAMPLES": "examples", "DENOISE_FIELDS": {"taught.stroy": "story"}})
    for wrong, said in (
        ("teach page.html --url http://a.example/ --field price=99.50", "is not on the page"),
        ("teach page.html --url http://a.example/ --field price", "write NAME=TEXT"),
        ("teach page.html --css a", "has an http(s) address"),
        ("teach page.html --no-browser", "has an http(s) address"),
        ("teach page.html --css nav.x --url http://a.example/", "nav.x: the page has no such text"),
        ("teach page.html --text other.html --url http://a.example/", "other.html: the page has no such text"),
        ("teach page.html --css a --text page.html --url http://a.example/", "--css SELECTOR or"),
    ):
        assert said in told(wrong, 2)[1]


def test_the_right_text_may_be_in_any_encoding(tmp_path, told, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = "Der Zug fährt über die Brücke, und alle grüßen. " * 5
    (tmp_path / "page.html").write_text(f"<div><a href=/>Home</a></div><main><p>{said}</p></main>", "utf-8")
    for encoding in ("latin-1", "utf-8"):
        (tmp_path / "right.txt").write_text(said, encoding)
        assert "written to" in told("teach page.html --text right.txt --url http://a.example/1")[0]


def test_a_wrong_folder_stops_the_crawl_at_its_start(web: Web) -> None:
    with pytest.raises(Exception, match="DENOISE_EXAMPLES = 'nowhere'"):
        crawl(spider_of(web("/")), {"DENOISE_EXAMPLES": "nowhere"})
