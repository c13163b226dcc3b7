"""Links of a page that look like its siblings."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

from denoise_scrapy.page import Page
from denoise_scrapy.site.actions import looks_like_action
from denoise_scrapy.site.url_shapes import VisitedShapes
from denoise_scrapy.site.urls import page_identity, site_key, url_likeness

# Links of a page that are looked at: of 3,740 recorded pages none has more than 1,119. With the longest base
# that a page may have, all take .1 s.
MOST_LINKS = 2_000
# Characters of a link: of 147,172 recorded ones 34 have more.
MAX_LENGTH = 512

#: Paths that are no pages, by their ending.
_FILE = re.compile(
    r"\.(?:css|js|json|xml|rss|atom|pdf|zip|gz|tgz|rar|7z|exe|dmg|apk|iso|jpe?g|png|gif|svg|webp|ico|bmp|"
    r"mp[34]|avi|mov|wmv|flv|ogg|wav|webm|docx?|xlsx?|pptx?|odt|epub|txt|csv|woff2?|ttf|eot)$",
    re.IGNORECASE,
)
#: Signs that browsers and servers read each their own way: no link that is meant to be read has them.
_ODD = re.compile(r"[\x00-\x1f\x7f\\]")


def sibling_links(page: Page, limit: int, visited: VisitedShapes | None = None) -> list[str]:
    """Links of a page that are likely to lead to pages of its template, best first.

    Same site only, spelled as the page's own URL spells it, and of a shape that the crawl has visited; never the page
    itself, a file, a URL with a password in it, or one that looks like an action (log out, add to cart …). Among
    equals the page's own order stands.

    Args:
        page: A page with a URL.
        limit: How many at most.
        visited: What else of the site the crawl has asked for; the page's own shape is noted in it.

    Example:
        >>> page = Page.parse("<a href=/item/8>8</a> <a href=/item/8/rm>x</a>", url="http://a.example/item/7")
        >>> sibling_links(page, 10)
        ['http://a.example/item/8']

    Source: Song et al. (2011), section 1: comparison pages come from the links of the target page.
    """
    site = site_key(page.url)
    if not site or limit < 1:
        return []
    visited = VisitedShapes() if visited is None else visited
    visited.add(page.url)
    seen = {page_identity(page.url)}
    found: list[str] = []
    links = filter(
        None, (_on_site(link, site, page.url) for link in page.first_links(MOST_LINKS) if len(link) <= MAX_LENGTH)
    )
    for link in sorted(filter(visited.has, links), key=lambda url: -url_likeness(page.url, url)):
        path, identity = urlsplit(link).path, page_identity(link)
        if identity in seen or _FILE.search(path) or looks_like_action(path):
            continue
        seen.add(identity)
        found.append(link)
        if len(found) == limit:
            break
    return found


def _on_site(link: str, site: str, page_url: str) -> str:
    """A link of a page's site with the host as the page spells it: robots.txt is kept by spelling; else ""."""
    name = site.split("://")[1].rpartition(":")[0]
    # without the name it is of another site: a tenth of the time of its key
    if (link.isascii() and name not in link.lower()) or _ODD.search(link) or site_key(link) != site:
        return ""
    parts, own = urlsplit(link), urlsplit(page_url)
    if "@" in parts.netloc:
        return ""
    return urlunsplit((own.scheme, own.netloc.rpartition("@")[2], parts.path or "/", parts.query, ""))
