"""Fixtures of the crawls' tests."""

from tests.crawl.conftest import web

__all__ = ["web"]
