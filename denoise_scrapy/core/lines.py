"""Patterns of lines in Markdown that we wrote: where blocks, sentences and statements of code begin and end."""

from __future__ import annotations

import re

QUOTES = re.compile(r"(?:> )*")
RULE = re.compile(r"\|(?: *:?-+:? *\|)+")
# A sentence ends before a blank and a possible beginning: not a lower-case letter or a digit, which follow "e.g." and
# "approx."; and not in code, a link or a formula. A run of signs is tried once, not from each of them.
END = re.compile(
    r"`[^`]+`|\[[^\[\]]*\]\([^()\s]*\)|\$\$?[^$\n]{1,300}\$"
    r"|(?P<end>(?<![.!?…؟।])[.!?…؟।]+[\"'”’»)\]*_]*(?=\s+[^\s\da-zа-яßà-öø-ÿ])|[。！？]+[”’」』）]*(?=\S))"
)
# Not an end: an initial, an abbreviation such as "Mr.", "Prof." and "No.", a number before its unit.
ABBREVIATION = re.compile(r"(?:[^\W\d_]\.)*(?:[A-Z][a-z]{0,3}|[^\W\d_]|\d+)\.")

# Code: lines that continue the previous one; lines that belong to the next one; prompts in a transcript.
GOES_ON = re.compile(
    r"[})\]{]|</|\"\"\"|'''|\.\.\.(?:\s|$)"
    r"|(?:end|else|elif|elsif|except|rescue|ensure|finally|catch|fi|done|esac|then|do|begin)\b"
)
LEADS = re.compile(r"@|#|//|/\*|\*|--|<!--|template\b")
PROMPT = re.compile(r">>> |\$ ")
# A part of code is a function, and never cut, unless it is a class or similar, or has no parentheses: a list of data.
FUNCTION = re.compile(r"\)|=>|\b(?:def|func|function|fn|sub|proc|fun)\b")
CLASS = re.compile(
    r"\b(?:class|interface|struct|impl|trait|namespace|module|object|extension|mod|enum|package)\s+[\w.:]+\s*"
    r"(?:[({:<]|$|(?:extends|implements|for|where)\b)"
)
# Text that leads to the next: a label such as the name of a tab, or "as follows:".
LEADING = re.compile(r"\*\*[^*\n]{1,100}\*\*")
# The line above code that names it: a file, a command.
NAME = re.compile(r".{1,80}(?<![.!?…。！？])")
