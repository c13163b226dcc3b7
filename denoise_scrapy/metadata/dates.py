"""Dates in texts, as pages write them: numbers here, months' names by dateparser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple

from denoise_scrapy.metadata.annotations import LINE_CHARS, clean, load
from denoise_scrapy.metadata.eras import gregorian

#: Nothing on the web is older.
FIRST_DAY = "1995-01-01"
YEAR = re.compile(r"(?<!\d)(?:19[89]|20[0-4])\d(?!\d{5})|\d[./-]\s?\d\d?[./-]\s?\d\d(?!\d)")
#: Milliseconds since 1970, as scripts count them: from 2001 on.
_MILLISECONDS = re.compile(r"(1\d{9})\d{3}")
_TIME = re.compile(
    r"(\d{4})-?(\d\d)-?(\d\d)(?:(?:\s?T\s?|\s)([01]\d|2[0-3]):?([0-5]\d)(?::?([0-5]\d)(?:[.,]\d{1,9})?)?\s?"
    r"(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?"
)
#: The name of a month, with the marks that the vowels of many scripts are; in Vietnamese it has a number.
_MONTH = r"(?:[Tt]háng\s1?\d|[^\W\d_][^\s\d,:;|/()–-]{1,14})"
_DATE = re.compile(
    r"(?P<y>(?:19|20)\d\d)\s?(?P<to>[년年./–-])\s?(?P<m>[01]?\d)\s?(?:[月월./–-])\s?(?P<d>[0-3]?\d)(?!\d|\.[^\W\d])"
    r"|(?<![\d/.-])(?P<first>[0-3]?\d)(?P<by>[/.-])\s?(?P<second>[0-3]?\d)(?P=by)\s?(?P<last>(?:19|20)?\d\d)(?!\d)"
    r"|(?<!\d)(?P<month>1?\d)\s?月\s?(?P<day>[0-3]?\d)\s?日?,\s?(?P<year>(?:19|20)\d\d)(?!\d)"
    rf"|(?P<named>(?<!\d)\d{{1,2}}(?:st|nd|rd|th|er|\.|º|ης|η)?(?:,?\s(?:de\s|of\s)?|[-/]){_MONTH}(?:,?\s(?:de\s|del\s)?|[-/])"
    rf"(?:19|20)\d\d(?!\d)|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th|\.)?,?\s?(?:19|20)\d\d(?!\d)"
    rf"|(?<!\d)(?:19|20)\d\d(?:\sm)?\.?\s{_MONTH}\s\d{{1,2}}(?!\d|(?:st|nd|rd|th|\.)?,?\s?(?:19|20)\d\d))"
)
_IN_ADDRESS = re.compile(r"(?<!\d)((?:19|20)\d\d)([/_-])([01]?\d)\2([0-3]?\d)(?!\d)")
#: Words before a date, or classes of its element, that make it the date of a change, in the languages of most pages.
CHANGED = re.compile(
    r"updat|modif|\bedited|revis|reviewed|actuali[sz]|aktuali[sz]|ge[äa]ndert|bearbeitet|überarbeitet|mise? à jour"
    r"|aggiorn|atualiz|zmieni|zmodyfik|обновл|оновл|измен|bijgewerkt|uppdater|opdater|oppdater|päivit|güncelle|ενημ[εέ]ρω"
    r"|frissít|módosít|cập nhật|diperbarui|更新|修改|수정|最終|\bstand:|ändrad|ændret|endret|muokattu|uuenda|muudetud"
    r"|atjaun|atnaujin|upraven|ažur|ажур|posodobl|spremenj|жаңарт|yeniləndi|yangilan|шинэчл|diweddar|eguneratu"
    r"|imesasishwa|განახლ|թարմաց|تحديث|تعديل|به ?\u200c?روز|بروز ?رسانی|ویرایش|עודכן|עדכון|अपडेट|अद्यतन|संशोधित"
    r"|আপডেট|হালনাগাদ|புதுப்பி|నవీకరి|อัปเดต|อัพเดท|ปรับปรุง|แก้ไข",
    re.IGNORECASE,
)
#: Words before a date of something else: today's, of a membership, of a manuscript, of a look-up.
_OTHERS = re.compile(
    r"regist|joined|member since|mitglied seit|inscrit|hours|today|heute|received|accepted|accessed|retrieved|abgerufen"
    r"|expires|\bevents?\b|deadline|copyright|©|born|注册|登録|^when:|closing date|valid until|\bdue\b|gültig bis|frist"
    r"|anmeldeschluss|date limite|valable jusqu|fecha límite|válido hasta|scadenza|prazo|\btermin\b|срок|дата рождения"
    r"|開催日|締切|截止|有效期|마감|기한|آخر موعد|مهلت",
    re.IGNORECASE,
)


#: A time of day; minutes are missing only where a word says that it is one. "3:20 min" is a length.
_CLOCK = (
    r"(?:(?P<noon>[上下]午|午[前後]|오[전후])\s?|(?<![\w.:]))(?P<hour>[01]?\d|2[0-3])(?:\s?[:h時时点시]\s?(?P<minute>[0-5]\d)(?![\d/-])|\.(?P<dotted>[0-5]\d)(?![\d./%€-])"
    r"|(?=\s?(?:Uhr|h|[ap]\.?m)\b))(?::(?P<second>[0-5]\d))?\s?[分h]?\s?(?:(?P<half>[ap](?=\.?\s?m\b)|[πμ](?=\.?\s?μ\b)|[صم](?=باح|ساء|\b))(?:\.?\s?[mμ]\b\.?|\w*))?"
    r"(?!\s?min)"
    r"(?:\s?\(?(?P<zone>(?-i:[A-Z]{3,4})(?:\s?[+-]\d{1,4})?|[+-]\d\d:?\d\d)\b)?"
)
#: Signs and short words between date and time: "at", "a las", "um".
_BETWEEN = r"日?\W{0,4}(?:[^\W\d]{1,5}\W{0,2}\s){0,2}?\W?"
_CLOCK_BEHIND = re.compile(_BETWEEN + _CLOCK, re.IGNORECASE)
_CLOCK_BEFORE = re.compile(rf"{_CLOCK}{_BETWEEN}\Z", re.IGNORECASE)
#: Letters beside each date in a line of only dates: a weekday, "updated", "veröffentlicht".
MOST_BESIDE = 15


class Dated(NamedTuple):
    """A date in a text, in ISO 8601 with its time if it has one; and the words between it and the date before."""

    day: str
    words: str

    @property
    def is_change(self) -> bool:
        """True for the date of a change."""
        return CHANGED.search(self.words) is not None

    @property
    def is_publication(self) -> bool:
        """False if the words are of something else."""
        return not self.is_change and _OTHERS.search(self.words) is None


def dates_in(given: str, language: str, american: bool = False) -> Iterator[Dated]:
    """Yield the dates in a line; `language` is for names of months, and 3/12/2024 is in March if `american`."""
    return _dated(gregorian(clean(given)[:LINE_CHARS]), language, american)


def _dated(given: str, language: str, american: bool) -> Iterator[Dated]:
    end = 0
    for match, found in _matches(given, language, american):
        words = given[end : match.start()]
        clock = _CLOCK_BEHIND.match(given, match.end()) or _CLOCK_BEFORE.search(words)
        yield Dated(f"{found}T{_time_of(clock)}" if clock else found, words)
        end = max(match.end(), clock.end() if clock else 0)


def _matches(given: str, language: str, american: bool = False) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the dates in a line with their days; what is none may overlap one, as "30 AM 2024" before "-03-05"."""
    end = 0
    while match := _DATE.search(given, end):
        if found := _day_of(match, language, american):
            yield match, found
        end = match.end() if found else match.start() + 1


