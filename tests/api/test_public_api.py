"""What is public is documented, and imported when it is first used."""

import re
import subprocess
import sys
from pathlib import Path

import denoise_scrapy
from docs.public_api import MODULES, PATHS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_names_are_imported_when_first_used() -> None:
    """The core needs neither Scrapy nor Twisted, and `import denoise_scrapy` nearly nothing."""
    code = "import denoise_scrapy, sys; print([name in sys.modules for name in ('numpy', 'scrapy')])"
    code += "; denoise_scrapy.extract, denoise_scrapy.DuplicateIndex; print('scrapy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.splitlines() == ["[False, False]", "False"]


def test_the_version_is_told_in_one_way() -> None:
    project = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert project is not None
    assert denoise_scrapy.__version__ == project[1]


def test_what_is_public_is_told_in_the_documentation() -> None:
    told = "".join((DOCS / page).read_text(encoding="utf-8") for page in ("stability.md", "api.md"))
    names = {*denoise_scrapy.__all__, *PATHS, *MODULES} - {"__version__", "DenoiseAddon"}
    assert sorted(name for name in names if f"`{name}`" not in told) == []


def test_every_extra_is_told() -> None:
    told = (DOCS / "stability.md").read_text(encoding="utf-8").partition("## Optional parts")[2]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[project.optional-dependencies]")[2]
    extras = set(re.findall(r"^(\w+) = \[", project.partition("\n[")[0], re.MULTILINE))
    assert set(re.findall(r"^- `(\w+)`", told, re.MULTILINE)) == extras
