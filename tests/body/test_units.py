"""Lists are kept whole or dropped; lists of links and of the page's layout are no units."""

import numpy as np
import pytest

from denoise_scrapy import Page
from denoise_scrapy.body.tables import text_lists, whole_lists

STEPS = ("Fill the kettle with water.", "Light the fire below it.", "Wait until it whistles.", "Pour it into the cups.")
TAGS = {
    "ordered": "<ol>{}</ol>".format("".join(f"<li>{step}</li>" for step in STEPS)),
    "paragraphs in items": "<ul>{}</ul>".format("".join(f"<li><p>{step}</p></li>" for step in STEPS)),
    "nested": "<ul><li>{}<ul><li>{}</li><li>{}</li></ul></li><li>{}</li></ul>".format(*STEPS),
    "list directly in a list": "<ul><li>{}</li><ul><li>{}</li><li>{}</li></ul><li>{}</li></ul>".format(*STEPS),
    "definitions": "<dl><dt>{}</dt><dd>{}</dd><dt>{}</dt><dd>{}</dd></dl>".format(*STEPS),
    "grouped definitions": "<dl><div><dt>{}</dt><dd>{}</dd></div><div><dt>{}</dt><dd>{}</dd></div></dl>".format(*STEPS),
}


@pytest.mark.parametrize("kind", TAGS)
def test_units_have_no_holes(kind: str) -> None:
    page = Page.parse(f"<p>The kettle.</p>{TAGS[kind]}<p>The end.</p>")
    kept = np.ones(len(page.blocks), bool)
    for hole in range(1, len(kept) - 1):
        some = kept.copy()
        some[hole] = False
        assert whole_lists(page, some).all()
    kept[1:-2] = False
    assert whole_lists(page, kept).tolist() == [True, *[False] * (len(kept) - 2), True]


@pytest.mark.parametrize(
    "markup",
    [
        "<ul>{}</ul>".format("".join(f"<li><a href=/{n}>{step}</a></li>" for n, step in enumerate(STEPS))),
        "<ul>{}</ul>".format("".join(f"<li><h3>{step}</h3>It is told here.</li>" for step in STEPS)),
        "<ul>{}</ul>".format("".join(f"<li><p>{step}</p><p>{step}</p></li>" for step in STEPS)),
        f"<ul><li>{STEPS[0]}<p>{STEPS[1]}</p></li></ul>",
    ],
    ids=["links", "headings", "columns", "one item"],
)
def test_these_lists_are_no_units(markup: str) -> None:
    page = Page.parse(f"<p>The kettle.</p>{markup}")
    kept = np.ones(len(page.blocks), bool)
    kept[1] = False
    assert not text_lists(page).any() and (whole_lists(page, kept) == kept).all()


def test_nothing_hidden_comes_with_a_unit() -> None:
    page = Page.parse(f"<ul><li>{STEPS[0]}</li><li style='display:none'>{STEPS[1]}</li><li>{STEPS[2]}</li></ul>")
    kept = ~page.unseen_blocks
    assert (whole_lists(page, kept) == kept).all() and not kept.all()
