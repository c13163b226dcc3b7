"""What of a body an item can be given, and in which of its fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from denoise_scrapy.body import Body
    from denoise_scrapy.settings import DenoiseSettings

#: What each setting's field receives.
VALUES: Mapping[str, Callable[[Body], Any]] = MappingProxyType(
    {
        "body_field": lambda body: body.text,
        "html_field": lambda body: body.html,
        "markdown_field": lambda body: body.markdown,
        "confidence_field": lambda body: round(body.confidence, 4),
        "kind_field": lambda body: body.kind,
        "title_field": lambda body: body.title,
        "comparison_field": lambda body: list(body.comparison),
        "blocks_field": lambda body: [asdict(block) for block in body.blocks],
    }
)

#: Settings whose fields receive what is not found in a body alone (`item_meta`).
BESIDE = ("lang_field", "published_field")


def wanted_fields(settings: DenoiseSettings) -> dict[str, str]:
    """Name of the item field by setting, of those that are asked for.

    Example:
        >>> from denoise_scrapy.settings import DenoiseSettings
        >>> wanted_fields(DenoiseSettings.from_settings({"DENOISE_HTML_FIELD": "html"}))
        {'body_field': 'body', 'html_field': 'html'}
    """
    named = {name: str(getattr(settings, name)) for name in (*VALUES, *BESIDE)}
    return {name: field for name, field in named.items() if field}


def field_values(body: Body, settings: DenoiseSettings) -> dict[str, Any]:
    """What each of the wanted fields receives, by item field; those of `BESIDE` are not among them."""
    return {field: VALUES[name](body) for name, field in settings.item_fields.items() if name in VALUES}
