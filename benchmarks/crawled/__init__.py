"""A made web of many hosts, the crawl of it, and what the crawl is given: for the benchmarks of a crawl."""
