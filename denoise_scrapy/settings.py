"""The settings of a crawl or of one page, read from what is given and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from denoise_scrapy.body import Taste
from denoise_scrapy.declared_settings import DeclaredSettings, declarations
from denoise_scrapy.dedup import RULES
from denoise_scrapy.item_fields import wanted_fields
from denoise_scrapy.setting_values import PREFIX, ConfigurationError, checked_value, nearest_hint

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.settings import BaseSettings

MEGABYTE = 1_000_000

__all__ = ["ConfigurationError", "DenoiseSettings"]


@dataclass(frozen=True)
class DenoiseSettings(DeclaredSettings):
    """The settings of one crawl, or, with a request's own ones, of one page: see `DeclaredSettings`."""

    @cached_property
    def taste(self) -> Taste:
        """What belongs to a body, selectors apart."""
        return Taste(self.favor, self.title, self.captions, self.bylines, self.comments, self.tables)

    @cached_property
    def item_fields(self) -> Mapping[str, str]:
        """Name of the item field by setting, of those that are asked for."""
        return wanted_fields(self)

    @property
    def memory_bytes(self) -> int:
        """`memory_mb` in bytes."""
        return int(self.memory_mb * MEGABYTE)

    @property
    def paths_bytes(self) -> int:
        """`paths_mb` in bytes."""
        return int(self.paths_mb * MEGABYTE)

    @property
    def reuse_bytes(self) -> int:
        """`reuse_mb` in bytes."""
        return int(self.reuse_mb * MEGABYTE)

    @property
    def max_page_bytes(self) -> int:
        """`max_page_mb` in bytes."""
        return int(self.max_page_mb * MEGABYTE)

    @classmethod
    def from_settings(cls, settings: BaseSettings | Mapping[str, Any], spider: Spider | None = None) -> DenoiseSettings:
        """Read and check all settings.

        Args:
            settings: The crawl's settings; names without our prefix are ignored.
            spider: Its attributes ``denoise_*`` (also from ``-a``) override settings. Methods of
                such a name are ignored.

        Raises:
            ConfigurationError: A name is unknown or a value invalid.
        """
        given = {str(key): settings[key] for key in settings if str(key).startswith(PREFIX)}
        read = cls()._with_values(given, PREFIX, str.upper)
        if spider is not None:
            read = read._with_values(dict(_attributes(spider)), PREFIX.lower(), str.lower)
        read._check_store()
        return read

    def for_page(self, asked: object) -> DenoiseSettings:
        """Return the settings of one page.

        Args:
            asked: The request's ``meta["denoise"]``: None, True, False, or a dict of settings in
                lower case without the prefix.

        Raises:
            ConfigurationError: It is of another type, or names a setting that is unknown, invalid
                or not one of a single page.
        """
        if asked is None:
            return replace(self, enabled=False) if not self.every_page else self
        if isinstance(asked, bool):
            return replace(self, enabled=asked)
        if isinstance(asked, Mapping):
            return self._with_values(asked, "", str.lower, per_page=True)
        raise ConfigurationError(f'request.meta["denoise"] = {asked!r}: valid are True, False and a dict of settings')

    def _with_values(
        self, given: Mapping[Any, Any], prefix: str, case: Any, *, per_page: bool = False
    ) -> DenoiseSettings:
        known = {
            prefix + case(name): (name, str(option.type), declared)
            for name, option, declared in declarations()
            if declared.per_page or not per_page
        }
        changes = {}
        for key, value in given.items():
            if key not in known:
                raise ConfigurationError(f"{key} = {value!r}: no such setting{nearest_hint(str(key), known)}")
            name, kind, declared = known[key]
            changes[name] = checked_value(key, value, kind, declared)
        return replace(self, **changes)

    def _check_store(self) -> None:
        """Refuse settings of the index that contradict each other."""
        if self.dedup_store in {"memory", "redis"} and self.dedup_path:
            raise ConfigurationError(
                f"DENOISE_DEDUP_PATH = {self.dedup_path!r} has no effect with DENOISE_DEDUP_STORE "
                f"= {self.dedup_store!r}; valid there are 'auto' and 'sqlite'"
            )
        way, has_bands = self.dedup_search, RULES[self.dedup_rule].has_bands
        if way == "prefilter" and not has_bands:
            raise ConfigurationError(
                f"DENOISE_DEDUP_SEARCH = {way!r} does not go with DENOISE_DEDUP_RULE = {self.dedup_rule!r}; "
                "valid there are 'auto' and 'tree'"
            )
        if self.dedup_extends and (way not in {"auto", "prefilter"} or not has_bands):
            raise ConfigurationError(
                "DENOISE_DEDUP_EXTENDS = True needs DENOISE_DEDUP_SEARCH = 'prefilter' and a rule other than 'patent'"
            )


def _attributes(spider: Spider) -> Iterator[tuple[str, Any]]:
    for name in dir(spider):
        if name.startswith(PREFIX.lower()):
            value = getattr(spider, name)
            if not callable(value):
                yield name, value
