"""Damaged pages: a recorded one with parts cut, repeated, moved, nested, sprinkled with what parsers trip over."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path

from evaluation.corpora import RecordedPage, Site, load

#: Marks of our own, what parsers trip over, characters of all widths, halves of characters.
ODD = (
    "\0 \x01 \x02 \x0b \x0c \x1e \x85 \xa0 \xad \ufeff \u200b \u2028 \ufffd İ ß ﬁ "
    "\U0001f600 \U00020000 \ud800 \udc00 中 ، ك"
).split(" ")
_TAGS = (
    "<br><br> </p> <p> </div></div> <div> <table><tr><td> </body> <body> </html> <html> <noscript> <script> </script> "
    "<style> <svg/> </a> <pre> <title> <select> <![CDATA[ ]]> <!-- --> <?php &#1; &#2; &#xD800; &amp; & < > ' \" <p/> "
    "<x-y> <h2>Comments</h2> <br/>"
).split(" ")
_MORE = (
    "<a href=x>",
    "<li class='post-12 comment' id=c7>",
    "<img src=a.png alt=A>",
    "<td colspan=99999999>",
    " 12,50 € ",
)
#: Addresses that would run, or end the attribute they stand in.
ADDRESSES = """\
javascript:alert(1)| JaVaScRiPt:alert(1)|java\tscript:alert(1)|java&#10;script:alert(1)|&#1;javascript:x
\0javascript:x|vbscript:x|data:text/html,<script>x</script>|data:text/html;base64,PHNjcmlwdD4=
data:image/svg+xml,<svg onload=x>|//evil.example|http:javascript:x|mailto:x?<script>|javascript&colon;x
https://x' onmouseover='x|http://x" onmouseover="x|http://x/)<script>x</script>|blob:x|file:///etc/passwd
http://x/](javascript:x)|http://x/" onload="x' onload='x""".replace("\n", "|").split("|")
#: What would run, or lead elsewhere, if it came through.
ACTIVE = (
    "<script>alert(1)</script>",
    '"><script>alert(1)</script>',
    "--><script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<p onclick=alert(1) style='background:url(javascript:x)'>",
    "<img src=x onerror=alert(1) alt='](javascript:x)'>",
    "<svg onload=alert(1)>",
    "<iframe srcdoc='<script>x</script>'>",
    "<a href='javascript:alert(1)'>",
    "<a href=' java\tscript:x'>",
    "<a href='data:text/html,<script>x</script>'>",
    "<a href='x\" onmouseover=\"x'>",
    "<base href='//evil.example/'>",
    "<base href=javascript:x>",
    "<meta charset=hex>",
    "<meta http-equiv=refresh content='0;url=javascript:x'>",
    "<style>@import 'x'",
    "`<b onclick=x>`",
    "[x](javascript:x)",
    "<noscript><p title='</noscript><img src=x onerror=x>'>",
    *(f"<a href='{one}'>x</a><img src='{one}' data-src='{one}' srcset='{one} 2x'>" for one in ADDRESSES),
)
SOUP = (*_TAGS, *_MORE, *ACTIVE)
MOST_CHARACTERS = 60_000


def _damaged_once(rng: random.Random, html: str) -> str:
    """A page with a part of it cut, repeated, moved, sprinkled upon, nested, or in other characters."""
    start = rng.randrange(len(html) + 1)
    end = min(len(html), start + int(rng.expovariate(1 / 400)))
    before, part, after = html[:start], html[start:end], html[end:]
    kind = rng.choice(["cut", "repeat", "move", "sprinkle", "nest", "translate"])
    if kind == "move":
        rest, place = before + after, rng.randrange(len(before + after) + 1)
        return rest[:place] + part + rest[place:]
    if kind == "sprinkle":
        for _ in range(rng.choice([1, 5, 40])):
            place = rng.randrange(len(html) + 1)
            html = html[:place] + rng.choice((*ODD, *SOUP)) + html[place:]
        return html
    if kind == "nest":
        tag, levels = rng.choice(["div", "span", "b", "table", "a", "li", "font"]), rng.choice([3, 300, 3000])
        part = f"<{tag}>" * levels + part + f"</{tag}>" * rng.choice([0, levels])
    elif kind == "translate":
        part = part.translate({ord(rng.choice("aeinrst ,.<0")): rng.choice(ODD)})
    else:
        part *= 0 if kind == "cut" else rng.choice([2, 3, 10])
    return before + part + after


def damaged(rng: random.Random, html: str) -> str:
    """A page with some of its parts cut, repeated, moved, nested, or sprinkled with what parsers trip over."""
    for _ in range(rng.choice([1, 1, 2, 3, 6])):
        html = _damaged_once(rng, html)[:MOST_CHARACTERS]
    return html


def round_of(seed: int, sites: Sequence[Site]) -> tuple[str, list[str]]:
    """The page of a round, and those it is compared with."""
    rng = random.Random(seed)
    site = rng.choice(sites)
    chosen: list[RecordedPage] = rng.sample(site, min(len(site), rng.choice([1, 2, 4])))
    html, *others = (page.html for page in chosen)
    return damaged(rng, html), [damaged(rng, other) if rng.random() < 0.2 else other for other in others]


def known_sites() -> list[Site]:
    """Those of the example portal, and recorded ones where DENOISE_CORPORA names a folder."""
    folder = os.environ.get("DENOISE_CORPORA")
    return [site for _, corpus in load(Path(folder) if folder else None) for site in corpus]
