"""All ``DENOISE_*`` settings, each declared once; reading and checking them."""

from __future__ import annotations

import json
import logging
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from denoise_scrapy.body import DEFAULT_STRATEGY, STRATEGIES, Taste, find_strategy
from denoise_scrapy.body.example_files import read_examples
from denoise_scrapy.body.fields import BODY, FIELDS, META, NEWS, PAGES, SHORT, TAUGHT, TAUGHT_AS, field_of
from denoise_scrapy.body.rendering import IMAGES, LINKS
from denoise_scrapy.body.taste import FAVORS, PARTS, SWITCHES
from denoise_scrapy.dedup import RULES
from denoise_scrapy.dedup.open_store import VALID, is_file
from denoise_scrapy.dedup.variants import CERTAINTY
from denoise_scrapy.exceptions import ConfigurationError
from denoise_scrapy.page.selectors import compile_all
from denoise_scrapy.support.adapters import find_function
from denoise_scrapy.support.shown import nearest_hint
from denoise_scrapy.support.storage import SCHEMES

if TYPE_CHECKING:
    from types import TracebackType

    from scrapy import Spider
    from scrapy.settings import BaseSettings

__all__ = ["ConfigurationError", "DenoiseSettings", "declarations", "hide_tracebacks"]

PREFIX = "DENOISE_"
# Further keys of DENOISE_FIELDS with their meanings: marks, whose item fields have the same names by default.
MARK, VARIANT, UPDATE, CONTAINS = "near_duplicate", "variant_of", "update_of", "contains"
SEEN, NO_CONTENT = "seen", "no_content"
MARKS: Mapping[str, str] = {
    MARK: 'with `DENOISE_DEDUP = "mark"`: key and score of the item that this one copies',
    VARIANT: "key of the first [variant](dedup.md#variants)",
    UPDATE: "key of the text that this one updates",
    CONTAINS: "keys of the texts that are parts of this one",
    SEEN: "what has changed since an [earlier crawl](operations.md#the-same-pages-again)",
    NO_CONTENT: "true for a [wall or an error page](health.md#walls-and-error-pages)",
}

# Values of DENOISE_FIELDS by name.
PRESETS: Mapping[str, Mapping[str, str]] = {
    "article": {  # `Article` of zyte-common-items
        "body": "articleBody",
        "html": "articleBodyHtml",
        "title": "headline",
        "authors": "authors",
        "description": "description",
        "language": "inLanguage",
        "published": "datePublished",
        "modified": "dateModified",
        "image": "mainImage",
        "canonical": "canonicalUrl",
    }
}

_BOOLS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
# Annotations of settings that are not plain values.
_TEXTS, _PAIRS = "tuple[str, ...]", "Mapping[str, str]"
AUTO = "auto"  # a number chosen by the plugin
_ITEM_FIELD = "the name of an item field"


def hide_tracebacks() -> None:
    """Omit tracebacks of `ConfigurationError` from now on: its message is sufficient for users."""
    if sys.excepthook is sys.__excepthook__:  # leave other hooks (Sentry, rich) in place
        sys.excepthook = _show_without_traceback
    for name in ("asyncio", "twisted"):  # they log errors of tasks and deferreds that nothing waits for
        logging.getLogger(name).addFilter(_is_news)


def _show_without_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, ConfigurationError):
        print(f"The crawl does not start: {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


def _is_news(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], ConfigurationError))


@dataclass(frozen=True)
class Declaration:
    """A setting: its meaning and valid values."""

    meaning: str  # one line for the documentation
    unit: str = ""  # unit of a number
    low: float = -math.inf  # minimum of a number
    high: float = math.inf  # maximum of a number
    choices: tuple[str, ...] = ()  # the valid texts; empty for any
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # keys of a dict, with the valid values of each
    may_be_empty: bool = False  # whether "" and None are valid texts
    per_page: bool = False  # whether a request may set it in `meta["denoise"]`
    valid: str = ""  # description of the valid values, unless they follow from the rest
    check: Callable[[Any], object] | None = None  # raises ValueError for an invalid value of the right type
    default: str = ""  # description of the default, if it depends on the machine

    def valid_values(self, kind: str) -> str:
        """Describe the valid values of a setting of type `kind` (``"bool"``, ``"int"`` …)."""
        if kind == _PAIRS:
            keys_of: dict[tuple[str, ...], list[str]] = {}
            for key, values in self.keys.items():
                keys_of.setdefault(values, []).append(key)
            to = self.valid or "item field"
            pairs = (f"{', '.join(keys)} to {' | '.join(values) or to}" for values, keys in keys_of.items())
            return " | ".join((*self.choices, "dict: " + "; ".join(pairs)))
        low, high = self.low, self.high
        limits = f", {low:g} to {high:g}" if high < math.inf else f" >= {low:g}" if low > -math.inf else ""
        words = "text" if kind == "str" and self.may_be_empty else _KINDS[kind][0]
        return self.valid or " | ".join(self.choices) or words + limits


