"""Cleaned HTML: nothing that runs or does not show, and every reference absolute, so that it renders anywhere.

Source: Song, Zhi, Zhou, Luo and An, Web page noise removal by LCS-based maximum similarity matching of
feature trees (2011), section 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urljoin

from lxml import etree, html

from denoise_scrapy.page.attributes import MAX_URL_LENGTH
from denoise_scrapy.page.parse import to_utf8

#: Elements that are removed with all that is in them.
REMOVED_TAGS = ("script", "style", "noscript", "template", "object", "embed", "applet", "base")
#: Attributes that hold one reference.
URL_ATTRIBUTES = "href src action background cite data formaction longdesc poster manifest icon dynsrc lowsrc".split()
#: Schemes that a reference may have; another one (javascript:, vbscript: …) loses its attribute.
SAFE_SCHEMES = frozenset({"http", "https", "mailto", "tel", "ftp"})
#: Pictures may stand in the page itself.
_DATA_IMAGE = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif)[;,]", re.IGNORECASE)
_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x20]+")
_CSS_URL = re.compile(r"url\(\s*(['\"]?)(.*?)\1\s*\)", re.IGNORECASE)
_SRCSET = re.compile(r"\s*([^\s,]\S*[^\s,]|[^\s,])(\s+[^,]+)?\s*(?:,|$)")


def clean_html(page: str | bytes, url: str | None = None, *, encoding: str | None = None) -> str:
    """A page's HTML without what runs or shows nothing, with absolute references.

    Scripts, styles, comments, `noscript` and templates go, event handlers too. Links, images (`srcset` and
    `poster` too), style sheets, iframes and frames become absolute, by `<base href>` where the page has one.

    Args:
        page: The page; bytes are decoded as browsers do.
        url: Where it came from.
        encoding: Encoding the server told, for bytes.

    Returns:
        The cleaned document, "" for an empty page.

    Example:
        >>> clean_html("<p onclick=x()>Hi <a href='/a?b=1#c'>you</a><script>x</script>!", "http://a.example/d/e")
        '<html><body><p>Hi <a href="http://a.example/a?b=1#c">you</a>!</p></body></html>'
    """
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = html.document_fromstring(to_utf8(page, encoding), parser=parser)
    except (etree.LxmlError, ValueError):
        return ""
    absolute = _resolver(root, url or "")
    etree.strip_elements(root, *REMOVED_TAGS, with_tail=False)
    for element in root.iter(etree.Element):
        _clean_attributes(element, absolute)
    return str(html.tostring(root, encoding="unicode"))


def _resolver(root: html.HtmlElement, url: str) -> Callable[[str], str]:
    """How references of this page become absolute; "" for one that must go."""
    base = next((element.get("href") for element in root.iter("base") if element.get("href")), "")
    start = _join(url, base) if len(base) <= MAX_URL_LENGTH else url

    def absolute(reference: str) -> str:
        scheme = _SCHEME.match(_CONTROL.sub("", reference))
        if scheme and scheme[1].lower() not in SAFE_SCHEMES:
            return reference.strip() if _DATA_IMAGE.match(reference.strip()) else ""
        return _join(start, reference.strip())

    return absolute


def _join(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError:  # a malformed IPv6 host
        return ""


def _clean_attributes(element: html.HtmlElement, absolute: Callable[[str], str]) -> None:
    for name, value in element.items():
        if name.startswith("on") or name in ("srcdoc", "ping"):
            del element.attrib[name]
            continue
        if name in URL_ATTRIBUTES:
            new = absolute(value)
        elif name in ("srcset", "imagesrcset"):
            new = _absolute_srcset(value, absolute)
        elif name == "style":
            new = _CSS_URL.sub(lambda match: f"url('{absolute(match[2])}')", value)
        elif name == "content" and "refresh" in (element.get("http-equiv") or "").lower():
            new = ""
        else:
            continue
        del element.attrib[name]
        if new or not value:
            with suppress(ValueError):  # a control character, which no document may hold
                element.set(name, new)


def _absolute_srcset(value: str, absolute: Callable[[str], str]) -> str:
    candidates = ((absolute(url), descriptor or "") for url, descriptor in _SRCSET.findall(value))
    return ", ".join(f"{url}{' ' * bool(d.strip())}{d.strip()}" for url, d in candidates if url)
