"""A page whose text is in its data alone: JSON-LD, behind a paywall too, and what its script would show."""

import json

import pytest

from denoise_scrapy import Taste, extract

LINES = [
    "The harbour board met on Tuesday evening to decide whether the old crane should stay where it stands.",
    "After two hours of talk, seven of the nine members voted to repair it, and the town will pay a third of the cost.",
    "Repairs are due to begin once the ice has gone from the basin, and they are expected to need eleven weeks.",
    "Nobody in the room remembered the year in which the crane last lifted a boat & a barge.",
]
LINKS = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("Home", "Politics", "Culture", "Sport", "Weather"))
NAV, FOOT = (
    f"<header><nav><ul>{LINKS}</ul></nav></header>",
    "<footer><p>© 2024 The Lantern. All rights reserved.</p></footer>",
)


def page(script: str, main: str = "<div id=root></div>") -> str:
    return f"<html lang=en><title>The crane stays | The Lantern</title><body>{NAV}{main}{script}{FOOT}"


def written(data: object) -> str:
    return json.dumps(data).replace("</", "<\\/")


def linked(article: str, **more: object) -> str:
    data = {"@type": "NewsArticle", "headline": "The crane stays", "articleBody": article, **more}
    return f"<script type='application/ld+json'>{written(data)}</script>"


def state(data: object, kind: str = "id=__NEXT_DATA__") -> str:
    return f"<script {kind} type='application/json'>{written(data)}</script>"


@pytest.mark.parametrize(
    "article",
    [
        "\n\n".join(LINES),
        "".join(f"<p>{line.replace('&', '&amp;')}</p><script>spy()</script>" for line in LINES),
        "".join(f"&lt;p&gt;{line.replace('&', '&amp;amp;')}&lt;/p&gt;" for line in LINES),
    ],
)
def test_an_article_of_a_shell_is_in_every_output(article: str) -> None:
    body = extract(page(linked(article)))
    assert body.text.splitlines() == ["The crane stays", *LINES]
    assert body.fallback == "structured data"
    assert body.confidence == 0.9
    assert body.html.startswith("<h1>The crane stays</h1>")
    assert body.html.count("<p>") == 4
    assert body.markdown.startswith(f"# The crane stays\n\n{LINES[0]}")
    assert LINES[3].split("&")[0] in "".join(chunk.text for chunk in body.chunks())
    assert body.title == "The crane stays"
    assert {(block.kept, block.reason) for block in body.blocks} == {(False, "structured data")}
    assert extract(page(linked(article)), taste=Taste(title="drop")).text.splitlines() == LINES
    assert extract(page(linked(article)), strategy="framework").text == body.text
    assert extract(f"<title>The crane stays</title>{linked(article)}").text == body.text  # nothing else at all


def test_the_text_behind_a_paywall() -> None:
    offer = f"<main><h1>The crane stays</h1><p>{LINES[0]}</p><div>Subscribe to read on.</div></main>"
    body = extract(page(linked(" ".join(LINES * 2), isAccessibleForFree=False), offer))
    assert body.text.endswith(LINES[3])
    assert body.fallback == "structured data"


def test_a_page_that_shows_its_text_is_read() -> None:
    shown = "<main><h1>The crane stays</h1>" + "".join(f"<p>{line.replace('&', '&amp;')}</p>" for line in LINES)
    for script in (linked(" ".join(LINES)), state({"text": " ".join(LINES)}), linked(" ".join([*LINES, LINES[0]]))):
        body = extract(page(script, f"{shown}</main>"))
        assert body.fallback == "page alone"
        assert LINES[3] in body.text.splitlines()


@pytest.mark.parametrize(
    "data",
    [
        {
            "props": {
                "pageProps": {"post": {"title": "The crane stays", "content": "".join(f"<p>{x}</p>" for x in LINES)}}
            }
        },
        {"props": {"blocks": [{"type": "p", "text": x} for x in LINES], "more": [{"text": LINES[0], "url": "/a"}]}},
        [1, "x", {"data": 4}, *LINES],
    ],
)
def test_the_data_of_a_script(data: object) -> None:
    body = extract(page(state(data)))
    assert [line for line in body.text.splitlines() if line in LINES or "boat &" in line] == LINES
    assert "/a" not in body.text
    assert body.fallback == "structured data"
    assert body.confidence == 0.5


@pytest.mark.parametrize(
    "data",
    [
        {"@type": "JobPosting", "description": "".join(f"<p>{line}</p>" for line in LINES)},
        {"@type": "Recipe", "recipeInstructions": [{"@type": "HowToStep", "text": line} for line in LINES]},
    ],
)
def test_the_json_ld_of_a_shell(data: object) -> None:
    linked_data = f"<script type=application/ld+json>{written(data)}</script>"
    assert [line for line in extract(page(linked_data)).text.splitlines() if line in LINES or "boat &" in line] == LINES


@pytest.mark.parametrize("kind", ["", " type=text/javascript", " type=module"])
def test_the_data_that_a_script_sets(kind: str) -> None:
    data = written({"story": {"text": "".join(f"<p>{line}</p>" for line in LINES)}})
    for script in (f"window.__STATE__={data}", f"\n window.app = {data};\nwindow.more = {{}};"):
        body = extract(page(f"<script{kind}>{script}</script>"))
        assert body.text.splitlines()[-4:] == LINES
        assert body.fallback == "structured data"


@pytest.mark.parametrize(
    "script",
    [
        "<script>window.show = function() { return '" + " ".join(LINES) + "'; }</script>",
        "<script>show({'text': '" + " ".join(LINES) + "'})</script>",
        "<script>window.a = 1</script>",
        linked("A teaser of a few words."),
        linked(LINES[0] * 3) + linked(LINES[1] * 3),  # whose text is it?
        linked(" ".join(LINES)).replace('"articleBody": "', '"articleBody": "\\x'),
        linked(" ".join(f"<p style='display:none'>{line}</p>" for line in LINES)),
        state({f"key{n}": line for n, line in enumerate(LINES)}),  # messages
        state({"scripts": ["https://a.example/" + "x" * 500] * 9}),
        "<script type='application/json'>{" + '"a":[' * 100_000 + "</script>",
        "<script type='application/json'>" + '[{"a":' * 400 + f'"{LINES[0]}"' + "}]" * 400 + "</script>",
    ],
)
def test_no_text_of_the_page(script: str) -> None:
    assert extract(page(script)).fallback != "structured data"


def test_what_a_selector_removes_stays_away() -> None:
    assert extract(page(linked(" ".join(LINES))), remove="body").text == ""
