"""The block for datatrove that the documentation shows; run by `make archive-test`, which installs datatrove."""

from datatrove.data import Document

from denoise_scrapy import extract_pages
from tests.archive.warcs import page, story
from tests.docs.pages import DOCS, blocks_of


def test_the_block_of_the_documentation() -> None:
    (source,) = [one.text for one in blocks_of(DOCS / "archives.md") if one.text.startswith("# site_bodies.py")]
    names: dict[str, object] = {}
    exec(source, names)
    pages = [(f"http://s{n % 3}.example/{n}", page(story(n), f"Daily {n % 3}").decode()) for n in range(24)]
    documents = [Document(text=html, id=str(n), metadata={"url": url}) for n, (url, html) in enumerate(pages)]
    block = names["SiteBodies"]
    assert isinstance(block, type)
    found = {one.metadata["url"]: one for one in block().run(documents)}
    for site in range(3):
        expected = extract_pages(sorted(one for one in pages if f"//s{site}." in one[0]))
        for url, body in expected:
            assert (found[url].text, found[url].metadata["title"]) == (body.text, body.title)
    assert len(found) == 24