def _of_crawl(default: Any, meaning: str, /, **more: Any) -> Any:
    values: Any = {"default_factory": dict} if default == {} else {"default": default}
    return field(**values, metadata={"declaration": Declaration(meaning, **more)})


def _of_page(default: Any, meaning: str, /, **more: Any) -> Any:
    """Declare a setting that a request may change for its page."""
    return _of_crawl(default, meaning, per_page=True, **more)


_STORES = f"auto | {VALID}"


def check_store(place: str) -> None:
    """Raise `ValueError` for an invalid place of an index; the path of a file has a slash or a suffix."""
    if not (place in {"auto", "memory"} or place.startswith(SCHEMES) or is_file(place)):
        raise ValueError(f"valid is {_STORES}{nearest_hint(place, ('auto', 'memory', 'redis://'))}")


class ComparedFields(NamedTuple):
    """The fields of DENOISE_DEDUP_FIELDS."""

    text: str = ""  # the field with the text to compare; "" for the body field
    agree: tuple[str, ...] = ()  # fields that are equal in duplicates
    differ: tuple[str, ...] = ()  # fields that differ in duplicates
    ignored: tuple[str, ...] = ()
    decide: bool = False  # whether some of these decide in place of all others


def compared_fields(names: Iterable[str]) -> ComparedFields:
    """Parse field names, prefixed with "=" if values must agree, "!" if they must differ, "-" to ignore them.

    Raises:
        ValueError: A name is missing, or there are two texts.

    Example:
        >>> compared_fields(["body", "=sku", "!seller", "-rank"])
        ComparedFields(text='body', agree=('sku',), differ=('seller',), ignored=('rank',), decide=True)
    """
    parts: dict[str, list[str]] = {"": [], "=": [], "!": [], "-": []}
    for name in names:
        sign = name[:1] if name[:1] in parts else ""
        field = name.removeprefix(sign).strip()
        if not field:
            raise ValueError(f"{name!r} names no field")
        parts[sign].append(field)
    texts, agree, differ, ignored = map(tuple, parts.values())
    if len(texts) > 1:
        raise ValueError(f"one field holds the text to compare, not {len(texts)}; write '=', '!' or '-' before others")
    return ComparedFields("".join(texts), agree, differ, ignored, decide=bool(texts or agree or differ))


