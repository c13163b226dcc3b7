"""What is public, as one text: names with their signatures, settings, stats, commands, formats of files.

`python -m docs.generate` writes it to `tests/api/public_api.txt`. Annotations are printed as the
sources write them, so that the text is the same under every version of Python.
"""

from __future__ import annotations

import argparse
import enum
import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from denoise_scrapy.commands import _parser
from denoise_scrapy.crawl.parts import PREFIX
from denoise_scrapy.settings import declarations
from docs.counters import STATS

LISTING = Path(__file__).parent.parent / "tests/api/public_api.txt"
MODULES = (
    "denoise_scrapy",
    *(
        f"denoise_scrapy.{name}"
        for name in "page site body dedup metadata archive llm.loaders crawl.remote exceptions".split()
    ),
)
#: Classes that settings name by their path, and the exception that a wrong setting raises: what they are made of is
#: Scrapy's and ours.
PATHS = (
    "denoise_scrapy.middlewares.ComparisonPagesMiddleware",
    "denoise_scrapy.middlewares.ItemPageMiddleware",
    "denoise_scrapy.pipelines.BodyPipeline",
    "denoise_scrapy.pipelines.NearDuplicatePipeline",
    "denoise_scrapy.poet.BodyProvider",
    "denoise_scrapy.settings.ConfigurationError",
)
#: Constants in which the formats of files and servers are numbered.
FORMATS = {
    "index of texts, SQLite": "denoise_scrapy.dedup.sqlite_store.FORMAT",
    "index of texts, Redis": "denoise_scrapy.dedup.redis_store.FORMAT",
    "site memory": "denoise_scrapy.site.memory.FACTS_FORMAT",
}
#: Classes whose members are listed: all of them, or those named. Of other classes it is what makes an object.
MEMBERS: dict[str, Collection[str]] = {
    "Block": (),
    "Body": (),
    "DuplicateIndex": (),
    "Page": ("boxes", "kept_by_user", "links", "nbytes", "parse", "removed_by_user", "title", "url"),
    "SiteModel": (),
    "Taste": (),
    "Verdict": (),
}
#: Classes whose objects are given, not made, and what is for making them. Of building blocks (`docs/stability.md`),
#: which are all in two packages and these two, only the names are listed.
GIVEN = {"Block", "Body", "Page", "Verdict", "Fingerprint", "Store"}
BUILDING_BLOCKS = {"denoise_scrapy.page", "denoise_scrapy.site"}
MAKING = {"make_blocks", "make_rendering", "make_title"}
SPECIAL = {"__contains__", "__enter__", "__exit__", "__getitem__", "__iter__", "__len__"}
NAMED = re.compile(r"^    (\w+): ", re.MULTILINE)


def listing() -> str:
    """Return the whole listing."""
    parts = [(name, _module(name)) for name in MODULES]
    parts += [("classes by their path", (path for path in PATHS if _found(path)))]
    parts += [("settings", _settings()), ("stats", _stats()), ("commands", _commands())]
    parts += [("formats", (f"{what}: {_found(path)!r}" for what, path in FORMATS.items()))]
    return "\n".join(f"# {title}\n" + "".join(f"{line}\n" for line in lines) for title, lines in parts)


def _found(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def _module(path: str) -> Iterator[str]:
    module = import_module(path)
    for name in sorted(set(module.__all__) - {"__version__"}):
        value = getattr(module, name)
        if path != MODULES[0] and name in import_module(MODULES[0]).__all__:
            yield f"{name}: see {MODULES[0]}"
        elif inspect.isclass(value):
            yield from _class(name, value, made=path not in BUILDING_BLOCKS and name not in GIVEN)
        elif callable(value):
            yield f"def {name}{_signature(inspect.unwrap(value))}"
        else:
            yield f"{name} = {sorted(value) if isinstance(value, Mapping) else value!r}"


def _class(name: str, kind: type, *, made: bool) -> Iterator[str]:
    bases = [f"({base.__name__})" for base in kind.__bases__ if issubclass(base, Exception | enum.Enum)]
    yield f"class {name}{''.join(bases)}"
    if made:
        yield f"    def __init__{_signature(kind.__init__)}"  # type: ignore[misc]
    if name in MEMBERS:
        wanted = MEMBERS[name]
        members = {key: line for key, line in _members(kind) if key not in MAKING and (not wanted or key in wanted)}
        yield from (f"    {line}" for _, line in sorted(members.items()))


def _members(kind: type) -> Iterator[tuple[str, str]]:
    """Return names with descriptions; the last description of a repeated name is the most detailed."""
    told = re.search(r"^Attributes:\n((?:    .*\n?|\n)+)", inspect.getdoc(kind) or "", re.MULTILINE)
    yield from ((name, name) for name in (NAMED.findall(told[1]) if told else ()))
    for base in reversed(kind.__mro__[:-1]):
        yield from ((name, f"{name}: {of}") for name, of in inspect.get_annotations(base).items() if name[0] != "_")
    for name in dir(kind):
        if name in SPECIAL or not name.startswith("_"):
            yield from _member(name, inspect.getattr_static(kind, name))


def _member(name: str, value: Any) -> Iterator[tuple[str, str]]:
    prefix = {staticmethod: "static ", classmethod: "class "}.get(type(value), "")
    value = getattr(value, "__func__", value)
    if inspect.isfunction(value):
        yield name, f"{prefix}def {name}{_signature(value)}"
    elif isinstance(value, property | cached_property):
        getter = value.fget if isinstance(value, property) else value.func
        yield name, f"{name}: {inspect.signature(getter).return_annotation}" if getter else name


def _signature(function: Callable[..., Any]) -> str:
    """Return a signature as `inspect.signature` prints it, without quotes around annotations."""
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(function)))


def _settings() -> Iterator[str]:
    for name, kind, default, declared in declarations():
        page = ", per page" if declared.per_page else ""
        yield f"DENOISE_{name.upper()} = {declared.default or repr(default)}: {declared.valid_values(kind)}{page}"


def _stats() -> Iterator[str]:
    yield from (PREFIX + name for name in STATS)


def _commands() -> Iterator[str]:
    yield from _options("scrapy denoise", _parser())


def _options(command: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    subparsers = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not subparsers:
        yield command
    for action in parser._actions:
        if action not in subparsers and action.dest != "help":
            names = ", ".join(action.option_strings) or str(action.metavar or action.dest)
            valid = f" {{{', '.join(map(str, action.choices))}}}" if action.choices else ""
            yield f"    {names}{valid}{' (required)' if action.required else ''}"
    for one in subparsers:
        for name, sub in one.choices.items():
            yield from _options(f"{command} {name}", sub)
