"""Nothing grows for ever: each container and cache of a module is in the table, and hostile pages fill no memory."""

import array
import gc
import importlib
import pkgutil
import random
import re
import string
import tracemalloc
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import denoise_scrapy
from denoise_scrapy.body import SiteModel
from denoise_scrapy.body.features import announcements, words
from denoise_scrapy.body.features.remembered import MAX_CHARS, RememberedTexts
from denoise_scrapy.crawl.duplicates.copy_counts import CopyCounts
from denoise_scrapy.crawl.memory_report import bounded_caches, names_forgotten
from denoise_scrapy.native import switched_off
from denoise_scrapy.page import Page
from denoise_scrapy.page.attributes import MAX_URL_LENGTH
from denoise_scrapy.site import PageMemory, SiteMemory, VisitedShapes, known_site
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.rule_finding import MAX_CUTS
from denoise_scrapy.site.stored_site import MAX_MARKS
from denoise_scrapy.site.url_shapes import MOST_SHAPES

TABLE = (Path(__file__).parent.parent / "docs" / "memory.md").read_text("utf-8")
MUTABLE = (
    *(dict, list, set, bytearray, deque, array.array),
    *(weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet),
)
#: What Python makes in enumerations and named tuples.
OF_PYTHON = re.compile(r"_field_defaults|_[a-z0-9_]+_")


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(denoise_scrapy.__path__, "denoise_scrapy."):
        if not found.name.endswith(("__main__", "._kernels")):  # the latter is no module of Python's
            yield importlib.import_module(found.name)


def names_in_table() -> set[str]:
    return set(re.findall(r"`([a-z_]+(?:\.[a-z_]+)*\.[A-Za-z_]+)`", TABLE))


def caches() -> dict[str, Any]:
    """Functions with a cache, by name."""
    return {
        f"{module.__name__.removeprefix('denoise_scrapy.')}.{name}": value
        for module in modules()
        for name, value in vars(module).items()
        if hasattr(value, "cache_parameters") and value.__module__ == module.__name__
    }


def containers() -> dict[str, Any]:
    """What of modules and classes may grow, each once, by name: containers, and objects of our own classes."""
    found: dict[int, tuple[str, Any]] = {}
    for module in modules():
        classes = (value for value in vars(module).values() if isinstance(value, type))
        places = [module, *(each for each in classes if each.__module__ == module.__name__)]
        for place in places:
            for name, value in vars(place).items():
                ours = type(value).__module__.startswith("denoise_scrapy") and not isinstance(place, type)
                made_by_python = name.startswith("__") or (isinstance(place, type) and OF_PYTHON.fullmatch(name))
                if (isinstance(value, MUTABLE) or ours) and not made_by_python:
                    owner = module.__name__ + (f".{place.__name__}" if isinstance(place, type) else "")
                    found.setdefault(id(value), (f"{owner.removeprefix('denoise_scrapy.')}.{name}", value))
    return dict(found.values())


def is_constant(name: str) -> bool:
    return name.rpartition(".")[2].strip("_").isupper()


def sizes_of_constants() -> dict[str, int]:
    return {n: len(each) for n, each in containers().items() if is_constant(n) and isinstance(each, MUTABLE)}


def test_caches_and_containers_of_modules_are_in_the_table() -> None:
    found = {*caches(), *(name for name in containers() if not is_constant(name))}
    found.discard("commands.DenoiseCommand.default_settings")  # Scrapy's commands have one each
    table = names_in_table()
    assert sorted(name for name in found if name not in table) == [], "bound it, and write it into docs/memory.md"
    modules_of_table = {name for name in table if hasattr(denoise_scrapy, name.partition(".")[0])}
    assert sorted(modules_of_table - found) == [], "docs/memory.md names what is gone"


def test_caches_whose_arguments_pages_choose_are_bounded() -> None:
    computed_once = TABLE.partition("Computed once")[2].partition("\n\n")[0]
    endless = [name for name, cache in caches().items() if cache.cache_parameters()["maxsize"] is None]
    assert endless
    assert [name for name in endless if f"`{name}`" not in computed_once] == []


