"""Screenshots, light and dark: a page of the portal beside its text, what `explain` and `trial` write, `teach` shows.

Beside the pictures stands a digest of the text of each, by which `python -m docs.generate --check` finds those that are
older than the code.
"""

from __future__ import annotations

import base64
import io
import json
import re
import tempfile
import threading
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path

from denoise_scrapy import DuplicateIndex, extract
from denoise_scrapy.body.explanation import explain_page
from denoise_scrapy.commands.teach import TaughtPages, TeachServer
from denoise_scrapy.commands.trial import Costs, TriedItem, report_of
from denoise_scrapy.settings import UPDATE
from example_project.portal.build import build

IMAGES = Path(__file__).parent.parent / "images"
DIGESTS = IMAGES / "shots.json"
COLOURS = 255  # enough for smooth letters; half of the bytes of all colours
SITE = "http://portal.example"
BYLINE = "By Fenwick Loveridge"
PAGE_STYLE = (
    ":root{color-scheme:light dark}body{padding:12px}.row{display:flex;gap:30px}.row>div{width:250px;flex:none}"
)
STYLE = """
:root{color-scheme:light dark}
body{margin:0;background:light-dark(#fff,#121212);font:15px/1.45 Georgia,serif;color:light-dark(#222,#ddd)}
main{display:flex;gap:24px;padding:20px}
figure{margin:0;flex:1}
figcaption{font:bold 15px/2 sans-serif;color:light-dark(#555,#aaa)}
.frame{border:1px solid light-dark(#bbb,#555);border-radius:6px;height:760px;overflow:hidden}
.frame img{width:100%}
.text{padding:22px 26px;height:716px;overflow:hidden}
.text p{margin:0 0 12px}
.text p:first-child{font-size:24px;line-height:1.2;font-weight:bold}
"""


def before_after() -> tuple[str, str]:
    """Return a page of the portal's manual, and its text as HTML."""
    pages = [page for page in build().pages.values() if page.section == "docs"]
    page, others = pages[8], pages[9:13]
    text = extract(page.html, f"{SITE}{page.path}", [other.html for other in others]).text
    return page.html, "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())


def explained() -> str:
    """Return the explanation of a story of the portal, as HTML."""
    pages = [page for page in build().pages.values() if page.section == "news"]
    page = next(page for page in pages if "office-1077" in page.path)
    others = [(f"{SITE}{other.path}", other.html) for other in pages if other.path.endswith("5.html")]
    return explain_page(page.html, f"{SITE}{page.path}", others[:3]).html


def tried() -> str:
    """Return the report of a trial on stories of the portal, as HTML."""
    pages = [page for page in build().pages.values() if page.section in {"news", "evening"} and page.truth]
    bodies = [extract(page.html, f"{SITE}{page.path}", [other.html for other in pages[:8]]) for page in pages]
    items = list[TriedItem]()
    with DuplicateIndex() as index:
        for body in bodies:
            verdict = index.check_and_add(body.url, body.text, title=body.title)
            outcome = "copy" if verdict.duplicate else UPDATE if verdict.update_of else ""
            of, found = verdict.of or verdict.update_of or "", (body.text, body, body.confidence)
            items.append(TriedItem(body.url, "StoryItem", (), *found, "", outcome, of, verdict.share, body.url))
    costs = Costs(len(items) + 6, 3, 58, 1.3, 0, {}, ["news.pipelines.Table"])
    return report_of("stories", items, costs)


def taught() -> TaughtPages:
    """Return the pages of which one is taught: a story of the portal, and three others."""
    pages = [page for page in build().pages.values() if page.section == "news" and page.truth][:12]
    return TaughtPages([(f"{SITE}{page.path}", page.html) for page in pages], f"{SITE}{pages[0].path}")


def digests() -> Mapping[str, str]:
    """Return a digest of the text of each picture; of explanations without numbers, which vary in their last digit."""
    shown = {"before-after.png": "".join(before_after()), "explain.png": re.sub(r"\d+", "0", explained())}
    shown["trial.png"] = re.sub(r"\d+", "0", tried())
    pages = taught()
    assets = "".join(asset.read_text("utf-8") for asset in (files("denoise_scrapy") / "commands").iterdir()
                     if asset.name.endswith(".html"))  # fmt: skip
    changes = map(str, pages.changes(pages.example(range(3), {})))
    shown["teach.png"] = assets + re.sub(r"\d+", "0", "".join([pages.drawn(), *changes]))
    return {name: sha256(text.encode()).hexdigest()[:16] for name, text in shown.items()}


def draw(browser_path: str) -> None:
    """Draw all with this Chromium; needs playwright, which the development tools bring, and Pillow."""
    from PIL import Image  # noqa: PLC0415 - only who draws needs these
    from playwright.sync_api import Browser, sync_playwright  # noqa: PLC0415

    def shot(browser: Browser, html: str, size: tuple[int, int], scheme: str = "light", over: str = "") -> bytes:
        view = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
        with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as file:
            file.write(html)
            file.flush()
            view.goto(Path(file.name).as_uri())
            if over:
                view.locator(over).hover()
                view.evaluate("scrollTo(0, 0)")
            found = view.screenshot()
        view.close()
        return bytes(found)

    def save(name: str, png: bytes) -> None:
        picture = Image.open(io.BytesIO(png)).convert("RGB")
        few = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE)
        few.save(IMAGES / name, optimize=True)

    def shot_of_teach(browser: Browser, size: tuple[int, int], scheme: str) -> bytes:
        with TeachServer(taught(), str) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            view = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
            view.goto(server.address)
            view.wait_for_selector("#changes details")
            frame = view.frame_locator("iframe")
            frame.locator(".b", has_text=BYLINE).click()
            view.get_by_label("Name of a field").fill("author")
            view.keyboard.press("Enter")
            view.get_by_label("Text of author").fill(BYLINE.removeprefix("By "))
            listed = frame.locator(".kept[data-path$='/li']")
            for _ in range(listed.count()):
                listed.first.click()  # which takes it from those that are kept
            frame.locator(".b", has_text=BYLINE).hover()
            view.wait_for_selector("#changes del")
            view.evaluate("scrollTo(0, 0)")
            found = view.screenshot()
            view.close()
            server.shutdown()
        return bytes(found)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        page, text = before_after()
        page = page.replace("</head>", f"<style>{PAGE_STYLE}</style></head>")
        for scheme, suffix in (("light", ""), ("dark", "-dark")):
            before = base64.b64encode(shot(browser, page, (760, 1020), scheme)).decode()
            both = (
                f"<meta charset=utf-8><style>{STYLE}</style><main>"
                "<figure><figcaption>the page</figcaption><div class=frame>"
                f'<img src="data:image/png;base64,{before}"></div></figure>'
                f"<figure><figcaption>item['body']</figcaption><div class='frame text'>{text}</div></figure></main>"
            )
            save(f"before-after{suffix}.png", shot(browser, both, (1280, 850), scheme))
            save(f"explain{suffix}.png", shot(browser, explained(), (1280, 1000), scheme, "#b7"))
            save(f"trial{suffix}.png", shot(browser, tried(), (1280, 850), scheme))
            save(f"teach{suffix}.png", shot_of_teach(browser, (1280, 850), scheme))
            save(f"teach-narrow{suffix}.png", shot_of_teach(browser, (390, 760), scheme))
        browser.close()
    DIGESTS.write_text(json.dumps(digests(), indent=1) + "\n", "utf-8")
