"""Draws docs/images/before-after.png: a page of the example portal beside its body.

Needs Chromium (`apt-get install chromium`): python docs/picture.py [--browser chromium]
"""

from __future__ import annotations

import argparse
import base64
import subprocess
import tempfile
from html import escape
from pathlib import Path

from denoise_scrapy import extract
from example_project.portal.build import build

TARGET = Path(__file__).parent / "images" / "before-after.png"
PAGE_STYLE = "body{padding:12px}.row{display:flex;gap:30px}.row>div{width:250px;flex:none}"
STYLE = """
body{margin:0;background:#fff;font:15px/1.45 Georgia,serif;color:#222}
main{display:flex;gap:24px;padding:20px}
figure{margin:0;flex:1}
figcaption{font:bold 15px/2 sans-serif;color:#555}
.frame{border:1px solid #bbb;border-radius:6px;height:760px;overflow:hidden}
.frame img{width:100%}
.text{padding:22px 26px;height:716px;overflow:hidden}
.text p{margin:0 0 12px}
.text p:first-child{font-size:24px;line-height:1.2;font-weight:bold}
"""


def main() -> None:
    """Draw it."""
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--browser", default="chromium")
    browser = ap.parse_args().browser
    pages = [page for page in build().pages.values() if page.section == "docs"]
    page, others = pages[8], pages[9:13]
    body = extract(page.html, f"http://portal.example{page.path}", [other.html for other in others])
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "before.html"
        before.write_text(page.html.replace("</head>", f"<style>{PAGE_STYLE}</style></head>"), "utf-8")
        shot = base64.b64encode(_screenshot(browser, before, 760, 1020)).decode()
        text = "".join(f"<p>{escape(line)}</p>" for line in body.text.splitlines())
        both = Path(folder) / "both.html"
        both.write_text(
            f"<meta charset=utf-8><style>{STYLE}</style><main>"
            "<figure><figcaption>the page</figcaption><div class=frame>"
            f'<img src="data:image/png;base64,{shot}"></div></figure>'
            f"<figure><figcaption>item['body']</figcaption><div class='frame text'>{text}</div></figure></main>",
            "utf-8",
        )
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_bytes(_screenshot(browser, both, 1280, 850))


def _screenshot(browser: str, page: Path, width: int, height: int) -> bytes:
    shot = page.with_suffix(".png")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
    options += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    options += [f"--user-data-dir={page.parent / 'profile'}", f"--window-size={width},{height}"]
    subprocess.run(
        [browser, *options, f"--screenshot={shot}", page.as_uri()], check=True, capture_output=True, timeout=60
    )
    return shot.read_bytes()


if __name__ == "__main__":
    main()
