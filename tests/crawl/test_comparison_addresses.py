"""A page from a public address sends no comparison request into a private network, whatever its name leads to."""

import asyncio
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Any

import pytest
import scrapy

from denoise_scrapy.crawl import budget
from denoise_scrapy.crawl import network as request
from denoise_scrapy.crawl.network import is_public
from denoise_scrapy.site import site_key
from tests.crawl.crawling import Crawl, crawl, spider_of
from tests.crawl.names import LOCAL, Names
from tests.crawl.web import Web, article

PUBLIC = "93.184.216.34"


def seen_from(address: str | None, *, ours: bool = False) -> type:
    """A middleware that fakes the addresses of pages; with `ours`, also of comparison pages, and as texts."""

    class SeenFrom:
        def process_response(self, request: Any, response: Any) -> Any:
            if "denoise_comparison" in request.meta and not ours:
                return response
            return response.replace(ip_address=address if ours or address is None else ip_address(address))

    return SeenFrom


def crawl_from(url: str, address: str | None, ours: bool = False) -> Crawl:
    middlewares = {seen_from(address, ours=ours): 600}
    return crawl(spider_of(url), {"DOWNLOADER_MIDDLEWARES": middlewares, "DENOISE_COMPARISON_WAIT": 0})


def named(web: Web) -> str:
    return web("/a/0").replace(LOCAL, "site.example")


FIRST_LOCAL = ([[LOCAL], *later] for later in ([], [["10.0.0.7"]], [[PUBLIC, "192.168.0.1"]], [["::1"]], [[]]))


@pytest.mark.parametrize(
    ("path", "address", "answers"),
    [
        *(("site.example", PUBLIC, answers) for answers in FIRST_LOCAL),
        ("site.example", None, [[LOCAL]]),  # an unknown address counts as public
        (LOCAL, PUBLIC, [[LOCAL]]),
    ],
    ids=str,
)
def test_a_name_that_leads_to_a_private_address_is_not_asked(
    linked: Web, names: Names, path: str, address: str | None, answers: list[Sequence[str] | None]
) -> None:
    names.answers = answers
    url = linked("/a/0").replace(LOCAL, path)
    done = crawl_from(url, address)
    assert linked.asked == ["/a/0"]
    assert done.stat("comparison/requests") == 0
    assert done.stat("comparison/given_up/address") == 1
    assert done.bodies()[url]


@pytest.mark.parametrize(
    ("host", "address", "answers"),
    [
        ("site.example", LOCAL, [[LOCAL]]),
        ("site.example", PUBLIC, [[LOCAL], [PUBLIC], [LOCAL], [PUBLIC], [LOCAL]]),
        (LOCAL, None, [[LOCAL]]),
    ],
)
def test_other_names_are_asked(
    linked: Web, names: Names, host: str, address: str | None, answers: list[Sequence[str] | None]
) -> None:
    names.answers = answers
    done = crawl_from(linked("/a/0").replace(LOCAL, host), address, ours=True)
    assert (done.stat("comparison/requests"), done.stat("comparison/failed")) == (2, 0)


def test_a_name_that_changes_after_the_look_up_brings_no_page(linked: Web, names: Names) -> None:
    names.answers = [[LOCAL], [PUBLIC], [LOCAL]]
    done = crawl_from(named(linked), PUBLIC)
    assert linked.asked == ["/a/0", "/a/1"]  # nobody can know before
    assert done.stat("comparison/failed") == done.stat("comparison/given_up/address") == 1
    assert done.stat("pages/parsed") == 1
    assert done.stat("body/fallback/page_alone") == 1


def test_a_look_up_without_an_answer_costs_one_time_out(linked: Web, names: Names, limits: Callable[..., None]) -> None:
    limits(TIMEOUT=0.3)
    names.answers = [[LOCAL], None]
    done = crawl_from(named(linked), PUBLIC)
    assert linked.asked == ["/a/0"]
    assert names.asked == ["site.example"] * 2
    assert len(done.items) == 1


@pytest.mark.parametrize("by", ["meta", "environment", "middleware"])
def test_a_proxy_looks_names_up_itself_and_knows_who_asks(
    by: str, web: Web, names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = web.url.replace("//", "//user:word@")

    class Chosen:
        def process_request(self, request: scrapy.Request) -> None:
            if by == "middleware" and "proxy" not in request.meta:  # as some choose proxies in turn
                request.meta["proxy"] = proxy

    if by == "environment":
        monkeypatch.setenv("http_proxy", proxy)
    web.pages |= {f"http://site.example/a/{n}": article(n, [f"/a/{m}" for m in range(6)]) for n in range(6)}
    spider = spider_of(scrapy.Request("http://site.example/a/0", meta={"proxy": proxy} if by == "meta" else {}))
    done = crawl(spider, {"DOWNLOADER_MIDDLEWARES": {seen_from(PUBLIC, ours=True): 600, Chosen: 610}})
    assert "site.example" not in names.asked
    assert web.asked == [f"http://site.example/a/{n}" for n in range(3)]
    assert {headers.get("proxy-authorization") for _, _, headers in web.requests} == {"Basic dXNlcjp3b3Jk"}
    assert done.stat("comparison/failed") == 0


def test_without_a_reactor_the_system_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "is_reactor_installed", lambda: False)
    assert LOCAL in asyncio.run(request._resolve("localhost"))
    assert not asyncio.run(request.leads_to_public_only("localhost", 5))
    assert not asyncio.run(request.leads_to_public_only("no.invalid", 5))


@pytest.mark.parametrize(
    ("public", "addresses"),
    [
        (True, "8.8.8.8 1.1.1.1 100.63.255.255 172.32.0.1 2606:4700::1 2002:808:808::1 64:ff9b::808:808"),
        (False, "0.0.0.0 10.1.2.3 100.64.0.1 127.8.8.8 169.254.169.254 172.16.0.1 192.168.1.1 192.0.2.1 198.18.0.1"),
        (False, "224.0.0.251 239.255.255.250 240.0.0.1 255.255.255.255 168.63.129.16 192.0.0.192 ::ffff:168.63.129.16"),
        (False, ":: ::1 ::ffff:10.0.0.1 fe80::1 fec0::1 fd00::1 ff02::1 2001:db8::1 2002:7f00:1::1 64:ff9b::a00:1"),
    ],
)
def test_public_addresses(public: bool, addresses: str) -> None:
    assert [each for each in addresses.split() if is_public(ip_address(each)) != public] == []


@pytest.mark.parametrize("host", ["site.example", "10.0.0.1", "2001:db8::1", "2001:db8::2"])
def test_sites_of_one_host_differ_in_their_port_alone(host: str) -> None:
    written = f"[{host}]" if ":" in host else host
    assert {budget._host(site_key(f"http://{written}{port}/")) for port in ("", ":8080")} == {host}
