"""A body of an archive depends only on the pages of its site and cell."""

import random
from dataclasses import replace
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import denoise_scrapy
from denoise_scrapy import extract_pages
from denoise_scrapy.archive import bodies
from denoise_scrapy.dedup import Fingerprint
from denoise_scrapy.dedup.variants import hash_title
from denoise_scrapy.metadata import Metadata
from tests.archive.warcs import page, story


def rows_of(sites: list[int], cell: int = 4096) -> list[dict[str, Any]]:
    """Return sorted pages of some sites, in cells, a number of each."""
    rows = []
    for site, pages in enumerate(sites):
        for number in range(pages):
            url = f"http://s{site}.example/{number}"
            html = page(story(50 * site + number), f"Daily {site}").decode()
            place = crc32(url.encode()) % -(-pages // cell)
            rows.append({"site": f"s{site}", "cell": place, "url": url, "html": html, "offset": number})
    return sorted(rows, key=lambda row: (row["site"], row["cell"], row["url"]))


@settings(max_examples=20)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.sampled_from([3, 4096]), st.integers(1, 4))
def test_partitions_change_nothing(sites: list[int], cell: int, partitions: int) -> None:
    """Sites and cells in any order, in any number of tasks, give the same rows."""
    rows = rows_of(sites, cell)
    whole = {row["url"]: row for row in bodies(rows)}
    places = sorted({(row["site"], row["cell"]) for row in rows})
    random.Random(cell).shuffle(places)
    parted: dict[str, Any] = {}
    for part in range(partitions):
        mine = (row for one in places[part::partitions] for row in rows if (row["site"], row["cell"]) == one)
        parted |= {row["url"]: row for row in bodies(mine)}
    assert parted == whole
    assert list(whole) == [row["url"] for row in rows]


def test_a_body_is_that_of_extract_pages() -> None:
    rows = rows_of([7])
    expected = [body for _, body in extract_pages((row["url"], row["html"]) for row in rows)]
    found = list(bodies(rows, fields=("markdown", "html")))
    for row, body in zip(found, expected, strict=True):
        names = ("text", "title", "markdown", "evidence", "fallback")
        assert [row[name] for name in names] == [getattr(body, name) for name in names]
        assert row["confidence"] == round(body.confidence, 4)
        assert row["html"] == body.html and body.title
        assert Fingerprint(**row["fingerprint"]) == replace(Fingerprint.of(body.text), title=hash_title(body.title))
        assert row["version"] == denoise_scrapy.__version__
        assert "offset" in row
    as_bytes = [row | {"html": row["html"].encode()} for row in rows]
    assert list(bodies(as_bytes, fields=("markdown", "html"))) == found
    with pytest.raises(ValueError, match=r"fields are .*markdown.*, not titles"):
        list(bodies(rows, fields=["titles"]))


def test_metadata_of_pages() -> None:
    head = '<meta name=author content="Ann Reed"><meta property="article:published_time" content="2024-05-01">'
    pages = [{"site": "a", "url": f"http://a.example/{n}", "html": head + page(story(n)).decode()} for n in range(2)]
    for row in bodies(pages, fields=["meta"]):
        assert (row["authors"], row["published"], row["tags"]) == (["Ann Reed"], "2024-05-01", [])
        assert {*Metadata.__dataclass_fields__} <= {*row}
