"""Figures that benchmarks write into the documentation."""

import pytest

from benchmarks import figures

PAGE = """# Figures

<!-- figures: one -->
{}<!-- end of figures -->

Between.

<!-- figures: two -->

Old.

<!-- end of figures -->
"""


@pytest.mark.parametrize("before", ["", "\n", "\nOld.\n\n", r"\1 \n" + "\n"])
def test_a_section_is_replaced_and_the_rest_is_left(tmp_path, before):
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(before))
    figures.write("one", "New.\n", page)
    assert page.read_text() == PAGE.format("\nNew.\n\n")


def test_a_page_without_the_section_is_left(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(""))
    with pytest.raises(ValueError, match="no section three"):
        figures.write("three", "New.", page)
    assert page.read_text() == PAGE.format("")
