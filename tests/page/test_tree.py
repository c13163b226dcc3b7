"""The compiled walk against the literal one: elements, marks, blocks, texts, words; and what is asked of a tree."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from denoise_scrapy.core.characters import CLASSES, SPACE, STOP
from denoise_scrapy.core.markup import Flag, Kind
from denoise_scrapy.core.tree import (
    MAX_BLOCKS,
    MAX_DEPTH,
    MAX_ELEMENTS,
    MAX_TITLE,
    Tree,
    name_code,
    tree_of,
)
from tests.html_strategies import ODD_PAGES, SOUP, pages
from tests.page import literal_reader as literal
from tests.page.literal_reader import root_of

PAGES = pages() | SOUP | ODD_PAGES
MOST = 1 << 30  # bytes: all of a text


def read(html: str, **options: bool) -> tuple[Any, Tree]:
    root = root_of(html)
    return root, Tree() if root is None else tree_of(root, **options)


def spans(column: np.ndarray) -> list[tuple[int, int]]:
    return list(zip(column["start"].tolist(), column["end"].tolist(), strict=True))


def same_groups(found: list[Any], expected: list[Any]) -> bool:
    """Whether the values of two lists are equal at the same places."""
    return [found.index(one) for one in found] == [expected.index(one) for one in expected]


def check_elements(tree: Tree, expected: literal.Literal) -> None:
    rows, elements = tree.element_rows, expected.elements
    assert tree.tags() == [one.tag for one in elements]
    for name in ("parent", "depth", "block", "end", "flags"):
        assert rows[name].tolist() == [getattr(one, name) for one in elements], name
    for name in ("marks", "seen"):
        assert spans(rows[name]) == [getattr(one, name) for one in elements], name
    assert same_groups(rows["path"].tolist(), [one.path for one in elements])
    assert same_groups(rows["shape"].tolist(), [[step[:2] for step in one.path] for one in elements])
    names = [tree.name_of(token) for token in rows["token"].tolist()]
    assert [(tag, class_, id_) for tag, id_, class_, _ in names] == [one.names for one in elements]
    own = tree.token_rows.take(rows["token"])
    assert own["flags"].tolist() == [one.own_flags for one in elements]
    assert own["heading"].tolist() == [literal.heading_of(one.tag) for one in elements]
    assert ((own["kind"] & Kind.BLOCK) != 0).tolist() == [one.block == i for i, one in enumerate(elements)]


def check_blocks(tree: Tree, expected: literal.Literal) -> None:
    rows, elements = tree.block_rows, expected.elements
    texts = ["".join(text for _, text in block.pieces) for block in expected.blocks]
    around = [elements[block.element] for block in expected.blocks]
    assert rows["element"].tolist() == [block.element for block in expected.blocks]
    assert spans(rows["text"]) == [block.span for block in expected.blocks]
    assert rows["text_hash"].tolist() == [literal.hash_of(text) for text in texts]
    assert rows["chars"].tolist() == [len(literal.units(text)) for text in texts]
    assert rows["tokens"].tolist() == [literal.count_tokens(text) for text in texts]
    assert rows["link_chars"].tolist() == [
        sum(len(literal.units(text)) for number, text in block.pieces if elements[number].flags & Flag.LINK)
        for block in expected.blocks
    ]
    assert rows["flags"].tolist() == [one.flags for one in around]
    assert rows["own_flags"].tolist() == [one.own_flags for one in around]
    assert rows["heading"].tolist() == [literal.heading_of(one.tag) for one in around]
    assert rows["path"].tolist() == tree.element_rows["path"].take(rows["element"]).tolist()
    paths = list(dict.fromkeys(one.path for one in around))
    assert rows["slot"].tolist() == [paths.index(one.path) for one in around]
    for text, row in zip(texts, rows, strict=True):
        shown = [c for c in text if literal.class_of(c) > SPACE]
        counts = Counter(literal.class_of(c) for c in shown for _ in range(1 + (ord(c) > 0xFFFF)))
        assert row["counts"].tolist() == [counts[kind] for kind in range(CLASSES)]
        assert row["ends_in_stop"] == (literal.class_of(shown[-1]) == STOP)
        is_paragraph = row["tokens"] >= 12 and row["link_chars"] < 0.34 * row["chars"]
        assert row["prose"] == (row["tokens"] if is_paragraph else 0)
    for number, block in enumerate(expected.blocks):
        preformatted = bool(around[number].flags & Flag.PREFORMATTED)
        assert tree.block_text(number) == literal.text_of(block.text, preformatted=preformatted)


def check_words(tree: Tree, expected: literal.Literal) -> None:
    rows = tree.word_rows
    found = list(zip(*(rows[name].tolist() for name in ("number", "block", "element")), strict=True))
    starts_ends = spans(tree.block_rows["words"])
    assert [word for start, end in starts_ends for word in found[start:end]] == expected.words
    assert all(start <= end for start, end in starts_ends)


def check(html: str, *, break_lines: bool = False) -> None:
    root, tree = read(html, break_lines=break_lines)
    if root is None:
        return
    expected = literal.read(root, break_lines=break_lines)
    assert tree.noscript_read == expected.noscript_read
    assert tree.slice(0, MOST) == expected.text
    assert tree.title == expected.title
    check_elements(tree, expected)
    check_blocks(tree, expected)
    check_words(tree, expected)


@given(PAGES, st.booleans())
def test_the_walk_reads_what_the_rules_say(html: str, break_lines: bool) -> None:
    check(html, break_lines=break_lines)


@given(PAGES)
def test_a_tree_may_begin_at_any_element(html: str) -> None:
    """Its text is in blocks, and what stands beside it is not read."""
    root, whole = read(html, keep_nodes=True)
    elements = [] if root is None else [one for one in root.iter() if isinstance(one.tag, str) and one.tag != "head"]
    for element, number in zip(elements, whole.numbers_of(elements), strict=True):
        tree = tree_of(element)
        blocks = range(len(tree.block_rows))
        assert all(word in blocks for word in tree.word_rows["block"].tolist())
        texts = "".join(map(tree.block_text, blocks))
        if number >= 0 and tree.noscript_read == whole.noscript_read:
            expected = whole.slice(*whole.element_rows["marks"][number].tolist())
            if element is root:  # libxml2 may put text behind the end of html beside it
                expected = "".join(map(whole.block_text, range(len(whole.block_rows))))
            assert shown(texts) == shown(expected)


def shown(text: str) -> list[str]:
    return [char for char in text if literal.class_of(char) > SPACE]


@pytest.mark.parametrize(
    "html",
    [
        "<head><title>T</title><my-story><h1>Hi</h1></my-story>text<p>more",  # a head without end
        "<head><title>T</title><style>x</style><main>one</main><title>U</title></head><body class=a><p>two",
        "<p>shown</p><noscript><p>" + "hidden words " * 20 + "<style>" + "p {} " * 200 + "</style></noscript>",
        "<p>" + "shown " * 60 + "</p><noscript>" + "hidden words " * 20 + "</noscript>",
        "<p>shown</p><noscript><style>" + "p {} " * 200 + "</style><script>" + "x " * 200 + "</script></noscript>",
        "<p><span>S</span><span>Ale</span><b></b>X<i>中</i><i>文</i><a class=x>اقرأ</a><a class=x>شاهد</a>",
        "<p><span>By us</span><span>here</span><a>be\xadgin</a><b><i>long</i></b><i>онлайн</i><b>газета</b><i>n1an",
        "<p>\U0001f600 \U00020000\U0001d400 a\U0001f600b</p><p>\U0001f600</p>",
        f"<title> {'long ' * 400}</title><p>x",
    ],
)  # fmt: skip
def test_the_walk_on_pages_of_its_rules(html: str) -> None:
    check(html)
    check(html, break_lines=True)


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<span>By the authors</span><span>beginning of it</span>", "By the authors beginning of it"),
        ("<span>It rained.</span><span>Photo: Ann Reed</span>", "It rained. Photo: Ann Reed"),
        ("<b>Age:</b><span>45</span> <b>Town:</b><span>Oslo</span>", "Age: 45 Town: Oslo"),
        ("<span>U.</span><span>S. and node.</span><span>js at 9:</span><b>30</b>", "U.S. and node.js at 9:30"),
        ("<a href=/a>machine learning</a><a href=/b class=x>psychology</a>", "machine learning psychology"),
        ("<small>colour</small><time>today</time>", "colour today"),
        ("<em>онлайн</em><strong>газета</strong>", "онлайн газета"),
        # halves of a word: a letter or a few, or with text between
        ("<span>includin</span><span>g it, d</span><span>epicting animals</span>", "including it, depicting animals"),
        ("<a href=/a>case stud</a><a href=/a>ies</a>", "case studies"),
        ("<b>electro</b>catalyst", "electrocatalyst"),
        ("<code>from</code><code>import</code>", "fromimport"),
        ("<dl><dt><i>kelp.</i><i>Queue</i>", "kelp.Queue"),
    ],
)  # fmt: skip
def test_longer_words_in_elements_side_by_side_are_two(html: str, shown: str) -> None:
    assert read(f"<p>{html}")[1].block_text(0) == shown


def test_comments_and_instructions_part_nothing_but_words() -> None:
    tree = tree_of(etree.fromstring("<p>mo<!-- x -->re <?php y ?>words</p>", etree.HTMLParser()))
    assert tree.block_text(0) == "more words"
    assert tree.block_rows["tokens"].tolist() == [2]


def test_a_tree_that_was_changed_is_read_as_it_is() -> None:
    root = root_of("<div><p>One</p>two<p>Three</p></div>")
    div = root.find(".//div")
    etree.SubElement(div, "my-box", {"class": "new"}).text = "four"
    div.remove(div[1])
    tree = tree_of(root)
    assert [tree.block_text(i) for i in range(3)] == ["One", "two", "four"]
    assert tree.name_of(int(tree.element_rows["token"][-1])) == ("my-box", "", "new", "")


def test_hashes_are_the_same_in_every_process() -> None:
    tree = read("<div id=main class='post-12'><p>The same tomorrow.</p></div>")[1]
    assert tree.block_rows["text_hash"].tolist() == [15819741092209415737]
    assert name_code("post-") == int(tree.token_rows["class_code"][2]) != 0 == name_code("")


def test_a_page_over_the_bounds_is_told_as_such() -> None:
    """Elements, levels and blocks are counted."""

    def nested(levels: int) -> Any:
        root = last = etree.Element("html")
        for _ in range(levels - 1):
            last = etree.SubElement(last, "div")
        return root

    for levels in (MAX_DEPTH, MAX_DEPTH + 1, MAX_DEPTH + 900):
        assert max(tree_of(nested(levels)).element_rows["depth"]) == MAX_DEPTH
    assert not tree_of(nested(2_046)).is_too_large
    assert tree_of(nested(2_048)).is_too_large
    flat = etree.Element("html")
    flat.extend([etree.Element("p") for _ in range(MAX_ELEMENTS - 1)])
    assert not tree_of(flat).is_too_large
    etree.SubElement(flat, "p")
    assert tree_of(flat).is_too_large
    for end in ("", "<p>", "<p><b>word"):  # the last block may end with the page, or earlier
        assert not read("<p>word" * (MAX_BLOCKS - end.count("word")) + end)[1].is_too_large
        assert read("<p>word" * (MAX_BLOCKS + 1 - end.count("word")) + end)[1].is_too_large


def test_titles_are_cut_and_collapsed() -> None:
    assert read(f"<title>\n a  {'b' * 5000}</title>")[1].title == "a " + "b" * (MAX_TITLE - 2)
    assert read("<p>x</p><svg><title>y</title></svg>")[1].title == ""


# ---- what is asked of a tree ----


@st.composite
def trees_and_spans(draw: st.DrawFn) -> tuple[Tree, list[tuple[int, int]]]:
    """A page, and some of the text between its marks, as positions."""
    _, tree = read(draw(PAGES))
    rows = tree.element_rows["marks"]
    marks = sorted({*rows["start"].tolist(), *rows["end"].tolist(), len(tree.slice(0, MOST).encode())})
    slices = [(start, end) for start, end in pairwise(marks) if draw(st.booleans())]
    return tree, slices


@given(trees_and_spans(), st.randoms(use_true_random=False))
def test_texts_with_spans_left_out(made: tuple[Tree, list[tuple[int, int]]], random: Any) -> None:
    tree, left_out = made
    text, blocks = tree.slice(0, MOST).encode(), tree.block_rows
    spans_out = np.array(left_out, np.int32).reshape(-1, 2)
    texts = []
    for number, (start, end) in enumerate(spans(blocks["text"])):
        preformatted = bool(blocks["flags"][number] & Flag.PREFORMATTED)
        kept = bytes(text[i] for i in range(start, end) if not any(a <= i < b for a, b in left_out))
        shown = literal.text_of(kept.decode(), preformatted=preformatted)
        texts.append(shown or literal.text_of(text[start:end].decode(), preformatted=preformatted))
        assert tree.block_text(number, spans_out) == texts[-1]
    wanted = np.array([random.random() < 0.6 for _ in texts], np.uint8)
    chosen = [one for one, is_wanted in zip(texts, wanted, strict=True) if is_wanted]
    assert tree.text_of(wanted, spans_out) == "\n".join(chosen)


def test_texts_are_asked_of_blocks_that_are_there() -> None:
    tree = read("<p>One")[1]
    for block in (-1, 1):
        with pytest.raises(IndexError, match=f"there is no block {block}"):
            tree.block_text(block)
    with pytest.raises(ValueError, match="there are 1 blocks, got 2 values"):
        tree.text_of(np.ones(2, np.uint8))


@given(PAGES, st.randoms(use_true_random=False))
def test_what_stands_around(html: str, random: Any) -> None:
    _, tree = read(html)
    parent = tree.element_rows["parent"].tolist()
    marked = np.array([random.random() < 0.4 for _ in parent], np.uint8)
    own = np.array([1 << random.randrange(60) for _ in tree.token_rows], np.int64)

    def up(i: int) -> list[int]:
        return [i, *up(parent[i])] if i >= 0 else []

    assert tree.nearest(marked).tolist() == [next((j for j in up(i) if marked[j]), -1) for i in range(len(parent))]
    token = tree.element_rows["token"].tolist()
    expected = [int(np.bitwise_or.reduce([own[token[j]] for j in up(i)])) for i in range(len(parent))]
    assert tree.inherited(own).tolist() == expected


@given(trees_and_spans())
def test_tokens_of_slices(made: tuple[Tree, list[tuple[int, int]]]) -> None:
    tree, slices = made
    slices = [(start + 1, end) for start, end in slices]  # behind the mark
    starts, ends = np.array(slices, np.int64).reshape(-1, 2).T.copy()
    texts = [tree.slice(start, end) for start, end in slices]
    assert tree.count_tokens(starts, ends).tolist() == [literal.count_tokens(text) for text in texts]


@given(PAGES, st.randoms(use_true_random=False))
def test_inner_hashes_are_equal_where_the_markup_is(html: str, random: Any) -> None:
    _, tree = read(html)
    rows, names = tree.element_rows, [tree.name_of(token)[:3] for token in tree.element_rows["token"].tolist()]
    urls = np.array([random.randrange(2) for _ in names], np.uint64)
    # a start mark stands for its element's names and address, white space for nothing
    starts = {start: number for number, start in enumerate(rows["marks"]["start"].tolist())}

    def inner(number: int) -> tuple[object, ...]:
        start, end = rows["marks"][number].tolist()
        found, at = list[object](), start + 1
        for char in tree.slice(start + 1, end):
            if char == "\1":
                found.append((names[starts[at]], int(urls[starts[at]])))
            elif literal.class_of(char) != SPACE:
                found.append(char)
            at += len(char.encode())
        return tuple(found)

    assert same_groups(tree.inner_hashes(urls).tolist(), [inner(number) for number in range(len(names))])


@given(PAGES)
def test_numbers_of_elements_of_lxml(html: str) -> None:
    root, tree = read(html, keep_nodes=True)
    if root is None:
        return
    tags = tree.tags()
    elements = [one for top in (root, *root.itersiblings()) for one in top.iter() if isinstance(one.tag, str)]
    numbers = tree.numbers_of(elements)
    assert all(number == -1 or tags[number] == one.tag for number, one in zip(numbers, elements, strict=True))
    read_ones = [number for number in numbers if number >= 0]
    assert read_ones == sorted(set(read_ones))
    # but for a body that begins inside a head each element is one of lxml's
    assert {tags[number] for number in set(range(len(tags))) - set(read_ones)} <= {"body"}
    assert len(tags) - len(read_ones) <= 1


def test_numbers_are_known_of_pages_that_kept_their_nodes() -> None:
    root, tree = read("<p>One")
    assert tree.numbers_of([root]) == [-1]
    root, tree = read("<p>One", keep_nodes=True)
    assert tree.numbers_of([etree.Element("p"), root[0][0]]) == [-1, 2]


HREFS, LINKED = st.sampled_from(["#a", "/x#b", "/x", "#", ""]), st.sampled_from(["", "1", "12", "a b c", "中文"])


@given(st.lists(st.tuples(HREFS, LINKED)), st.integers(0, 4))
def test_short_links(links: list[tuple[str, str]], most: int) -> None:
    _, tree = read("<p>" + " ".join(f"<a href='{href}'>{text}</a>" for href, text in links) + "<img src='#x' alt=y>")
    numbers = [number for number, tag in enumerate(tree.tags()) if tag == "a"]
    expected = [
        (number, href, text)
        for number, (href, text) in zip(numbers, links, strict=True)
        if "#" in href and 0 < len("".join(text.split())) <= most
    ]
    assert tree.short_links_here(most) == expected
    assert [href for _, href in tree.values_of(b"href")] == [href for href, _ in links if href]


def test_links_without_text_are_no_pictures_or_frames() -> None:
    _, tree = read("<a href=/a>x</a><area href=/b><link href=/c><img src=/d data-href=/e height=3><base href=/f>")
    assert [href for _, href in tree.values_of(b"href")] == ["/a", "/b"]
