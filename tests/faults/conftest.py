from tests.crawl.conftest import _reactor, page, web
from tests.dedup.redis_server import redis_server, shared_server

__all__ = ["_reactor", "page", "redis_server", "shared_server", "web"]
