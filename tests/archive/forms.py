"""Pages of one site that are filled in from lists, and true copies of some of them, as rows of bodies."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product, zip_longest
from typing import Any

from denoise_scrapy.dedup import Fingerprint
from denoise_scrapy.dedup.variants import hash_title

_FORM = (
    "{job} wanted in {town}. Our workshop looks for someone who knows the trade, likes to work in a small team and "
    "wants to learn more. You work {hours} hours a week and earn {pay} a month, with thirty days of leave. Write to "
    "{name} before the end of the month, with your papers, and say when you could begin. We pay the fare of those we "
    "invite."
)
_JOBS, _TOWNS = ("Joiner", "Welder", "Baker", "Glazier", "Potter"), ("Kiel", "Bonn", "Jena", "Ulm")
_NAMES = ("Mrs Adler", "Mr Brandt", "Mrs Conrad", "Mr Decker", "Mrs Ebert", "Mr Falk", "Mrs Graf")
#: Copies behind the twenty offers, and what each is of.
COPIES = {20: 7, 21: 13, 22: 4, 23: 7}


def rows_of(texts: Sequence[str], urls: Sequence[str] = (), titles: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Rows of bodies; without URLs they are of no site."""
    rows = []
    for text, url, title in zip_longest(texts, urls or list(map(str, range(len(texts)))), titles, fillvalue=""):
        fingerprint = replace(Fingerprint.of(text), title=hash_title(title))
        columns = {name: getattr(fingerprint, name) for name in Fingerprint.__slots__}
        rows.append({"url": url, "text": text, "title": title, "fingerprint": columns})
    return rows


def offers(*, titled: bool = True) -> list[dict[str, Any]]:
    """Twenty jobs of one site, then a print view, a page with a session's number, a reprint and another print view."""
    texts, urls, titles = [], [], []
    for number, (job, town) in enumerate(product(_JOBS, _TOWNS)):
        name = _NAMES[number % len(_NAMES)]
        texts.append(_FORM.format(job=job, town=town, hours=20 + number, pay=1500 + 137 * number, name=name))
        urls.append(f"https://www.jobs.example/offers/{1000 + 7 * number}.html")
        titles.append(f"{job} in {town}")
    texts += ["Printed on Monday, page 1 of 1. " + texts[7], texts[13], "From our partners. " + texts[4]]
    urls += ["https://m.jobs.example/offers/1049.html?view=print", f"{urls[13]}?session=8c1f"]
    urls += ["https://www.morning-wire.example/reprint", "https://www.jobs.example/print/offers/1049.html"]
    texts.append("Print this page. " + texts[7])
    titles += [titles[7], titles[13], "Hands wanted", titles[7]]  # a reprint has another headline
    return rows_of(texts, urls, titles if titled else [])
