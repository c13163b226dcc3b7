"""Archives: bodies and near-duplicates of pages on disk, as pure functions; `spark` runs them on PySpark.

Rows of pages and bodies are dicts, in the order documented by each function (`page_rows`). `warc`, `records` and
`archive_files` read what lies in an archive; `run` goes through one in stages.
`python -m denoise_scrapy.archive IN... OUT` processes a whole archive.
"""

from denoise_scrapy.archive.page_rows import bodies, candidate_pairs, keys_of, resolve, verify

__all__ = ["bodies", "candidate_pairs", "keys_of", "resolve", "verify"]