@dataclass(frozen=True)
class DenoiseSettings:
    """The settings of one crawl, or of one page, with those of its request.

    The name of a setting is ``DENOISE_`` and the name of the field in upper case; annotations determine its type.
    `docs/settings.md` is generated from this class.
    """

    enabled: bool = _of_page(True, "Process pages; False: none, and no component of the plugin is enabled.")
    strategy: str = _of_page(
        DEFAULT_STRATEGY,
        "The method that selects the blocks of the body.",
        valid=" | ".join((*STRATEGIES, "import path of a class")),
        check=find_strategy,
    )
    favor: str = _of_page("balanced", "Prefer less noise (precision), less loss (recall), or neither.", choices=FAVORS)
    parts: Mapping[str, str] = _of_page(
        {},
        "Leave these parts of a page to the strategy, or always keep or drop them.",
        keys=dict.fromkeys((*PARTS, "hidden"), SWITCHES),
    )
    keep: tuple[str, ...] = _of_page(
        (),
        'CSS selectors or XPaths of elements to keep; "example.com: div.story" applies to that host only.',
        check=compile_all,
    )
    remove: tuple[str, ...] = _of_page(
        (), "CSS selectors or XPaths of elements to drop; DENOISE_KEEP has precedence.", check=compile_all
    )
    fields: Mapping[str, str] = _of_page(
        {},
        "Item fields for further values (docs/how-it-works.md); metadata needs denoise-scrapy[meta]. article: those of "
        "`Article` in zyte-common-items, the body field too. `body`: the field for the text; `author`, `lang`: other "
        "names of `authors`, `language`.",
        choices=tuple(PRESETS),
        keys=dict.fromkeys((*FIELDS, *SHORT, *MARKS), ()),
    )
    adapters: Mapping[str, str] = _of_page(
        {},
        "Functions that are given these values, unless empty, and return what the item receives.",
        keys=dict.fromkeys((*FIELDS, *SHORT), ()),
        valid="import path of a function",
        check=find_function,
    )
    examples: str = _of_crawl(
        "",
        "Folder of examples: pages with their right texts, for the other pages of their sites (docs/teaching.md).",
        may_be_empty=True,
        valid="folder",
        check=read_examples,
    )
    teacher: str = _of_crawl(
        "",
        "Function that gives the right text of a page, once per template whose bodies are in doubt (docs/teaching.md).",
        may_be_empty=True,
        valid="import path of a function",
        check=find_function,
    )
    fallback: str = _of_crawl(
        "",
        "Function that gives the text of pages whose confidence is below DENOISE_FALLBACK_BELOW (docs/recipes.md).",
        may_be_empty=True,
        valid="import path of a function",
        check=find_function,
    )
    fallback_below: float = _of_crawl(0.5, "Confidence below which it is called.", low=0, high=1)
    chunk_tokens: int = _of_page(400, "Maximum tokens of a chunk; the estimate errs on the high side.", low=1)
    markdown: Mapping[str, str] = _of_page(
        {},
        "Links and images in Markdown: keep them, keep only their texts, or drop them.",
        keys={"links": LINKS, "images": IMAGES},
    )
    html_field: str = _of_page(
        "",
        "Item field with HTML, from which the text is made in place of the page's; `content.rendered` is a field of a "
        "dict.",
        may_be_empty=True,
    )
    url_field: str = _of_crawl("url", "Item field with the address of the item's page.")
    shared_body: bool = _of_page(
        False, "Give a page's text to each of several items of its callback, without comparing it."
    )
    comparison_pages: int = _of_page(20, "Maximum number of comparison pages for a page.", low=0, high=64)
    comparison_wait: float = _of_page(
        0.5,
        "How long an item waits for comparison pages of the crawl before any is fetched; up to 10 seconds while "
        "a site's first pages are downloaded.",
        unit="seconds",
        low=0,
        high=60,
    )
    comparison_share: float = _of_page(
        0.05,
        "Comparison pages fetched per crawled page, in addition to four, if the crawl has too few itself; 0: none.",
        low=0,
        high=64,
    )
    memory_mb: float = _of_crawl(80.0, "Memory for comparison pages; the oldest are removed first.", unit="MB", low=0)
    site_memory_path: str = _of_crawl(
        "",
        "Place of the site memory: a file, redis://host:6379/0#name, or :memory: for none. Empty: beside the "
        "index, else in the job directory.",
        may_be_empty=True,
    )
    workers: int | None = _of_crawl(
        None,
        "Processes that extract pages, each those of its sites; 0: the crawl's own. auto: one for a crawl that is "
        "worth it, if there is a second core.",
        low=0,
        high=64,
        default=AUTO,
    )
    geometry: str = _of_page(
        "auto", "Use the layout of rendered pages; require: warn if it is missing.", choices=("auto", "require", "off")
    )
    dedup: str = _of_page(
        "drop", "Drop near-duplicates, mark them, or compare nothing.", choices=("drop", "mark", "off")
    )
    seen: str = _of_page(
        "keep",
        "Items that an earlier crawl delivered (docs/operations.md): keep them; mark them in the field `seen`, "
        "with what has changed; or drop those unchanged.",
        choices=("keep", "mark", "drop-unchanged"),
    )
    dedup_rule: str = _of_crawl(
        "part",
        "A text is a duplicate if nearly all of it is in a kept text (part), and vice versa (near-copy), or by "
        "the literal rule of the source (patent).",
        choices=tuple(RULES),
    )
    dedup_threshold: float = _of_crawl(
        0.0, "Minimum similarity of near-duplicates; 0: the rule's default, 0.6 (patent: 0.8).", low=0, high=1
    )
    dedup_certainty: float = _of_crawl(
        CERTAINTY, "How sure a copy must be to be dropped (docs/dedup.md): the higher, the fewer are.", low=0, high=1
    )
    dedup_variants: str = _of_crawl(
        "keep",
        "Keep similar texts about something else (docs/dedup.md), or drop them as near-duplicates.",
        choices=("keep", "drop"),
    )
    dedup_fields: tuple[str, ...] = _of_crawl(
        (),
        "Item fields that decide, in place of all others: the one with the text (default: the body field, if the "
        "plugin filled it); =NAME: equal in duplicates; !NAME: different in duplicates. -NAME: ignored, while "
        'all others decide. Examples: `["body", "=sku"]`, `["-rank"]`.',
        check=compared_fields,
    )
    dedup_scope: str = _of_crawl(
        "site", "Compare a text with those of its site, or with all.", choices=("site", "global")
    )
    dedup_key_field: str = _of_crawl(
        "url", "Item field that identifies an item; an item with the same key is an update."
    )
    dedup_store: str = _of_crawl(
        "auto",
        "Place of the index; auto: in the job directory if there is one, else in memory.",
        valid=_STORES,
        check=check_store,
    )
    dedup_days: float = _of_crawl(
        0.0, "Forget texts that no crawl has seen for this long; 0: never.", unit="days", low=0
    )
    dedup_required: bool = _of_crawl(
        True,
        "Start a crawl only if the server of its index can be reached; False: items pass without comparison "
        "until it can.",
    )

    @cached_property
    def taste(self) -> Taste:
        """The choices of parts of a body, without selectors."""
        return Taste(self.favor, **self.parts)

    @cached_property
    def item_fields(self) -> Mapping[str, str]:
        """Item fields by the value they receive: `BODY`, and those of `FIELDS` that are set."""
        return {BODY: BODY} | {what: name for what, name in self.fields.items() if name and what not in MARKS}

    @cached_property
    def body_field(self) -> str:
        """Item field for the text."""
        return self.item_fields[BODY]

    @cached_property
    def compared_fields(self) -> ComparedFields:
        """`dedup_fields` by their roles."""
        return compared_fields(self.dedup_fields)

    @cached_property
    def deciding_fields(self) -> frozenset[str]:
        """Item fields that decide what is a copy because settings name them, but for the body field."""
        text, agree, differ, *_ = self.compared_fields
        key = () if self.dedup_key_field == type(self).dedup_key_field else (self.dedup_key_field,)
        return frozenset({text, *agree, *differ, *key} - {"", self.body_field})

    @cached_property
    def columns(self) -> Mapping[str, Mapping[str, str]]:
        """`item_fields`, by what they want (`Field.wants`)."""
        found: dict[str, dict[str, str]] = {"": {}, META: {}, NEWS: {}, TAUGHT: {}}
        for what, name in self.item_fields.items():
            found[field_of(what).wants][what] = name
        return found

    @cached_property
    def pages_field(self) -> str:
        """Item field for the pages of an article, "" for none."""
        return self.item_fields.get(PAGES, "")

    @cached_property
    def most_compared(self) -> int:
        """Maximum number of pages that a page is compared with."""
        return min(self.comparison_pages, find_strategy(self.strategy).comparison_pages)

    @cached_property
    def skipped_fields(self) -> frozenset[str]:
        """Item fields that never distinguish items."""
        marks = map(self.mark_field, [*MARKS][:-1])
        html = self.html_field.partition(".")[0]
        return frozenset({self.url_field, self.dedup_key_field, html, *marks, *self.compared_fields.ignored})

    def mark_field(self, mark: str) -> str:
        """Return the item field for one of `MARKS`; "" for none, which is impossible for near-duplicates."""
        return self.fields.get(mark, mark) or (MARK if mark == MARK else "")

    @cached_property
    def asked_marks(self) -> tuple[str, ...]:
        """Item fields of the marks that the settings ask for: by name, or as they say to mark items."""
        asked = {*self.fields, *[MARK] * (self.dedup == "mark"), *[SEEN] * (self.seen == "mark")}
        return tuple(field for mark in MARKS if mark in asked and (field := self.mark_field(mark)))

    @cached_property
    def needs_index(self) -> bool:
        """True if texts are compared, with others or with their earlier versions."""
        return self.dedup != "off" or self.seen != "keep"

    @property
    def memory_bytes(self) -> int:
        """`memory_mb` in bytes."""
        return int(self.memory_mb * 1e6)

    @classmethod
    def from_settings(
        cls,
        settings: BaseSettings | Mapping[str, Any],
        spider: Spider | type[Spider] | None = None,
        *,
        imports: bool = True,
    ) -> DenoiseSettings:
        """Read and check the settings of a crawl; raise `ConfigurationError` for an unknown name or invalid value.

        Without `imports`, classes named by settings are not imported, and so not checked. Attributes ``denoise_*`` of a
        spider (also from ``-a``) or of its class override settings; methods are ignored.
        """
        given = {str(key): settings[key] for key in settings if str(key).startswith(PREFIX)}
        for key in map(str, settings):
            prefix, line, rest = key.partition("_")  # DENOSIE_SEEN
            is_ours = rest.lower() in cls.__dataclass_fields__ and prefix + line != PREFIX
            if is_ours and get_close_matches(prefix + line, [PREFIX], cutoff=0.8):
                raise ConfigurationError(f"{key} = {settings[key]!r}: no such setting; did you mean {PREFIX}{rest}?")
        read = cls()._with_values(given, lambda name: PREFIX + name.upper(), imports=imports)
        if spider is not None:
            names = [name for name in dir(spider) if name.startswith(PREFIX.lower())]
            given = {name: getattr(spider, name) for name in names}  # a property if `spider` is a class
            own = {name: value for name, value in given.items() if not (callable(value) or isinstance(value, property))}
            read = read._with_values(own, lambda name: PREFIX.lower() + name, imports=imports)
        taught = read_examples(read.examples).values()
        named = {TAUGHT_AS + name for examples in taught for one in examples for name in one.fields}
        for key in read.fields if read.enabled else ():
            if key.startswith(TAUGHT_AS) and key not in named:
                hint = nearest_hint(key, named)
                raise ConfigurationError(
                    f"DENOISE_FIELDS[{key!r}]: no example in DENOISE_EXAMPLES names this field{hint}"
                )
        return read

    def for_page(self, given: object) -> DenoiseSettings:
        """Return the settings of one page, by its request's ``meta["denoise"]``: None, True, False, or a dict.

        The keys of a dict are names in lower case without the prefix. Unknown ones, and settings that cannot differ
        between pages, raise `ConfigurationError`.
        """
        if given is None:
            return self
        if isinstance(given, bool):
            return replace(self, enabled=given)
        if isinstance(given, Mapping):
            return self._with_values(given, str, per_page=True)
        raise ConfigurationError(f'request.meta["denoise"] = {given!r}: valid are True, False and a dict of settings')

    def _with_values(
        self,
        given: Mapping[Any, Any],
        spelled: Callable[[str], str],
        *,
        per_page: bool = False,
        imports: bool = True,
    ) -> DenoiseSettings:
        known = {spelled(name): (name, kind, declared) for name, kind, _, declared in declarations()}
        changes: dict[str, Any] = {}
        for key, value in given.items():
            if key not in known:
                hint = nearest_hint(str(key), known, "denoise_")
                raise ConfigurationError(f"{key} = {value!r}: no such setting{hint}")
            name, kind, declared = known[key]
            if per_page and not declared.per_page:
                raise ConfigurationError(f"{key} = {value!r}: a setting of the whole crawl, not of a request")
            parsed = _checked(key, value, kind, declared, imports=imports)
            # dicts are merged key by key
            changes[name] = {**getattr(self, name), **parsed} if kind == _PAIRS else parsed
            if name == "fields":
                _check_item_fields(key, changes[name])
        return replace(self, **changes)


