"""Names of authors in bylines and marked elements."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from itertools import takewhile

from denoise_scrapy.core.characters import letters
from denoise_scrapy.metadata.annotations import LINE_CHARS, MAX_CHARS, MAX_NAME, clean
from denoise_scrapy.metadata.dates import CHANGED, without_dates

#: Words before a name in a byline, wherever they are.
_BY = re.compile(
    r"(?:^|(?<=[\s|•·・–—:.,)\]\d-]))(?:[Bb]y|BY|[Ss]tarted by|[Tt]hread starter"
    r"|[Aa][uv]t(?:h?or(?:s|in|en|es|ka|ica|ius)?|eurs?|rice|or(?:e|i(?:ai)?|zy)|oři|ora)"
    r"|Автор(?:ка|[иы])?(?: (?:статьи|текста|материала))?|Аўтар|Текст|Пише|Подготовила?|Беседовала?|Записала?"
    r"|Розмовляла|Από(?: τ(?:ον|ην?))?|Του|Της|Επιμέλεια|Συντάκτ(?:ης|ρια|ες)|Γράφ(?:ει|ουν) (?:ο|η|οι)"
    r"|作者|(?:本[报報]|见习)?(?:记者|記者)|撰文|撰稿|文责|文|著者|筆者|執筆|ライター|기자|글쓴이|글"
    r"|מאת|נכתב על ידי|כתבה?|بقلم|كتبت?|الكاتبة?|إعداد|نویسند(?:ه|گان)|نوشته|به قلم|تحریر|लेखक|लेखिका|द्वारा"
    r"|(?:เขียน)?โดย|เรื่อง|ผู้เขียน|ដោយ|ავტორი|Հեղինակ|Зохиогч|Müəllif|Muallif|Yaza(?:n|r(?:lar)?)|Kirjutas"
    r"|Teksti?s?|Höfundur|Egilea|Besedilo|Piše|Nap(?:s|[ií]s)al[ao]?|Napisała?|Opracowała?|Rozmawiała?|Parengė|Írta|Szerzők?"
    r"|Аутор(?:ка)?|Автору|Муаллиф|Autorė|Høvundur|Nivîskar|Сурвалжлагч|기자명|రచయిత|ಲೇಖಕರು|ലേഖകൻ|લેખક|ਲੇਖਕ|කර්තෘ|ໂດຍ"
    r"|ጸሐፊ|لیکوال|نووسەر|লেখক|লিখেছেন|எழுதியவர்|Kirjoittaja|Toimittaja|Bài|Tác giả)"
    r"(?:\s?[:：/／●＝՝៖፦]\s?|\s(?:[-–]\s)?)(?!\d)"
)
#: Words that mean it only with a colon: what was written.
_LABEL = re.compile(
    r"^\W*(?:texte?|tekst|texto|testo|words|szöveg|κείμενο|penulis|redacción|haber|گزارش|متن|نص|تقرير|טקסט"
    r"|reporter[ek]?|reportage|reportaje|ρεπορτάζ|muhabir|pewarta|jurnalis|журналист|корреспондент|кореспондент|репортер"
    r"|خبرنگار|مراسلة?|संवाददाता|रिपोर्ट(?:र)?|প্রতিবেদক|ผู้สื่อข่าว|รายงาน)\s?[:：]\s?(?!\d)",
    re.IGNORECASE,
)
#: Short words before a name that are others elsewhere, by language, at the beginning.
_SHORT = {
    "af": "deur",
    "bg": "от",
    "ca": "per",
    "cy": "gan",
    "eo": "de",
    "ga": "le",
    "is": "eftir",
    "lb": "vu[mn]",
    "mt": "minn",
    "ro": "(?:scris )?de",
    "sq": "nga|shkruan",
    "sw": "(?:imeandikwa )?na",
    "tl": "(?:isinulat )?ni",
    "ur": "از",
    "vi": "bởi",
}
#: Those that are parts of names too, as in "di Stefano": only where nothing is before them, or what was done.
_OF = re.compile(
    r"^\W*(?:(?:(?:eine?|une?|una|uma|een)\s)?(?:geschrieben|verfasst|veröffentlicht|(?:gast)?beitrag|bericht|artikel|kommentar"
    r"|reportage|analyse|essay|interview|propos recueillis|ditulis|écrit|publié|article|escrito|publicado|scritto"
    r"|pubblicato|a cura|napisan[aey]|opublikowan[aey]|geschreven|skrevet|skriven|posté|postado|story"
    r"|(?P<text>texte?|tekst|texto|testo|words))\s)?"
    r"(?:von|par|por|di|da|door|av|af|przez|by|oleh|(?(text)de|(?!)))(?:\s?:)?\s(?!\d)",
    re.IGNORECASE,
)
#: Words for text and pictures of the same person.
_BOTH = re.compile(
    r"\b(text[eo]?|teksti?|testo|words|szöveg|текст|文|글|bài|เรื่อง|متن|نص)\s?"
    r"(?:und|et|[yieoaиі&·・,/]|och|og|en|and|și|és|ja|và|และ|と|[와과]|و)\s?"
    r"(?:photos?|foto'?s?|fotók?|bild(?:er)?|zdjęcia|kuvat?|pictures|фото|写真|사진|图|ảnh|ภาพ|عکس|صور)\b",
    re.IGNORECASE,
)
#: Who did something else, with all after it: pictures, a translation, money.
_OTHER_WORK = re.compile(
    r"(?:^|[\s,;.])(?:photo\w*|fotos?|fotogra\w+|bild(?:er)?|images?|illustra\w+|v[ií]d[eé]o|graphics?|sponsored|presented"
    r"|powered|(?:fact[ -])?checked|reviewed|edit(?:ed|or)"
    r"|(?:translat\w+|übersetzt|traduit|traduc[ti]\w+|tradotto|traduzido|vertaald|översatt)(?:\s[\w’']+){0,3}?"
    r"|aus dem \w+|curated|kuvat?|ảnh|фото|写真|撮影|摄影|攝影|(?:责任|責任)?(?:编辑|編輯|編集)|תמונ\w+|صور\w*|عکس|ภาพ)"
    r"(?:\s?[:：]|\s(?:by|von|par|por|di|da|de|door|av|af)\b).*?(?=\bwritten by|$)",
    re.DOTALL | re.IGNORECASE,
)
#: All behind a sign, or behind a sentence.
_SIGN = re.compile(r"\s*[|•·⋅∙‧●◦▪⸱∣｜│┃❘›→~✦★■◆▸»<>(\[{@/／╱].*|(?<=[^\W\d_]{4})(?<!Prof)\.\s.*", re.DOTALL)
#: Words behind a name, with all after them: prepositions, verbs, and signs.
_BEHIND = re.compile(
    r"\s+(?:on|in|at|um|am|vom|for|is|with|dans|avec|mit|con|com|met|für|pour|para|per|bei|via|w dniu|z(?! o)|updated"
    r"|published|posted|last|publi(?:é|cado|sh)\w*|veröffentlicht|aktualisiert|pubblicato|opublikowan\w*|mis à jour"
    r"|modifié|actualizado|aggiornato|atualizado|gepubliceerd|reviewed|fact[ -]checked|view)\b.*"
    r"|\s+(?:le|il|el|den)\s*(?=\||$).*"
    r"|(?:\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s)?(?<!\w)\d.*"
    r"|\s+[-–—]+\s.*|\s(?:稿源|报道|報導).*|(?<=[\u4e00-\u9fff]{2})記者$|\s(?:द्वारा|tarafından)$",
    re.DOTALL | re.IGNORECASE,
)
_TITLES = (
    r"(?:(?:senior|staff|chief|executive|deputy|associate|assistant|managing|contributing|digital|trending|news|freelance"
    r"|sr\.|vice|co-?|guest|lead|head|health|science|politic\w+\b|business|economics|technology|sports?|education"
    r"|environment|our|onze|unser(?:em|en|er)?|notre|nuestr[oa]|nostr[oa])\s?)*"
)
_ROLE = (
    r"(?:editor(?:a|ial)?|writer|correspondent|reporter|journalist\w*|contributor|columnist|engineer|manager|director"
    r"|redakt\w+(?<!redaktion)|redact\w+|ceo|cto|cfo|president|professor|analyst|ph\.?d|m\.?d|founder|author|autor\w*|chefr\w+"
    r"|korrespondent\w*|correspon[ds]\w*|giornalista|periodista|jornalista|dziennikarz\w*|verslaggever|moderator|member|user|expert"
    r"|gardener|reviewer|producer|specialist|forumite)\b"
)
#: Also those of groups: after a comma they are no second author. Nor is what is not written as a name is, or a degree.
ROLES = re.compile(
    rf"(?i:\b{_ROLE}|staff|redak|press\b|division|bureau|\bcorp\b|\bbio\b)|^[a-zà-ÿа-я]|^[A-Z.]{{2,5}}®?$"
    r"|^(?:כתבת?|עורכת?|פרשנית?|مراسلة?|محررة?|كاتبة?|صحفية?|خبرنگار|نویسنده|संवाददाता|पत्रकार)(?:\s|$)"
)
#: A role glued to a name of two words or more, before or behind it.
_GLUED = re.compile(rf"\s{_TITLES}\b{_ROLE}.*$|^{_TITLES}{_ROLE}:?\s(?=\S+\s\S)", re.IGNORECASE | re.DOTALL)
_AGENCIES = (
    r"(?:afp|dpa|ansa|efe|lusa|pap|anp|apa|sda|kna|epd|sid|tass|тасс|риа новости|интерфакс|reuters|ap|upi|pti|ians"
    r"|belga|ritzau|ntb|xinhua|新华社|新華社|(?:the )?associated press|agence france-presse|agenc\w+|agent\w+|pa media)"
)
AGENCY = re.compile(rf"^{_AGENCIES}(?:$|\s*[/／]\s*)", re.IGNORECASE)
_NO_NAME = re.compile(
    r"^(?:admin\w*|webmaster|staff|(?:die )?redaktion|unknown|guest|root|none|null|anonymous|default"
    r"|team|von|par|por|di|written|full bio|bio|fact.check\w*|most read|email|(?:insights )?from|about"
    r"|.* (?:or|from|by|the))$"
    r"|^(?:by|posted|publi\w*|pubbl\w*|veröff\w*|gepubl\w*|опублик\w*|last|in|im|with|mit|avec|con|share|view|read|sponsored"
    r"|edited|story|lesezeit|about|über|sobre|à propos|despre|об|про)(?:\s|$)"
    rf"|^{_TITLES}{_ROLE}$|[?{{}}_%。]|\d{{4}}$|://|^www\.|\.[a-z]{{2,4}}$|\bof the\b"
    r"|\bz o\.?o|\b(?:inc|ltd|gmbh|llc)\b|^\W|[:：]|^(?:[A-Z]{3,5}®|CFP|CFA|CPA|MS|RD|MD|PhD|RN)$|\bdesk$|ডেস্ক|নিজস্ব"
    r"|डेस्क|^हमारे|^நமது|^فريق|^هيئة|^מערכת|^tim redaksi|^نشر|^تاريخ|^تاریخ|^פורסם"  # of desks, and of dates
    r"|^[\u4e00-\u9fff]{7,}|[\u4e00-\u9fff].*\d|[\u4e00-\u9fff](?:[网網社部电電組组]|新闻|新聞)$",
    re.IGNORECASE,
)
_AND = re.compile(
    r"\s*[;、&+]\s*|\s(?:[Aa]nd|AND|und|et|y|och|og|ja|ve|və|și|şi|és|un|ir|и|та|και|oraz|dan|و|और|এবং|และ|및)\s(?![a-z])"
    r"|\s[eiі]\s(?=[^\W\d_a-z])"
)
#: "And" as the first letter of a name, where both are two words or more.
_ATTACHED = re.compile(r"(\w+\s\w+)\s[וو](?=\w{2,}\s\w)")
#: Those of initials are part of a name.
_DOTS = re.compile(r"(?<!\b[A-Z])(?<!\bJr)(?<!\bSr)[. ]+$")
_POSTED = {"", *"post posted written published reported story text words am pm staff by uhr reviewed 取材".split()}


@lru_cache(maxsize=64)
def _calendar(language: str) -> frozenset[str]:
    """Return the names of months and days of the week, in a language and in English."""
    names: set[str] = set()
    for known in ("en", language):
        with suppress(ImportError):
            info = import_module(f"dateparser.data.date_translation_data.{known}").info
            names.update(word.lower() for key in _NAMED_DAYS for word in info[key])
    return frozenset(names)


_NAMED_DAYS = (
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday"
).split()


def names_in(given: str, is_byline: bool = False, language: str = "en") -> list[str]:
    """Return the authors in a byline, after its "by", or in a text of only names; none if any of them is not a name."""
    given = re.sub(r"^By(?=[A-Z][a-z])", "By ", without_dates(clean(given), language))
    given = _OTHER_WORK.sub("", _BOTH.sub(r"\1", given))
    by = _OF.search(given) or _LABEL.search(given) or _BY.search(given)
    by = by or re.match(rf"\W*(?:{_SHORT.get(language, '(?!)')})\s(?!\d)", given, re.IGNORECASE)
    if is_byline:
        if not by:
            return []
        # a "by" follows nothing, a number, a time zone, or "posted"
        last = (re.findall(r"\w+", given[: by.start()]) or [""])[-1]
        if not (last.lower() in _POSTED or any(map(str.isdigit, last)) or (last.isupper() and len(last) < 5)):
            return []
    given = given[by.end() :].rstrip(" :") if by else given
    if not by and CHANGED.match(given):
        return []
    given = _SIGN.sub("", AGENCY.sub("", given.lstrip(" |")) or given)
    given = re.sub(r"\sen\s.*", "", given) if language != "nl" else given.replace(" en ", " & ")  # Dutch "and"; "in"
    parts = [_names_of(part) for part in _AND.split(_ATTACHED.sub(r"\1 & ", given))]
    names = [name for part in parts for name in part]
    if len(parts) == 1 and not all(" " in name or not name.isascii() for name in names):
        names = names[:1]  # a role, a place
    if language == "zh":
        names = [part for name in names for part in (name.split() if _HAN.fullmatch(name) else [name])]
    names = [_person(name) for name in names if not AGENCY.search(name)] or names[: bool(by)]
    if is_byline and not all(name[:1].title() == name[:1] for name in names):
        return []
    fits = all(len(name) <= MAX_NAME and len(name.split()) <= 5 and not _NO_NAME.search(name) for name in names)
    named = not any(name.lower() in _calendar(language) for name in names)
    return list(dict.fromkeys(names)) if fits and named and all(map(letters, names)) else []


#: Words of headings that are written as names are.
_SECTION = re.compile(
    r"\b(?:the|media|press|news|release|blog|reports?|reviews?|opinion|today|weather|daily|update)\b", re.IGNORECASE
)
_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
#: Words in names that have no capital.
_PARTICLES = frozenset(
    """af al av bin bint da dal dalla das de degli dei del della den der di do dos du e el i ibn la las le los ten ter
    van von y zu zum zur""".split()
)
#: A Chinese name that begins with one of the most frequent family names.
_FAMILY = re.compile(
    r"[王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧许許傅沈曾彭吕呂][\u4e00-\u9fff]{1,2}"
)
_REPORTERS = re.compile(
    rf"(?:记者|記者)[:：\s]?({_FAMILY.pattern}(?=\s?(?:\d{{4}}年|$))"
    r"|[\u4e00-\u9fff]{2,4}?(?:[、\s][\u4e00-\u9fff]{2,4}?)*(?=\s?(?:[)）】]|[/／╱][^摄攝]{0,4}[报報采採])))"
)
#: A Korean one, which stands before its "기자": at the start of a line, or behind a place, and before no more words.
_KOREAN = re.compile(r"(?:^|[)\]=·|/]\s?)([가-힣]{2,4})\s?기자(?=\s*(?:$|입력|[^\s가-힣]))")
#: Chinese names with spaces between.
_HAN = re.compile(r"[\u4e00-\u9fff]{2,4}(?: [\u4e00-\u9fff]{2,4})+")


#: Letters from Hebrew to Khmer, which have no capitals.
_UNCASED = re.compile(r"[\u0590-\u10ff\u1200-\u17ff]")


def is_person(name: str) -> bool:
    """Return whether a name is written as most are: two to four words with a capital."""
    words = [word for word in name.split() if word not in _PARTICLES]
    capital = all(word[0].isupper() or _UNCASED.match(word) for word in words) and not name.isupper()
    return (1 < len(words) < 5 and capital and not _SECTION.search(name)) or _FAMILY.fullmatch(name) is not None


def reporters_in(text: str) -> str:
    """Return the byline in a Chinese or Korean text, as "作者：王硕", "" without one."""
    found = _REPORTERS.search(text[:MAX_CHARS]) or _KOREAN.search(text[:LINE_CHARS])
    return f"作者：{found[1]}" if found else ""


def _names_of(part: str) -> list[str]:
    """Return what is between commas, up to the first role or place."""
    pieces = (piece.strip(" ,;-–—'\"").lstrip(".") for piece in _BEHIND.sub("", part).split(","))
    named = [_DOTS.sub("", piece) for piece in pieces if piece]
    return named[:1] + list(takewhile(lambda name: not ROLES.search(name), named[1:]))


def _person(name: str) -> str:
    """Return a name without a role glued to it, if that is two words or more: "Lamp Editors" are a group.

    Nor has it what is behind two words with a capital, from one without or an English day on: "gestern", "hace".
    """
    bare, glued = _GLUED.subn("", name)
    bare = bare.strip(" .,;-–—'\"")
    words = (bare if glued and " " in bare else name).split()
    capitals = 0
    for i, word in enumerate(words):
        if capitals > 1 and ((word.islower() and word not in _PARTICLES) or word.lower() in _WEEKDAYS):
            return " ".join(words[: i - 1] if words[i - 1] in _PARTICLES else words[:i])
        capitals += word[0].isupper()
    return " ".join(words)
