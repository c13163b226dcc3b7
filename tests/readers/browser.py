"""Markdown of hostile pages, read by all readers, in a real Chromium: no script runs, and nothing is asked for."""

import os
import shutil

import pytest

from tests.readers.cases import CASES
from tests.readers.readers import node_readers
from tests.readers.test_readers import python_readings, written

#: What a script would be, where the text says so itself: the test is none if this does not run.
PROOF = "<img src=x onerror='ran=1'>"
#: Links that are scripts run when they are clicked; others would leave the page.
CLICK_ALL = """() => {
  for (const link of document.querySelectorAll("a")) if (link.protocol !== "javascript:") link.removeAttribute("href");
  for (const element of document.querySelectorAll("*")) element.dispatchEvent(new MouseEvent("click"));
  return new Promise(done => setTimeout(done, 5));
}"""


def test_no_script_runs_in_a_browser() -> None:
    found = shutil.which("chromium")
    if found is None:
        (pytest.fail if os.environ.get("DENOISE_REQUIRE_SERVERS") else pytest.skip)("apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    with node_readers() as node, sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        view = browser.new_page()
        view.route("**/*", lambda route: route.abort())
        for markup in CASES:
            text = written(markup)[1]
            readings = {**node(text), **python_readings(text)}
            for reading, name in {reading: name for name, reading in readings.items()}.items():  # many are the same
                view.set_content(reading, wait_until="load")
                view.evaluate(CLICK_ALL)
                assert view.evaluate("typeof ran") == "undefined", f"{name}: {text}"
        view.set_content(PROOF, wait_until="load")
        assert view.evaluate("new Promise(done => setTimeout(() => done(typeof ran), 50))") == "number"
        browser.close()
