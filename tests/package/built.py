"""What `make package` has built in `dist/` holds all that is needed and nothing else. `make test` does not run this."""

import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

import denoise_scrapy

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
VERSION = denoise_scrapy.__version__
NAME = f"denoise_scrapy-{VERSION}"
#: Tag of the wheel, and end of the names of what is compiled in it: all versions of Python from 3.11 on share one.
TAG, SUFFIX = ("cp311-abi3", ".abi3.so")
if sys.version_info < (3, 11):
    TAG, SUFFIX = ("cp310-cp310", sysconfig.get_config_var("EXT_SUFFIX"))
#: Beside the package; setuptools adds the last two, and a folder of what it knows.
BESIDE = {*"CHANGELOG.md LICENSE MANIFEST.in README.md pyproject.toml setup.py PKG-INFO setup.cfg".split()}
TOLD = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "top_level.txt"}
#: What a package is no use without, whatever git knows of.
NEEDED = {"py.typed", "body/models/blocks.npz", "crawl/layout.js", "core/tree.pxd"}
#: MB; that of the compiled core included. A file that strayed in is larger, or is named by the tests of members.
LARGEST = 3


def sources() -> set[str]:
    """The package's files as git knows them."""
    command = ("git", "ls-files", "denoise_scrapy")
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return {name for name in listed if (ROOT / name).exists()}


@pytest.fixture(scope="module")
def wheel() -> dict[str, bytes]:
    """The files of the wheel."""
    (file,) = DIST.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def test_there_is_a_wheel_and_a_source_distribution() -> None:
    wheel, source = sorted(file.name for file in DIST.iterdir())
    platform = r"([a-z0-9_]+\.)?(manylinux|musllinux)_\d+_\d+_\w+|macosx_\w+|win_\w+"
    assert re.fullmatch(rf"{re.escape(NAME)}-{TAG}-({platform})\.whl", wheel)
    assert source == f"{NAME}.tar.gz"
    assert all(file.stat().st_size < LARGEST * 1_000_000 for file in DIST.iterdir())


def test_the_source_distribution_holds_the_package_and_what_builds_it() -> None:
    with tarfile.open(DIST / f"{NAME}.tar.gz") as archive:
        found = {member.name.removeprefix(f"{NAME}/") for member in archive.getmembers() if not member.isdir()}
    assert {name for name in found if not name.startswith("denoise_scrapy.egg-info/")} == sources() | BESIDE
    assert {f"denoise_scrapy/{name}" for name in NEEDED} <= found


def test_the_wheel_holds_the_package_and_the_compiled_core(wheel: dict[str, bytes]) -> None:
    translated = {name for name in sources() if name.endswith(".pyx")} | {"denoise_scrapy/core/cython_utility.pyx"}
    compiled = {name.replace(".pyx", SUFFIX) for name in translated}
    assert set(wheel) == sources() | compiled | {f"{NAME}.dist-info/{name}" for name in TOLD}
    assert [name for name in sources() if wheel[name] != (ROOT / name).read_bytes()] == []


def test_no_path_of_this_machine_is_in_it(wheel: dict[str, bytes]) -> None:
    paths = {str(ROOT).encode(), str(Path.home()).encode() + b"/", b"/tmp/"}
    ours = {name: content for name, content in wheel.items() if not name.endswith(".py")}
    assert [(name, path) for name, content in ours.items() for path in paths if path in content] == []


def test_what_it_tells_of_itself(wheel: dict[str, bytes]) -> None:
    told = HeaderParser().parsestr(wheel[f"{NAME}.dist-info/METADATA"].decode())
    assert (told["Name"], told["Version"], told["License-Expression"]) == ("denoise-scrapy", VERSION, "BSD-3-Clause")
    assert told["Requires-Python"] == ">=3.10"
    assert {"playwright", "redis", "several"} <= set(told.get_all("Provides-Extra", []))
    assert "Typing :: Typed" in told.get_all("Classifier", [])
    entry_points = wheel[f"{NAME}.dist-info/entry_points.txt"].decode()
    assert "[scrapy.commands]\ndenoise = denoise_scrapy.commands:DenoiseCommand\n" in entry_points
    assert "[pyinstaller40]\nhook-dirs = denoise_scrapy.freezing:hook_dirs\n" in entry_points
