"""Made pairs of texts, which train and never judge: what pairs of real texts show too seldom to learn it.

Forms with others of their kind and with copies (`benchmarks/dedup/forms.py`); copies in which only the typography, the
spelling or the frame differs; texts in which a value, a name or a *not* makes another sense, or that say more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from benchmarks.dedup import forms
from benchmarks.dedup.pairs import POSITIVES, Pool
from benchmarks.dedup.texts import Base, excerpt, pieces, sentences, size, words
from denoise_scrapy.core.feature_strings import FeatureStrings
from denoise_scrapy.dedup.rules import Fingerprint, PartRule
from denoise_scrapy.dedup.verdicts import Evidence

#: Seed, other than that of the floors; most earlier texts of its form that one is paired with.
SEED, SIBLINGS = 67, 2
#: Units of a whole text: most texts are short, and some are contracts.
LENGTHS = ((25, 60), (60, 150), (150, 400), (400, 900), (900, 3600))
#: Units of a part that is put in or stands apart: a sentence up to a paragraph.
PART = (20, 60)
_NUMBER, _NAME = re.compile(r"\d+"), re.compile(r"(?<=[a-z,;] )[A-Z]\w+")
_NEGATIONS = {"latin": ("not", "without", "never", "no longer"), "chinese": ("不", "没有", "不再", "无")}
#: Lines around texts, in Latin script and in Chinese.
FURNITURE = (
    ("Share this page", "Print. Send. Save.", "We use cookies. Accept all. Settings.", "Read more", "Photo: archive",
     "Teilen, drucken, merken.", "Partager sur Facebook. Imprimer.", "Leer más. Compartir.", "Читайте также.",
     "From our correspondent", "By Ann Reed, 3 May", "As we said", "Von unserem Korrespondenten", "Share this",
     "Subscribe to our newsletter", "12 comments", "All rights reserved.", "Advertisement", "Sign in to comment."),
    ("分享到微信 微博", "打印本页", "责任编辑 李明", "点赞 收藏", "图为现场。", "相关阅读", "版权所有",
     "シェアする。印刷する。"),
)  # fmt: skip
#: Lines that say when and by whom a page was made, or how often it was read, in Latin script and in Chinese.
DATED = (
    ("By {name}, {day} {month} {year}", "{count} views", "Updated {day} {month} {year}, {hour}",
     "{name} | {day}.{m}.{year}", "{count} comments", "Published on {month} {day}, {year} by {name}",
     "{day} {month} {year}", "Last modified: {year}-{m}-{day} {hour}", "© {year} {name}", "{count} people like this",
     "Page {m} of {day}", "Visitors: {count}", "Von {name}, {day}. {month} {year}", "Por {name} - {hour}"),
    ("阅读 {count}", "更新时间：{year}年{m}月{day}日 {hour}", "{year}-{m}-{day} {hour}", "评论（{count}）",
     "点击数：{count}次", "发布日期：{year}年{m}月{day}日"),
)  # fmt: skip
_PEOPLE = "Ann Reed|Tom Hill|Eva Lang|Jon Ortiz|Li Wei|Olga Petrova|Marco Conti|Amina Diallo".split("|")
_MONTHS = "January March May June August October mars Mai mayo giugno июня grudnia".split()
_COLOURS = "red blue green black white silver golden grey brown orange 红 蓝 黑 白 金".split()

Made = tuple[str, str]  # the kept text, and the new one
Maker = Callable[[str, Base, Pool, Random], "Made | None"]


def _put(text: str, part: str, rng: Random, where: str) -> str:
    """Put a part into a text: as a line of its own, within a line, before or behind it."""
    if where in {"before", "behind"}:
        return f"{part}\n{text}" if where == "before" else f"{text}\n{part}"
    ends = [found.end() for found in re.finditer(r"\n" if where == "line" else r"(?<=[.!?。！？]) ?", text)]
    place = rng.choice(ends or [len(text)])
    return f"{text[:place]}{part}{chr(10) if where == 'line' else ' '}{text[place:]}"


def other_number(text: str, _: Base, __: Pool, rng: Random) -> Made | None:
    """Fill in one to three other numbers."""
    found, new = [*_NUMBER.finditer(text)], text
    if not found:
        return None
    some = rng.sample(found, min(len(found), rng.choice([1, 1, 2, 3])))
    for one in sorted(some, key=lambda number: -number.start()):
        digits = "".join(rng.choice("123456789") for _ in one[0])
        new = new[: one.start()] + digits + new[one.end() :]
    return text, new


def other_name(text: str, _: Base, pool: Pool, rng: Random) -> Made | None:
    """Fill in another name everywhere."""
    names, others = _NAME.findall(text), _NAME.findall(rng.choice(pool.all).text)
    if not names or not others:
        return None
    return text, text.replace(rng.choice(names), rng.choice(others))


def other_town(text: str, _: Base, pool: Pool, rng: Random) -> Made | None:
    """Fill in a name at one to three places where the other text has another one."""
    names = next((some for _ in range(9) if len(some := {*_NAME.findall(rng.choice(pool.all).text)}) > 1), None)
    if names is None:
        return None
    kept, new = rng.sample(sorted(names), 2)
    parts = list(pieces(text))
    inside = words(parts)[2:]
    places = rng.sample(inside, min(rng.choice([1, 1, 2, 3]), len(inside)))
    return _filled(parts, places, kept), _filled(parts, places, new)


def _filled(parts: Sequence[str], places: Sequence[int], word: str) -> str:
    """Return a text of parts, with a word in the place of some."""
    return "".join(word if place in places else part for place, part in enumerate(parts))


def other_colour(text: str, base: Base, pool: Pool, rng: Random) -> Made | None:
    """Sell it in another colour: a word is another at one or two places."""
    kept, new = rng.sample(_COLOURS[-5:] if base.group == "chinese" else _COLOURS[:-5], 2)
    parts = list(pieces(text))
    places = rng.sample(words(parts), min(rng.randint(1, 2), len(words(parts))))
    return _filled(parts, places, kept), _filled(parts, places, new)


def series(text: str, base: Base, pool: Pool, rng: Random) -> Made:
    """Describe two parts of one thing: a few words in the first line, or a sentence, are of one part only."""
    lines = [excerpt(base.text, rng.randint(3, 9), rng).replace("\n", " ")] * 2
    texts = [text] * 2
    for which in (0, 1):
        if which == 0 or rng.random() < 0.5:
            lines[which] += f"{rng.choice([' ', ' - ', ': ', ' ('])}{pool.run(base, rng.randint(1, 3), rng)}"
        if rng.random() < 0.7:
            sentence = f"{pool.run(base, rng.randint(4, 14), rng)}."
            texts[which] = _put(texts[which], sentence, rng, rng.choice(["behind", "line", "within"]))
    made = [f"{line}\n{one}" for line, one in zip(lines, texts, strict=True)]
    rng.shuffle(made)
    return made[0], made[1]


def negation(text: str, base: Base, _: Pool, rng: Random) -> Made | None:
    """Say the contrary, by a small word that is put in or stands in the place of another."""
    parts = list(pieces(text))
    word = rng.choice(_NEGATIONS["chinese" if base.group == "chinese" else "latin"])
    places = words(parts)
    place = rng.choice(places[2:-2] or places)
    kept = list(parts)
    if rng.random() < 0.5:
        kept[place] = rng.choice(["with", "also", "now", "still"] if base.group != "chinese" else ["也", "还", "就"])
        parts[place] = word
    else:
        parts.insert(place, word if base.group == "chinese" else f"{word} ")
    made = "".join(kept), "".join(parts)
    return made if rng.random() < 0.5 else made[::-1]


def new_part(text: str, base: Base, pool: Pool, rng: Random) -> Made:
    """Say more at one place: a sentence, or a paragraph of its own."""
    where = rng.choice(["line", "line", "within", "before", "behind"])
    part = excerpt(pool.other(base, rng).text, rng.randint(*PART), rng)
    return text, _put(text, part, rng, where)


def few_texts(text: str, base: Base, pool: Pool, rng: Random) -> Made:
    """Set two short texts beside one notice, often longer than each."""
    own = rng.randint(10, 60)
    notice = pool.run(base, rng.randint(own, 6 * own), rng)
    one, other = excerpt(text, own, rng), pool.run(base, rng.randint(own * 2 // 3, own), rng)
    made = [f"{part}\n{notice}" if rng.random() < 0.8 else f"{notice}\n{part}" for part in (one, other)]
    return made[0], made[1]


def quoted(text: str, base: Base, pool: Pool, rng: Random) -> Made:
    """Answer a text that is quoted whole, or nearly."""
    post = excerpt(text, rng.randint(40, 150), rng)
    answer = excerpt(pool.other(base, rng).text, rng.randint(10, 40), rng)
    quote = "\n".join(f"> {line}" for line in post.splitlines()) if rng.random() < 0.5 else post
    return post, f"{answer}\n{quote}" if rng.random() < 0.5 else f"{quote}\n{answer}"


def shifted(text: str, base: Base, pool: Pool, rng: Random) -> Made | None:
    """Shift a list by an entry or two."""
    entries = [one.strip() for one in sentences(text) if size(one) > 3]
    if len(entries) < 6:
        return None
    by = rng.randint(1, max(1, len(entries) // 5))
    return "\n".join(entries[by:]), "\n".join(entries[:-by])


def misread(text: str, _: Base, __: Pool, rng: Random) -> Made | None:
    """Read or spell some words otherwise, a letter in each."""
    parts = list(pieces(text))
    some = [i for i in words(parts) if len(parts[i]) > 3 and parts[i].isalpha()]
    for i in rng.sample(some, round(rng.uniform(0.01, 0.12) * len(some))):
        at = rng.randrange(1, len(parts[i]))
        parts[i] = parts[i][:at] + rng.choice("eislo1z") + parts[i][at + rng.randint(0, 1) :]
    return (text, "".join(parts)) if some else None


def timed(text: str, _: Base, __: Pool, rng: Random) -> Made:
    """Put the time before each sentence, or each few words, as subtitles have it."""
    few = rng.randint(6, 14)
    parts = sentences(text) if rng.random() < 0.5 else re.findall(rf"(?:\S+\s*){{1,{few}}}", text)
    second, lines = 0, list[str]()
    for part in parts:
        second += rng.randint(2, 9)
        lines += [
            rng.choice([f"{second // 60:02}:{second % 60:02}", f"[{second // 60}:{second % 60:02}]"]),
            part.strip(),
        ]
    return text, "\n".join(lines)


def dated(text: str, base: Base, __: Pool, rng: Random) -> Made:
    """Show it at two times: the same lines of date, author or count, mostly below it, with other values."""
    chinese, texts = base.group == "chinese", [text, text]
    for _ in range(rng.choice([1, 1, 2])):
        line, is_behind = rng.choice(DATED[chinese]), rng.random() < 0.85
        below = f"\n{rng.choice(FURNITURE[chinese])}" if rng.random() < 0.5 else ""
        between = "\n" if rng.random() < 0.8 else " "
        lines = [f"{line.format(**_values(rng))}{below}" for _ in texts]
        pairs = zip(texts, lines, strict=True) if is_behind else zip(lines, texts, strict=True)
        texts = [between.join(pair) for pair in pairs]
    return texts[0], texts[1]


def _values(rng: Random) -> dict[str, object]:
    """Return a person, a date, a time and a count."""
    return {
        "name": rng.choice(_PEOPLE),
        "day": rng.randint(1, 31),
        "month": rng.choice(_MONTHS),
        "year": rng.randint(2015, 2026),
        "count": rng.randint(2, 9999),
        "hour": f"{rng.randint(0, 23)}:{rng.randint(10, 59)}",
        "m": rng.randint(1, 12),
    }


def marked(text: str, base: Base, pool: Pool, rng: Random) -> Made:
    """Write it in Markdown: headings, marks, links, a line of sharing."""
    parts = list(pieces(text))
    for i in rng.sample(words(parts), len(words(parts)) // 20):
        parts[i] = rng.choice(["**{}**", "*{}*", "[{}](https://a.example/" + str(rng.randint(1, 999)) + ")"]).format(
            parts[i]
        )
    return text, f"# {''.join(parts)}"


def framed(text: str, base: Base, pool: Pool, rng: Random) -> Made | None:
    """Frame it otherwise, or cut it, as copies on pages are."""
    name = rng.choice(["byline", "share buttons", "paragraph cut", "first 50%", "first 70%", "other form", "repeated"])
    found = POSITIVES[name](replace(base, text=text, units=size(text)), pool, rng)
    return found[::-1] if found else None


def edited(text: str, base: Base, pool: Pool, rng: Random) -> Made | None:
    """Edit it as another house would: another headline, words left out or exchanged, the last sentences cut."""
    parts = list(pieces(text))
    plain = [i for i in words(parts) if parts[i].isalpha() and parts[i].islower()] or words(parts)
    others = [one for one in pieces(pool.other(base, rng).text) if one.isalpha() and one == one.lower()] or [""]
    for i in rng.sample(plain, round(rng.uniform(0, 0.12) * len(plain))):
        parts[i] = ""
    for i in rng.sample(plain, round(rng.uniform(0, 0.12) * len(plain))):
        parts[i] = rng.choice(others)
    for i in rng.sample(words(parts), round(rng.uniform(0, 0.04) * len(words(parts)))):
        parts[i] = f"{parts[i]}{'' if base.group == 'chinese' else ' '}{rng.choice(others)}"
    kept = sentences("".join(parts))
    made = "".join(kept[: len(kept) - rng.randint(0, len(kept) // 4)])
    if rng.random() < 0.6:
        made = f"{excerpt(base.text, rng.randint(5, 12), rng)}\n{made}"
    return (text, made) if size(made) > 0.6 * size(text) else None


def furnished(text: str, base: Base, pool: Pool, rng: Random) -> Made:
    """Put furniture around it or into it: shares, cookies, a byline, a caption, a headline of another text."""
    kept = new = text
    way = rng.random()
    if way < 0.4:
        new = (edited(text, base, pool, rng) or (text, text))[1]
    elif way < 0.7:
        parts = text.splitlines(keepends=True) if "\n" in text.strip() else sentences(text)
        new = "".join(parts[: len(parts) - rng.randint(0, len(parts) // 2)])
    for _ in range(rng.randint(1, 5)):
        line = "\n".join(rng.choice(FURNITURE[base.group == "chinese"]) for _ in range(rng.randint(1, 3)))
        if rng.random() < 0.4:
            line = excerpt(pool.other(base, rng).text, rng.randint(3, 18), rng)
        where = rng.choice(["before", "behind", "behind", "line", "same line"])
        made = f"{line}. {new}" if rng.random() < 0.5 else f"{new} {line}"
        new = made if where == "same line" else _put(new, line, rng, where)
    return (kept, new) if rng.random() < 0.7 else (new, kept)


#: Kind -> its letter, the weight of its pairs together, the most units of its texts, and how it is made.
MAKERS: Mapping[str, tuple[str, float, int, Maker]] = {
    "number": ("V", 1.8, 900, other_number),
    "name": ("V", 3.0, 3600, other_name),
    "town": ("V", 1.8, 900, other_town),
    "colour": ("V", 2.0, 100, other_colour),
    "series": ("V", 2.0, 150, series),
    "not": ("U", 0.5, 400, negation),
    "part": ("U", 2.0, 3600, new_part),
    "notice": ("V", 1.0, 3600, few_texts),
    "quoted": ("D", 0.5, 3600, quoted),
    "shifted": ("V", 0.3, 400, shifted),
    "misread": ("C", 1.0, 3600, misread),
    "timed": ("C", 0.3, 3600, timed),
    "dated": ("C", 1.5, 3600, dated),
    "marked": ("C", 0.3, 3600, marked),
    "furnished": ("C", 5.0, 3600, furnished),
    "framed": ("C", 1.5, 3600, framed),
    "edited": ("C", 2.0, 3600, edited),
}
#: Weight of made forms, and of their copies. With 24, and `MADE` at 1.25, of forms without titles .984 are kept instead
#: of .987, below their floor (with another random seed).
FORMS = 26.0


def weight_of(source: str) -> float:
    """Return the weight of all pairs of a kind together."""
    kind = source.removeprefix("made ")
    return MAKERS[kind][1] if kind in MAKERS else FORMS


def made_texts(bases: Sequence[Base], each: int = 240) -> Iterator[tuple[Evidence, str, str]]:
    """Yield evidence, letter and kind of made pairs, so many of each kind at most."""
    pool = Pool(bases)
    for kind, (letter, _, most, maker) in MAKERS.items():
        lengths = [one for one in LENGTHS if one[1] <= most]
        for number in range(each):
            rng = Random(f"{SEED} {kind} {number}")
            base = rng.choice(bases)
            text = excerpt(base.text, rng.randint(*rng.choice(lengths)), rng)
            made = maker(text, base, pool, rng)
            if made and made[0] != made[1]:
                found = Evidence.of(FeatureStrings(made[1]), Fingerprint.of(made[0]))
                if kind != "not" or found["negations"]:  # of a sampled text it may not be seen
                    yield found, letter, f"made {kind}"


def made_forms(bases: Sequence[Base]) -> Iterator[tuple[Evidence, str, str]]:
    """Yield copies with their originals, and forms with others of their kind that they are as similar to."""
    rule, kept = PartRule(), dict[str, list[tuple[forms.Row, Fingerprint]]]()
    for row in forms.stream(bases, SEED):
        new = FeatureStrings(row.text)
        earlier = kept.setdefault(row.kind, [])
        own = [(one, there) for one, there in earlier if one.url == row.of]
        others = ((one, there) for one, there in reversed(earlier) if one.url != row.of)
        alike = [(one, there) for one, there in others if rule.judge(new, there).duplicate][:SIBLINGS]
        for one, there in [*own, *alike]:
            letter = "C" if one.url == row.of else "V"
            yield Evidence.of(new, there), letter, f"made forms {letter}"
        if not row.of:
            earlier.append((row, Fingerprint.of(new)))
