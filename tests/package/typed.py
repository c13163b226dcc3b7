"""A user's typed file passes `mypy --strict` against the installed package, and works."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.api import typed_use

WRONG = """\
from denoise_scrapy import extract

extract("", strategy=1)
extract("").text + 1
"""


def test_mypy_passes_and_sees_our_types(tmp_path: Path) -> None:
    """It runs in a folder without configuration, with the installed package only."""
    shutil.copy(typed_use.__file__, tmp_path)
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")  # passes too where all is Any
    command = (sys.executable, "-m", "mypy", "--strict", "--config-file=", "typed_use.py", "wrong.py")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line.partition(" error: ") for line in done.stdout.splitlines() if " error: " in line]
    assert [(place, said.split('"')[0]) for place, _, said in errors] == [
        ("wrong.py:3:", "Argument "),
        ("wrong.py:4:", "Unsupported operand types for + ("),
    ], done.stdout + done.stderr
    typed_use.make_bodies()
    typed_use.find_duplicates(tmp_path)
