from tests.crawl.conftest import web

__all__ = ["web"]

# Projects are crawled, each in a process of its own, and not imported here.
collect_ignore_glob = ["*/*"]
