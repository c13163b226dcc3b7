"""A server of the Model Context Protocol, for agents: `python -m denoise_scrapy.mcp`.

Three tools: `extract`, `compare`, `dedup`, on pages that the agent hands over, or that a crawl of Scrapy fetches.
"""
