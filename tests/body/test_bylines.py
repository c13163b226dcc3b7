"""Bylines in languages of which few were labelled: they stay or go by what they say, as English ones do."""

import pytest

from denoise_scrapy import Taste, extract

STORIES = {
    "Von Ines Vogel": "Der Rat hat am Montag beschlossen, das Bad zwölf Wochen zu schließen, weil es leckt.",
    "Par Jules Perrin 125 partages": "Le conseil a décidé lundi de fermer le pont pendant douze semaines, car il cède.",
    "Por Hugo Navas | | 27,372 visitas": "El consejo acordó el lunes cerrar el puente durante doce semanas por obras.",
    "Di Anna Rossi": "Il consiglio ha deciso lunedì di chiudere il ponte per dodici settimane, perché cede.",
    "记者 李建国": "市政府周一决定，将大桥关闭十二周，以便工程师更换磨损的支架，居民对此表示不满。",
}
FRAME = "<title>{0} | Blatt</title><header><a href=/>Blatt</a> <a href=/s>Sport</a></header>{1}<footer>©</footer>"
SHAPES = (
    "<article><h1>{0}</h1><p class=by>{1}</p><p>{2}</p><p>{3}</p><p>{2}</p></article>",
    "<article><h1>{0}</h1><p><b>{3}</b></p><p>{1}</p><p>{2}</p><p>{3}</p></article>",
    "<div class=article><h1>{0}</h1><div class=author>{1}</div><p>{2}</p><p>{3}</p></div>",
)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("byline", STORIES)
def test_bylines_go_and_stay_by_what_they_say(byline: str, shape: str) -> None:
    text = STORIES[byline]
    page = FRAME.format(text[:20], shape.format(text[:20], byline, text, text[10:]))
    for switch, stays in (("drop", False), ("keep", True)):
        assert (byline in extract(page, taste=Taste(bylines=switch)).text.splitlines()) == stays


@pytest.mark.parametrize(
    "line",
    [
        "Tor am Deich<br>Von Ines Vogel",
        "Von Altenburg nach Seefeld",
        "Par ailleurs, le pont cède",
        "Por fin llega la lluvia",
        "Von Angela Merkel war an diesem Abend nichts zu hören.",
        "By Lake Geneva, people swim all year round.",
    ],
)
def test_other_lines_stay(line: str) -> None:
    text = STORIES["Von Ines Vogel"]
    page = FRAME.format("Tor", f"<article><h1>Tor</h1><p>{text}</p><p>{line}</p><p>{text[9:]}</p></article>")
    assert {*line.split("<br>")} <= {*extract(page, taste=Taste(bylines="drop")).text.splitlines()}
