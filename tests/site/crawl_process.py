"""A process that keeps pages of one site and saves them, for tests.

It says "ready", waits for a line, then prints a line after each save. Arguments: a file or the URL of a server, first
page, number of pages, pages between two saves.
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
    sys.stdin.readline()
    for n in range(first, first + count):
        memory.remember(page(n))
        if (n - first) % every == every - 1:
            memory.save(at_once=True)  # also where the machine is slow
            print(n - first + 1, flush=True)
    store.close()
    if errors:
        sys.exit(f"{errors}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