def _time_of(clock: re.Match[str]) -> str:
    part = clock.groupdict("")
    hour, half, zone = int(part["hour"]), part["half"].lower() or part["noon"], ""
    if half and hour <= 12:
        hour = hour % 12 + 12 * (half in ("p", "μ", "م", "下午", "午後", "오후"))
    if part["zone"] != "IST":  # there are three
        with suppress(Exception):  # another word
            offset = load("dateparser.timezone_parser").pop_tz_offset_from_string(f" {part['zone']}")[1]
            zone = datetime.now(offset).isoformat()[-6:] if offset else ""
    return f"{hour:02}:{part['minute'] or part['dotted'] or '00'}:{part['second'] or '00'}{zone}"


def _day_of(match: re.Match[str], language: str, american: bool) -> str:
    part = match.groupdict()
    if part["named"]:
        return _by_dateparser(part["named"], language)
    year = part["y"] or part["year"]
    month = part["m"] or part["month"]
    day = part["d"] or part["day"]
    if part["first"]:
        year, month, day = part["last"], part["second"], part["first"]
        if int(month) > 12 or (american and int(day) <= 12):
            day, month = month, day
    return _day(year if len(year) == 4 else f"20{year}", month, day)


def has_year(given: str) -> bool:
    """Return whether a text has what may be the year of a date."""
    return bool(YEAR.search(gregorian(given)))


