"""The file that explains a body: safe to open whatever the page holds, whole, and bounded."""

import re

import pytest
from hypothesis import given
from lxml import html

from denoise_scrapy.body.explanation import CLASSES, MOST_EXPLAINED, explain_page
from tests.body.rendered import MARKUP, bare
from tests.hostile.checks import check_explanation

PROSE = "It rained all night in the valley, and in the morning the old bridge was gone, as everybody had said it would."
HOSTILE = f"""
<html onload="window.ran = 1"><head><base href="http://evil.example/"><meta http-equiv=refresh content="0;url=http://e/">
<title>Flood </title><script>window.ran = 1</script> --> &lt;/title>&lt;script>window.ran = 2&lt;/script></title>
<link rel=stylesheet href=http://evil.example/a.css><style>@import url(http://evil.example/b.css)</style></head>
<body onclick="window.ran = 1" style="background: url(http://evil.example/c.png)">
<script>window.ran = 1</script><svg onload="window.ran = 1"><script>window.ran = 1</script><a xlink:href=x>s</a></svg>
<nav><a href="javascript:window.ran=1">Menu</a> <a href="http://a.example/</script><script>window.ran=1</script>">Two</a>
<a href='http://a.example/"onmouseover=window.ran=1'>Three</a><a href=data:text/html,<script>x</script>>Four</a></nav>
<iframe src=http://evil.example srcdoc="<script>parent.ran=1</script>"></iframe><object data=http://evil.example></object>
<form action=http://evil.example><input name=a><button formaction=javascript:window.ran=1>Send it</button></form>
<h1 id="x' onfocus='window.ran=1" class='"><img src=x onerror=window.ran=1>'>Flood in the valley</h1>
<p>{PROSE} &lt;/script>&lt;script>window.ran = 1&lt;/script> --> &lt;!-- ]]>
&lt;/style>&lt;/section> $title $$ {{}} " ' `</p>
<p>{PROSE} \ud800 \x00 \x1b \ufdd0 \ufffe &#0; &#xD800; &#x202e; <img src=http://evil.example/a.png alt='"onload=x'></p>
<p style="color: expression(x)">{PROSE} <img src="data:image/svg+xml,<svg onload=x>">
<a name=details id=details>a</a></p>
<p hidden>{PROSE} And it is hidden.</p><video src=http://evil.example/v autoplay></video>
"""


def checked(source, **more):
    """The file of a page, parsed, when nothing of the page runs in it, is asked for or followed."""
    explanation = explain_page(source, **more)
    tree = html.document_fromstring(explanation.html.encode(), parser=html.HTMLParser(encoding="utf-8"))
    check_explanation(explanation.html)
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))
    [text] = tree.xpath("//section[@id='text']")
    kept = "".join(block.text for block in explanation.body.blocks if block.kept)
    if kept:
        assert bare(drop_odd(text.text_content())) == bare(drop_odd(kept))
    assert sum(blocks for blocks, _ in explanation.counts.values()) == len(explanation.body.blocks)
    return explanation, tree


def drop_odd(text):
    return re.sub("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffd-\uffff]", "", text)


def framed(tree):
    """(class, text) of each block as drawn."""
    return [
        (next(name for name in CLASSES if name in block.get("class").split()), block.text_content())
        for block in tree.xpath("//section[@id='page']//span[@tabindex]")
    ]


def test_hostile_page():
    others = [("http://a.example/</script>", HOSTILE.replace("rained", "snowed")), ('"><script>x</script>', "<p>b")]
    for compared in ((), others):
        explanation, tree = checked(HOSTILE, url="http://a.example/<script>", comparison_pages=compared)
        assert len(framed(tree)) == len(explanation.body.blocks)
        assert {name for name, _ in framed(tree)} >= {"kept", "hidden"}
        assert "evil.example" not in "".join(tree.xpath("//head//text() | //header//text()"))


def test_words_that_nothing_shows_are_struck_with_the_reason():
    explanation, tree = checked(
        f"<main><p>{PROSE} <b style='opacity:0'>Obey</b> {PROSE}</p><p hidden>{PROSE}</p><p>{PROSE}</p>"
    )
    assert [(one.text_content(), one.get("title")) for one in tree.xpath("//section[@id='page']//s")] == [
        ("Obey", "opacity: 0"),
        (PROSE, "the attribute hidden"),
    ]
    assert [row.numbers[-1] for row in explanation.rows[:2]] == [
        "struck: opacity: 0",
        "nothing shows it: the attribute hidden",
    ]


