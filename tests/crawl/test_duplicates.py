"""Near-duplicates are dropped or marked, and nothing else is."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
import scrapy

from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore
from denoise_scrapy.pipelines import NearDuplicate
from tests.crawl.crawling import ONE_BY_ONE, Crawl, crawl, items_only, spider_of
from tests.crawl.web import Web, article, story


def urls(web: Web) -> list[str]:
    return [*web.urls(range(3)), web("/copy")]


def crawl_of(*items: dict[str, Any], **settings: Any) -> Crawl:
    """A crawl that compares texts set by the spider itself."""
    return crawl(items_only(*items), {**ONE_BY_ONE, "DENOISE_DEDUP_FIELDS": "body", **settings})


def numbers(done: Crawl) -> str:
    """Last characters of the items' URLs."""
    return "".join(item["url"][-1] for item in done.items)


def test_a_near_duplicate_is_dropped_with_its_reason(articles: Web, tmp_path: Path) -> None:
    path = tmp_path / "texts.sqlite"
    done = crawl(spider_of(*urls(articles)), {**ONE_BY_ONE, "DENOISE_DEDUP_STORE": str(path)})
    assert len(done.items) == 3
    [(item, reason)] = done.dropped
    assert isinstance(reason, NearDuplicate)
    assert reason.of is not None and reason.of != item["url"]
    assert reason.score > 0.7
    assert str(reason).startswith(f"near-duplicate of {reason.of} (score 0.")
    assert done.stats["item_dropped_reasons_count/NearDuplicate"] == 1
    assert done.stat("dedup/duplicates") == 1
    [line] = [one for one in done.lines("near-duplicate of") if " DEBUG " in one]
    assert line.endswith(f"Dropped {item['url']}: {reason}")
    [said] = done.lines("is dropped, as a near-duplicate")
    assert f"{item['url']} is dropped, as a near-duplicate of {reason.of}" in said and "DENOISE_DEDUP = 'mark'" in said
    with DuplicateIndex(store=SQLiteStore(path)) as index:
        assert len(index) == 3


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"DENOISE_DEDUP_FIELDS": "bodi"}, "'bodi'"),
        ({"DENOISE_DEDUP_FIELDS": '["body", =sku]'}, "'[\"body\", =sku]'"),  # it was to be JSON
        ({"DENOISE_DEDUP_FIELDS": ["body", "=sku", "!of", "-rank"]}, "'of', 'sku'"),
        ({"DENOISE_DEDUP_KEY_FIELD": "ulr"}, "'ulr'"),
        ({"DENOISE_DEDUP_FIELDS": ["body", "=n"], "DENOISE_DEDUP_KEY_FIELD": "url"}, ""),
        ({"DENOISE_DEDUP_FIELDS": "sku", "DENOISE_DEDUP": "off"}, ""),
    ],
)
def test_that_no_item_has_a_field_that_decides_is_said_at_the_end(
    articles: Web, settings: dict[str, Any], said: str
) -> None:
    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url, "n": 0 if response.url.endswith("1") else None}

    found = crawl(spider_of(*urls(articles), parse=parse), settings).lines("Not one item of this crawl has a value")
    assert [line.partition("has a value in ")[2].partition(", which")[0] for line in found] == [said] * bool(said)
    assert all(" WARNING " in line for line in found)


def test_texts_are_compared_within_a_site_or_over_all_or_not_at_all(articles: Web, other_web: Web) -> None:
    asking = (scrapy.Request(url, meta={"denoise": {"dedup": "off"}}) for url in urls(articles))
    assert len(crawl(spider_of(*asking)).items) == 4
    done = crawl(spider_of(*urls(articles)), {"DENOISE_DEDUP": "off"})
    assert (len(done.items), done.stat("dedup/checked")) == (4, 0)
    other_web.pages["/copy"] = articles.pages["/copy"]
    started = [articles("/a/1"), other_web("/copy")]
    assert len(crawl(spider_of(*started)).items) == 2
    assert len(crawl(spider_of(*started), {"DENOISE_DEDUP_SCOPE": "global"}).items) == 1


