"""Fixtures of the tests of several crawlers."""

from tests.crawl.conftest import _reactor, web
from tests.dedup.redis_server import durable_server, redis_server, shared_server

__all__ = ["_reactor", "durable_server", "redis_server", "shared_server", "web"]
