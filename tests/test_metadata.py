"""Language and date of publication: what tells them, and that no page is harmed by asking."""

import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from denoise_scrapy.metadata import MAX_ATTRIBUTES, MAX_DEPTH, MAX_HTML, MIN_LETTERS, _tree, language_of, published_on
from tests.html_strategies import SOUP, pages

TEXTS = {
    "en": "The river rose again on Tuesday, and by noon the council had closed the old bridge to all but walkers.",
    "de": "Der Fluss stieg am Dienstag wieder an, und gegen Mittag sperrte die Stadt die alte Brücke für alle.",
    "fr": "La rivière est montée mardi, et vers midi la mairie a fermé le vieux pont à tous sauf aux piétons.",
    "zh": "周二河水再次上涨，到中午时分，市议会已经关闭了这座古老的桥梁，只允许行人通过。" * 3,
    "ru": "Во вторник река снова поднялась, и к полудню городской совет закрыл старый мост для всех, кроме пешеходов.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_text_tells_its_language_whatever_the_page_says(language: str) -> None:
    assert language_of(TEXTS[language], '<html lang="xx">') == language


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<!doctype html><html class=a lang="en-GB">', "en"),
        ("<HTML LANG=DE>", "de"),
        ("<html data-lang=fr>", ""),
        ("<html lang=''><p lang=it>", ""),
        ("<html lang=english>", ""),
        ("<html", ""),
        ("", ""),
    ],
)
def test_a_short_text_has_the_pages_word_for_it(html: str, expected: str) -> None:
    assert language_of("1234 " * 99 + "a" * (MIN_LETTERS - 1), html) == expected


@pytest.mark.parametrize(
    ("html", "url", "expected"),
    [
        ('<meta property="article:published_time" content="2024-03-12T23:30:00+01:00">', None, "2024-03-12"),
        ('<script type="application/ld+json">{"datePublished": "2023-01-31"}</script>', None, "2023-01-31"),
        ("<p><time datetime=2022-07-01>1 July</time>", None, "2022-07-01"),
        ("<p>It rained.", "https://a.example/2021/05/06/rain.html", "2021-05-06"),
        (b"<meta name=date content=2020-02-02><p>caf\xe9", None, "2020-02-02"),
        ("<p>On 5 June 2019 it rained, and not before March 2020 again.", None, ""),
        ("<meta name=date content=3024-01-01>", None, ""),
        ("<meta name=date content=rubbish>", "http://[bad", ""),
        ("", None, ""),
        (" ", None, ""),
        ("http://127.0.0.1:9/never-fetched", None, ""),
        ("<meta name=date content=2020-02-02>" + " " * MAX_HTML, None, ""),
    ],
)
def test_markup_and_address_tell_a_date(html: str | bytes, url: str | None, expected: str) -> None:
    assert published_on(html, url) == expected


@given(SOUP, st.sampled_from(["", "<meta name=date content='{}'>", "<time datetime='{}'>{}</time>"]), st.text())
def test_no_page_raises_or_is_spoken_of(html: str, frame: str, date: str) -> None:
    logged: list[logging.LogRecord] = []
    handler = logging.Handler(logging.INFO)
    handler.emit = logged.append  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        found = published_on(frame.replace("{}", date) + html, "http://a.example/" + date)
    finally:
        logging.getLogger().removeHandler(handler)
    assert found == "" or len(found) == 10
    assert logged == []
    assert language_of(date, html).islower() or language_of(date, html) == ""


def literal_tree(html: str) -> Any:
    """The page as lxml's own tree, whose time is the square of a tag's attributes and of levels."""
    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)
    return lxml_html.document_fromstring(html.encode(), parser=parser)


@given(pages(), st.sampled_from(["", "<time datetime=2022-07-01>", "<p class=date>2022-07-01<script>1</script> x"]))
def test_htmldate_finds_what_it_finds_in_a_tree_of_lxml(html: str, date: str) -> None:
    from htmldate import find_date

    page = f"<html><body>{date}{html}"
    expected = find_date(literal_tree(page), extensive_search=False, original_date=True) or ""
    assert published_on(page) == expected


HOSTILE = {
    "attributes of one tag": "<p " + " ".join(f"a{i}=1" for i in range(20_000)) + ">",
    "levels": "<div class=date>" * 20_000 + "x",
    "texts beside what is dropped": "<style>1</style>x" * 5_000,
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_htmldate_gets_is_bounded(case: str) -> None:
    """It takes the square of levels, of attributes and of the texts that follow what it drops (53 s for 1 MB)."""
    tree = _tree(HOSTILE[case].encode())
    assert max(len(element.attrib) for element in tree.iter()) <= MAX_ATTRIBUTES
    assert max(sum(1 for _ in element.iterancestors()) for element in tree.iter()) <= MAX_DEPTH
    assert not any(element.tail for element in tree.iter("script", "style", "svg", "iframe"))
    found = '<meta property="article:published_time" content="2024-03-12T08:00:00Z">' + HOSTILE[case]
    assert published_on(found) == "2024-03-12"