def declarations() -> Iterator[tuple[str, str, Any, Declaration]]:
    """Yield name, type, default and declaration of each setting, in order."""
    for option in fields(DenoiseSettings):
        default = {} if option.default is MISSING else option.default
        yield option.name, str(option.type), default, option.metadata["declaration"]


def _checked(name: str, value: object, kind: str, declared: Declaration, *, imports: bool = True) -> Any:
    """Convert the value of a setting to its type; raise `ConfigurationError` if it is invalid."""
    if kind == _PAIRS:
        return _checked_pairs(name, value, declared, imports=imports)
    try:
        parsed = _KINDS[kind][1](value)
        is_beyond = isinstance(parsed, (int, float)) and not declared.low <= parsed <= declared.high
        is_unknown = declared.choices and parsed not in declared.choices
        if is_beyond or is_unknown or (parsed == "" and not declared.may_be_empty):
            raise ValueError
    except (ValueError, KeyError):
        hint = nearest_hint(value, declared.choices) if isinstance(value, str) else ""
        raise ConfigurationError(f"{name} = {value!r}: valid is {declared.valid_values(kind)}{hint}") from None
    try:
        may_import = isinstance(parsed, str) and "." in parsed  # the path of a class or function
        if declared.check is not None and parsed and (imports or not may_import):
            declared.check(parsed)
    except (ValueError, OSError) as error:  # the second of the place of a file or folder
        raise ConfigurationError(f"{name} = {value!r}: {error}") from None
    return parsed


