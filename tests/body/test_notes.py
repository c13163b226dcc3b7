"""Notes of corrections stay, in any language; what else looks like a frame goes as before."""

import numpy as np
import pytest

from denoise_scrapy import Page, extract
from denoise_scrapy.body.worded import MOST_TOKENS, notes_of_corrections

NOTE = "An earlier version of this article gave a wrong number of members."


@pytest.mark.parametrize(
    "begin",
    ["Correction:", "Corrections – 4 May:", "Editor's note (4 May 2026):", "Korrektur vom 4. Mai:", "Rectificatif :",
     "Fe de errores.", "Rettifica:", "Correctie:", "Rättelse:", "Исправление:", "更正：", "訂正：", "정정: ",
     "संपादक की टिप्पणी:", "This article was amended on 4 May 2026.",
     "An earlier version of this story has been corrected:"],
)  # fmt: skip
def test_notes_are_found(begin):
    assert notes_of_corrections(Page.parse(f"<p>Tide</p><p>{begin} {NOTE}</p>"), np.full(2, 0.1)) == [1]


@pytest.mark.parametrize(
    "text",
    ["Correction:", f"Corrected, {NOTE}", f"The correction: {NOTE}", f"Correction: {NOTE * MOST_TOKENS}",
     f"<a href=/>Correction: {NOTE}</a>", "Correction : vous avez vu une erreur dans cet article ? Écrivez-nous.",
     "Oprava mostu v Písku začne v pondělí. Potrvá do léta, a řidiči pojedou oklikou.",
     "Corrections officer pleads guilty on Friday. The trial of two others begins in May.",
     "Correction du bac philo 2024 : ce que les élèves ont pensé du sujet de lundi matin.",
     "This article was amended by nobody and read by all, which its author regrets to this day.",
     "Correctional officers have been on strike since Monday: no end in sight."],
)  # fmt: skip
def test_other_lines(text):
    assert notes_of_corrections(Page.parse(f"<p>{text}</p>"), np.full(1, 0.1)) == []


def test_what_the_model_is_sure_of_is_left_alone():
    assert notes_of_corrections(Page.parse(f"<p>Correction: {NOTE}</p>"), np.full(1, 0.01)) == []


def test_a_story_keeps_its_note():
    text = "<p>Le conseil a décidé lundi de fermer le pont pendant douze semaines, car le tablier cède depuis mars.</p>"
    note = "Rectificatif : une version précédente de cet article indiquait un nombre de membres erroné."
    assert note in extract(f"<h1>Le pont fermé</h1><div>{3 * text}<p class=note><em>{note}</em></p></div>").text
