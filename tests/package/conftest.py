from tests.crawl.conftest import web

__all__ = ["web"]
