"""Characters that show nothing are left out of every text, and readings of ruby text with them."""

import pytest

from denoise_scrapy import Page, extract
from denoise_scrapy.core.characters import without_unseen

LEFT_OUT = (
    "\xad\u200b\u200c\u200d\u2060\u2063\ufeff\u180e\ufffa\U000e0001\U000e0041\U000e007f\U000e0100\U000e0fff\ufe00\ufe0f"
    "\u034f\u115f\u1160\u3164\uffa0\u17b4\u180b\u2065\u206a\ufff0\U0001bca0\U0001d173"
)
NEEDED = {
    "Persian": "می\u200cخواهم",
    "Arabic, an initial form": "ه\u200d",
    "Hindi": "क्\u200dष",
    "Malayalam": "ന്\u200d",
    "Sinhala": "ශ්\u200dරී",
    "Mongolian": "ᠰᠠᠢᠨ\u200c",
    "a family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "a heart on fire": "❤\ufe0f\u200d\U0001f525",
    "a variant of an ideograph": "葛\U000e0100城",
    "marks of direction": "שלום\u200f (a)\u200e",
    "marks of direction in a row": "a\u2067\u2066b\u2069\u2069",
    "a key": "1\ufe0f\u20e3",
    "a sign as text": "©\ufe0e",
    "a variant of an operator": "∩\ufe00",
    "a letter of Mongolian": "ᠠ\u180b",
    "old Hangul": "ᄀ\u1160",
    "Hebrew points": "ִ\u034fַ",
}


@pytest.mark.parametrize("char", LEFT_OUT)
def test_what_shows_nothing_is_left_out(char: str) -> None:
    page = Page.parse(
        f"<title>{char}Bri{char}dge{char}</title><p>{char}a {char} Frei{char}<b>{char}beruf</b>&#{ord(char)};ler{char}"
    )
    assert page.title == "Bridge"
    assert page.block_text(0) == "a Freiberufler"
    assert page.blocks.tokens.tolist() == [2]
    assert without_unseen(f"{char}Frei{char}{char}beruf{char}") == "Freiberuf"


@pytest.mark.parametrize("text", NEEDED.values(), ids=list(NEEDED))
def test_what_a_script_needs_stays(text: str) -> None:
    assert without_unseen(text) == text
    for html in (f"<p>{text}", f"<p><b>{text[0]}</b>{text[1:]}", f"<p>{text[0]}<!-- c --><i>{text[1:]}</i>"):
        assert Page.parse(html).block_text(0) == text


def test_a_second_joiner_shapes_nothing() -> None:
    assert without_unseen("م\u200c\u200d\u200c\u200bم") == "م\u200cم"


@pytest.mark.parametrize(
    ("alphabet", "most"),
    [("\ufe00\ufe01", 1), ("\U000e0101\U000e0102", 1), ("\u200e\u200f", 2), ("\u202a\u202c", 2), ("\u1160\u115f", 0)],
)
@pytest.mark.parametrize("before", ["the crane", "\U0001f600", "葛", "<b>a</b>"])
def test_rows_of_them_spell_nothing(alphabet: str, most: int, before: str) -> None:
    spelled = "".join(alphabet[int(bit)] for bit in f"{int.from_bytes(b'obey', 'big'):b}")
    for html in (f"<p>{before}{spelled} stays", f"<p>{before}{''.join(f'<i>{char}</i>' for char in spelled)} stays"):
        text = Page.parse(html).block_text(0)
        assert text.endswith(" stays")
        assert sum(map(text.count, alphabet)) <= most
    assert sum(map(without_unseen(before + spelled).count, alphabet)) <= most


def test_no_output_has_them() -> None:
    words = "The river rose again on Tues\xadday, and by noon the coun\u200bcil had closed the old bridge to all. "
    story = f"<p>{words * 3}<pre>a\u200b = 1\n</pre><img alt='a\xadb' src=a>{words}"
    body = extract(f"<main><h1>Bridge <a href=#b>\u200b</a></h1>{story}</main>")
    for text in (body.text, body.markdown, body.html, *map(str, body.chunks())):
        assert not set(text) & set(LEFT_OUT)
    assert body.text.startswith("Bridge\nThe river rose again on Tuesday, and by noon the council")


RUBY = "<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>の<ruby><rb>港</rb><rt></rt><rp>x</rp></ruby>。"


def test_readings_are_left_out_or_in_brackets() -> None:
    assert Page.parse(RUBY).block_text(0) == "漢字の港。"
    for selector in ("rt", "css:rt", "a.example: rt", ["p", "rt"]):
        page = Page.parse(RUBY, url="http://a.example/", keep=selector)
        assert page.block_text(0) == "漢(かん)字(じ)の港。"
        assert [match.selector for match in page.kept_by_user] == (["p"] if selector == ["p", "rt"] else [])
    assert Page.parse(RUBY, url="http://b.example/", keep="a.example: rt").block_text(0) == "漢字の港。"