def _checked_pairs(name: str, value: object, declared: Declaration, *, imports: bool) -> dict[str, str]:
    """Check a dict, or the name of one; command lines give it as JSON."""
    if isinstance(value, str):
        pairs = PRESETS[value] if value in declared.choices else _json_of(value, dict)
    else:
        pairs = {} if value is None else value
    if not isinstance(pairs, Mapping):
        hint = nearest_hint(str(value), declared.choices)
        raise ConfigurationError(f"{name} = {value!r}: valid is {declared.valid_values(_PAIRS)}{hint}")
    checked: dict[str, str] = {}
    for key, each in pairs.items():
        family = TAUGHT if str(key).startswith(TAUGHT_AS) else key
        if family not in declared.keys:
            hint = nearest_hint(str(key), declared.keys)
            raise ConfigurationError(f"{name}[{key!r}] = {each!r}: valid keys are {', '.join(declared.keys)}{hint}")
        choices = declared.keys[family]
        valid = "" if choices else declared.valid or _ITEM_FIELD
        of_key = replace(declared, choices=choices, may_be_empty=not choices, valid=valid)
        if SHORT.get(key) in pairs:
            raise ConfigurationError(f"{name}[{key!r}] = {each!r}: another name of {SHORT[key]!r}, which is there too")
        checked[SHORT.get(key, key)] = _checked(f"{name}[{key!r}]", each, "str", of_key, imports=imports)
    return checked


