"""Words of the commands: numbers with their nouns, URLs without passwords."""

from __future__ import annotations


def counted(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun.

    Example:
        >>> counted(1, "row"), counted(2000, "row"), counted(0, "copy", "copies")
        ('1 row', '2,000 rows', '0 copies')

    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def without_password(name: str) -> str:
    """Return an URL without its user and password, which are no matter of a screen.

    Example:
        >>> without_password("redis://user:secret@cache.example/0"), without_password("a@b.sqlite")
        ('redis://cache.example/0', 'a@b.sqlite')

    """
    scheme, mark, rest = name.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}" if mark else name
