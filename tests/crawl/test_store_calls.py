"""Calls of a store: a slow one rests, one that waits for the process itself does not."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest

from denoise_scrapy.crawl import parts, stores
from denoise_scrapy.support import storage
from denoise_scrapy.support.storage import BackOff

SLOW = 0.3


def hold_up() -> None:
    """Hold the reactor up, as a callback of the project may."""
    time.sleep(4 * SLOW)


@pytest.mark.parametrize("is_held_up", [True, False])
def test_only_a_store_that_is_slow_itself_rests(monkeypatch: pytest.MonkeyPatch, is_held_up: bool) -> None:
    for module in (stores, parts):
        monkeypatch.setattr(module, "is_asyncio_available", lambda: True)
    for module in (stores, storage):
        monkeypatch.setattr(module, "SLOW_SECONDS", SLOW)
    counted: list[str] = []
    crawl: Any = SimpleNamespace(count=counted.append, say_once=lambda *_: None, extra={})
    calls = stores.StoreCalls(crawl, "dedup/store_", "The index", "items pass", (OSError,), BackOff(rest=1.0))

    async def use() -> str | None:
        call = asyncio.ensure_future(calls.run(lambda: time.sleep(3 * SLOW) or "found"))
        await asyncio.sleep(0)
        if is_held_up:
            hold_up()
        return await call

    assert asyncio.run(use()) == "found"
    assert calls.ready == is_held_up
    assert counted == ([] if is_held_up else ["dedup/store_slow"])
