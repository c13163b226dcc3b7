"""Fixtures of the tests of duplicates."""

from tests.dedup.redis_server import durable_server, redis_server, shared_server

__all__ = ["durable_server", "redis_server", "shared_server"]
