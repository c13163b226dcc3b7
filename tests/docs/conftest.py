import os

from tests.crawl.conftest import _reactor, web
from tests.dedup.redis_server import redis_server, shared_server

__all__ = ["_reactor", "redis_server", "shared_server", "web"]

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # Haystack reports uses to its makers
