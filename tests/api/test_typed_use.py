"""A user's typed files pass `mypy --strict` against the package as it is installed, and do what they say."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.api.typed_use import use_all

HERE = Path(__file__).parent
FILES = ("typed_use.py",)
WRONG = """\
from denoise_scrapy import extract

extract("", strategy=1)
extract("").text + 1
"""


def test_mypy_passes_and_sees_our_types(tmp_path: Path) -> None:
    """In a folder where it finds no configuration, and the package only as it is installed."""
    for name in FILES:
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")  # passes too where all is Any
    command = (sys.executable, "-m", "mypy", "--strict", "--config-file=", *FILES, "wrong.py")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line.partition(" error: ") for line in done.stdout.splitlines() if " error: " in line]
    assert [(place, said.split('"')[0]) for place, _, said in errors] == [
        ("wrong.py:3:", "Argument "),
        ("wrong.py:4:", "Unsupported operand types for + ("),
    ], done.stdout + done.stderr


def test_what_is_typed_runs(tmp_path: Path) -> None:
    use_all(tmp_path)
