"""At import: a core that is not compiled, or that does not fit the lxml that is here, is told in one line."""

import doctest
import importlib
import pkgutil
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import requires
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


MISSING = """
import os, sys, traceback
import lxml.etree, numpy, backports, scrapy.crawler, scrapy.http, scrapy.linkextractors  # not each time anew
for name in sys.argv[1:]:
    if os.fork():
        os.wait()
        continue
    folder, _, last = name.rpartition(".")
    vars(sys.modules[folder or "sys"]).pop(last, None)
    for one in [name, *sys.modules]:
        if one == name or one.startswith(name + "."):
            sys.modules[one] = None
    try:
        import denoise_scrapy.addon
        denoise_scrapy.extract(b"caf\\xe9")
        print(name, flush=True)
    except ImportError as error:
        print(name, repr(error), flush=True)
    os._exit(0)
"""


def test_a_missing_library_is_named() -> None:
    needed = [one.partition(";")[0] for one in requires("denoise-scrapy") or () if "extra ==" not in one]
    names = [re.split("[<>=]", one)[0].strip().replace("-", "_") for one in needed]
    assert {"lxml", "numpy", "scrapy", "tinycss2"} <= {*names} and len(names) > 10
    done = subprocess.run(
        [sys.executable, "-c", MISSING, *names],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == names
    for name, line in zip(names, lines, strict=True):
        is_named = name in line.removeprefix(name) and "ModuleNotFoundError" in line and "libxml2" not in line
        assert is_named or line == "datasketch", line  # which is loaded for a large index


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(denoise_scrapy.core.__path__)])
def test_examples_in_docstrings(name: str) -> None:
    module = importlib.import_module(f"denoise_scrapy.core.{name}")
    assert not doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).failed


def test_a_worker_loads_nothing_of_scrapy() -> None:
    code = "import sys, denoise_scrapy.worker.worker; print({'scrapy', 'twisted'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
