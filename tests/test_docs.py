"""What the documentation names and points to exists. What it shows is run by tests/docs/."""

import re

import pytest

from tests.docs.pages import PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [t for t in targets if not (page.parent / t).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_settings_and_stats_that_are_named_exist(page):
    from denoise_scrapy.settings import declarations
    from denoise_scrapy.stats import meaning_of

    text = page.read_text("utf-8")
    known = {f"DENOISE_{name.upper()}" for name, *_ in declarations()}
    known |= {"DENOISE_CORPORA"}  # of the environment
    assert set(re.findall(r"\bDENOISE_[A-Z_]+[A-Z]\b", text)) <= known
    assert [name for name in re.findall(r"\bdenoise/([a-z_/]+[a-z])(?![a-z_/])", text) if not meaning_of(name)] == []


def test_formats_are_named():
    from denoise_scrapy.exporters import FORMATS
    from denoise_scrapy.formats import FORMS, SUFFIXES

    text = "".join(page.read_text("utf-8") for page in PAGES)
    suffixes = [one[0] for one in SUFFIXES.values()]
    assert [name for name in (*FORMS, *suffixes, *FORMATS) if name not in text] == []
