"""Markdown of hostile pages in all readers of it: no text becomes an element, no element an attribute of a text."""

from collections.abc import Callable, Iterator
from html import escape
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from denoise_scrapy.body.rendering import render, to_html, to_markdown
from tests.body.rendered import parsed
from tests.readers.cases import CASES, CODE_PLACES, CODES, PAGES, PLACES, TEXTS
from tests.readers.readers import (
    WITHOUT_FENCES,
    check_code_as_markup,
    check_reading,
    code_of,
    elements,
    node_readers,
    python_readers,
)

Read = Callable[[str], dict[str, str]]


@pytest.fixture(scope="module")
def read() -> Iterator[Read]:
    """What each reader makes of a text."""
    with node_readers() as node:
        yield lambda text: {**node(text), **python_readings(text)}


def python_readings(text: str) -> dict[str, str]:
    return {name: reader(text) for name, reader in python_readers().items()}


def written(markup: str) -> tuple[str, str]:
    """HTML and Markdown of a page."""
    tokens = render(*parsed(markup))
    return to_html(tokens), to_markdown(tokens)


def check_all(markup: str, read: Read) -> None:
    ours, text = written(markup)
    for name, reading in read(text).items():
        try:
            if name in WITHOUT_FENCES and "<pre" in ours:
                check_code_as_markup(reading, ours)
            else:
                check_reading(reading, ours)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}\n{text}") from error


@pytest.mark.parametrize("markup", CASES)
def test_case(markup: str, read: Read) -> None:
    check_all(markup, read)


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(markup=PAGES)
def test_made_pages(markup: str, read: Read) -> None:
    check_all(markup, read)


#: Readers that show a text as it is, or code of lists in their own ways.
_NO_CODE = ("markdown-it-zero", "markdown-it-py-zero", "showdown", "remarkable", "markdown2", "Python-Markdown")


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(place=st.sampled_from(CODE_PLACES), code=CODES.filter(lambda code: code == code.strip("\n") and code.strip()))
@example(place=CODE_PLACES[0], code="List<String> names = new ArrayList<>();\n\nnames[at](row);")
def test_code_is_a_fence_in_which_nothing_runs(place: str, code: str, read: Read) -> None:
    """Readers with fences find the code in it, active code further to the right; the others find nothing active."""
    markup = place.format(escape(code))
    ours, text = written(markup)
    assert "<pre" not in text.replace(escape(code), "") or "<pre" in code
    for name, reading in read(text).items():
        if name in WITHOUT_FENCES:
            check_code_as_markup(reading, ours)
        elif not name.startswith(_NO_CODE):
            found = dedent(code_of(reading)[0]).strip("\n")
            assert found.split() == dedent(code).split(), f"{name}: {found}\n{text}"


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(place=st.sampled_from(PLACES), text=TEXTS.filter(str.strip))
def test_a_text_in_its_place_is_no_markup(place: str, text: str, read: Read) -> None:
    """Of an alternative text, a link's text and code all readers make the elements that they make of a letter.

    Code that stands in a tag in our Markdown is let off in two ways: readers that take no HTML show the tag, and those
    that make links of addresses do it there too. Remarkable parts cells at a border with a backslash.
    """
    ours, given_text = written(place.format(escape(text)))
    plain = read(written(place.format("a"))[1])
    for name, reading in read(given_text).items():
        try:
            check_reading(reading, ours)
            if "remarkable" in name and "|" in text and "<table" in place:
                continue
            found, expected = elements(reading), elements(plain[name])
            if "<code>" in given_text:
                found["code"], found["a"] = expected["code"], min(found["a"], expected["a"])
            assert found == expected
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}\n{given_text}\n{reading}") from error
