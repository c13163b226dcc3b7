"""A process that keeps pages of one site and saves them, for tests.

It says "ready", then waits for a line before each page after which it saves, and prints one after it. Arguments: a
file or the URL of a server, first page, number of pages, pages between two saves.
"""

import sys

from denoise_scrapy.site import facts_store
from tests.site.made_sites import page


def main(place: str, first: int, count: int, every: int) -> None:
    store = facts_store(place)
    store.open()
    print("ready", flush=True)
    for n in range(first + every - 1, first + count, every):
        sys.stdin.readline()
        store.save({"http://a.example:80": [page(n - one).facts for one in range(every)]})
        print(n - first + 1, flush=True)
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
