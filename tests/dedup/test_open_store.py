"""Places of an index, given as one text."""

import pytest

from denoise_scrapy.dedup.open_store import is_file


@pytest.mark.parametrize(
    ("place", "is_one"),
    [
        *((name, True) for name in ("texts.sqlite", "index.DB", "crawl.2026", "job/texts")),
        *((name, False) for name in ("sqlite", "project.stores.OwnStore", "redis://host/0#a.b", "")),
    ],
)
def test_files_have_a_slash_or_a_suffix(place: str, is_one: bool) -> None:
    assert is_file(place) == is_one
