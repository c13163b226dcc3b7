"""The exceptions of this package. Those not in `__all__` are internal.

`UsageError` becomes an error message of the command line, and the others are handled internally. Invalid arguments
raise ValueError.
"""

from __future__ import annotations

__all__ = ["ConfigurationError", "DenoiseError", "StoreMismatch"]

KIND = "file"  # the constant of `StoreMismatch` for a file of another kind


class DenoiseError(Exception):
    """Base of the exceptions of this package."""


class ConfigurationError(DenoiseError, ValueError):
    """A ``DENOISE_*`` setting is unknown or invalid; the message includes it and the valid values."""


class StoreMismatch(DenoiseError, ValueError):  # noqa: N818 - public
    """A file or store was written by another version or program, or for another rule, and cannot be used.

    Attributes:
        constant: What differs.
        stored: Its value in the store.
        current: The value of this version.

    Example:
        >>> str(StoreMismatch("pair cap", "128", "256", "a.db", "Delete it."))
        "a.db: 'pair cap' is 128 there and 256 here. Delete it."
    """

    def __init__(self, constant: str, stored: str, current: str, where: str, advice: str) -> None:
        differs = f"this is {stored}, and {current} is needed"
        if constant != KIND:
            differs = f"{constant!r} is {stored} there and {current} here"
        super().__init__(f"{where}: {differs}. {advice}")
        self.constant = constant
        self.stored = stored
        self.current = current


class UsageError(DenoiseError):
    """The command line is wrong, as the message explains."""


class TooLargeError(DenoiseError):
    """A page is too large for a selector."""