def date_in(given: str, language: str, american: bool = False) -> str:
    """Return the first date in a text that is not of a change, "" without one; see `dates_in`."""
    given = gregorian(clean(given)[:LINE_CHARS])
    if match := _MILLISECONDS.fullmatch(given):
        given = datetime.fromtimestamp(int(match[1]), timezone.utc).isoformat()
    if match := _TIME.fullmatch(given):
        year, month, day, hour, minute, second, zone = match.groups()
        found = _day(year, month, day)
        if not found or hour is None:
            return found
        if zone:
            zone = f"{zone[:3]}:{zone[3:].lstrip(':') or '00'}" if zone[0] in "+-" else "+00:00"
        return f"{found}T{hour}:{minute}:{second or '00'}{zone or ''}"
    if not YEAR.search(given):
        return ""
    return next((one.day for one in _dated(given, language, american) if one.is_publication), "")


def without_dates(given: str, language: str) -> str:
    """Return a line with a bar for each of its dates."""
    end, parts, given = 0, list[str](), gregorian(given)
    for match, _ in _matches(given, language):
        parts.append(given[end : match.start()])
        end = match.end()
    return " | ".join([*parts, given[end:]])


def is_date(given: str, language: str) -> bool:
    """Return whether a line is a date, with few letters beside it."""
    if len(given) > LINE_CHARS or not has_year(given):
        return False
    bare = without_dates(given, language)
    dates = bare.count("|") - given.count("|")
    return dates > 0 and sum(map(str.isalpha, bare)) <= MOST_BESIDE * dates


def day_in_address(url: str) -> str:
    """Return the day in an address, "" if it has none."""
    match = _IN_ADDRESS.search(url)
    return _day(match[1], match[3], match[4]) if match else ""


def _day(year: str, month: str, day: str) -> str:
    """Return a valid day, not before the web and not after tomorrow; else ""."""
    with suppress(ValueError):
        found = f"{datetime(int(year), int(month), int(day)):%Y-%m-%d}"
        if FIRST_DAY <= found <= f"{datetime.now() + timedelta(days=1):%Y-%m-%d}":
            return found
    return ""


#: A parser is stateful: it may be used by one thread at a time.
_PARSING = Lock()


#: Languages that dateparser distinguishes, or that are taken for one another.
_SIBLINGS = {"no": ["nb"], "sr": ["sr-Latn"], "hr": ["bs"], "gl": ["es"], "pt": ["gl"], "id": ["ms"], "ms": ["id"]}


@lru_cache(maxsize=512)
def _by_dateparser(given: str, language: str) -> str:
    """Return the day according to dateparser, which knows month names."""
    for known in dict.fromkeys([language or "en", *_SIBLINGS.get(language, ()), "en"]):  # templates are often English
        with suppress(Exception), _PARSING:  # an unknown language, for example
            bare = re.sub(r"[,/-]|(?<=\d)\.", " ", given)
            # without normalizing first, which makes some Indic months of others
            found = next(filter(None, (_parser(known, way).get_date_data(bare).date_obj for way in (False, True))))
            if {found.year, found.day} <= {*map(int, re.findall(r"\d+", given))}:
                return _day(*f"{found:%Y-%m-%d}".split("-"))
    return ""


@lru_cache(maxsize=16)
def _parser(language: str, is_normalizing: bool) -> Any:
    settings = {"STRICT_PARSING": True, "PARSERS": ["absolute-time"], "NORMALIZE": is_normalizing}
    return load("dateparser.date").DateDataParser(languages=[language], settings=settings)
