"""What a crawl knows and does beside its middlewares and pipelines: the Scrapy side of the core."""
