"""The example crawl by several processes that share all of it through Redis."""
