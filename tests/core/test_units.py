"""Lines that begin a block, against the patterns of CommonMark that they are recognised without."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from denoise_scrapy.core.units import packed

BEGINS = re.compile(r"#{1,6} +| {0,3}(?:[-*+]|\d+[.)])(?: {1,4}(?! )| *$| )|`{3,}|~{3,}|>")


@given(st.text("-*+#.)>`~ 13٣x", max_size=9))
@example("   12)     x")
@example("####### x")
@example("-      ")
@example("    - x")
def test_a_line_begins_a_block_where_a_pattern_says_so(line: str) -> None:
    units = list(packed(f"a\n{line}\nx", len, 1, 0))
    assert (units[0] == ((), "a")) == bool(BEGINS.match(line) or not line.strip())
