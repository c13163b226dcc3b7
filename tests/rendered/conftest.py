from tests.crawl.conftest import _reactor, web

__all__ = ["_reactor", "web"]
