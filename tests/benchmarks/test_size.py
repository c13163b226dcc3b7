"""The size of a package is that of its code, and a rise has to be named."""

import pytest

from benchmarks.size import sizes, too_large

PYTHON = '"""A module."""\n# a comment\nMOST = 3\n\n\ndef f(a):\n    """Return it."""\n    return a + 1\n'
CYTHON = '"""A module."""\ncdef double FAR = 500  # pixels\n'
LAST = {"code tokens": 1000.0, "tokens a line": 7.0}


def test_comments_and_docstrings_are_no_code(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.py").write_text(PYTHON)
    (tmp_path / "inner" / "b.pyx").write_text(CYTHON)
    tokens = len("MOST = 3 def f ( a ) : return a + 1".split()) + len("cdef double FAR = 500".split())
    assert sizes(tmp_path) == {"code tokens": tokens, "numeric constants": 2, "tokens a line": tokens / 4}


@pytest.mark.parametrize(
    ("tokens", "changes", "fails"),
    [
        (1010, "## [Unreleased]\n", False),
        (1011, "## [Unreleased]\n", True),
        (1100, "## [Unreleased]\n- Size, code tokens 1,100: forms in bodies\n", False),
        (1100, "## [Unreleased]\n- Size, code tokens 1,050: forms in bodies\n", True),
        (1100, "## [Unreleased]\n- Size, code tokens 1,100: \n", True),
        (1100, "## [Unreleased]\n\n## [0.1.0]\n- Size, code tokens 1,100: forms in bodies\n", True),
    ],
)
def test_a_rise_has_to_be_named(tokens, changes, fails):
    assert too_large({"code tokens": tokens, "tokens a line": 7.0}, LAST, changes) == ["code tokens"] * fails
