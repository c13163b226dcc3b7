"""Work of a crawl in threads: results in order, errors raised to their callers, nothing left behind."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from denoise_scrapy.crawl.base import LARGE, WORTH, Beside

LONG = 5.0


@pytest.fixture(params=[1, 4])
def beside(request: pytest.FixtureRequest) -> Iterator[Beside]:
    made = Beside(request.param)
    yield made
    made.close()


def waiting_for(event: threading.Event, answer: Any) -> Callable[[], Any]:
    def work() -> Any:
        assert event.wait(LONG)
        return answer

    return work


def test_answers_come_in_the_order_of_the_calls() -> None:
    beside, first_may_end, came = Beside(4), threading.Event(), list[int]()

    async def ask(number: int, size: int) -> None:
        work = waiting_for(first_may_end, 0) if number == 0 else lambda: number
        came.append(await beside.in_turn(work, size))

    async def run() -> None:
        asked = [asyncio.ensure_future(ask(n, WORTH + 1 if n % 2 == 0 else 0)) for n in range(9)]
        await asyncio.sleep(0.05)
        assert not came
        first_may_end.set()
        await asyncio.gather(*asked)

    asyncio.run(run())
    beside.close()
    assert came == list(range(9))


@pytest.mark.parametrize("cancelled", [0, 1])
def test_what_is_cancelled_or_fails_holds_nothing_back(cancelled: int) -> None:
    beside, may_end = Beside(4), threading.Event()

    async def run() -> list[Any]:
        works = *(waiting_for(may_end, n) for n in range(3)), lambda: 1 // 0, lambda: 4
        asked = [asyncio.ensure_future(beside.in_turn(work, WORTH + 1)) for work in works]
        await asyncio.sleep(0.01)
        asked[cancelled].cancel()
        await asyncio.sleep(0.01)
        may_end.set()
        return await asyncio.gather(*asked, return_exceptions=True)

    found = asyncio.run(run())
    beside.close()
    assert [one for one in found if not isinstance(one, BaseException)] == [n for n in (0, 1, 2, 4) if n != cancelled]
    assert isinstance(found[3], ZeroDivisionError)


@pytest.mark.parametrize(
    ("threads", "size", "expected"),
    [
        (2, WORTH, [True, True]),
        (2, WORTH + 1, [True, False]),
        (2, LARGE + 1, [False, False]),
        (0, LARGE + 1, [True, True]),
    ],
)
def test_small_work_is_done_at_once_and_without_threads_all_is(threads: int, size: int, expected: list[bool]) -> None:
    own, beside = threading.get_ident(), Beside(threads)

    async def run() -> list[bool]:
        works = beside.run(threading.get_ident, size), beside.in_turn(threading.get_ident, size)
        return [await work == own for work in works]

    assert asyncio.run(run()) == expected
    beside.close()


def test_a_large_page_holds_no_body_back_and_large_ones_are_worked_on_one_at_a_time(beside: Beside) -> None:
    may_end, at_work = threading.Event(), list[int]()

    def large() -> int:
        at_work.append(1)
        assert may_end.wait(LONG)
        return len(at_work)

    async def run() -> list[int]:
        asked = [asyncio.ensure_future(beside.run(large, LARGE + 1)) for _ in range(2)]
        assert await beside.in_turn(lambda: 7, WORTH + 1) == 7
        assert len(at_work) <= 1
        may_end.set()
        return await asyncio.gather(*asked)

    assert asyncio.run(run())[0] == 1


def test_threads_end_with_the_crawl(beside: Beside) -> None:
    async def run() -> set[threading.Thread]:
        asked = (beside.in_turn(threading.current_thread, WORTH + 1) for _ in range(9))
        return set(await asyncio.gather(*asked))

    threads = asyncio.run(run())
    beside.close()
    for thread in threads:
        thread.join(LONG)
    assert threads and not any(thread.is_alive() for thread in threads)