@pytest.mark.parametrize(
    ("hosts", "sites"),
    [
        ("http://a.example https://a.example https://www.a.example http://m.a.example https://amp.a.example:8443", 1),
        ("http://mobile.b.example http://www.b.example:8080 https://b.example. http://www2.b.example", 1),
        ("https://en.m.wiki.example https://en.wiki.example https://de.wiki.example", 2),
        ("https://www.amp.com.au https://amp.com.au https://other.com.au", 2),
        ("https://bücher.example http://www.xn--bcher-kva.example", 1),
        ("http://127.0.0.1:8001 http://127.0.0.1:8002 http://[::1]:8001 http://[::1]", 4),
        ("http://localhost:8001 http://localhost:8002 http://web:80 http://web", 3),
        ("https://map.example https://example https://webmap.example", 3),
    ],
)
def test_a_site_is_a_host_however_it_is_reached(hosts: str, sites: int) -> None:
    items = [{"url": f"{host}/news/7", "body": story(1)} for host in hosts.split()]
    assert len(crawl_of(*items).items) == sites


def test_own_texts_of_one_page_get_keys_of_their_own(articles: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        for n in (20, 21, 22) if response.url.endswith("0") else (21,):
            yield {"url": response.url, "body": story(n)}

    spider = spider_of(*articles.urls(range(2)), parse=parse)
    done = crawl(spider, {**ONE_BY_ONE, "DENOISE_DEDUP_FIELDS": "body"})
    assert len(done.items) == 3
    assert done.of() == [articles("/a/0#2")]


def test_a_second_run_drops_under_other_urls_what_the_first_kept(articles: Web, tmp_path: Path) -> None:
    settings = {**ONE_BY_ONE, "DENOISE_DEDUP_STORE": tmp_path / "texts.sqlite"}
    for _ in range(2):
        assert len(crawl(spider_of(*articles.urls(range(3))), settings).items) == 3
    articles.pages["/moved/0"] = articles.pages["/a/0"]
    done = crawl(spider_of(articles("/copy"), articles("/a/0?b=1&a=2"), articles("/moved/0")), settings)
    assert [item["url"] for item, _ in done.dropped] == [articles("/copy"), articles("/moved/0")]
    assert done.of() == [articles("/a/1"), articles("/a/0")]


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        ("/a/{}?PHPSESSID=0a1b", "/a/{}?PHPSESSID=77ff", "/a/{}"),
        ("/a/{};jsessionid=0A", "/a/{};jsessionid=7F", "/a/{}/"),
        ("/a/{}", "/a/{}/", "/a/{}?sid=0123456789abcdef"),
        ("/a/{}?x=1&y=2", "/a/{}?y=2&x=1", "/a/{}?sid=0123456789abcdef&x=1&y=2"),
    ],
)
def test_a_page_is_the_same_item_whatever_its_address(
    web: Web, tmp_path: Path, first: str, second: str, third: str
) -> None:
    settings = {**ONE_BY_ONE, "DENOISE_DEDUP_STORE": str(tmp_path / "texts.sqlite")}

    def day(*addresses: str, price: str) -> Any:
        texts = {address.format(n): story(n) + price for n in range(8) for address in addresses}
        web.pages.update({path: article(3, text=text) for path, text in texts.items()})
        return crawl(spider_of(*map(web, texts)), settings)

    assert len(day(first, price="").items) == 8
    assert len(day(second, price=" It costs 20 euro, or 15 for members.").items) == 8
    again = day(third, first, price=" It costs 25 euro.")
    assert len(again.items) == len(again.dropped) == 8  # met twice in one crawl, it is a copy


def test_a_declared_address_may_be_the_key(web: Web, tmp_path: Path) -> None:
    """Where the links of each day have another query, a correction is no copy."""
    store = str(tmp_path / "texts.sqlite")
    keyed = {"DENOISE_FIELDS": {"canonical": "canonical"}, "DENOISE_DEDUP_KEY_FIELD": "canonical"}

    def day(number: int, said: str = "") -> Any:
        links = [f"/a/{n}?ref=top-{number}" for n in range(8)]
        for n, link in enumerate(links):
            page = article(3, text=story(n) + said)
            web.pages[link] = page.replace("<head>", f"<head><link rel=canonical href='{web(f'/a/{n}')}'>")
        return crawl(spider_of(*map(web, links)), {**ONE_BY_ONE, **keyed, "DENOISE_DEDUP_STORE": store})

    assert len(day(1).items) == 8
    corrected = day(2, " It costs 20 euro.")
    assert len(corrected.items) == corrected.stat("dedup/updated") == 8


