"""Archives: bodies by site and near-duplicates of pages on disk, as pure functions; `spark` runs them on PySpark.

Rows are dicts, of pages and of bodies; the functions name the order they need.
`python -m denoise_scrapy.archive IN... OUT` does all.
"""

from denoise_scrapy.archive.pages import bodies, candidate_pairs, keys_of, resolve, verify

__all__ = ["bodies", "candidate_pairs", "keys_of", "resolve", "verify"]