def _check_item_fields(name: str, fields: Mapping[str, str]) -> None:
    """Stop if two values have one item field; of several marks an item has one."""
    fields = {**fields, BODY: fields.get(BODY) or BODY}
    for key, each in fields.items():
        others = [other for one, other in fields.items() if one != key and not {one, key} <= MARKS.keys()]
        if each and each in others:
            raise ConfigurationError(f"{name}[{key!r}] = {each!r}: this is the field of another value")


def _parse_int(value: object) -> int:
    return int(str(value))  # neither of True nor of 2.5


def _parse_float(value: object) -> float:
    number = float(str(value))
    if not math.isfinite(number):
        raise ValueError(value)
    return number


def _parse_str(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str | PurePath):
        raise ValueError(value)
    return str(value)


def _parse_texts(value: object) -> tuple[str, ...]:
    """Parse a list of texts or one text; command lines give a list as JSON."""
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        value = _json_of(value, list) or [value]
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) and text.strip() for text in value):
        raise ValueError(value)
    return tuple(value)


def _json_of(text: str, kind: type) -> Any:
    """Parse JSON; return None for other text, such as the selector `[data-ad]`."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, kind) else None


# By annotation: a description of the valid values, and their parser.
_KINDS: dict[str, tuple[str, Callable[[object], Any]]] = {
    "bool": ("True | False", lambda value: _BOOLS[str(value).strip().lower()]),
    "int": ("whole number", _parse_int),
    "int | None": (f"{AUTO} | whole number", lambda value: None if value == AUTO else _parse_int(value)),
    "float": ("number", _parse_float),
    "str": ("text, not empty", _parse_str),
    _TEXTS: ("text, or a list of texts", _parse_texts),
}
