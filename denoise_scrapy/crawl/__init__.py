"""The work of a crawl behind its middlewares and pipelines."""
