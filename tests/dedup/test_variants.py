"""Variants: a slow literal version of the difference of two texts, cases worked by hand, and stored values."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.core.feature_strings import FeatureStrings
from denoise_scrapy.dedup import DuplicateIndex, versions
from denoise_scrapy.dedup.rules import TITLE_CAP, VALUES_CAP, Fingerprint
from denoise_scrapy.dedup.variants import hash_title, hash_values, is_view, other_title, other_values
from denoise_scrapy.dedup.versions import Version, joined_sources, source_of
from tests.dedup.made_texts import english

JOB = (
    "We are looking for a {} for our office in {}. You work with a small team that knows what it wants, in a "
    "house with a garden. We pay {} a month, thirty days of leave, and the train. Write to us before {}, with "
    "your papers in one file, and tell us when you can begin. We answer every letter within two weeks."
)
JOBS = (("welder", "Kiel", 2900, "1 May"), ("baker", "Bonn", 2700, "1 May"), ("nurse", "Kiel", 3100, "9 June"))
FLAT = (
    "{} rooms in {}, bright and quiet, on the second floor, with a balcony to the yard. The rent is {} "
    "a month, heating included; the deposit is three rents. There is a cellar, and a shed for bicycles. No pets please."
)
SHIRT = (
    "A shirt of heavy cotton in {}, made in the north of Portugal, with buttons of nut. Wash it warm, dry it outside."
)
LAW = (
    "Section 12. Whoever keeps a dog pays a fee of {} marks a year to the parish. The fee is due on the first of May. "
    "Dogs that guide the blind are free of it. The version of {} is in force until another one is made."
)
STORY = (
    "The ferry to the islands sails again on Monday, after three weeks in the dock at Oban. Passengers who had booked "
    "for the days without a boat get their money back by post. The captain said the new engine was louder than the old "
    "one, but faster. On the islands people had lived on tins and on what the small boats brought. The baker of the "
    "harbour had no flour for a week. Nobody was ill in that time, the doctor said, and nobody had to be flown out."
)
OTHERS = [" ".join(english(seed, 90)) + "." for seed in range(3)]


def judged(*items, index=None):
    """Describe each item: "new", the key it is a copy of, or "~" and the key it is a variant of."""
    with index or DuplicateIndex() as index:
        found = []
        for url, text, *more in items:
            verdict = index.check_and_add(url, text, **dict(zip(("title", "values"), more, strict=False)))
            assert verdict.duplicate is (verdict.of is not None) and not (verdict.of and verdict.variant_of)
            found.append(verdict.of or (f"~{verdict.variant_of}" if verdict.variant_of else "new"))
        return found


def pages(form, values, host="https://a.example"):
    return [(f"{host}/{number}", form.format(*one)) for number, one in enumerate(values)]


STREETS = [("Two", "Mill Lane", 700), ("Three", "Mill Lane", 950), ("Two", "Dyke Road", 720), ("Two", "Hill", 705)]
COLOURS = [("red",), ("blue",), ("green",), ("black",)]
VERSIONS = [(40, "1950"), (45, "1962"), (60, "1971")]


@pytest.mark.parametrize(
    ("form", "values"),
    [(JOB, JOBS), (FLAT, STREETS), (SHIRT, COLOURS), (LAW, VERSIONS)],
    ids=["jobs", "flats", "one colour", "versions of a law"],
)
def test_each_is_kept_and_a_variant_of_the_first(form, values):
    made = pages(form, values)
    assert judged(*made) == ["new", *["~https://a.example/0"] * (len(made) - 1)]


KEPT, HEADLINE = "https://a.example/7", "The ferry sails again"
SPELT = STORY.replace("harbour", "harbor").replace("new engine", "newengine")
CHANGED = STORY.replace("Oban", "Dunoon").replace("Monday", "Tuesday")
REVERSED = ". ".join([*STORY.rstrip(".").split(". ")[::-1], ""]).strip()
#: Another page of the site, its text, and its title if it has another one, as copies of a story have them.
COPIES = {
    "print view": ("?print=1", f"Printed on 3 May 2024 from a.example/7. {STORY}"),
    "line below": ("https://www.a.example/print/7", f"{STORY} Printed on 3 May 2024 from a.example/7."),
    "mobile": ("https://m.a.example/7", f"{STORY} Share this page"),
    "session": (";jsessionid=0123456789abcdef", STORY),
    "session, capitals": ("?sid=4711", STORY.upper()),
    "beginning cut": ("?part=2", STORY.partition(". ")[2].partition(". ")[2]),
    "end cut": ("?page=1", STORY.rpartition(" On the islands")[0]),
    "reordered": ("?sort=2", REVERSED),
    "title with the site's name": ("https://a.example/8", STORY, f"{HEADLINE} | Island Courier"),
    "title in capitals": ("https://a.example/8", STORY, HEADLINE.upper()),
    "no title": ("https://a.example/8", STORY, ""),
    "title of the frame": ("https://a.example/print/7", STORY, "Print preview page"),
    "reprint": ("https://b.example/x", f"(Newswire) {STORY} By our reporter in Oban.", "Islanders wait no more"),
    "spelt otherwise elsewhere": ("https://b.example/7", SPELT),
}


@pytest.mark.parametrize("title", ["", HEADLINE])
@pytest.mark.parametrize("name", COPIES)
def test_a_copy_is_dropped(name, title):
    url, text, *other = COPIES[name]
    url = url if url.startswith("http") else KEPT + url
    assert judged((KEPT, STORY, title), (url, text, *(other or [title]))) == ["new", KEPT]


def test_another_title_on_the_site_makes_a_variant():
    found = judged((KEPT, STORY, "Mayor of Kiel"), ("https://a.example/8", STORY, "Mayor of Bonn"))
    assert found == ["new", f"~{KEPT}"]


def test_one_other_number_is_a_variant():
    texts = [FLAT.format("Two", "Kiel", rent) for rent in (900, 950)]
    assert judged((KEPT, texts[0]), ("https://a.example/8", texts[1])) == ["new", f"~{KEPT}"]


def test_other_names_are_a_variant_on_another_site():
    assert judged((KEPT, STORY), ("https://b.example/7", CHANGED)) == ["new", f"~{KEPT}"]


@pytest.mark.parametrize(
    ("form", "one", "other"),
    [
        ("Dogs are {} allowed in the garden, on a short lead. " + STORY, ("also",), ("not",)),
        (
            "馆内展厅{}使用闪光灯拍照，请勿触摸展品，儿童须由成人陪同，大件行李须存放在一层寄存处，闭馆前半小时停止入场。",
            ("可以",),
            ("不得",),
        ),
    ],
    ids=["not for also", "Chinese"],
)
@pytest.mark.parametrize("host", ["a.example", "b.example"])
def test_of_two_texts_that_say_the_contrary_both_are_kept(form, one, other, host):
    texts = [f"This is how it is here, as a reader may know. {form.format(*words)}" for words in (one, other)]
    for kept, new in (texts, texts[::-1])[: 1 + form.isascii()]:  # what a kept Chinese text denied is not known
        assert judged((KEPT, kept), (f"https://{host}/8", new)) == ["new", "new"]


def test_an_edited_text_is_a_copy_whatever_its_byline_says():
    edits = {"dock": "yard", "booked": "paid", "money": "fare", "louder": "noisier", "lived": "fed", "engine": "motor"}
    text = " ".join(edits.get(word, word) for word in STORY.split())
    for byline in ("", " By Ann Reed, 3 May 2024."):
        assert judged((KEPT, STORY, HEADLINE), ("https://a.example/8", text + byline, HEADLINE)) == ["new", KEPT]


def test_a_copy_of_the_thirtieth_of_fifty_is_one_of_that_one():
    words = sorted({*english(4, 400)})[:50]
    made = pages(JOB, [(f"{word} {n}", f"{word}town", 2000 + 7 * n, f"{n} May") for n, word in enumerate(words)])
    copies = [(f"{url}?print=1", f"Printed on 3 May. {text}") for url, text in (made[29], made[0], made[49])]
    found = judged(*made, *copies)
    assert found[1:50] == ["~https://a.example/0"] * 49
    assert found[50:] == [made[29][0], made[0][0], made[49][0]]


def test_a_page_that_shows_posts_is_not_what_they_are_dropped_for():
    posts = [(f"https://a.example/{number}", text) for number, text in enumerate(OTHERS)]
    whole = ("https://a.example/", "\n".join(OTHERS))
    assert judged(*posts, whole) == ["new"] * 4
    assert judged(whole, *posts) == ["new", *["~https://a.example/"] * 3]


NEWS = "http://a.example/news/7.html"


@pytest.mark.parametrize(
    ("one", "other", "view"),
    [
        (NEWS, f"{NEWS}?view=print", True),
        (NEWS, "http://m.a.example/print/news/7", True),
        ("https://a.example/?id=7", "https://a.example/?id=7&lang=de", True),
        ("https://a.example/?id=7", "https://a.example/?id=8", False),
        (NEWS, "http://a.example/news/8.html", False),
        (f"{NEWS}?page=1", f"{NEWS}?page=2", False),
        ("http://a.example/list#2", "http://a.example/list#3", False),
        ("7", "8", False),
        ("7", "https://a.example/7", False),
    ],
)
def test_addresses_of_one_page(one, other, view):
    assert is_view(one, other) is view


def test_a_title_of_the_frame_or_an_unknown_one_is_no_other():
    one, other, frame = map(hash_title, ("Two rooms in Kiel", "Two rooms in Bonn", "Print this page"))
    text, kept = FeatureStrings("Two rooms in Kiel, bright and quiet."), Fingerprint.of("Two rooms in Kiel, dark.")
    for title, its, found in ((one, other, True), (frame, one, False), (one, b"", False)):
        assert other_title(text, title, replace(kept, title=its), one_site=True) is found


def made_of(text, *lines, way=""):
    return Version.of(text, {"price": 9, "sku": 7}, source_of("\n".join(lines), text, way))


def test_changes_are_named():
    old = made_of("A fox.", "A fox.")
    new = Version.of("A Fox.", {"price": 8, "colour": "red"}, source_of("A Fox.", "A Fox."))
    assert new.changes(old, ["price", "colour"]) == ("text", "price", "colour", "(gone)")
    ids = ["00000000-0000-5000-8000-000000000001"] * 2
    chunked = Version.of("A fox.", {"price": 9, "sku": 7}, chunks=ids)
    packed = chunked.pack()
    assert Version.unpack(packed) == chunked and chunked.chunk_ids == tuple(ids)
    assert chunked.changes(old, ["price", "sku"]) == ("(chunks)",) and old.changes(chunked, ["price", "sku"]) == ()
    for end in range(len(packed)):
        Version.unpack(packed[:end] + b"\xff" * 4)  # a damaged one raises nothing


FOX = "A fox crossed the road."


@pytest.mark.parametrize(
    ("kept", "new", "is_changed"),
    [
        ((FOX, "By Ann"), (FOX,), False),  # a line that comes and goes stands on both pages
        ((FOX,), (FOX, "By Ann"), False),
        ((FOX,), (FOX, "It was seen again."), True),
        ((FOX, "Sold out"), (FOX,), True),  # three in place of four on the page: the text's own has gone
    ],
)
def test_of_lines_that_both_pages_have_the_text_is_the_same(kept, new, is_changed):
    frame, few = ("Menu", "By Ann", *["Sold out"] * 3), "{} readers"
    pages = [(*frame, *{*text} - {*frame}, few.format(n), *["Sold out"] * ("Sold out" in text)) for n, text in
             enumerate((kept, new))]  # fmt: skip
    old, now = (made_of("\n".join(text), *page) for text, page in zip((kept, new), pages, strict=True))
    assert now.changes(old, ["price", "sku"]) == (("text",) if is_changed else ())
    assert Version.unpack(now.pack()) == now
    otherwise = made_of("\n".join(new), *pages[1], way="another strategy")
    assert otherwise.changes(old, ["price", "sku"]) == ("text",)


def test_a_line_that_leaves_the_text_and_comes_to_the_page_once_more_is_no_change():
    old, new = (
        made_of(f"Fox\n{FOX}", "Fox", FOX),
        made_of(FOX, "Fox", FOX, "Fox"),
    )  # a teaser of it comes, as of the newest
    assert new.changes(old, ["price", "sku"]) == old.changes(new, ["price", "sku"]) == ()


def test_pages_of_an_article_have_one_source_and_a_long_page_one_line():
    one, two = (source_of(f"Menu\n{text}", text) for text in ("One.", "Two."))
    both = Version.of("One.\nTwo.", {}, joined_sources([one, two]))
    assert not Version.of("One.", {}, joined_sources([one, two])).changes(both, ())[1:]
    assert joined_sources([one, b""]) == b""
    long = [f"Line {n}" for n in range(versions.MOST_LINES + 1)]
    kept = made_of(FOX, *long)
    assert made_of("Line 1", *long).changes(kept, ["price", "sku"]) == ()
    assert made_of("Line 1", *long, "more").changes(kept, ["price", "sku"]) == ("text",)
    whole = [Version.of(text, {}, versions.whole_source(source_of(page, "x"), "f")) for text, page in
             (("x", "a\nx"), ("y", "a\nx"), ("z", "b\nx"))]  # fmt: skip
    assert whole[1].changes(whole[0], ()) == () and whole[2].changes(whole[0], ()) == ("text",)


@given(st.text(st.sampled_from("ab \n\u2003\u00a0中\ud800")), st.integers(1, 9))
def test_white_space_is_collapsed_across_pieces_of_a_text(text, size):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(versions, "PIECE", size)
        pieces = Version.of(text, {})
    assert pieces == Version.of(text, {}) == Version.of(" ".join(text.split()), {})


@pytest.mark.parametrize(
    ("first", "last", "is_copy"),
    [(0.45, 1, True), (0.65, 1, False), (0.2, 0.75, True), (0.2, 0.65, False), (0, 0.55, True), (0, 0.45, False)],
)
def test_a_small_part_is_one_of_what_a_page_shows(first, last, is_copy):
    words = english(8, 200)
    part = " ".join(words[int(first * 200) : int(last * 200)])
    whole = ("https://a.example/", " ".join(words))
    assert judged(whole, ("https://a.example/7", part)) == ["new", "~" * (not is_copy) + whole[0]]
    assert judged(whole, ("https://b.example/7", part)) == ["new", whole[0]]


def test_a_form_that_is_known_is_one_on_other_sites_too():
    known = pages(JOB, JOBS)
    [(_, fourth)] = pages(JOB, [("cook", "Husum", 2800, "2 July")])
    assert judged(*known, ("https://b.example/4", fourth))[3] == "~https://a.example/0"
    assert judged(*known, ("https://b.example/1", f"{known[1][1]} By our partner."))[3] == "https://a.example/1"


QUAKE = (
    "The survey of the northern coast has put out a notice about an earthquake of magnitude {} that shook the ground "
    "{} kilometres from {} on {}, the third in a month. Its depth was given "
    "as nine kilometres. Nobody was hurt, and the trains kept running. A machine wrote this text from the survey's "
    "list. An editor read it before it was put on this page. Those who felt the shock may tell the survey how strong "
    "it was, and whether cups fell from their shelves or lamps began to swing. The survey draws a map of all answers."
)
NUMBERS = (
    "本周{}的蔬菜价格总体平稳，其中黄瓜每公斤{}元，番茄每公斤{}元。市场负责人表示，本地大棚的供应量正在增加，"
    "预计下周价格还会小幅回落，请市民按需购买。"
)
POST = (
    "Новое отделение почты открылось в городе {}. За первый день здесь приняли {} писем и {} посылок, а почтальоны "
    "ходили пешком, потому что машина сломалась. Начальник отделения просит жителей подписать ящики и держать собак "
    "дома. Касса работает до семи вечера, в субботу до обеда. Пенсию по-прежнему приносят домой, газеты лежат у входа."
)
CAR = (
    "{}. Year: {}. Doors: five. Mileage: {} kilometres. Petrol. Manual. Power: {} hp. "
    "Price: {} euros. Grey metallic. Reference: {}.\n"
    "Every car of our house is checked at a hundred points before it goes on sale, and comes with a new battery. You "
    "may drive it for an hour, with one of us beside you or alone, and bring it back within two weeks if it does not "
    "suit you. We buy your old car as well, at a price that three dealers have agreed on, and register the new one. "
    "Our workshop looks after cars of all makes. Come without an appointment, have a coffee, and wait while we mend it."
)
DOORWAY = (
    "Your locksmith in {0} comes within half an hour, by day and by night. Whether a key has broken or a door has shut "
    "behind you, we open it without a scratch, and families in {0} have relied on us for years. Our fitters live in "
    "{0} and know the old doors there. Ask for the price before we set out: it holds, even if the lock is worn. Many "
    "in {0} keep our number by the telephone. We change bolts as well, and look after the gates of schools."
)
PACK = (
    "The bag for walkers who stay out overnight holds {} litres and weighs little, as its frame is made of cane. The "
    "straps are padded, a cover for rain is sewn into the lid, and the pocket at the front takes a map, a torch and a "
    "flask. A belt carries the load, {} kilograms at most, and comes off in town. We mend what we sell, for as long as "
    "you have it, and take it back within two months if it does not suit you."
)
FILLED_IN = {
    "names alone": (DOORWAY, ["Lakeport"], ["Ferndale"]),
    "two numbers": (PACK, (45, 14), (65, 18)),
    "a car": (CAR, ("Tern estate", 2019, 48200, 115, 13900, 77121), ("Heron coupe", 2022, 20650, 180, 24500, 80466)),
    "robot's news": (QUAKE, (4.1, 12, "Lakeport", "Monday"), (3.7, 31, "Ferndale", "Friday")),
    "prices": (NUMBERS, ("杭州", 6, 9), ("兰州城关", 8, 11)),
    "two runs of one hash": (
        CAR,
        ("Tern estate", 2019, 20043, 115, 13900, 77121),
        ("Heron coupe", 2022, 20650, 180, 24500, 80466),
    ),
    "a report": (POST, ("Тверь", 340, 28), ("Псков и Остров", 512, 77)),
}


@pytest.mark.parametrize("keys", [("1", "2"), ("https://a.example/1", "https://b.example/2")])
@pytest.mark.parametrize(("form", "one", "other"), FILLED_IN.values(), ids=FILLED_IN)
def test_other_numbers_and_words_make_a_variant_on_other_sites(form, one, other, keys):
    assert judged((keys[0], form.format(*one)), (keys[1], form.format(*other))) == ["new", f"~{keys[0]}"]


@pytest.mark.parametrize("form", [f"{STORY} {JOB}", f"{JOB} {STORY}"], ids=["at the end", "at the start"])
@pytest.mark.parametrize(("one", "other"), [("Leeds", "York"), ("Graz", "Linz"), ("Porto", "Faro")])
def test_another_town_makes_a_variant_in_a_longer_text(form, one, other):
    kept, new = (form.format("baker", town, "well", "May") for town in (one, other))
    assert judged((KEPT, kept), ("https://b.example/9", new)) == ["new", f"~{KEPT}"]


SHAKEN = QUAKE.format(4.1, 12, "Lakeport", "Monday")


@pytest.mark.parametrize(
    ("kept", "new"),
    [
        (f"{STORY}\nBy Ann Reed, 3 May, 10:20\n{SHAKEN}", f"{STORY}\nBy Jo Hall, 4 June, 11:45\n{SHAKEN}"),
        (
            SHAKEN,
            SHAKEN.replace("Nobody", "[2] Nobody")
            .replace("A machine", "[5] A machine")
            .replace("Those", "[6, 7] Those"),
        ),
        (
            SHAKEN,
            SHAKEN.replace("nine", "9")
            .replace("magnitude", "strength")
            .replace("hurt", "harmed")
            .replace("began", "started")
            .replace("trains", "railways"),
        ),
    ],
    ids=["another byline", "marks put in", "another style"],
)
def test_other_numbers_alone_leave_a_copy_on_another_site(kept, new):
    assert judged(("https://a.example/1", kept), ("https://b.example/1", new)) == ["new", "https://a.example/1"]


@pytest.mark.parametrize(
    ("around", "more", "is_copy"),
    [
        (100, "", False),
        (1000, "", True),
        (100, "A ship that had left its harbour in the morning came home with a torn sail. ", True),
    ],
)
def test_in_a_very_long_text_or_beside_other_changes_numbers_leave_a_copy(around, more, is_copy):
    first, last = (" ".join(english(seed, around)) for seed in (6, 7))
    kept = f"{first}. {QUAKE.format(4.1, 12, 'Lakeport', 'Monday')} {last}"
    new = f"{first}. {QUAKE.format(3.7, 31, 'Ferndale', 'Friday').replace('A machine', more + 'A machine')} {last}"
    found = judged(("https://a.example/1", kept), ("https://b.example/1", new))
    assert found == ["new", "~" * (not is_copy) + "https://a.example/1"]


@pytest.mark.parametrize(
    ("keys", "site", "found"),
    [
        (["sku 0", "sku 1"], {}, (None, "sku 0")),
        (["sku 0", "sku 1"], {"site": "a.example"}, (None, "sku 0")),
        (["https://a.example/0", "https://b.example/1"], {}, (None, "https://a.example/0")),
        (["https://a.example/0", "https://a.example/1"], {"site": ""}, (None, "https://a.example/0")),
    ],
)
def test_the_same_words_get_the_same_verdict_whatever_site_they_are_of(keys, site, found):
    with DuplicateIndex() as index:
        verdicts = [index.check_and_add(key, SHIRT.format(*of), **site) for key, of in zip(keys, COLOURS, strict=False)]
    assert (verdicts[1].of, verdicts[1].variant_of) == found


class TestValues:
    @pytest.mark.parametrize("host", ["https://a.example/2", "https://b.example/2", "sku 2"])
    def test_items_with_other_values_are_never_duplicates(self, host):
        first = ("https://a.example/1", STORY, "", {"price": 9, "tags": ["x"]})
        for values, copy in (({"price": 8}, False), ({"price": 9}, True), ({"size": 3}, True), ({}, True)):
            found = judged(first, (host, STORY, "", values))
            assert found[1] == ("" if copy else "~") + "https://a.example/1"

    @pytest.mark.parametrize(("certainty", "named"), [(0.0, ("price",)), (1.0, ())])
    def test_a_field_is_named_where_the_text_alone_would_be_a_copy(self, certainty, named):
        with DuplicateIndex(certainty=certainty) as index:
            index.add("1", STORY, values={"price": 9})
            verdict = index.check("2", f"{STORY} Share this page", values={"price": 8})
        assert verdict.variant_of == "1" and verdict.lone_fields == named

    def test_any_value_has_a_hash(self):
        endless: list[object] = []
        endless.append(endless)
        odd = {"a": {1: 2, "x": 3}, "b": {("t",): 1}, "c": endless, "d": "\ud800", "\ud800": b"x", "e": float("nan")}
        assert not other_values(hash_values(odd), hash_values(odd))
        assert other_values(hash_values(odd), hash_values({**odd, "b": {("t",): 2}}))

    @given(*[st.dictionaries(st.text(max_size=2), st.integers(0, 2), max_size=VALUES_CAP)] * 2)
    def test_they_are_other_where_a_field_of_both_differs(self, one, other):
        differ = any(other[name] != value for name, value in one.items() if name in other)
        assert bool(other_values(hash_values(one), hash_values(other))) == differ

    def test_what_is_kept_is_bounded(self):
        values = hash_values({f"field {number}": "x" * 9999 for number in range(999)})
        assert len(values) == 8 * VALUES_CAP
        assert len(hash_title(" ".join(english(1, 900)))) <= 2 * TITLE_CAP

    def test_same_values_on_every_machine(self):
        assert np.frombuffer(hash_title("Bees dance"), "<u2").tolist() == [28300, 42966]
        found = np.frombuffer(hash_values({"price": 9, "colour": "red"}), "<u4").tolist()
        assert found == [3402113753, 2366072709, 4210582990, 653788642]


def test_a_text_read_before_has_its_title_and_values():
    with DuplicateIndex() as index:
        given = {"title": "Rooms in Kiel", "values": json.loads('{"rent": 700}')}
        index.add("https://a.example/1", index.read(STORY, **given))
        assert index.check("https://a.example/2", STORY, **given).of == "https://a.example/1"
        assert index.check("https://a.example/2", index.read(STORY, title="Rooms in Bonn")).reason.endswith(
            "another title"
        )
        assert index.check("https://b.example/2", STORY, values={"rent": 7}).reason.endswith("other values of rent")
