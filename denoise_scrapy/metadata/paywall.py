"""Paywalls: a page declares one, or offers the rest of its text where that ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

from denoise_scrapy.metadata.annotations import JsonLd, Line, Node
from denoise_scrapy.page.currencies import is_price

#: Lines before and after the end of the text in which an offer begins: what follows later is a sidebar or the footer.
BEFORE, AFTER = 3, 6
#: Lines of the sentence that offers the rest; lines around it that have buttons, prices and the way for subscribers.
SENTENCE, AROUND = 3, 7
#: Characters of a line of an offer: longer ones are text.
LONGEST_LINE = 400
#: Elements around a line that may be called a wall.
LEVELS = 3

_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_TRUTHS |= {"free": True, "metered": False, "locked": False}  # tiers


def _any(alternatives: str) -> re.Pattern[str]:
    """Return a pattern of alternatives, some per line."""
    return re.compile("|".join(alternatives.strip().split("\n")), re.IGNORECASE)


#: What an offer has, each in several languages: a way to subscribe; one for those who have; the text's rest.
_OFFER = _any(r"""
subscri|unlock|premium|membership|\bplus\b
abon[nea]|\babos?\b|freischalten|abbon|suscr[ií]|előfizet|assin[ae]|prenumer|subskr|předpl|predpl|tilaa|tilaus|pretpl
подпи[сш]|передпл|συνδρομ|اشترا?ك|מנוי|langgan|đăng ký
订阅|訂閱|订购|会员|會員|購読|有料|구독|유료
""")
_LOGIN = _any(r"""
log-?\s?in|sign-?\s?in
anmeld|einlogg|connecte|connexion|iniciar? sesi|inici[ae]|entrar|faça login|accedi|inlogg|logga in|log ind|logg inn
autentific|conectare|belép|bejelentk|تسجيل الدخول|כניסה
zaloguj|přihl|kirjaudu|giriş yap|đăng nhập|masuk|войти|войдите|увійти|σύνδεση|登录|登入|ログイン|로그인
""")
_REST = _any(r"""
continue (?:reading|to read)|to (?:continue|read on)|(?:keep|finish) reading
read(?:ing)? (?:the (?:full|rest|whole|entire)|this)
(?:full|unlimited|complete) (?:digital )?access|(?:subscribers?|members?)[- ]only
(?:for|to) (?:paid|paying|our) (?:subscribers|members)|only (?:for|to) (?:subscribers|members)
weiter ?(?:zu)? ?lesen|(?:ganzen?|vollständige[nr]?|komplette[nr]?|diese[nr]) (?:artikel|text|beitrag)
lire la suite|la suite de|(?:cet|l['’])\s?article|poursuivre (?:la|votre) lecture|pour lire|réservé
(?:seguir|sigue|continu\w+) (?:leyendo|lendo|a ler|a leggere|la lettura|leer)
(?:este|questo|aquest) (?:art[ií]c\w+|contenido)
per leggere|para (?:leer|ler)|riservat[oi]|exclusiv[oa]s? para
(?:lees|verder|volledige?) (?:verder|lezen|artikel)|l[äæe]se? (?:vidare|videre|hele|resten)|hela artikeln
czytaj dalej|dalsz[ay]|cały (?:artykuł|tekst)|číst (?:dál|celý)|celý článek|lue (?:koko|lisää)|jatka luk
(?:читать|читайте) (?:далее|дальше|полн)|продолж\w+ чтен|полн(?:ый|ая|ую) (?:текст|верси|доступ)
devamını|đọc tiếp|lanjut membaca|αποκλειστικ|συνεχίστε|تابع القراءة|להמשך קריאה
продовж\w+ чит|folytat|teljes cikk|contin\w+ să
(?:alleen|enkel|uitsluitend) voor|nur für|(?:endast|bara|kun) for|endast för|(?:solo|sólo|apenas|só) p[ae]ra?
(?:tylko|wyłącznie) dla|(?:только|лише|тільки) для|jen pro|(?:numai|doar) pentru|vain tilaajille
继续阅读|繼續閱讀|(?:阅读|閱讀)全文|剩余|続き|残り|会員限定|全文|계속 읽|전문을
""")
_WALL = re.compile(
    r"pay-?_?wall|reg-?_?wall|subscri\w*-?_?(?:wall|only)|meter(?:ed|-?_?wall)|premium|\bgate", re.IGNORECASE
)


def is_paywalled(ld: JsonLd, root: Any, lines: Sequence[Line]) -> bool | None:
    """Return whether a page's text is not free to read; None if nothing says so.

    Args:
        ld: Its JSON-LD.
        root: lxml's tree of it, for meta elements and microdata.
        lines: Its lines.
    """
    for item in (ld.work, ld.page):
        if (found := _declared(ld, item)) is not None:
            return found
    for element in root.xpath("//meta | //*[@itemprop]"):
        names = [(element.get(key) or "").lower() for key in ("name", "property", "itemprop")]
        if any(name.endswith(("isaccessibleforfree", "content_tier")) for name in names):
            free = _truth(element.get("content") or element.get("href") or element.text)
            if free is not None:
                return not free
    return True if _has_offer(lines) else None


def _truth(value: Any) -> bool | None:
    value = value[0] if isinstance(value, list) and value else value
    return _TRUTHS.get(str(value).strip().lower().rpartition("/")[2])


def _declared(ld: JsonLd, item: Node) -> bool | None:
    """Return what an item of JSON-LD says of itself, else of its parts: templates name those of free articles, too."""
    parts = [item, *(part for part in ld.values(item, "hasPart") if isinstance(part, dict))]
    free, *others = (_truth(part.get("isAccessibleForFree")) for part in parts)
    if free is None and False in others:
        free = False
    return None if free is None else not free


def _has_offer(lines: Sequence[Line]) -> bool:
    """Return whether the lines around the end of the text offer the rest of it, by several kinds of evidence."""
    last = max((number for number, line in enumerate(lines) if line.is_kept), default=-1)
    for number in range(max(0, last - BEFORE), min(len(lines), last + AFTER)) if last >= 0 else ():
        sentence = " ".join(line.text for line in lines[number : number + SENTENCE] if len(line.text) <= LONGEST_LINE)
        if not (_REST.search(sentence) and _OFFER.search(sentence)):
            continue
        near = [line for line in lines[max(0, number - 2) : number + AROUND] if len(line.text) <= LONGEST_LINE]
        can_buy = any(_OFFER.search(_said(line)) for line in near if line.actions)
        if can_buy and any(_is_wall(line) or is_price(line.text) or _LOGIN.search(_said(line)) for line in near):
            return True
    return False


def _is_wall(line: Line) -> bool:
    """Return whether a line is in an element that is called a wall."""
    around = [line.element, *islice(line.element.iterancestors(), LEVELS)]
    return any(_WALL.search(f"{one.get('class', '')} {one.get('id', '')}"[:200]) for one in around)


def _said(line: Line) -> str:
    """Return a line's text, and what its links and buttons lead to."""
    targets = ((element.get(name) or "")[:200] for element in line.actions for name in ("href", "value"))
    return " ".join([line.text, *targets])
