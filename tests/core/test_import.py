"""At import: a core that is not compiled, or that does not fit the lxml that is here, is told in one line."""

import doctest
import importlib
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import etree

import denoise_scrapy.core
from denoise_scrapy.core import source, tree

VERSIONS = f"with lxml {source.LXML} and libxml2 {source.LIBXML2}, and cannot read trees of lxml {etree.__version__}"


def test_a_core_that_is_not_compiled_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "denoise_scrapy" / "core"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    shutil.copy(Path(denoise_scrapy.core.__file__), folder)
    done = subprocess.run(
        [sys.executable, "-c", "import denoise_scrapy.core"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1].startswith("ImportError: denoise_scrapy.core is not compiled for this Python: ")


def no_blocks(root: object) -> tree.Tree:
    return tree.Tree()


def another_layout(root: object) -> tree.Tree:
    raise ValueError("lxml.etree._Element size changed")


@pytest.mark.parametrize("tree_of", [no_blocks, another_layout])
def test_a_core_that_does_not_fit_is_told(tree_of: Callable[..., tree.Tree], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "tree_of", tree_of)
    with pytest.raises(ImportError, match=VERSIONS) as caught:
        importlib.reload(denoise_scrapy.core)
    assert str(caught.value).count("\n") == 0
    assert ("size changed" in str(caught.value)) == (tree_of is another_layout)


def test_trees_of_another_libxml2_are_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "tree_of", None)
    monkeypatch.setattr(etree, "LIBXML_VERSION", (3, 0, 0))
    with pytest.raises(ImportError, match=r"with libxml2 3\.0\.0: pip install"):
        importlib.reload(denoise_scrapy.core)


@pytest.mark.parametrize("missing", "tinycss2 numpy webencodings lxml cssselect".split())
def test_a_library_that_is_missing_is_named(missing: str) -> None:
    program = f"import sys; sys.modules[{missing!r}] = None; import denoise_scrapy.addon"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ModuleNotFoundError: ") and missing in last and "compiled" not in last


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(denoise_scrapy.core.__path__)])
def test_examples_in_docstrings(name: str) -> None:
    module = importlib.import_module(f"denoise_scrapy.core.{name}")
    assert not doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).failed
