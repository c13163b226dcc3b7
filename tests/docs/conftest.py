from tests.crawl.conftest import _reactor, web
from tests.dedup.redis_server import redis_server, shared_server

__all__ = ["_reactor", "redis_server", "shared_server", "web"]
