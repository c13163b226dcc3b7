"""The example crawl by several processes that share everything through Redis."""
