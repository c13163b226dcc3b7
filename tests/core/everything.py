"""All that the core does with a page and those it is compared with, for `sanitize` and `leaks`."""

from collections.abc import Iterator, Sequence

from denoise_scrapy import DuplicateIndex, Page, SiteModel
from denoise_scrapy.body import STRATEGIES
from denoise_scrapy.site.packed_facts import read_facts
from evaluation.corpora import Site
from tests.hostile.mutations import round_of

#: Pages that one is compared with.
OTHERS = 5


def do_all(html: str, others: Sequence[str], strategy: str = "combined") -> None:
    """Parse, body with others, renderings and reasons, facts packed and unpacked, fingerprint."""
    facts = [Page.parse(other, url=f"http://a.example/{number}").facts for number, other in enumerate(others)]
    page = Page.parse(html, url="http://a.example/page")
    body = SiteModel.fit(facts).extract(page, strategy=strategy)
    read_facts(page.facts.data, page.facts.url)
    index = DuplicateIndex()
    for number, text in enumerate((body.text, body.markdown, body.html, *(block.text for block in body.blocks[:3]))):
        index.check_and_add(str(number), text)


def recorded(sites: Sequence[Site]) -> Iterator[tuple[str, list[str], str]]:
    """Each page, with others of its site: arguments of `do_all`."""
    for site in sites:
        for number, page in enumerate(site):
            others = [other.html for other in site[max(number - OTHERS, 0) : number]]
            yield page.html, others, "combined"


def damaged(seed: int, sites: Sequence[Site]) -> tuple[str, list[str], str]:
    """A damaged page: arguments of `do_all`; each fourth is judged by another strategy."""
    names = sorted(STRATEGIES)
    return *round_of(seed, sites), names[seed // 4 % len(names)] if seed % 4 == 0 else "combined"
