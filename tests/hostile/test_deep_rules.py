"""Rules of paths with many steps: what compares them all at once finds what climbing finds."""

from hypothesis import given

from denoise_scrapy.body.strategies.cluster import TemplateRule, is_block_node, tag_path
from denoise_scrapy.page import Page
from tests.html_strategies import pages


@given(pages())
def test_all_at_once_finds_what_climbing_finds(source: str) -> None:
    page = Page.parse(source)
    paths = [tag_path(page, element) for element in range(len(page.elements))]
    blocks = is_block_node(page).tolist()
    for path in {path for path, is_block in zip(paths, blocks, strict=True) if is_block}:
        expected = [n for n, (own, is_block) in enumerate(zip(paths, blocks, strict=True)) if is_block and own == path]
        assert list(TemplateRule(path=path).candidates(page))[2].tolist() == expected
