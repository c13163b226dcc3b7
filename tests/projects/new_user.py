"""What a new user does: installs the wheel in an empty environment, and follows the README word by word."""

import os
import re
import shutil
import sys
from pathlib import Path

from tests.processes import run_in

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
HOST = "saltmere.example"  # the README's; the test's server stands in for it
LONGEST = 240  # seconds, of an installation: a slow index, and sources that are compiled
# What goes into a wheel; compiled libraries of this checkout are left behind.
SOURCES = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "denoise_scrapy")


def chapter() -> list[tuple[str, str]]:
    """Language and text of each block of the README's chapter on using it in a project."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Use it in a project\n")[1]
    return BLOCK.findall(text.split("\n## ")[0])


def commands() -> list[str]:
    """The commands of the chapter, in order."""
    return [line for language, text in chapter() if not language for line in text.splitlines()]


def files() -> dict[str, str]:
    """The files that the chapter has one write: those that begin with their name."""
    blocks = [text.split("\n", 1) for language, text in chapter() if language == "python"]
    return {first.removeprefix("# "): rest for first, rest in blocks if first.startswith("# courier/")}


def execute(folder: Path, *command: str | Path) -> str:
    """Run a command that must succeed; gives what it printed."""
    # Nothing of this checkout may help.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCRAPY"))}
    done = run_in(folder, command, environment, LONGEST)
    assert done.returncode == 0, done.stdout
    return done.stdout


def build_wheel(folder: Path) -> Path:
    """Build the wheel from a copy of the sources."""
    clean = folder / "sources"
    clean.mkdir()
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, clean / name)
    for left in (clean / "denoise_scrapy" / "native").glob("_kernels.*"):
        left.unlink()
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    execute(folder, *pip, "--wheel-dir", folder / "wheel", clean)
    return next((folder / "wheel").glob("*.whl"))


def install(folder: Path) -> Path:
    """Install the wheel in an empty environment; gives the folder of its programs."""
    wheel = build_wheel(folder)
    environment = folder / "environment"
    # pip of our own environment: an own one would take seconds to set up, and nothing else differs
    execute(folder, sys.executable, "-m", "venv", "--without-pip", environment)
    pip = (sys.executable, "-m", "pip", "--python", environment / "bin" / "python", "install", "--quiet")
    execute(folder, *pip, "--no-compile", wheel)
    return environment / "bin"


def follow_the_readme(folder: Path, programs: Path, base: str) -> str:
    """Do what the chapter says, in an empty folder, with the server at `base` in place of the README's.

    Returns:
        The log of the crawl.
    """
    printed = ""
    for command in commands():
        name, *arguments = command.split()
        if name == "pip":
            assert arguments == ["install", "denoise-scrapy"]  # done, from the wheel
        elif name == "cd":
            folder = folder / arguments[0]
            write_files(folder, base)
        else:
            printed = execute(folder, programs / name, *arguments)
    return printed


def write_files(folder: Path, base: str) -> None:
    """Append the settings' line to the file that is there, and write the spider."""
    for name, text in files().items():
        local = text.replace(f"https://{HOST}", base).replace(HOST, "127.0.0.1")
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write("\n" + local)
