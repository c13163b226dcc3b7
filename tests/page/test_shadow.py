"""What browsers show elsewhere than it stands: shadow trees, streamed parts, words that a label spells."""

import pytest
from lxml.html import document_fromstring, tostring

from denoise_scrapy import extract
from denoise_scrapy.page import Page

OPEN = "<template shadowrootmode=open>"
PROSE = "The harbour board met on Tuesday evening to decide whether the old crane should stay where it stands."


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        (f"<x-a>{OPEN}<p>In the shade</p></template></x-a><p>Beside", ["In the shade", "Beside"]),
        (f"<div>{OPEN}<p>One<p>Two</template>Nobody shows this</div>", ["One", "Two"]),
        ("<section><template shadowrootmode='CLOSED'>Shut</template></section>", ["Shut"]),
        (f"<html><body>Page</body></html><div>{OPEN}Behind its end</template>No</div>", ["Page", "Behind its end"]),
        # slots: by name, the others, what is between comments, and their own text if nothing is for them
        (f"<div>{OPEN}<h2><slot name=t></slot></h2><slot></slot></template>Text<b slot=t>T</b></div>", ["T", "Text"]),
        (f"<div>{OPEN}<slot></slot></template>O<!-- -->ne<i slot=none>Gone</i> Two</div>", ["One Two"]),
        (f"<div>{OPEN}<slot name=t>Own</slot><slot>Gone</slot></template>Given</div>", ["Own Given"]),
        (f"<div>{OPEN}<slot></slot>, <slot>second</slot></template>First</div>", ["First, second"]),
        # one in another; a slot that hands on what it was given
        (f"<a-a>{OPEN}<b-b>{OPEN}<p>[<slot></slot>]</template><slot></slot></b-b></template>Deep</a-a>", ["[Deep]"]),
        # no shadow tree: the wrong host, a second one, an inert template around, an old or unknown mode
        (f"<a>Link{OPEN}No</template></a>", ["Link"]),
        (f"<div>{OPEN}One</template>{OPEN}No</template></div>", ["One"]),
        (f"<template><div>{OPEN}No</template></div></template><p>Shown", ["Shown"]),
        (f"<div>{OPEN}One<template><slot></slot></template></template>No</div>", ["One"]),
        ("<div><template shadowroot=open>No</template>Own</div>", ["Own"]),
        ("<div><template shadowrootmode>No</template>Own</div>", ["Own"]),
        ("<div><template shadowrootmode=opened>No</template>Own</div>", ["Own"]),
        (f"<div>{OPEN}</template>No</div><p>Shown", ["Shown"]),
    ],
)  # fmt: skip
def test_what_is_shown(html: str, shown: list[str]) -> None:
    assert Page.parse(html).block_texts == shown
    assert Page.parse(html, keep="#none").block_texts == shown  # from a tree with comments


def test_the_text_is_in_every_output() -> None:
    own = f"<p>{PROSE} {{}}</p>"
    shade = own.format("It stays.") + "<slot></slot>"
    card = f"<story-body>{OPEN}<h1>In the shade</h1>{shade}</template>{own.format('It was painted.')}</story-body>"
    body = extract(f"<title>In the shade</title><body>{card}")
    assert body.text.splitlines() == ["In the shade", f"{PROSE} It stays.", f"{PROSE} It was painted."]
    assert body.markdown.startswith("# In the shade\n\nThe harbour board")
    assert body.html.count("<p>") == 2
    assert "It was painted." in body.chunks()[0].text


def test_a_selector_finds_what_is_in_the_shade() -> None:
    page = f"<x-a>{OPEN}<p class=ad>Buy this lamp now.</p><p>{PROSE}</p></template></x-a>"
    assert extract(page, remove=".ad").text == PROSE


def test_an_element_of_a_page_as_root() -> None:
    root = document_fromstring(f"<div id=a><x-a>{OPEN}<p><slot></slot></template>&#1;Shade</x-a></div><p>Beside")
    before = tostring(root)
    assert Page.parse("", root=root.get_element_by_id("a")).block_texts == ["Shade"]
    assert Page.parse("", root=root).block_texts == ["Shade", "Beside"]
    assert tostring(root) == before


def test_hostile_pages_end() -> None:
    nested = f"<x-a>{OPEN}<slot></slot>" * 400 + "Deep"
    many = f"<x-a>{OPEN}{'<slot></slot>' * 5_000}</template>{'<i>x</i>' * 5_000}</x-a>"
    assert Page.parse(nested).block_texts[:1] == ["Deep"]
    assert len(Page.parse(many).block_texts[0]) >= 5_000
    assert Page.parse(OPEN * 10_000).block_texts == []


def _late(name: str, fallback: str = "<b>Wait</b>") -> str:
    return f"<!--$?--><template id='B:{name}'></template>{fallback}<!--/$-->"


def _part(name: str, content: str) -> str:
    return f"<div hidden id='S:{name}'>{content}</div>"


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        (f"<p>One</p>{_late('0')}<p>Three</p>{_part('0', '<p>Two</p>')}", ["One", "Two", "Three"]),
        # a part of a part, a part without a fallback, and boundaries that are complete
        (f"{_late('0')}<p>Z</p>{_part('0', '<p>A</p>' + _late('1'))}{_part('1', '<p>B</p>')}", ["A", "B", "Z"]),
        ("<ul><template id='P:a'></template><li>Two</ul>" + _part("a", "<li>One</li>"), ["One", "Two"]),
        (f"{_late('0', 'Wait <!--$--><i>a</i> bit<!--/$-->')}<p>End</p>{_part('0', '<p>Due</p>')}", ["Due", "End"]),
        # what never came, a boundary without an end, a part in itself
        (f"{_late('0')}<p>End</p>{_part('1', '<p>Other</p>')}<p>Rest", ["Wait", "End", "Other", "Rest"]),
        (f"<template id='B:0'></template><p>Shown</p>{_part('0', '<p>One</p>')}", ["One", "Shown"]),
        (_part("0", "<p>One</p><template id='B:0'></template>") + "<p>End</p>", ["One", "End"]),
    ],
)
def test_streamed_parts(html: str, shown: list[str]) -> None:
    assert Page.parse(html).block_texts == shown
    assert Page.parse(html, keep="#none").block_texts == shown


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<h2 aria-label='Wer zahlt'><div aria-hidden=true>Wer</div> <b aria-hidden=true>zahlt</b></h2>", "Wer zahlt"),
        ("<p aria-label='ניל פון'><span aria-hidden=true><i>ני</i><i>ל</i> <i>פון</i></span></p>", "ניל פון"),
        ("<p aria-label='Close'><span aria-hidden=true>x</span></p>", ""),
    ],
)  # fmt: skip
def test_words_that_a_label_spells(html: str, shown: str) -> None:
    page = Page.parse(f"{html}<p>Other")
    seen = [text for text, unseen in zip(page.block_texts, page.unseen_blocks, strict=True) if not unseen]
    assert seen == [shown, "Other"][not shown :]
