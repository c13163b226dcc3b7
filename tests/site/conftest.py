"""Fixtures of the tests of sites."""

import pytest

from denoise_scrapy.support import storage
from tests.dedup.redis_server import redis_server, shared_server

__all__ = ["redis_server", "shared_server"]


@pytest.fixture(autouse=True)
def _no_store_is_slow(monkeypatch):
    """On a busy machine any store may be, and rests then."""
    monkeypatch.setattr(storage, "SLOW_SECONDS", 1e9)
