"""Metadata of a page, and what newsrooms ask of it; imported on first use, as few crawls ask for them.

`page_metadata` decides; `annotations` collects what the page declares and shows, `names` and `dates` read both. `news`
adds `paywall`, `paging`, `live` updates and `structured` data.
"""

from typing import TYPE_CHECKING

from denoise_scrapy.support.lazily import names_of

if TYPE_CHECKING:
    from denoise_scrapy.metadata.news import News
    from denoise_scrapy.metadata.page_metadata import Metadata, language_of, metadata_of

__all__ = ["Metadata", "News", "language_of", "metadata_of"]

__getattr__ = names_of(
    __name__,
    {**dict.fromkeys(("Metadata", "language_of", "metadata_of"), "page_metadata"), "News": "news"},
)
