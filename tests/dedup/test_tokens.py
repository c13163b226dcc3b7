import re
import zlib

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from denoise_scrapy.core import feature_strings as tokens_module
from denoise_scrapy.core.feature_strings import NUMBER, STOP_WORDS, FeatureStrings, read_units, tokens
from tests.dedup import literal


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("", []),
        (" \n\t.,;!", []),
        ("Hello, WORLD 42", ["hello", "world", "42"]),
        ("全文检索 engine", ["全", "文", "检", "索", "engine"]),
        ("カナとかな", ["カ", "ナ", "と", "か", "な"]),
        ("한국어", ["한", "국", "어"]),
        ("Straße café", ["strasse", "cafe"]),
        ("ＦＵＬＬ width ①", ["full", "width", "1"]),
        ("cafe\u0301", ["cafe"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("Жди, дым", ["жди", "дым"]),
        ("第3版v2", ["第", "3", "版", "v2"]),
        ("𠀀𠀁", ["𠀀", "𠀁"]),
    ],
)
def test_tokens(text, units):
    assert tokens(text) == units


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Stra\u00dfe Stein\u00adbrücke", "STRASSE Steinbrücke"),
        ("coun\u200bcil \u200bvoted\u2060 \ufeffon", "council voted on"),
        ("Bernstein\ufe0e\U000e0041 \u202e\u200fhe\u034fre", "bernstein here"),
        ("Øresund, Łódź, Đurđevac, Ħamrun", "Oresund, Lodz, Durdevac, Hamrun"),
        ("Œuvre d’æther", "oeuvre d'aether"),
        ("Cộng hòa xã hội", "Cong hoa xa hoi"),
        ("KAYDIĞINI İstanbul ılık", "kaydığını ISTANBUL ILIK"),
        ("Οδυσσέας, ρεϊ, ᾠδή", "ΟΔΥΣΣΕΑΣ, ΡΕΙ, ΩΔΗ"),
        ("ёлка, за\u0301мок", "елка, замок"),
        ("п'ять", "пʼять"),
        ("أَعْلَنَ مُؤْمِنٌ آخرٌ", "اعلن مومن اخر"),
        ("مدرسـة على", "مدرسه علي"),
        ("می\u200cگویند کتاب", "ميگويند كتاب"),
        ("٤٢ ۴۲ ४२ ４２", "42 42 42 42"),
        ("שָׁלוֹם", "שלום"),
        ("クリニック", "ｸﾘﾆｯｸ"),
        ("\u1112\u1161\u11ab국", "한국"),
        ("葛\U000e0100城", "葛城"),
        ("ภาษา\u200bไทย", "ภาษาไทย"),
        ("L&#39;&eacute;t&eacute;,&nbsp;enfin &#8211; &#x4E2D;", "L'été, enfin – 中"),
        ("R&amp;D, AT&T &lt;b&gt;", "R&D, AT&T <b>"),
        ("1\n00:00:01,000 --> 00:00:04,500\nIt rained.\n\n2\n00:00:05,000 --> 00:00:07\nOn.", "It rained. On."),
        ("00:01.000 --> 00:04.500\nIt rained.\n00:05.000 --> 00:07.250\nAll night.", "It rained. All night."),
        ("[00:12:31] It rained.\n (0:13:02.5) All night.", "It rained.\nAll night."),
    ],
)
def test_spellings_of_one_text(one, other):
    assert tokens(one) == tokens(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("कि", "की"),
        ("한", "하"),
        ("か", "が"),
        ("мой", "мои"),
        ("ณ", "น"),
        ("ދަ", "ދު"),
        ("پل", "بل"),
        ("ښ", "س"),
    ],
)
def test_other_letters_are_other_units(one, other):
    assert tokens(one) != tokens(other)


def test_times_that_are_no_time_codes_are_units():
    assert tokens("10:05 Bus\n3\n7:30.\nAnn 1:02:03") == ["10", "05", "bus", "3", "7", "30", "ann", "1", "02", "03"]


@given(
    st.text(
        st.sampled_from(
            "&#;aB I1_ \n,.éÉøŁßŒæıİΆσςΣёйЁʼأؤآةىیکپـً٣۴שָׁ的々かｶﾞ한가कि२①ﬁＡ，）"
            "\u00ad\u0301\u0327\u200b\u200c\u200d\u2060\ufe0f\ufeff\U000e0100\U000e0061"
        )
    )
)
def test_units_are_those_of_one_step_after_the_other(text):
    assert tokens(text) == literal.units_in(text)


def test_hash_is_crc32_of_utf8():
    assert read_units("a 的 дым").hashes.tolist() == [zlib.crc32(word.encode()) for word in ("a", "的", "дым")]
    assert read_units("").hashes.dtype == np.uint32


def test_lone_surrogates_and_endless_references_do_not_stop_us():
    assert len(read_units("a \ud800 b &#xd800; c").hashes) >= 3
    assert tokens(f"&lt;a&gt; &#{'9' * 9999};")[-1] == "9" * 9999


def test_stop_units():
    assert FeatureStrings("the of 的 是 啊 der の quartz 岩").frequencies.keys() == {*read_units("quartz 岩").hashes}
    assert {"the", "的", "啊"} <= {*STOP_WORDS}


@given(st.lists(st.text("a7٣的क\n -", max_size=6) | st.text(max_size=6)))
def test_numbers_are_the_units_with_a_digit(words):
    text = " ".join(words)
    numbers = [re.search(r"\d", word) is not None for word in tokens(text)]
    assert (read_units(text).kinds == NUMBER).tolist() == numbers


@example("late, at 1:02:03 or 0:30:00\n7\n0:00:05 on", 3)
@given(
    st.text(
        st.sampled_from("&#;ab C是のかカーｶ\u3099ﾞ 12.\n\u2003ÉǅΑΣ'\u0301\u0345कि각각𠀀〇") | st.characters(),
        max_size=80,
    ),
    st.integers(1, 9),
)
def test_a_long_text_is_read_in_pieces_as_it_would_be_at_once(text, size):
    whole = read_units(text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tokens_module, "PIECE", size)
        pieces = read_units(text)
    assert pieces.joined == whole.joined
    assert [pieces.hashes.tolist(), pieces.kinds.tolist()] == [whole.hashes.tolist(), whole.kinds.tolist()]
    assert pieces.hashes.dtype == whole.hashes.dtype