def test_nothing_of_the_page_is_in_the_script_and_its_policy_allows_that_alone():
    sources = [checked(source)[1].xpath("//script/text() | //style/text()") for source in (HOSTILE, "", "<p>One")]
    assert sources[0] == sources[1] == sources[2]
    [policy] = checked(HOSTILE)[1].xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "http" not in policy


@given(MARKUP)
def test_each_block_is_drawn_once_in_any_structure(source):
    explanation, tree = checked(source, remove=["b", "li"])
    assert bare("".join(text for _, text in framed(tree))) == bare("".join(explanation.drawn.block_texts))
    numbers = [int(number[1:]) for number in tree.xpath("//span[@tabindex]/@id")]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize("source", ["", "<title>T</title>", "<script>x</script>", b"\xff\xfe", b"\x00" * 9])
def test_page_without_text(source):
    _, tree = checked(source)
    assert "The page has no text." in tree.text_content()


def test_classes_say_what_repeats_and_what_is_hidden():
    frame = "<nav><a href=/>Site menu</a></nav><p>{}</p><p hidden>{} {}</p><div>All rights reserved by us</div>"
    page = frame.format(PROSE, "Hidden", PROSE)
    other = frame.format(PROSE[::-1], "More", PROSE[::-1])
    _, tree = checked(page, comparison_pages=[("b.html", other), ("a.html", page)])
    assert [name for name, _ in framed(tree)] == ["template", "kept", "hidden", "template"]
    [first, *_] = tree.xpath("//span[@id='b0']")
    assert "on 1 of 1 other pages, on 1 in the same place" in first.get("data-numbers")
    assert first.get("data-path").endswith("nav")
    assert first.get("data-why")
    assert re.fullmatch(r"template, \d+%", first.get("aria-label"))
    listed = [item.text_content() for item in tree.xpath("//details//li")]
    assert listed == ["b.html", "a.html left out: it is the page itself or a copy of it"]
    assert {name for name, _ in framed(checked(page)[1])} <= {"kept", "low", "hidden"}


def test_text_that_is_kept_once_says_so():
    twice = "The mayor opened the new bridge at noon, and hundreds of people walked over it before the rain came."
    source = f"<p>{PROSE}</p><p>{twice}</p><p>{PROSE[::-1]}</p><div><div><p>{twice}</p></div></div>"
    explanation, tree = checked(source)
    numbers = [block.get("data-numbers") for block in tree.xpath("//section[@id='page']//span[@tabindex]")]
    assert [row.name for row in explanation.rows] == ["kept", "kept", "kept", "low"]
    assert ["its words are kept elsewhere" in one for one in numbers] == [False, False, False, True]


def test_structure_links_and_images_are_words():
    source = (
        f"<h2>Rain</h2><ul><li>{PROSE}<li>Two</ul><table><tr><th>City<th>Rain<tr><td>Bergen<td>9 mm</table>"
        f"<pre>a\n  b<div>c</div></pre><p><a href=/x>{PROSE}</a> <img src=/a.png alt='A fox'><br>z</p>"
    )
    _, tree = checked(source, url="http://a.example/b/")
    [page] = tree.xpath("//section[@id='page']")
    for path in ("h2/span", "ul/li/span", "table//td/span", "pre/span", "p/span/span[@class='a']"):
        assert page.xpath(path), path
    assert page.xpath("//span[@class='img']/text()") == ["image: A fox"]
    assert [text for _, text in framed(tree)][-3:-1] == ["a\n  b", "c"]
    _, tree = checked("<pre>a\n  b</pre><p>c</p>", keep=["pre"])
    assert tree.xpath("//section[@id='text']/p[@class='code']/text()") == ["a\n  b"]


def test_removed_text_is_drawn_and_not_in_the_text():
    _, tree = checked(f"<div class=x>{PROSE}</div><p>{PROSE} <b>Bold.</b></p>", remove=[".x", "b"])
    assert [name for name, _ in framed(tree)] == ["low", "kept"]
    assert framed(tree)[1][1].endswith("Bold.")
    assert "Bold" not in tree.xpath("string(//section[@id='text'])")


def test_many_blocks_are_bounded_and_kept_ones_go_first():
    source = "<ul>" + "<li><a href=/x>Two words</a>" * 7000 + "</ul>" + f"<p>{PROSE}</p>" * 3000
    explanation, tree = checked(source, url="http://a.example/")
    drawn = framed(tree)
    assert len(drawn) == MOST_EXPLAINED
    kept = explanation.counts["kept"][0]
    assert sum(name == "kept" for name, _ in drawn) == min(kept, MOST_EXPLAINED) > 0
    assert "5,000 of the page's 10,000 blocks are drawn" in tree.text_content()
    assert len(explanation.html) < 700 * MOST_EXPLAINED + len(explanation.body.text) + 30_000
