"""Metadata of a page: title, authors, dates, site, image and the like. It needs the extra `meta`.

Markup is read in one pass, in places: a date or a byline counts that stands in the body or next to the headline, not
one of a dropped block. Names of months are read by dateparser, languages are told apart by py3langid. JSON-LD and
microdata are read here: extruct gives values without their places, and imports an RDF library to do so.

Example:
    >>> from denoise_scrapy import extract
    >>> page = '''<title>Bridge closed - The Herald</title><meta property="og:site_name" content="The Herald">
    ... <h1>Bridge closed</h1><p class=byline>By Ann Reed, 12 March 2024</p>
    ... <p>The river rose again on Tuesday, and by noon the council had closed the old bridge to all but walkers.</p>
    ... <div><a href=/x>Bridge opened</a> <time datetime=1998-11-05>5 Nov</time></div>'''
    >>> meta = extract(page, "http://a.example/").meta
    >>> meta.title, meta.authors, meta.published, meta.site_name, meta.language
    ('Bridge closed', ('Ann Reed',), '2024-03-12', 'The Herald', 'en')
"""

from __future__ import annotations

from denoise_scrapy.metadata.fields import Metadata, language_of, metadata_of

__all__ = ["Metadata", "language_of", "metadata_of"]
