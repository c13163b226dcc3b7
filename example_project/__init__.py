"""A Scrapy project that shows the plugin at work on a portal that it generates itself."""
