"""A process that claims texts of a shared index, for tests: a line for each text, as soon as it is answered.

Arguments: path of a file or URL of a server, name of the process, how many texts. It says "ready" and waits for a line,
which tells what to do, and says "done" after it: "claim 9" for the first nine of those it has not claimed yet, or
"settle" for what it has claimed.
"""

import random
import sys

from denoise_scrapy.dedup import DuplicateIndex, RedisStore, SQLiteStore
from tests.dedup.redis_writer import TOGETHER, near_copy_of, print_line


def main(place: str, who: str, count: int) -> None:
    own = random.Random(who)
    seeds = sorted(range(count), key=lambda seed: (seed // TOGETHER, own.random()))
    texts = {seed: near_copy_of(seed, who) for seed in seeds}
    claimed: dict[int, int] = {}
    with DuplicateIndex(store=RedisStore(place) if "://" in place else SQLiteStore(place)) as index:
        print_line("ready")
        for line in sys.stdin:
            what, *most = line.split()
            if what == "claim":
                for seed in [seed for seed in texts if seed not in claimed][: int(most[0])]:
                    verdict = index.check_and_add(f"{who}-{seed}", texts[seed], claim=True)
                    if not verdict.duplicate:
                        claimed[seed] = verdict.claim
                    print_line(seed, verdict.of, verdict.pending)
            else:
                for seed, claim in claimed.items():
                    print_line(seed, index.settle(claim))
            print_line("done")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
