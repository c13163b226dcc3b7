"""The portal's server answers as a web server does."""

import socket
import struct
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

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


def test_a_client_that_goes_away_is_no_error_to_show(base, capfd):
    with socket.create_connection(("127.0.0.1", urlsplit(base).port)) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close by a reset
    time.sleep(0.1)
    assert "Traceback" not in capfd.readouterr().err
