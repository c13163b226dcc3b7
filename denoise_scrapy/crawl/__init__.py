"""The work behind the middlewares and pipelines of a crawl; needs features introduced by Scrapy 2.14.

`state` makes all parts of one crawl; `parts` is what each of them is given. The way of a page: `reading`, `pages`,
`sites`, `workers`, `bodies`, and where comparison pages are missing `fetching` within a `budget`, from public
addresses (`network`). The way of an item: `passages`, `duplicates`, `stores`, `feeds`. For those who
ask: `geometry` of rendered pages, a `fallback`, articles on several pages (`paged`).
"""

import scrapy

from denoise_scrapy.settings import ConfigurationError, hide_tracebacks

OLDEST_SCRAPY = (2, 14)  # as in pyproject.toml, which some installations ignore

if scrapy.version_info < OLDEST_SCRAPY:
    hide_tracebacks()
    needed = ".".join(map(str, OLDEST_SCRAPY))
    raise ConfigurationError(f"denoise_scrapy needs Scrapy {needed} or later, and this is {scrapy.__version__}")
