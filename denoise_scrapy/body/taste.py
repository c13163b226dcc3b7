"""What a user may say of a body beside the strategy: which error is worse, and what belongs to it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields

#: What the choice leans to: less noise, neither, less lost content.
FAVORS = ("precision", "balanced", "recall")
#: What becomes of a kind of text: what the strategy says, kept where it is the body's own, never kept.
SWITCHES = ("auto", "keep", "drop")


@dataclass(frozen=True)
class Taste:
    """What belongs to a body.

    Attributes:
        favor: "precision" keeps less noise and loses more content, "recall" the reverse.
        title: The page's heading: "auto", "keep" or "drop", as the following.
        captions: Captions of pictures and tables.
        bylines: Lines that say who wrote it and when.
        comments: What readers wrote under it.
        tables: Tables of data. Tables that lay out the page are none.

    Raises:
        ValueError: A value is unknown; the message names the nearest.

    Example:
        >>> Taste(comments="dorp")
        Traceback (most recent call last):
            ...
        ValueError: comments = 'dorp': did you mean 'drop'? There are auto, keep, drop
    """

    favor: str = "balanced"
    title: str = "auto"
    captions: str = "auto"
    bylines: str = "auto"
    comments: str = "auto"
    tables: str = "auto"

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            valid = FAVORS if field.name == "favor" else SWITCHES
            if value not in valid:
                nearest = difflib.get_close_matches(str(value), valid, 1, 0)[0]
                raise ValueError(f"{field.name} = {value!r}: did you mean {nearest!r}? There are {', '.join(valid)}")


#: The strategy decides alone.
NO_TASTE = Taste()