def word(rng: random.Random, length: int = 12) -> str:
    return "".join(rng.choices(string.ascii_letters + "äñ中", k=length))


def hostile(seed: int, elements: int) -> str:
    """A page whose tags, names, attributes, URLs and texts nobody has seen before; some are long."""
    rng = random.Random(seed)
    parts = [f"<title>{word(rng)}</title>"]
    for n in range(elements):
        length = 4000 if n % 20 == 0 else 12
        parts.append(
            f"<{word(rng)}><div class='{word(rng, length)} {word(rng)}' id={word(rng, length)} "
            f"role={word(rng, length)} itemprop={word(rng)} {word(rng)}=1>"
            f"<a href='/{word(rng, length)}'>{word(rng, length)}</a> "
            f"<p>{' '.join(word(rng) for _ in range(30))}.</p></div>"
        )
    return "".join(parts)


def many_hosts(pages: range, memory: SiteMemory, elements: int = 40) -> Iterator[Page]:
    """Bodies of pages of as many hosts, as a crawl makes them."""
    for number in pages:
        site = f"http://host-{number}.example:80"
        for each in (f"{site}/1", f"{site}/2"):
            page = Page.parse(hostile(number, elements), url=each, paths=memory.pages.path_table(site))
            memory.remember(page)
            body = SiteModel.fit(memory.pages.comparison_pages(page, 5)).extract(page)
            memory.learn(page, body.probability)
            page.drop_columns()
            yield page


#: Bytes for pages, for path tables, for what was learned.
PAGES, PATHS, LEARNED = 40_000, 200_000, 30_000


def small_memory() -> SiteMemory:
    return SiteMemory(PageMemory(PAGES, 4, max_path_bytes=PATHS), max_bytes=LEARNED)


def test_bounds_hold_for_pages_of_random_names_on_many_hosts() -> None:
    memory = small_memory()
    pages, sizes = memory.pages, sizes_of_constants()
    for page in many_hosts(range(40), memory):
        assert pages.nbytes <= PAGES
        assert memory.nbytes <= LEARNED or len(memory) == 1
        pages.tables.measure()
        assert pages.tables.nbytes <= PATHS
        assert page.url
    assert pages.evicted > 20
    assert pages.reduced > 20
    assert pages.tables.evicted > 20
    assert memory.all_counts()["evicted/sites"] > 10
    assert sizes_of_constants() == sizes


def test_hostile_pages_leave_nothing_behind() -> None:
    """What Python and numpy hold after so many hosts is what they hold after half of them."""
    memory = small_memory()

    def held(pages: range) -> int:
        for _ in many_hosts(pages, memory, elements=15):
            pass
        for cache in bounded_caches():
            cache.cache_clear()
        announcements.forget_announcements()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]  # 0 before the start

    held(range(24))
    tracemalloc.start()
    try:
        held(range(24, 36))
        early = held(range(36, 48))
        late = held(range(48, 72))
    finally:
        tracemalloc.stop()
    assert late - early < 24 * 2000, "some KB a host, and the memories were full before"


