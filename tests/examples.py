"""How many examples of a property are tried."""

from hypothesis import settings


def at_least(examples: int) -> settings:
    """Try so many, where a rule is met by few, and as many as all others where those are more, in `make explore`."""
    return settings(max_examples=max(examples, settings.default.max_examples))
