"""Bodies for callbacks and page objects of scrapy-poet: they ask for a parameter or field of the type `Body`.

The add-on enables `BodyProvider` where scrapy-poet is enabled. Page objects that are tested with web-poet's fixtures
import `Body` from here: then it can be saved and loaded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Set
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from denoise_scrapy.body import Body, extract
from denoise_scrapy.body.extraction import Block, Hidden
from denoise_scrapy.body.rendering import Token
from denoise_scrapy.crawl.pages import is_page, told_encoding
from denoise_scrapy.crawl.parts import beside
from denoise_scrapy.crawl.state import state_of
from denoise_scrapy.metadata import Metadata
from denoise_scrapy.page.parse import decode_html

try:
    from scrapy_poet.page_input_providers import PageObjectInputProvider
    from web_poet.serialization import SerializedLeafData, register_serialization
except ImportError as error:
    raise ImportError("denoise_scrapy.poet needs scrapy-poet: pip install denoise-scrapy[poet]") from error

__all__ = ["Body", "BodyProvider"]


class BodyProvider(PageObjectInputProvider):
    """Provides the body of a response, compared with other pages of its site as an item's text is.

    Items of the callback get their values from the same extraction. A page that the crawl leaves alone, as by
    ``DENOISE_ENABLED = False``, is judged alone; what is not HTML, or what workers died of, has an empty body.
    """

    provided_classes = {Body}  # noqa: RUF012 - as the base class wants it
    name = "denoise_body"

    async def __call__(
        self, to_provide: Set[Callable[..., Any]], request: Request, response: Response, crawler: Crawler
    ) -> list[Body]:
        """Return the body."""
        page = body = None
        with suppress(NotConfigured):
            state = state_of(crawler)
            page = await state.pages.read(request, response, wants_body=True)
            body = None if page is None else await state.bodies.body_of(page)
        if body is not None:
            return [replace(body, make_source=partial(decode_html, response.body, told_encoding(response)))]
        if not is_page(response) or (page is not None and page.deaths):
            return [Body("", 0.0, "", url=response.url)]
        return [await beside(partial(extract, response))]


# Attributes of a body that are saved as they are.
_PLAIN = ("text", "title", "kind", "url", "confidence", "strategy", "fallback", "evidence", "comparison")


def _saved(body: Body) -> SerializedLeafData:
    state: dict[str, Any] = {name: getattr(body, name) for name in _PLAIN}
    with suppress(ImportError):  # of the extra
        state["meta"] = asdict(body.meta)
    rows = {"blocks": map(asdict, body.blocks), "hidden": body.hidden, "rendering": map(list, body.make_rendering())}
    state |= {name: [*found] for name, found in rows.items()}
    return {"json": json.dumps(state, ensure_ascii=False, indent=1).encode()}


def _loaded(cls: type[Body], data: SerializedLeafData) -> Body:
    state: dict[str, Any] = json.loads(data["json"])
    blocks = tuple(Block(**block) for block in state["blocks"])
    tokens = [
        Token(kind, value, tuple(map(tuple, attributes)), block)
        for kind, value, attributes, block in state.pop("rendering")
    ]
    if meta := state.get("meta"):
        state["meta"] = Metadata(**meta | {name: tuple(meta[name]) for name in ("authors", "tags")})
    state |= {name: np.array([getattr(block, name) for block in blocks]) for name in ("probability", "kept")}
    hidden = tuple(Hidden(*one) for one in state["hidden"])
    comparison = tuple(state["comparison"])
    body = cls("", 0.0, "", make_rendering=lambda: tokens)
    vars(body).update(state, blocks=blocks, hidden=hidden, comparison=comparison)
    return body


register_serialization(_saved, _loaded)
