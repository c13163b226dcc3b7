"""Fixtures of the crawls' tests; Haystack does not report its use to its makers."""

import os

from tests.crawl.conftest import _reactor, articles, web

__all__ = ["_reactor", "articles", "web"]

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
