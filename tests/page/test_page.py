"""Encodings, links, titles, noscript, traps of the parser."""

from hypothesis import given
from lxml import etree

from denoise_scrapy.page import FeatureTree, Flag, Page
from tests.html_strategies import SOUP


def texts(html, **options):
    page = Page.parse(html, **options)
    return [page.block_text(i) for i in range(len(page.blocks))]


def test_links_are_absolute_and_each_once():
    html = (
        "<base href='/deep/'><a href='a.html#x'>1</a><a href=a.html>2</a><a href='//b.example/y'>3</a>"
        "<a href='javascript:x()'>4</a><a href='data:,x'>5</a><a href='http://[bad'>6</a><img src=i.png><a>7</a>"
    )
    page = Page.parse(html, url="http://a.example/q/")
    assert page.links == ("http://a.example/deep/a.html", "http://b.example/y")


def test_text_after_an_inner_document_is_kept_where_it_stands():
    html = "<body><div id=a><html><body><p>ad</p></body></html><p>story</p></div></body>"
    page = Page.parse(html)
    assert texts(html) == ["ad", "story"]
    assert page.block_paths()[1].startswith("html/body/div#a")


def test_a_page_of_frames_has_the_text_that_it_has_instead():
    frames = "<frameset rows='60,*'><frame src=a><noframes>{}</noframes></frameset>"
    assert texts(frames.format("<body><h1>Wells</h1><p>Most are dry.</p></body>")) == ["Wells", "Most are dry."]


def test_pages_of_one_template_are_alike_and_digits_of_names_do_not_count():
    html = "<div class='post-12'><p>x</p></div>"
    a, b = Page.parse(html), Page.parse(html.replace("12", "99"))
    assert a.facts.signature.tolist() == b.facts.signature.tolist()
    assert a.blocks.rows["path"].tolist() == b.blocks.rows["path"].tolist()
    assert a.block_paths() == b.block_paths() == ["html/body/div.post-/p"]


def test_paths_of_nested_elements_are_cut_to_their_ends():
    page = Page.parse("<div class=story>" * 400 + "<p>x")
    whole, cut = (page.paths_of([402], most)[0] for most in (10_000, 60))
    assert whole == "html/body/" + "div.story/" * 400 + "p"
    assert cut.startswith("…/div.story/") and whole.endswith(cut[1:]) and len(cut) <= 62
    assert sum(map(len, Page.parse("<div class=story>x" * 400).block_paths())) < 402 * 120


def test_a_tree_that_lxml_has_parsed_is_read_in_place_and_not_changed():
    html = "<div><p>One <b>two</b></p>three<!-- no --></div>"
    root = etree.fromstring(html, etree.HTMLParser())
    before = etree.tostring(root)
    page = Page.parse(html, root=root, keep="b")
    assert page.block_texts == Page.parse(html).block_texts == ["One two", "three"]
    assert page.kept_by_user[0].elements.tolist() == [4]
    assert etree.tostring(root) == before


def test_columns_come_back_after_they_were_dropped():
    page = Page.parse("<div><p>One two.</p><p><a href=/x>Three</a></p></div>", url="http://a.example/")
    before = (page.blocks.tokens.tolist(), page.block_texts, page.block_text(0), page.facts.tokens.tolist())
    page.drop_columns()
    assert not {"elements", "blocks", "block_texts"} & set(vars(page))
    assert (
        page.blocks.tokens.tolist(),
        page.block_texts,
        page.block_text(0),
        page.facts.tokens.tolist(),
    ) == before


@given(SOUP)
def test_no_markup_raises(html):
    for source in (html, html.encode("utf-8", "replace"), html.encode("utf-16", "surrogatepass")):
        page = Page.parse(source, url="http://a.example/")
        texts = [page.block_text(i) for i in range(len(page.blocks))]
        assert all(texts)
        assert page.blocks.chars.min(initial=1) > 0
        assert not any(mark in text for text in texts for mark in "\x01\x02")
        assert len(FeatureTree(page).code_lengths) == len(page.elements)
        assert all(link.startswith("http") for link in page.links)
        assert len(page.facts.tokens) == len(page.blocks)


def test_a_place_that_is_left_open_is_no_link() -> None:
    page = Page.parse("<a name=s1><h3>The wire</h3><p>It runs.</p><a href=/x>All</a><a name=s2 href=/y>Next</a>")
    assert page.blocks.link_density.tolist() == [0, 0, 1]


def test_words_in_names_are_flags_of_what_is_inside() -> None:
    page = Page.parse("<div class=sideBar><p>One.</div><p id=navigation>Two.<p>Three.")
    words = (Flag.SIDE_WORD, Flag.NAV_WORD)
    assert [[bool(flags & word) for word in words] for flags in page.blocks.flags.tolist()] == [[1, 0], [0, 1], [0, 0]]


def test_pieces_that_only_what_nothing_shows_has() -> None:
    page = Page.parse("<p>One.<p>What is shown.<p hidden>Two <b> three </b>.<p hidden>One.<p hidden> </p>")
    assert page.unseen_pieces() == {"Two", "three", "."}
