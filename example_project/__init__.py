"""A Scrapy project that shows the plugin at work on a portal of its own making."""
