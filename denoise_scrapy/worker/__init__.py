"""What a worker's process runs: it reads and extracts pages, and loads nothing of Scrapy."""