def test_routes_of_scripts_are_pages_and_places_in_a_page_are_none(tmp_path: Path) -> None:
    for ends in (["#!/1", "#!/2", "#/3", ""], ["#!/1", "#!/2", "#/3", "#top"]):
        items = [{"url": f"https://a.example/7{end}", "body": story(n)} for n, end in enumerate(ends)]
        done = crawl_of(*items, DENOISE_DEDUP_STORE=str(tmp_path / "texts.sqlite"))
        assert len(done.items) == done.stat("dedup/kept_texts") == 4
        assert done.stat("dedup/updated") == 0


def test_items_that_cannot_be_compared_pass() -> None:
    """Those without text or key, and those with lone surrogates, which no store can write."""
    keyed = [{"id": "bad\ud800", "body": story(1)}, {"id": "2", "body": story(2) + "\udfff"}]
    keyed += [{"id": "https://a.example/\ud800", "body": story(4)}, {"id": "3", "body": story(3)}]
    items = [{"id": "0"}, {"body": story(1)}, {"body": story(1)}, {"body": 5, "id": "1"}, *keyed]
    done = crawl_of(*items, DENOISE_DEDUP_KEY_FIELD="id")
    assert len(done.items) == 8
    counts = {"no_text": 2, "no_key": 2, "unwritable": 3}
    assert {name: done.stat(f"dedup/not_compared/{name}") for name in counts} == counts
    assert done.stat("dedup/checked") == 1
    assert done.stat("errors") == 0


def lot(n: int, extra: str = "") -> str:
    sums = " ".join(f"{story(90 + k, 1).partition(' number')[0]} at {1000 * n + 37 * k} euro" for k in range(6))
    return f"{sums} {extra}"


def at(n: int, body: str, **more: Any) -> dict[str, Any]:
    return {"url": f"https://a.example/{n}", "body": body, **more}


