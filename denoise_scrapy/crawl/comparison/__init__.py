"""Comparison pages for a page of the crawl: from memory, waited for, or fetched within the rules of the crawl."""
