"""Metadata of a page: title, authors, dates, site, image and the like. It needs the extra `meta`.

Markup is read in one pass, in places: a date or a byline counts that stands in the body or next to the headline, not
one of a dropped block. Names of months are read by dateparser, languages are told apart by py3langid. JSON-LD and
microdata are read here: extruct gives values without their places, and imports an RDF library to do so.
"""

from __future__ import annotations

from denoise_scrapy.metadata.fields import Metadata, language_of, metadata_of

__all__ = ["Metadata", "language_of", "metadata_of"]