@pytest.mark.parametrize("native", [True, False])
def test_what_is_forgotten_is_counted(native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    names, texts = names_forgotten(), words.forgotten()
    monkeypatch.setattr(words._known, "_most", 64)
    monkeypatch.setattr(announcements._known, "most", 500)
    with nullcontext() if native else switched_off():
        for number in range(3):
            blocks = "".join(f"<p>{number} comments of {n}</p>" for n in range(400))
            links = "".join(f"<a href='http://{number}-{n}.example/'>x</a>" for n in range(2000))
            page = Page.parse(blocks + links, url="http://a.example/")
            SiteModel.fit([]).extract(page)
            from denoise_scrapy.site import site_key

            assert all(site_key(url) for url in page.links)
    assert words.forgotten() > texts
    assert names_forgotten() > names + 1000


def test_texts_that_are_long_or_too_many_are_asked_about_each_time() -> None:
    asked: list[str] = []

    def find(texts: Any) -> list[int]:
        asked.extend(texts)
        return list(map(len, texts))

    remembered: RememberedTexts[int] = RememberedTexts(3)
    long = "x" * (MAX_CHARS + 1)
    for _ in range(2):
        assert remembered.ask([long, "a", "a"], find) == [MAX_CHARS + 1, 1, 1]
    assert asked == [long, "a", long]
    assert remembered.ask(list("bcdef"), find) == [1] * 5
    assert len(remembered) == 0
    assert remembered.forgotten == 1


def test_references_that_nobody_follows_are_no_links() -> None:
    page = Page.parse(f"<a href='/{'x' * MAX_URL_LENGTH}'>a</a><a href=/b>b</a>", url="http://a.example/")
    assert page.links == ("http://a.example/b",)


def test_cuts_of_a_rule_are_few_and_short(monkeypatch: pytest.MonkeyPatch) -> None:
    tools = "".join(f"<div class={'abcdefgh'[n % 8] * (n + 1)}><p>Print this</div>" for n in range(3 * MAX_CUTS))
    page = Page.parse(
        f"<div id=main><article><p>{'A story. ' * 90}</p></article>{tools}</div>", url="http://a.example/"
    )
    content = (page.blocks.tokens > 90).astype(float)
    template = LearnedTemplate(page.signature).learn(page, content)
    (rule,) = template.rules()
    assert rule.rule.id == "main" or rule.cuts == ()
    votes = list(template.votes.votes.values())
    assert all(len(vote.cuts) <= MAX_CUTS for vote in votes)
    assert template.nbytes > sum(len(name) for vote in votes for name in vote.cuts.values())


def test_a_site_forgets_what_nobody_asks_for() -> None:
    memory, stories = small_memory(), [f"<div id=s{chr(97 + n % 26)}{chr(97 + n // 26)}><p>x" for n in range(60)]
    for number, html in enumerate(stories):  # each a template of its own, and no store ever hears of them
        page = Page.parse(html, url=f"http://a.example/{number}")
        memory.remember(page)
        memory.learn(page, np.ones(len(page.blocks)))
    site = memory.enter("http://a.example:80")
    assert len(site.templates) <= known_site.MAX_TEMPLATES
    assert len(site.gone) <= MAX_MARKS
    site.stored.update(f"http://a.example/{n}" for n in range(1000))
    site.newest_facts(memory.pages.pages("http://a.example:80"))
    assert len(site.stored) <= 4


def test_copies_beyond_the_bound_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("denoise_scrapy.crawl.duplicates.copy_counts._MOST", 10)
    copies = CopyCounts()
    for n in range(30):
        copies.count(str(n))
    assert copies.evicted >= 18


def test_shapes_of_urls_are_bounded() -> None:
    shapes = VisitedShapes()
    tracemalloc.start()
    try:
        for n in range(MOST_SHAPES + 500):
            shapes.add(f"http://{n}.example/{n:x}y/{'x' * 2000}?a={n:x}z")
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(shapes) == MOST_SHAPES
    assert shapes.evicted == MOST_SHAPES + 2 * 500
    assert held < 12_000_000


def test_what_is_learned_holds_no_columns_of_its_pages() -> None:
    page = Page.parse("<div id=main><p>One story.<p>Goes on.</div>", url="http://a.example/")
    template = LearnedTemplate(page.signature)
    for _ in range(2):
        template = template.learn(page, np.ones(2))
        template.sums.content_share(page.blocks.path_keys)  # as a body asks
    columns = weakref.ref(page.blocks.path_keys)
    assert template.sums.knows(page.blocks.path_keys).all()
    page.drop_columns()
    gc.collect()
    assert columns() is None
    assert template.sums.knows(page.blocks.path_keys).all()
