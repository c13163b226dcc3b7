"""Dates in other digits, calendars and names of months, written as the Gregorian calendar has them.

Digits of all scripts; the eras of Japan (since 1926), of the Republic of China (Minguo) and of Buddhism in Thailand;
the solar Hijri calendar of Iran; and names of months that dateparser lacks: of the Levant and the Maghreb, Slovenian
and Latvian as in a date, Tajik, Khmer, Marathi.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from unicodedata import decimal

#: What such dates have: other digits, a word for a year, Arabic or Thai letters.
_FOREIGN = re.compile(r"(?![0-9])\d|年|năm|оны|жылғы|gada|ko |[\u0600-\u06ff\u0e00-\u0e7f]|\b1[34]\d\d[/.-]\d")
#: The year before the first of each era.
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
_ERA = re.compile(rf"(?:中華)?({'|'.join(_ERAS)})\s?(元|\d{{1,3}})\s?年")
#: The Gregorian year, with that of the era in brackets: 2025年（令和7年）.
_TOLD_TWICE = re.compile(rf"((?:19|20)\d\d\s?年)\s?[(（](?:{'|'.join(_ERAS)})(?:元|\d{{1,3}})年[)）]")
_BUDDHIST = re.compile(r"(?:พ\.?\s?ศ\.?\s?|(?<=[\u0e00-\u0e7f.]\s))(2[45]\d\d)(?!\d)")
BUDDHIST = 543  # years by which the Buddhist era is ahead
_MONTHS = {
    name: month
    for month, names in enumerate(
        """
        كانون الثاني|كانون ثاني|جانفي|يناير|ม.ค.|januarja|janvārī|январи|មករា|जानेवारी
        شباط|فيفري|فبراير|ก.พ.|februarja|februārī|феврали|កុម្ភៈ|फेब्रुवारी
        آذار|اذار|مارس|มี.ค.|marca|martā|марти|មីនា|मार्च
        نيسان|أفريل|أبريل|إبريل|เม.ย.|aprila|aprīlī|апрели|មេសា|एप्रिल
        أيار|ايار|ماي|مايو|พ.ค.|maja|maijā|майи|ឧសភា|मे
        حزيران|جوان|يونيو|มิ.ย.|junija|jūnijā|июни|មិថុនា|जून
        تموز|جويلية|يوليو|ก.ค.|julija|jūlijā|июли|កក្កដា|जुलै
        آب|أوت|أغسطس|ส.ค.|avgusta|augustā|августи|សីហា|ऑगस्ट
        أيلول|ايلول|سبتمبر|ก.ย.|septembra|septembrī|сентябри|កញ្ញា|सप्टेंबर
        تشرين الأول|تشرين الاول|تشرين أول|أكتوبر|ต.ค.|oktobra|oktobrī|октябри|តុលា|ऑक्टोबर
        تشرين الثاني|تشرين ثاني|نوفمبر|พ.ย.|novembra|novembrī|ноябри|វិច្ឆិកា|नोव्हेंबर
        كانون الأول|كانون الاول|كانون أول|ديسمبر|ธ.ค.|decembra|decembrī|декабри|ធ្នូ|डिसेंबर
        """.split("\n")[1:-1],
        1,
    )
    for name in names.strip().split("|")
}
_LONGEST_FIRST = "|".join(map(re.escape, sorted(_MONTHS, key=len, reverse=True)))
_WITH_NAME = re.compile(
    rf"(?<!\d)(\d{{1,2}})\.?[\s/]?(?:ខែ)?({_LONGEST_FIRST})(?:\s?[/-]\s?[^\W\d]+)?[،,]?[\s/]?(?:ឆ្នាំ)?((?:19|20)\d\d)(?!\d)"
)
_PERSIAN_MONTHS = "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split()
_PERSIAN = re.compile(
    rf"(?<!\d)(?:(\d{{1,2}})\s?({'|'.join(_PERSIAN_MONTHS)})(?:\s?ماه)?،?\s?(1[34]\d\d)"
    r"|(1[34]\d\d)([/.-])([01]?\d)\5([0-3]?\d))(?!\d)"
)


#: Dates with two digits of a Thai year, and in the order and with the words of Vietnamese, Mongolian, Latvian and
#: Basque, and how they are written here.
_ORDERS = [
    (re.compile(r"(\d\d? [\u0e01-\u0e4e]{1,3}\.[ก-ฮ]\.) ?([4-9]\d)(?!\d)"), r"\1 25\2"),
    (re.compile(r"(\d\d?),? tháng (\d\d?),? năm (\d{4})"), r"\3-\2-\1"),
    (re.compile(r"(\d{4}) оны (\d\d?)\D{0,3} сарын (\d\d?)"), r"\1-\2-\3"),
    (re.compile(r"(\d{4}) жылғы (\d\d?) (\w+)"), r"\2 \3 \1"),
    (re.compile(r"(\d{4})\. gada (\d\d?)\. (\w+)"), r"\2 \3 \1"),
    (re.compile(r"(\d{4})e?ko (\w+?a)ren (\d\d?)"), r"\3 \2 \1"),
]
#: A date in Chinese numerals, of digits, or with the sign of ten; the first year of an era has its own sign.
_NUMERALS = {"零": "0", "元": "1"} | {sign: str(digit) for digit, sign in enumerate("〇一二三四五六七八九")}
_IN_NUMERALS = re.compile("([元{0}]{{1,4}})年([{0}]{{1,2}})月([{0}]{{1,3}})日".format("〇零一二三四五六七八九十"))


def gregorian(text: str) -> str:
    """Return a text whose dates are Gregorian, in ASCII digits.

    Example:
        >>> gregorian("٤ آذار/مارس ٢٠٢٥"), gregorian("۱۴ اسفند ۱۴۰۳"), gregorian("令和7年3月4日")
        ('2025-03-04', '2025-03-04', '2025年3月4日')
        >>> gregorian("民國114年3月4日"), gregorian("4 มีนาคม พ.ศ. 2568"), gregorian("4 March 2025")
        ('2025年3月4日', '4 มีนาคม 2025', '4 March 2025')
    """
    if not _FOREIGN.search(text) and not _WITH_NAME.search(text):
        return text
    for pattern, written in _ORDERS:
        text = pattern.sub(written, text)
    text = _IN_NUMERALS.sub(_of_numerals, text)
    text = "".join(str(decimal(char)) if char.isdecimal() else char for char in text)
    # the first year of an era has its own sign
    text = _ERA.sub(
        lambda found: f"{_ERAS[found[1]] + int(found[2].replace('元', '1'))}年", _TOLD_TWICE.sub(r"\1", text)
    )
    text = _BUDDHIST.sub(lambda found: str(int(found[1]) - BUDDHIST), text)
    text = _WITH_NAME.sub(lambda found: f"{found[3]}-{_MONTHS[found[2]]:02}-{int(found[1]):02}", text)
    return _PERSIAN.sub(_of_iran, text)


def _of_numerals(found: re.Match[str]) -> str:
    """Return a date in digits."""
    parts = [part.rpartition("十") for part in found.groups()]
    year, month, day = (_digits(tens or (ten and "一")) + _digits(ones or (ten and "〇")) for tens, ten, ones in parts)
    return f"{year}年{month}月{day}日"


def _digits(signs: str) -> str:
    """Return Chinese digits as those of ASCII."""
    return "".join(_NUMERALS.get(sign, "") for sign in signs)


def _of_iran(found: re.Match[str]) -> str:
    """Return a day of the solar Hijri calendar; leap years are told by its cycle of 33, right from 1343 to 1501."""
    day, name, year, *other = found.groups()
    if name is None:
        year, _, month, day = other
    number = int(year) - 979
    months = _PERSIAN_MONTHS.index(name) if name else int(month) - 1
    days = 365 * number + number // 33 * 8 + (number % 33 + 3) // 4 + 31 * months - max(0, months - 6) + int(day) - 1
    return (date(1600, 3, 20) + timedelta(days)).isoformat() if 0 <= months < 12 else found[0]
