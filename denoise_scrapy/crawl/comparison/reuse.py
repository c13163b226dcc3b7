"""Pages fetched for comparison, kept to answer the spider's own request for them."""

from __future__ import annotations

from typing import NamedTuple

from scrapy import Request
from scrapy.http import Response
from scrapy.http.headers import Headers

from denoise_scrapy.crawl.bounded import BoundedDict

REUSED_FLAG = "denoise-reused"
# Set by Scrapy on one of the two requests only; they do not change what the server sends a crawler.
HEADERS_IGNORED = frozenset({b"Referer", b"Accept-Encoding", b"Cookie"})
# Meta that decides how a request is sent, so a comparison page is fetched the same way.
META_OF_WAY = ("cookiejar", "dont_merge_cookies", "proxy", "bindaddress")
# Where one of our own requests keeps the way it is sent, as it was when it passed our middleware:
# later middlewares add to headers and meta.
WAY_META = "denoise_way"
RESPONSE_OVERHEAD = 2_000  # bytes, roughly: headers and objects of a response beside its body


class _Fetched(NamedTuple):
    response: Response
    way: object


class ReuseStore:
    """Fetched responses by request fingerprint; each answers one request.

    Args:
        max_bytes: Limit of all bodies together, oldest out first.
    """

    def __init__(self, max_bytes: int):
        self._fetched: BoundedDict[bytes, _Fetched] = BoundedDict(max_bytes)

    def __len__(self) -> int:
        return len(self._fetched)

    @property
    def nbytes(self) -> int:
        """Bytes of all bodies, about."""
        return self._fetched.nbytes

    @property
    def evicted(self) -> int:
        """Responses that had to leave."""
        return self._fetched.evicted

    def put(self, fingerprint: bytes, request: Request, response: Response) -> None:
        """Keep the `response` to our own `request`, unless a browser rendered it."""
        if request.meta.get("playwright"):
            return
        entry = _Fetched(response, request.meta.get(WAY_META))
        self._fetched.put(fingerprint, entry, len(response.body) + RESPONSE_OVERHEAD)

    def pop(self, fingerprint: bytes, request: Request) -> Response | None:
        """Return what answers the spider's `request`, once; None if it would be fetched otherwise.

        Scrapy completes the response with the request it answers only if it has none yet.
        """
        entry = self._fetched.get(fingerprint)
        if entry is None or not _is_plain(request) or way_of_fetching(request) != entry.way:
            return None
        self._fetched.pop(fingerprint)
        flags = [*entry.response.flags, REUSED_FLAG]
        return entry.response.replace(request=None, flags=flags)

    def clear(self) -> None:
        """Forget everything."""
        self._fetched.clear()


def _is_plain(request: Request) -> bool:
    own_cookies = bool(request.cookies) or b"Cookie" in request.headers
    plain = request.method == "GET" and not request.body and not own_cookies
    return plain and not request.meta.get("playwright")


def way_of_fetching(request: Request) -> tuple[object, ...]:
    """Return what decides how the server answers `request`, beside its URL."""
    headers: Headers = request.headers
    sent = sorted((name, tuple(headers.getlist(name))) for name in headers)
    same = tuple((name, values) for name, values in sent if name not in HEADERS_IGNORED)
    return (same, *(request.meta.get(key) for key in META_OF_WAY))