SHOP = [at(1, story(1), sku=7, by="a"), at(2, story(1), sku=8, by="a"), at(3, story(1), sku=7, by="b")]
PART = [at(1, story(1)), at(2, story(1)[: len(story(1)) * 2 // 3].rsplit(" ", 1)[0])]
SHORT = [at(n, "Page not found") for n in range(3)]
FORMS = [at(1, lot(1)), at(2, lot(2)), at(3, lot(1, story(5, 1)))]
OTHER_FIELD = [at(n, story(n), id=n, text=story(1)) for n in (1, 2, 2)]


@pytest.mark.parametrize(
    ("items", "settings", "left"),
    [
        (SHOP, {"FIELDS": ["body", "=sku"]}, "12"),
        (SHOP, {"FIELDS": ["body", "!by"]}, "12"),
        (PART, {}, "1"),
        (PART, {"RULE": "near-copy"}, "12"),
        (PART, {"RULE": "patent", "SCOPE": "global"}, "1"),
        (SHORT, {}, "012"),
        (FORMS, {}, "12"),
        (FORMS, {"VARIANTS": "drop"}, "1"),
        (OTHER_FIELD, {"FIELDS": "text", "KEY_FIELD": "id"}, "1"),
    ],
)
def test_settings_say_what_a_duplicate_is(items: list[dict[str, Any]], settings: dict[str, Any], left: str) -> None:
    done = crawl_of(*items, **{f"DENOISE_DEDUP_{name}": value for name, value in settings.items()})
    assert numbers(done) == left
    assert {of[-1] for of in done.of()} <= {left[0]}
    assert (done.stat("dedup/passed/too_short") > 0) == (items is SHORT)


def test_the_stats_say_what_was_found() -> None:
    done = crawl_of(*(at(n, story(1) + f" Note {n}.") for n in range(4)), at(0, story(2)))
    assert (done.stat("dedup/kept_texts"), done.stat("dedup/updated")) == (1, 1)


def test_marking_keeps_every_item_and_says_how_much_is_new() -> None:
    done = crawl_of(*FORMS, DENOISE_DEDUP="mark")
    form, longer = done.items[1:]
    assert form["variant_of"] == longer["near_duplicate"]["of"] == "https://a.example/1"
    assert "near_duplicate" not in form and "variant_of" not in longer  # a form filled in anew is a variant
    assert longer["near_duplicate"]["score"] > 0.7
    assert 0 < longer["near_duplicate"]["new"] <= 0.29
    assert (done.stat("dedup/passed/variant_of"), done.stat("dedup/duplicates")) == (1, 1)


class SlowAtFirst:
    """A pipeline of a user that holds the first item for a while."""

    async def process_item(self, item: Any) -> Any:
        if item["url"].endswith("/0"):
            await asyncio.sleep(0.5)
        return item


HALF = [number for n in range(15) for number in (n, n)]
AT_ONCE = {"CONCURRENT_ITEMS": 100, "SPIDER_MIDDLEWARES": {}, "ITEM_PIPELINES": {SlowAtFirst: 900}}


@pytest.mark.parametrize(
    ("texts", "settings", "said"),
    [
        ([1, 2] + [1] * 50, {}, ["18 of 20"]),
        ([1] * 60, AT_ONCE, ["19 of 20"]),  # items that wait are not counted yet
        (HALF, {}, []),
        ([1] * 19, {}, []),
        ([*HALF, 1, 1], {}, ["16 of 31"]),
        ([*HALF, 1, 1], {"DENOISE_DEDUP": "mark"}, []),
    ],
)
def test_that_most_items_are_dropped_is_said_once(texts: list[int], settings: dict[str, Any], said: list[str]) -> None:
    log = crawl_of(*(at(n, story(text)) for n, text in enumerate(texts)), **settings).log
    assert (
        re.findall(r"WARNING (\d+ of \d+) items were dropped as near-duplicates, the last of them of https", log)
        == said
    )
    assert log.count("'Everything is a duplicate' in docs/symptoms.md") == len(said)


MARKUP = (
    f"<!DOCTYPE html><html><body><nav>{story(1)}</nav><p>{{}}</p></body></html>",
    f"<div class=a>{story(1)}</div><p>{{}}</p>",
    f"\ufeff  <?xml version='1.0'?><item>{story(1)}</item>",
    f"{story(1)}</body> {{}}",
)


def test_html_is_never_compared(articles: Web) -> None:
    items = [at(4 * n + k, html.format(n), page=html.format(n)) for n in range(4) for k, html in enumerate(MARKUP)]
    for field in ("body", "page"):
        done = crawl_of(*items, DENOISE_DEDUP_FIELDS=field)
        assert len(done.items) == done.stat("dedup/not_compared/html") == len(items)
        assert done.stat("dedup/checked") == 0
        assert done.log.count("holds HTML") == 1
    ours = crawl(spider_of(*urls(articles)), {"DENOISE_FIELDS": {"html": "page"}, "DENOISE_DEDUP_FIELDS": "page"})
    assert len(ours.items) == ours.stat("dedup/not_compared/html") == 4


def test_only_a_text_of_ours_is_compared_unless_a_setting_names_the_field(articles: Web) -> None:
    own = spider_of(*urls(articles), parse=lambda self, response: [{"url": response.url, "body": story(1)}])
    done = crawl(own)
    assert (len(done.items), done.stat("dedup/not_compared/not_ours"), done.stat("dedup/checked")) == (4, 4, 0)
    assert done.log.count("a field named in DENOISE_DEDUP_FIELDS always is") == 1
    assert len(crawl(own, {"DENOISE_DEDUP_FIELDS": "body"}).items) == 1
    assert len(crawl(own, {"DENOISE_DEDUP_FIELDS": "=url"}).items) == 4


def test_the_duplicate_pipeline_alone_compares_what_a_setting_names() -> None:
    items = [at(n, story(1)) for n in range(4)]
    alone = {"ADDONS": {}, "ITEM_PIPELINES": {"denoise_scrapy.pipelines.NearDuplicatePipeline": 300}}
    assert len(crawl(items_only(*items), alone).items) == 4
    assert len(crawl_of(*items, **alone).items) == 1
