"""The accelerator's frame: compiled where that is possible, left out where not, switched off by one variable."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from denoise_scrapy.native import compile as compiling
from denoise_scrapy.native import library, status, switched_off
from denoise_scrapy.native.compile import compile_library, source_digest

STATUS = "from denoise_scrapy.native import library, status; print(status(), library() is not None)"


def told(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", STATUS], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.skipif("DENOISE_REQUIRE_SERVERS" not in os.environ, reason="only CI promises a compiler")
def test_ci_tests_the_accelerator_itself() -> None:
    assert library() is not None, status()


def test_one_variable_switches_it_off() -> None:
    for value in ("0", "no", "OFF", " false "):
        assert told(DENOISE_NATIVE=value) == f"numpy (DENOISE_NATIVE={value.strip()}) False"


def test_switched_off_for_a_while() -> None:
    before = library()
    with switched_off():
        assert library() is None and status() == "numpy (switched off)"
    assert library() is before


def test_a_missing_library_is_told(tmp_path: Path) -> None:
    assert told(DENOISE_NATIVE=str(tmp_path / "no.so")).startswith(f"numpy ({tmp_path / 'no.so'} is missing")


def test_a_file_that_is_no_library_is_told(tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("no library")
    assert told(DENOISE_NATIVE=str(tmp_path / "text.so")).startswith("numpy (cannot be loaded: ")


def test_without_a_compiler_nothing_is_made_and_nothing_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    assert compile_library(tmp_path / "a.so") == "no C compiler"
    monkeypatch.setenv("CC", str(tmp_path / "none"))
    assert "none" in compile_library(tmp_path / "a.so")
    assert list(tmp_path.iterdir()) == []


needs_compiler = pytest.mark.skipif(compiling.compiler() is None, reason="no C compiler")


@needs_compiler
def test_a_compiler_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "SOURCES", tmp_path)
    (tmp_path / "wrong.c").write_text("int main( {")
    assert "wrong.c" in compile_library(tmp_path / "a.so")
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.c"]


@needs_compiler
def test_a_library_of_other_sources_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(compiling, "source_digest", lambda: "0123456789abcdef")
        assert compile_library(tmp_path / "old.so") == ""
    assert told(DENOISE_NATIVE=str(tmp_path / "old.so")).startswith("numpy (compiled from other sources: ")
    assert compile_library(tmp_path / "new.so") == ""
    assert told(DENOISE_NATIVE=str(tmp_path / "new.so")) == "native True"


@needs_compiler
def test_the_sources_compile_without_a_warning(tmp_path: Path) -> None:
    assert compile_library(tmp_path / "a.so", ["-Wall", "-Wextra", "-Werror"]) == ""


def test_the_digest_is_of_names_and_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "SOURCES", tmp_path)
    digests = [source_digest()]
    for name, text in (("a.c", "x"), ("a.c", "y"), ("b.h", "")):
        (tmp_path / name).write_text(text)
        digests.append(source_digest())
    assert len(set(digests)) == 4
