"""Pages of made sites: a template with an article each."""

import random

from denoise_scrapy.page import Page

WORDS = "harbour meadow lantern granite orchard violin captain winter bridge letter garden market thunder".split()

OLD = (
    "<div id=top>Daily News Home Sport</div><div id=main><h1>Title {n}</h1>{text}"
    "<div class=tools>Print this page</div></div><div id=foot>All rights reserved</div>"
)
LOOSE = "<div class=top>Daily</div><table class=list><tr><td class=one>{text}</table><div class=end>{n}</div>"
NEW = (
    "<header class=bar><nav class=menu>News Home Sport</nav></header><main class=page><article class=story>"
    "<h2 class=t>Title {n}</h2>{text}</article></main><footer class=end>Rights reserved</footer>"
)


def text(n, paragraphs=6, tag="p"):
    chance = random.Random(n)
    return "".join(f"<{tag}>{' '.join(chance.choices(WORDS, k=20))}.</{tag}>" for _ in range(paragraphs))


def page(n, frame=OLD, host="a", tag="p"):
    html = frame.format(n=n, text=text(n, tag=tag))
    return Page.parse(f"<title>Title {n}</title><body>{html}", url=f"http://{host}.example/news/{n}")
