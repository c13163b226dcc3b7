"""Named texts: what an example names on one page is found on the site's other pages, or nothing is."""

import json
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy import Example, extract
from denoise_scrapy.body.example_files import SAID, read_examples, write_example
from denoise_scrapy.body.named import named_texts
from denoise_scrapy.core.characters import letters

PAGE = (
    "<title>{title} | Shop</title><meta name=sku content={sku}><h1 class='head x{sku}'>{title}</h1>"
    "<p class=by>Sold by <a href=/>{author}</a> since {date}, from {price}</p>"
    "<ul><li>Weight: {weight}</li><li>Colour: {colour}</li></ul><p>{author} was here, and {title} too.</p>"
)


def page(
    title="A kettle", author="Ann Reed", date="3 March 2024", price="12.50 €", weight="2 kg", colour="red", sku=77
):
    return PAGE.format(**locals())


SAID_OF = {
    "title": "A kettle",
    "author": "Ann Reed",
    "date": "3 March 2024",
    "price": "12.50 €",
    "weight": "2 kg",
    "colour": "red",
    "sku": "77",
}
OTHER = {
    "title": "The blue pot",
    "author": "Bo Li",
    "date": "14 June 2023",
    "price": "8 €",
    "weight": "900 g",
    "colour": "dark blue",
    "sku": "5",
}


def test_named_texts_are_found_on_another_page_with_their_certainty() -> None:
    found = named_texts(page(**OTHER), [Example(page(), fields=SAID_OF)])
    assert {name: one.text for name, one in found.items()} == OTHER
    assert all(0.75 <= one.certainty < 1 for one in found.values())
    assert {one.certainty for one in named_texts(page(), [Example(page(), fields=SAID_OF)]).values()} == {1.0}


def test_what_templates_left_unfilled_among_attributes_is_read_over() -> None:
    left = {**OTHER, "price": "<b {{more}} {}=x>8 €</b>"}
    assert named_texts(page(**left), [Example(page(), fields=SAID_OF)])["price"].text == "8 €"


@pytest.mark.parametrize("selector", ["css:p.by a", "xpath://p[@class='by']/a"])
def test_a_selector_names_a_text_too(selector: str) -> None:
    example = Example(page(), fields={"seller": selector})
    assert extract(page(**OTHER), examples=[example]).taught["seller"].text == "Bo Li"
    moved = page(**OTHER).replace("class=by", "class=seller")
    assert extract(moved, examples=[example]).taught["seller"].text == "Bo Li"


def test_nothing_is_made_up() -> None:
    example = Example(page(), fields=SAID_OF | {"none": "Not on the page", "no": "css:p.none"})
    assert named_texts("<h2>Another page</h2><div>By nobody on no day</div>", [example]) == {}
    assert named_texts("", [example]) == {} and named_texts(page(), [Example("", fields=SAID_OF)]) == {}
    assert "none" not in (found := named_texts(page(), [example])) and "no" not in found
    assert "author" not in named_texts(page(**OTHER).replace("Bo Li", ""), [example])


TEXTS = st.text(st.characters(codec="ascii", exclude_characters="<>&"), max_size=40)


@given(TEXTS, TEXTS, TEXTS)
def test_whatever_is_found_is_on_the_page(title: str, author: str, other: str) -> None:
    html = page(title=title, author=author).replace("kg", other)
    squeezed = letters(re.sub("<[^<>]*>", "", html.replace("<meta name=sku content=77>", "77")))
    for one in named_texts(html, [Example(page(), fields=SAID_OF)]).values():
        assert letters(one.text) in squeezed


def test_title_author_and_date_of_an_example_come_before_the_metadatas_own() -> None:
    example = Example(page(), fields={name: SAID_OF[name] for name in ("title", "author", "date")})
    body = extract(page(**OTHER), examples=[example])
    assert (body.title, body.meta.authors, body.meta.published) == ("The blue pot", ("Bo Li",), "2023-06-14")
    assert pickle.loads(pickle.dumps(body)).taught == body.taught
    assert extract(page(**OTHER)).taught == {}


def test_fields_are_kept_in_the_examples_file(tmp_path) -> None:
    place = write_example(tmp_path, Example(page(), fields=SAID_OF, url="http://a.example/"))
    assert json.loads((place / SAID).read_text("utf-8"))["fields"] == SAID_OF
    assert read_examples(str(tmp_path))["http://a.example:80"][0].fields == SAID_OF


@pytest.mark.parametrize("text", ["36 37 38 39 40 41", "12. 04. 2020", "+49 30 1234 5678", "ab cd ef 1 2 3"])
@pytest.mark.parametrize("digits", ["1" * 400, "1." * 200, "1 " * 200, "11. " * 100, "ab1" * 130])
def test_many_numbers_in_a_row_take_no_time(text: str, digits: str) -> None:
    page = "<p>Sizes: <b class=sizes>{}</b></p><p>Soup stays warm in this pot for a whole winter's evening.</p>"
    assert "sizes" not in named_texts(page.format(f"{digits}x"), [Example(page.format(text), fields={"sizes": text})])
