"""Show our docstrings' examples as code in the reference: griffe reads `Examples:`, we write `Example:`."""

from __future__ import annotations

from typing import Any

import griffe


class DocstringExamples(griffe.Extension):
    """An extension of griffe, which reads docstrings for mkdocstrings."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rename the section in the docstring of a module, class or function."""
        if obj.docstring:
            obj.docstring.value = obj.docstring.value.replace("\nExample:\n", "\nExamples:\n")
