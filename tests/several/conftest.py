"""Fixtures of the tests of several crawlers."""

from tests.dedup.redis_server import shared_server

__all__ = ["shared_server"]
