"""One page has many URLs: what they have in common, and the short way for plain ones."""

import re
from unittest import mock

from hypothesis import example, given
from hypothesis import strategies as st
from w3lib.url import canonicalize_url

from denoise_scrapy.site import page_identity, site_key, urls
from denoise_scrapy.site.urls import canonical, spelling

SITES = st.sampled_from(["http://", "https://", "HTTP://", "ftp://", "//", ""])
HOSTS = st.sampled_from("a.example www.a.example www. www.com A.example a..example 1.2.3.4 - xn--a".split())
PORTS = st.sampled_from(["", ":80", ":443", ":8080", ":59999", ":60000", ":0", ":65536", ":08", ":"])
PIECES = st.sampled_from("/ // x X-1 ~ _ . .. .html %41 ä ;jsessionid=1 (S(a)) +".split())
ENDS = st.sampled_from(["", "?", "?b=1&a=2", "#", "#top", "#!/7", "\n"])
URLS = st.builds(lambda *parts: "".join(parts), SITES, HOSTS, PORTS, st.lists(PIECES).map("".join), ENDS)


def test_spellings_of_one_page():
    assert spelling("http://a.example/x/") == spelling("https://www.a.example/x")
    assert len({*map(spelling, (f"http://a.example/{end}" for end in ("x", "y", "x?page=2", "1")))}) == 4


@given(URLS)
@example("http://www.a.example:443/x/")
@example("http://a.example/" + "x/" * 1000)
def test_plain_urls_are_spelled_as_all_others(url: str):
    found = spelling(url), page_identity(url) if site_key(url) else "", canonical(url) if site_key(url) else ""
    with mock.patch.object(urls, "_PLAIN", re.compile(r"(?!)")):
        slow = spelling(url), page_identity(url) if site_key(url) else ""
    assert found == (*slow, canonicalize_url(url) if site_key(url) else "")
