"""The queue of a host keeps its limits and loses nothing."""

from example_project.spiders.frontier import Host, host_of


def offered(limit, count):
    host = Host(limit)
    for n in range(count):
        host.offer(f"http://a.example/{n}", 0)
    return host


def test_hosts_are_the_same_for_both_schemes_and_www():
    assert host_of("https://WWW.a.example/x") == host_of("http://a.example:80/") == "a.example"
    assert host_of("http://a.example:8080/") == "a.example:8080"
    assert host_of("mailto:a@a.example") == host_of("http://[broken/") == host_of("") == ""


def test_no_url_twice_whatever_its_scheme_or_fragment():
    host = Host()
    for url in ("http://a.example", "https://a.example/", "http://a.example/#top", "http://a.example/?q=1"):
        host.offer(url, 0)
    assert [url for url, _ in host.release()] == ["http://a.example", "http://a.example/?q=1"]


def test_no_more_under_way_than_the_limit_allows():
    host = offered(3, 10)
    assert len(list(host.release())) == 3
    assert not list(host.release())


def test_a_failure_gives_its_place_to_the_next():
    host = offered(3, 10)
    first = [url for url, _ in host.release()]
    host.under_way -= 3
    assert host.take(first[0])
    assert host.take(first[1])
    assert [url for url, _ in host.release()] == ["http://a.example/3"]


def test_a_page_counts_once_and_none_beyond_the_limit():
    host = offered(2, 5)
    assert [host.take(f"http://a.example/{n}") for n in (0, 0, 1, 2)] == [True, False, True, False]
