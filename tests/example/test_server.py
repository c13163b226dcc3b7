"""The portal's server answers as a web server does."""

import socket
import struct
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

import pytest

from example_project.portal import build, serve


@pytest.fixture(scope="module")
def base():
    with serve() as url:
        yield url


def test_pages_are_utf8_html(base):
    with urllib.request.urlopen(f"{base}/xinwen/?from=mail") as answer:
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert answer.read().decode() == build().pages["/xinwen/"].html


def test_redirects_lead_to_pages(base):
    for path, target in build().redirects.items():
        with urllib.request.urlopen(base + path) as answer:
            assert answer.url == base + target


def test_planted_dead_links_are_404(base):
    for path in build().dead:
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(base + path)


def test_robots_forbid_the_private_pages(base):
    robots = RobotFileParser(f"{base}/robots.txt")
    robots.read()
    assert robots.can_fetch("anybody", f"{base}/news/")
    assert not robots.can_fetch("anybody", f"{base}/private/drafts.html")


def test_two_servers_at_once(base):
    with serve() as other:
        assert other != base


def test_what_was_asked_for_is_noted():
    asked = []
    with serve(asked=asked) as base:
        for path in ("/", "/news/?page=2", "/"):
            urllib.request.urlopen(base + path).read()
    assert asked == ["/", "/news/", "/"]


def test_a_client_that_goes_away_is_no_error_to_show(base, capfd):
    with socket.create_connection(("127.0.0.1", urlsplit(base).port)) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close by a reset
    time.sleep(0.1)
    assert "Traceback" not in capfd.readouterr().err
