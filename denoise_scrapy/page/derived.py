"""Columns that are C's where it computed them, and numpy's, when they are asked for, where it did not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, overload

import numpy.typing as npt

T = TypeVar("T")

#: The array of a name as C computed it, None where it has not.
Told = Callable[[str], npt.NDArray[Any] | None]


class _Owner(Protocol):
    @property
    def told(self) -> Told | None: ...


class derived(Generic[T]):  # noqa: N801 - it stands where `cached_property` would
    """A property that is computed once: what `told` says to its name, else what the function returns.

    Example:
        >>> class Squares:
        ...     told = {"four": 16}.get
        ...     four = derived(lambda self: 4 * 4)
        ...     five = derived(lambda self: 5 * 5)
        >>> squares = Squares()
        >>> squares.four, squares.five, vars(squares)
        (16, 25, {'four': 16, 'five': 25})
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> derived[T]: ...
    @overload
    def __get__(self, instance: _Owner, owner: type[Any] | None = None) -> T: ...
    def __get__(self, instance: _Owner | None, owner: type[Any] | None = None) -> derived[T] | T:
        """The value; it is kept in the instance's `__dict__`, where it is found first from then on."""
        if instance is None:
            return self
        value: Any = None if instance.told is None else instance.told(self._name)
        if value is None:
            value = self._compute(instance)
        vars(instance)[self._name] = value
        found: T = value
        return found
