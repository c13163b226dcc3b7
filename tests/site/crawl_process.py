"""A process that keeps pages of one site and saves them, for tests.

It says "ready", then waits for a line before each page after which it saves, and prints one after it. Arguments: a
file or the URL of a server, first page, number of pages, pages between two saves.
"""

import sys

from denoise_scrapy.site import PageMemory, SiteMemory, facts_store
from tests.site.made_sites import page


def main(place: str, first: int, count: int, every: int) -> None:
    store = facts_store(place)
    errors: list[Exception] = []
    memory = SiteMemory(PageMemory(10_000_000, 32), store, report=errors.append)
    store.open()
    print("ready", flush=True)
    for n in range(first, first + count):
        saves = (n - first) % every == every - 1
        if saves:
            sys.stdin.readline()
        memory.remember(page(n))
        if saves:
            memory.save(at_once=True)  # also where the machine is slow
            print(n - first + 1, flush=True)
    store.close()
    if errors:
        sys.exit(f"{errors}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
