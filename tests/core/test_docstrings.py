"""The examples in the docstrings of the compiled modules."""

import doctest
import importlib
import pkgutil

import pytest

import denoise_scrapy.core

MODULES = [module.name for module in pkgutil.iter_modules(denoise_scrapy.core.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"denoise_scrapy.core.{name}")
    assert not doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).failed
