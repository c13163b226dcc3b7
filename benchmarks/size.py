"""How large the package is: `python -m benchmarks.size [--gate | --set-baseline]`.

Code tokens without comments and docstrings, Cython included; numeric constants, which are names in capitals whose value
has a number; tokens in a line of code. `size.json` holds those of the last release. More than `TOLERANCE` above them
fails, unless the changelog's unreleased part says what it buys, as in "- Size, code tokens 251,000: forms in bodies".
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGE, LAST, CHANGES = Path("denoise_scrapy"), Path(__file__).with_name("size.json"), Path("CHANGELOG.md")
#: Share of a figure by which it may rise.
TOLERANCE = 0.01
_CONSTANT = re.compile(r"^\s*(?:cdef\s+(?:\w+\s+)+)?_?[A-Z][A-Z0-9_]*\s*(?::[^=\n]+)?=[^=\n]*\b\d", re.MULTILINE)
_CYTHON_TEXT = re.compile(r'"""(?:.|\n)*?"""|#.*')
_LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def python_lines(text: str) -> Iterator[int]:
    """Yield the line of each code token of Python."""
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and before in _LAYOUT
        if token.type not in _LAYOUT and not is_docstring:
            yield token.start[0]
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type


def cython_lines(text: str) -> Iterator[int]:
    """Yield the line of each word and sign of Cython."""
    for number, line in enumerate(_CYTHON_TEXT.sub("", text).splitlines()):
        yield from [number] * len(re.findall(r"\w+|[^\w\s]", line))


def sizes(package: Path) -> dict[str, float]:
    """Return the figures of a package."""
    tokens = constants = lines = 0
    for path in sorted(one for kind in ("py", "pyx", "pxd") for one in package.rglob(f"*.{kind}")):
        text = path.read_text("utf-8")
        found = list(python_lines(text) if path.suffix == ".py" else cython_lines(text))
        tokens, lines, constants = tokens + len(found), lines + len({*found}), constants + len(_CONSTANT.findall(text))
    return {"code tokens": tokens, "numeric constants": constants, "tokens a line": round(tokens / max(lines, 1), 2)}


def too_large(now: Mapping[str, float], last: Mapping[str, float], changes: str) -> list[str]:
    """Return the names of figures that rose more than the unreleased changes allow."""
    unreleased = re.split(r"^## \[", changes, flags=re.MULTILINE)[:2][-1]
    named = {
        what: float(most.replace(",", "")) for what, most in re.findall(r"- Size, (.+?) ([\d,.]+): \w", unreleased)
    }
    return [what for what, size in now.items() if size > max(last[what], named.get(what, 0)) * (1 + TOLERANCE)]


def main() -> int:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.size", description=__doc__)
    ap.add_argument("--gate", action="store_true", help="fail if a figure rose")
    ap.add_argument("--set-baseline", action="store_true", help="take these figures as those of the last release")
    args = ap.parse_args()
    now = sizes(PACKAGE)
    if args.set_baseline:
        LAST.write_text(json.dumps(now, indent=1) + "\n")
    last = json.loads(LAST.read_text())
    for what, size in now.items():
        print(f"{what:17} {size:>9,} {100 * (size / last[what] - 1):+.1f}% of {last[what]:,} at the last release")
    risen = too_large(now, last, CHANGES.read_text("utf-8")) if args.gate else []
    for what in risen:
        print(f"{what}: more by over {TOLERANCE:.0%}; {CHANGES} does not say what that buys: - Size, {what} N: …")
    return len(risen) > 0


if __name__ == "__main__":
    sys.exit(main())
