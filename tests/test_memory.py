"""Nothing grows for ever: hostile pages fill no memory, and bounds hold."""

import gc
import random
import string
import tracemalloc

from benchmarks.measuring import forget_caches
from denoise_scrapy.body import SiteModel
from denoise_scrapy.page import Page
from denoise_scrapy.page.parse import MAX_VALUE, read_declared
from denoise_scrapy.site import PageMemory, VisitedShapes


def word(rng: random.Random, length: int = 12) -> str:
    return "".join(rng.choices(string.ascii_letters + "äñ中", k=length))


def hostile(seed: int) -> str:
    """A page whose tags, names, attributes, URLs and texts nobody has seen before; some are long."""
    rng = random.Random(seed)
    parts = [f"<title>{word(rng)}</title>"]
    for n in range(8):
        length = 12 if n else 4000
        parts.append(
            f"<{word(rng)}><div class='{word(rng, length)} {word(rng)}' id={word(rng, length)} "
            f"role={word(rng, length)} itemprop={word(rng)} {word(rng)}=1>"
            f"<a href='/{word(rng, length)}'>{word(rng, length)}</a> "
            f"<p>{' '.join(word(rng) for _ in range(30))}.</p></div>"
        )
    return "".join(parts)


def test_hostile_pages_leave_nothing_behind() -> None:
    """What Python and numpy hold after so many hosts is what they hold after half of them."""
    memory = PageMemory(20_000, 4)

    def held(hosts: range) -> int:
        for number in hosts:
            for path in "12":
                page = Page.parse(hostile(number), url=f"http://host-{number}.example:80/{path}")
                memory.remember(page)
                SiteModel(memory.comparison_pages(page, 5)).extract(page)
                page.drop_columns()
        forget_caches()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]  # 0 before the start

    held(range(8))
    tracemalloc.start()
    try:
        held(range(8, 16))
        early = held(range(16, 20))
        late = held(range(20, 32))
    finally:
        tracemalloc.stop()
    assert late - early < 12 * 2000, "some KB a host, and the memories were full before"


def test_shapes_of_urls_are_bounded() -> None:
    shapes, held = VisitedShapes(200), list[int]()
    tracemalloc.start()
    try:
        for numbers in (range(300), range(300, 500)):
            for n in numbers:
                shapes.add(f"http://{n}.example/{n:x}y/{'x' * 2000}?a={n:x}z")
            forget_caches()
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert len(shapes) == 200
    assert held[1] - held[0] < 200 * 100


def test_types_that_a_page_declares_are_read_one_by_one() -> None:
    declared = {"itemtype": ["a " * (MAX_VALUE // 2)] * 200}
    tracemalloc.start()
    assert read_declared(declared) == frozenset()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
