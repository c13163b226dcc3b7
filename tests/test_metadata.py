"""What a page says of itself: each field, what goes before what, and that no page is harmed by asking."""

import json
import logging
import sys
from dataclasses import asdict
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy import Page, SiteModel, extract
from denoise_scrapy.metadata import Metadata, language_of, metadata_of
from denoise_scrapy.metadata.annotations import MAX_CHARS, MAX_HTML
from denoise_scrapy.metadata.dates import date_in, is_date
from denoise_scrapy.metadata.names import names_in
from denoise_scrapy.metadata.page_metadata import MIN_LETTERS
from tests.html_strategies import SOUP, pages

URL = "https://herald.example/news/bridge.html"
STORY = "The river rose again on Tuesday, and by noon the council had closed the old bridge to all but walkers."
#: Text and title of the body.
BODY = (f"Bridge closed\n{STORY}", "Bridge closed")


def page(head: str = "", byline: str = "", behind: str = "", before: str = "") -> str:
    """The story with what is said around it: only its headline and its text are kept."""
    return (
        f"<html><head><title>Bridge closed - The Herald</title>{head}</head>"
        f"<body>{before}<h1>Bridge closed</h1>{byline}"
        f"<p>{STORY}</p>{'<p>a link' * 20}{behind}</body></html>"
    )


def told(*args: str, url: str = URL, **parts: str) -> Metadata:
    return metadata_of(page(*args, **parts), url, *BODY)


def ld(script: str) -> str:
    return f'<script type="application/ld+json">{script}</script>'


def meta(name: str, content: str) -> str:
    return f'<meta property="{name}" content="{content}">'


# -- language ----------------------------------------------------------------------------------------------------------


def test_a_text_tells_its_language_whatever_the_page_says() -> None:
    german = "Der Fluss stieg am Dienstag wieder an, und gegen Mittag sperrte die Stadt die alte Brücke für alle."
    chinese = "周二河水再次上涨，到中午时分，市议会已经关闭了这座古老的桥梁，只允许行人通过。" * 3
    assert [language_of(text, "xx") for text in (STORY, german, chinese)] == ["en", "de", "zh"]


@pytest.mark.parametrize(("declared", "expected"), [("en-GB", "en"), (" pt_BR", "pt"), ("", "")])
def test_a_short_text_has_the_pages_word_for_it(declared: str, expected: str) -> None:
    text = "1234 " * 99 + "a" * (MIN_LETTERS - 1)
    assert language_of(text, declared) == expected
    assert metadata_of(f'<html class=a lang="{declared}"><p>a', None, text).language == expected


# -- dates -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("2024-03-12", "", "2024-03-12"),
        ("2024-03-12T23:30:00+0100", "", "2024-03-12T23:30:00+01:00"),
        ("20240312T233000Z", "", "2024-03-12T23:30:00+00:00"),
        ("Tue, 12 Mar 2024 23:30:00 +0100", "en", "2024-03-12T23:30:00+01:00"),
        ("Posted on 12 March 2024, 10:00", "en", "2024-03-12T10:00:00"),
        ("March 12, 2024 at 2:05 p.m. EDT", "en", "2024-03-12T14:05:00-04:00"),
        ("POSTED: 1:01 pm EST January 18, 2008", "en", "2008-01-18T13:01:00-05:00"),
        ("12. März 2024 um 9 Uhr", "de", "2024-03-12T09:00:00"),
        ("Publié le 7 mai 2019 à 13h59 - Mis à jour le 8 mai 2019 à 9h03", "fr", "2019-05-07T13:59:00"),
        ("4 de mayo de 2022 a las 07:46hrs.", "es", "2022-05-04T07:46:00"),
        ("12 gennaio 2024 alle ore 12:05", "it", "2024-01-12T12:05:00"),
        ("11 de maio de 2022 · 10h00", "pt", "2022-05-11T10:00:00"),
        ("12 maart 2024 om 14:30", "nl", "2024-03-12T14:30:00"),
        ("17:25, 5 января 2012", "ru", "2012-01-05T17:25:00"),
        ("2012年01月17日 01:41", "zh", "2012-01-17T01:41:00"),
        ("27.8.2016, 10:00 IST", "en", "2016-08-27T10:00:00"),  # of three zones
        ("12 March 2024 · 3:20 min", "en", "2024-03-12"),
        ("18 March 2024, 3 min read", "en", "2024-03-18"),
        ("Δευτέρα 12 Μαρτίου 2024", "el", "2024-03-12"),
        ("2024. március 12. 10:20", "hu", "2024-03-12T10:20:00"),
        ("12 मार्च 2024", "hi", "2024-03-12"),
        ("Aktualizacja: 2024-03-11 10:20:30, dodano: 2024-03-12", "pl", "2024-03-12"),
        ("12 tháng 3, 2024", "vi", "2024-03-12"),
        ("Phones of 2023 March 12, 2024", "en", "2024-03-12"),
        ("10:20 PM 2024-03-12", "en", "2024-03-12T22:20:00"),
        ("12 март 2024 г., 10:20 ч.", "bg", "2024-03-12T10:20:00"),
        ("2024年3月12日（火） 10時20分", "ja", "2024-03-12T10:20:00"),
        ("2024년 3월 12일 오후 3:20", "ko", "2024-03-12T15:20:00"),
        ("2024年3月12日 上午9:20", "zh", "2024-03-12T09:20:00"),
        ("2024年3月12日", "zh", "2024-03-12"),
        ("12.03.2024 10:20", "de", "2024-03-12T10:20:00"),
        ("December 19. 2024", "en", "2024-12-19"),
        ("19-Dec-2024", "en", "2024-12-19"),
        ("13. 1. 2020", "de", "2020-01-13"),
        ("» 2021 – 01 – 18", "", "2021-01-18"),
        ("Post on: 1 月 9, 2017", "zh", "2017-01-09"),
        ("Oct 24, 2023 | Von Ann Reed", "de", "2023-10-24"),  # a template in English
        ("Published: Mar 8, 2024 · Modified: May 19, 2025", "en", "2024-03-08"),
        ("Modified: May 19, 2025 · Published: Mar 8, 2024", "en", "2024-03-08"),
        *(
            (f"{word} 8.3.2024", "", "")
            for word in (
                "Updated",
                "Zuletzt geändert:",
                "Mis à jour le",
                "Actualizado el",
                "Aggiornato il",
                "Atualizado em",
                "Обновлено",
                "更新",
                "Aktualizacja:",
                "Bijgewerkt op",
                "Registered:",
                "Päivitetty",
                "Event:",
                "When:",
                "Closing date:",
                "Anmeldeschluss:",
                "Fecha límite:",
                "Дата рождения:",
                "截止日期：",
            )
        ),
        ("version 2026-02-25.clover", "", ""),
        ("5 min 2024-03-05", "en", "2024-03-05"),
        ("Warranty: 5 years 2020", "en", ""),
        ("५ मे २०२३", "mr", "2023-05-05"),
        ("2024 ජූනි 5", "si", "2024-06-05"),
        ("5. marca 2024", "sl", "2024-03-05"),
        ("5. martā 2024", "lv", "2024-03-05"),
        ("ថ្ងៃទី៥ ខែមីនា ឆ្នាំ២០២៤", "km", "2024-03-05"),
        ("2024 жылғы 5 наурыз", "kk", "2024-03-05"),
        ("1402/12/15", "fa", "2024-03-05"),
        ("2024-02-31", "", ""),
        ("1970-01-01T00:00:00Z", "", ""),
    ],
)
def test_dates_are_read_as_written(text: str, language: str, expected: str) -> None:
    assert date_in(text, language) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("By Ann Reed", ["Ann Reed"]),
        ("Posted on March 12, 2024 by Ann Reed in News", ["Ann Reed"]),
        ("By Ann Reed, Bo Li and Cy Dunn", ["Ann Reed", "Bo Li", "Cy Dunn"]),
        ("Von Ann Reed | 12.3.2024", ["Ann Reed"]),
        ("作者：王硕", ["王硕"]),
        ("admin", []),
        ("Reed Media Ltd", []),
        # particles are parts of names, unless nothing is before them
        ("Alexa von Heyden", ["Alexa von Heyden"]),
        ("von Alexa von Heyden", ["Alexa von Heyden"]),
        ("di Marco di Stefano", ["Marco di Stefano"]),
        ("Par Luc de la Tour avec AFP", ["Luc de la Tour"]),
        ("Maria da Silva", ["Maria da Silva"]),
        ("Jean le Bon", ["Jean le Bon"]),
        ("Écrit par Luc Petit", ["Luc Petit"]),
        ("di Marco di Stefano e Anna Rossi", ["Marco di Stefano", "Anna Rossi"]),
        ("Por Ana Pérez e Inés Gil / EFE", ["Ana Pérez", "Inés Gil"]),
        ("Por Maria da Silva, da Redação", ["Maria da Silva"]),
        ("Иван Петров и Анна Смирнова, корреспонденты", ["Иван Петров", "Анна Смирнова"]),
        ("ByNora Quill", ["Nora Quill"]),
        ("文/王硕", ["王硕"]),
        ("文：山田太郎　写真：鈴木花子", ["山田太郎"]),
        ("A cura di Anna Rossi", ["Anna Rossi"]),
        ("Door onze verslaggever Jan de Vries", ["Jan de Vries"]),
        # other work, agencies
        ("Words by Ann Reed, photographs by Bo Lind", ["Ann Reed"]),
        ("Text: Ann Reed, Fotos: Bo Lind", ["Ann Reed"]),
        ("Un texte de Ann Reed", ["Ann Reed"]),
        ("Medically reviewed by Bo Lind — Written by Ann Reed", ["Ann Reed"]),
        ("Authors:Ann Reed, Bo Lind", ["Ann Reed", "Bo Lind"]),
        ("dpa/Ann Reed", ["Ann Reed"]),
        ("Von Ann Reed, dpa", ["Ann Reed"]),
        ("Ann Reed | Corresponsal en Roma", ["Ann Reed"]),
        ("Von unserem Korrespondenten Ann Reed", ["Ann Reed"]),
        ("By Ann Reed. Translated from the Dutch by Bo Lind", ["Ann Reed"]),
        ("Von Ann Reed. Aus dem Englischen von Bo Lind", ["Ann Reed"]),
        ("Par Ann Reed, traduit de l’anglais par Bo Lind", ["Ann Reed"]),
        ("Par - Ann Reed :", ["Ann Reed"]),
        ("By Reuters", ["Reuters"]),
        # dates, verbs and roles are not
        ("By Nora Quill March 4, 2025", ["Nora Quill"]),
        ("By Nora Quill Dec 22, 2023, 4:45pm EST", ["Nora Quill"]),
        ("Nora Quill, Vice President, Crane Division, Lantern Corp", ["Nora Quill"]),
        ("Nora Quill Senior Staff Writer", ["Nora Quill"]),
        ("Redakteurin Nora Quill", ["Nora Quill"]),
        ("Lantern Staff", ["Lantern Staff"]),
        ("Nora Quill Published", ["Nora Quill"]),
        ("By Nora C.J. and Bo Li Jr.", ["Nora C.J.", "Bo Li Jr."]),
        ("Ann Reed.", ["Ann Reed"]),
        ("Ann Reed View Profile Email", ["Ann Reed"]),
        ("By Ann Reed yesterday", ["Ann Reed"]),
        ("By Ann Reed an hour ago", ["Ann Reed"]),
        ("By Ann Reed Monday", ["Ann Reed"]),
        ("By Ann Reed May 4", ["Ann Reed"]),
        ("Von Ann Reed vor einer Stunde", ["Ann Reed"]),
        ("Par Ann Reed il y a 3 heures", ["Ann Reed"]),
        ("Por Ann Reed y agencias", ["Ann Reed"]),
        ("Por Juan Carlos de la Cruz hace 3 horas", ["Juan Carlos de la Cruz"]),
        ("By Theresa May", ["Theresa May"]),
        ("By José Luis Domingo", ["José Luis Domingo"]),
        ("By Kim Min Jun", ["Kim Min Jun"]),
        ("Por María José de las Heras", ["María José de las Heras"]),
        ("Di Maria Grazia dei Rossi", ["Maria Grazia dei Rossi"]),
        (f"By Ann {40 * 'politicx'}", []),  # in no time
        *(
            (text, [])
            for text in (
                "Published",
                "Updated",
                "February",
                "Donnerstag",
                "Veröffentlicht am 4. März 2025",
                "Publié le 4 mars 2025",
                "Last Updated: January 7, 2025",
                "AFP",
                "Reuters",
                "Sponsored by Lantern Corp",
                "Edited by Ann Reed",
                "Staff Writer",
                "In Politics",
                "Pubblicato il",
                "Gepubliceerd op",
                "Опубликовано",
                "Lantern sp. z o.o.",
                "Von",
                "{{page.author}}",
                "About Ann Reed",
            )
        ),
    ],
)
def test_names_are_read_out_of_bylines(text: str, expected: list[str]) -> None:
    language = "de" if "Donnerstag" in text or "März" in text else "fr" if "mars" in text else "en"
    assert names_in(text, language=language) == expected


# -- fields ------------------------------------------------------------------------------------------------------------


ARTICLE = '{"@type":"Article",%s}'
OF_JOURNALS = ("created", "dateSubmitted", "issued", "modified")
PERSONS = '"author":[{"@type":"Person","name":"Ann Reed"},"Bo Li"]'


@pytest.mark.parametrize(
    ("field", "parts", "expected"),
    [
        ("published", {"head": ld(ARTICLE % '"datePublished": "2023-01-31T10:00Z"')}, "2023-01-31T10:00:00+00:00"),
        ("published", {"head": meta("article:published_time", "2024-03-12T08:00:00Z")}, "2024-03-12T08:00:00+00:00"),
        ("published", {"byline": "<time datetime=2022-07-01>1 July</time>"}, "2022-07-01"),
        ("published", {"byline": "<p>Share<p>Tuesday, 12 March 2024"}, "2024-03-12"),
        ("published", {"behind": "<p class=date>12 March 2024"}, ""),
        ("published", {"head": meta("article:modified_time", "2024-03-12")}, ""),
        # the month stands first where Americans write
        ("published", {"byline": "<p class=date>3/5/2024", "url": "https://a.com/"}, "2024-03-05"),
        ("published", {"byline": "<p class=date>3/5/2024", "url": "https://a.co.uk/"}, "2024-05-03"),
        (
            "published",
            {"head": meta("og:locale", "en_AU"), "byline": "<time>3/5/2024", "url": "http://a.com/"},
            "2024-05-03",
        ),
        (
            "published",
            {"head": meta("og:locale", "en_US"), "byline": "<time>3/5/2024", "url": "http://a.uk/"},
            "2024-03-05",
        ),
        # the time of day is kept wherever it is
        (
            "published",
            {"byline": "<span class=date><time datetime='2024-03-12T10:20:00+01:00'>12 March 2024</time></span>"},
            "2024-03-12T10:20:00+01:00",
        ),
        ("published", {"byline": "<p>12 March 2024" + "<p>Share" * 5}, "2024-03-12"),
        ("published", {"before": "<p class=date>12 March 2024" + "<p>Share" * 8}, "2024-03-12"),
        ("modified", {"byline": "<time class='published updated' datetime=2024-03-12T10:00Z>12 March 2024"}, ""),
        (
            "published",
            {"byline": "<time class='published updated' datetime=2024-03-12T10:00Z>12 March 2024"},
            "2024-03-12T10:00:00+00:00",
        ),
        # what is written for machines goes before what is shown in the same line
        (
            "published",
            {"byline": "<p class=meta-date>12 March 2024, 11:00 <time datetime='2024-03-12T10:00:59Z'>today</time>"},
            "2024-03-12T10:00:59+00:00",
        ),
        (
            "published",
            {"byline": "<p>Written <i class=date title='2024-03-12 09:10'>a year ago</i>"},
            "2024-03-12T09:10:00",
        ),
        ("published", {"byline": "<p>Written <i class=date title='Dates'>on 12 March 2024</i>"}, "2024-03-12"),
        # a change is none
        ("published", {"byline": "<p class=date>Updated 12 March 2024"}, ""),
        ("modified", {"byline": "<p class=date>Updated 12 March 2024"}, "2024-03-12"),
        ("modified", {"byline": "<p>Last updated on<p>12 March 2024"}, "2024-03-12"),
        (
            "modified",
            {"byline": "<p><time datetime=2024-03-12>12 Mar</time> Updated <time datetime=2024-03-13T10:00Z>13 Mar"},
            "2024-03-13T10:00:00+00:00",
        ),
        (
            "published",
            {"byline": "<p>Updated <time datetime=2024-03-13>13 Mar</time>, on <time datetime=2024-03-12>12 Mar"},
            "2024-03-12",
        ),
        (
            "published",
            {"head": meta("publicationdate", "2024 in March") + meta("_pubtime", "2024-3-12 9:00")},
            "2024-03-12T09:00:00",
        ),
        # names beside a date, written as names are
        ("authors", {"byline": "<p>Ann Reed - 12 March 2024"}, ("Ann Reed",)),
        ("authors", {"byline": "<p>12 March 2024<p>Ann Reed"}, ("Ann Reed",)),
        ("authors", {"byline": "<p>12 March 2024<p>Daily News"}, ()),
        ("authors", {"before": "<p>By Ann Reed" + "<p>Share" * 20}, ("Ann Reed",)),
        ("authors", {"before": "<p>By Ann Reed<p>By Bob Oak" + "<p>Share" * 20}, ()),
        ("authors", {"behind": "<p>Share" * 20 + "<p>Written by Ann Reed"}, ("Ann Reed",)),
        ("authors", {"byline": "<p class=author><b class=author>By Ann Reed, Chronicle</b>"}, ("Ann Reed",)),
        ("authors", {"byline": "<p class=author>Ann Reed <a href=/f>Follow</a>"}, ("Ann Reed",)),
        ("authors", {"byline": "<p class=author>Ann Reed <a href=/b>Bob Oak</a>"}, ("Ann Reed", "Bob Oak")),
        ("authors", {"byline": "<p>4 مارس 2025<p>ذیشان مہتاب"}, ("ذیشان مہتاب",)),
        ("published", {"before": "<p class=date>12 March 2024" + "<p>Share" * 30}, "2024-03-12"),
        ("published", {"before": "<p class=date>1 May 2024<p class=date>2 May 2024" + "<p>Share" * 30}, ""),
        ("authors", {"byline": "<p>By<p>Ann Reed"}, ("Ann Reed",)),
        ("authors", {"byline": "<p>Guest post by Ann Reed"}, ("Ann Reed",)),
        # what is in elements of its own is apart, and a button is none of it
        ("authors", {"byline": "<p class=author><b>Ann Reed</b><button>Follow</button>"}, ("Ann Reed",)),
        ("published", {"byline": "<p class=date>March 12<sup>th</sup>, 2024"}, "2024-03-12"),
        ("authors", {"byline": "<p>Author<p>Subject"}, ()),
        # JSON with a comma too many, in comments, with a line end or quotes in a text
        ("published", {"head": ld('{"@type":"Article","datePublished":"2024-03-12",}')}, "2024-03-12"),
        (
            "published",
            {"head": ld('<!--\n//<![CDATA[\n[{"@type":"Article","datePublished":"2024-03-12"},]\n//]]>\n-->')},
            "2024-03-12",
        ),
        (
            "published",
            {"head": ld('{"@type":"Article","description":"a\nb","datePublished":"2024-03-12"}')},
            "2024-03-12",
        ),
        (
            "published",
            {"head": ld('{"@type":"Article","description":"a "b"","datePublished":"2024-03-12"}')},
            "2024-03-12",
        ),
        ("published", {"head": ld('{"@type":"Article","datePublished":"2024-03-12"}}; track();')}, "2024-03-12"),
        ("authors", {"head": ld('{"@type":"Article","description":"a "b"","author":[{"name":"Bo Li"}]}')}, ("Bo Li",)),
        # of several types each counts; a person is no site
        (
            "authors",
            {"head": ld(f'{{"@type":["WebPage","http://schema.org/Article"],{PERSONS}}}')},
            ("Ann Reed", "Bo Li"),
        ),
        (
            "authors",
            {"head": ld(ARTICLE % PERSONS) + ld('{"@type":["Person","Organization"],"name":"Ann Reed"}')},
            ("Ann Reed", "Bo Li"),
        ),
        (
            "authors",
            {"head": ld(ARTICLE % '"author":{"givenName":"Ann","familyName":"Reed"}')},
            ("Ann Reed",),
        ),
        ("authors", {"head": ld('{"@type":"WebSite"} {"@type":"Article","author":"Bo Li"}')}, ("Bo Li",)),
        # without an article those of the page
        ("authors", {"head": ld('{"@type":"WebPage","author":"Bo Li"}')}, ("Bo Li",)),
        ("authors", {"head": ld('{"@type":"Book","author":"Cy Fox"}'), "byline": "<p>By Bo Li"}, ("Bo Li",)),
        ("published", {"head": ld('{"@type":"VideoObject","uploadDate":"2024-03-12"}')}, "2024-03-12"),
        (
            "authors",
            {"head": ld("{&quot;@type&quot;:&quot;Article&quot;,&quot;author&quot;:&quot;Bo Li&quot;}")},
            ("Bo Li",),
        ),
        # of libraries and journals
        (
            "authors",
            {"head": meta("citation_author", "Reed, Ann B.") + meta("citation_author", "Bo Li")},
            ("Ann B. Reed", "Bo Li"),
        ),
        ("authors", {"head": meta("author", "Ann Reed, Bo Li")}, ("Ann Reed", "Bo Li")),
        ("published", {"head": meta("citation_online_date", "2024/3/12")}, "2024-03-12"),
        (
            "published",
            {"head": "".join(meta(f"DC.Date.{name}", f"2024-03-1{n}") for n, name in enumerate(OF_JOURNALS))},
            "2024-03-12",
        ),
        # Korean names stand before the word
        ("authors", {"byline": "<p>김민수 기자 | 입력 2024.03.12"}, ("김민수",)),
        ("authors", {"byline": "<p><i>記者王小明</i><i>2024年3月12日</i>"}, ("王小明",)),
        ("authors", {"byline": "<p>記者王小明"}, ("王小明",)),
        ("authors", {"byline": "<p>記者王小明昨天看見了貓頭鷹"}, ()),
        ("authors", {"byline": "<p>記者王小明 台北報導"}, ()),
        ("authors", {"byline": "<p>王毅出席中外记者招待会"}, ()),
        ("authors", {"byline": "<p>外交部发言人答记者提问"}, ()),
        ("authors", {"byline": "<p>取材・文＝山田太郎"}, ("山田太郎",)),
        ("authors", {"head": meta("authors", "Ann Reed")}, ("Ann Reed",)),
        ("authors", {"byline": "<p>(서울=통신) 김민수 기자 = 배"}, ("김민수",)),
        ("authors", {"byline": "<p>전직 기자 출신이 썼다"}, ()),
        # labels of a card
        (
            "authors",
            {"head": meta("twitter:label2", "Verfasst von") + meta("twitter:data2", "Ann Reed")},
            ("Ann Reed",),
        ),
        ("authors", {"head": meta("twitter:label1", "Price") + meta("twitter:data1", "Ann Reed")}, ()),
        (
            "authors",
            {"byline": "<p>By <a rel=author href=/a>Ann Reed</a> and <a href=/b>Bo Li</a>"},
            ("Ann Reed", "Bo Li"),
        ),
        ("authors", {"before": "<p class=author>Ann Reed" + "<p>Share" * 8}, ("Ann Reed",)),
        ("authors", {"before": "<p class=author>Newsroom" + "<p>Share" * 8}, ()),
        ("authors", {"head": "<meta property='x:author dc:creator' content='Ann Reed'>"}, ("Ann Reed",)),
        ("authors", {"head": "<meta name=author content='{{page.author}}'>"}, ()),
        ("site_name", {"head": meta("og:site_name", "{{site.name}}")}, "The Herald"),
        ("image", {"head": meta("og:image", "{{ page.image }}")}, ""),
        ("authors", {"head": ld(ARTICLE % PERSONS)}, ("Ann Reed", "Bo Li")),
        ("authors", {"head": ld(ARTICLE % PERSONS.replace("Ann Reed", "Reed, Ann"))}, ("Ann Reed", "Bo Li")),
        ("authors", {"head": "<meta name=author content='Ann Reed &amp;amp; Bo Li'>"}, ("Ann Reed", "Bo Li")),
        ("authors", {"byline": "<i itemprop=author itemscope><b itemprop=name>Ann Reed</b></i>"}, ("Ann Reed",)),
        ("authors", {"byline": "<a rel=author href=/ann>Ann Reed</a>"}, ("Ann Reed",)),
        ("authors", {"byline": "<p>12 March 2024 by Ann Reed"}, ("Ann Reed",)),
        ("authors", {"behind": "<p class=author>Ann Reed<a rel=author>Ann Reed</a><p>By Ann Reed"}, ()),
        ("authors", {"head": "<meta name=author content='The Herald'>"}, ()),
        ("description", {"head": "<meta name=description content=' It&#39;s <b>cut</b>\n again '>"}, "It's cut again"),
        ("description", {"head": ld(ARTICLE % '"description":"D"')}, "D"),
        ("tags", {"head": meta("article:tag", "Bridges") + meta("article:tag", "#Rain, Bridges")}, ("Bridges", "Rain")),
        ("tags", {"head": ld(ARTICLE % '"keywords":"a, b"')}, ("a", "b")),
        ("tags", {"byline": "<a rel=tag href=/x>Rain</a>"}, ("Rain",)),
        ("tags", {"behind": "<a rel=tag href=/x>Rain</a>"}, ()),
        ("site_name", {"head": meta("og:site_name", "Herald News")}, "Herald News"),
        ("site_name", {"head": ld('{"@type":"WebSite","name":"Herald News"}')}, "Herald News"),
        ("site_name", {"head": meta("og:site_name", "Blog")}, "The Herald"),  # of the title element
        ("image", {"head": meta("og:image", "/a/b.jpg")}, "https://herald.example/a/b.jpg"),
        (
            "image",
            {"head": "<base href=//cdn.example/x/>" + meta("og:image", "b.jpg")},
            "https://cdn.example/x/b.jpg",
        ),
        ("image", {"head": meta("og:image", "b.jpg?a&amp;amp;b")}, "https://herald.example/news/b.jpg?a&b"),
        ("image", {"head": meta("og:image", "/logo.png") + meta("og:image", "/b.jpg")}, "https://herald.example/b.jpg"),
        ("image", {"head": ld(ARTICLE % '"image":{"url":"/c.jpg"}')}, "https://herald.example/c.jpg"),
        ("image", {"head": meta("og:image", "javascript:alert(1)")}, ""),
        ("image", {"byline": "<img src=/icon.png width=16><img src=/e.jpg>"}, "https://herald.example/e.jpg"),
        ("image", {"byline": "<img src=data:, data-srcset='/d.jpg 1x, /e.jpg 2x'>"}, "https://herald.example/e.jpg"),
        ("image", {"behind": "<img src=/e.jpg>"}, ""),
        ("canonical", {"head": "<link rel=canonical href=/b>"}, "https://herald.example/b"),
        (
            "canonical",
            {"head": "<link rel=canonical href='javascript:x'>" + meta("og:url", "/c")},
            "https://herald.example/c",
        ),
    ],
)
def test_each_field(field: str, parts: dict[str, str], expected: object) -> None:
    assert getattr(told(**parts), field) == expected


def test_of_many_blanks_before_a_text_no_field_suffers() -> None:
    html = f"<h1>Bridge closed</h1><p>By Bo Li<p>{STORY}<p>{' ' * MAX_CHARS}It rained.<p>{STORY}"
    assert metadata_of(html, URL, f"{BODY[0]}\nIt rained.", BODY[1]).authors == ("Bo Li",)


SHORT = "".join(
    f"<p>{text}"
    for text in ("港の委員会はクレーンを残すことを決めた。", "修理は氷が解けてから始まる。", "市長は計画を約束した。")
)


@pytest.mark.parametrize(
    "html",
    [
        f"<h1>港のクレーン</h1><time datetime=2024-03-05>3月5日</time>{SHORT}",
        f"<h1>港のクレーン</h1>{SHORT}<p class=date>2024/03/05",
        f"<h1>港のクレーン</h1><p>2024年3月5日<noscript>{SHORT}</noscript>",
    ],
)
def test_pages_of_short_lines_have_dates(html: str) -> None:
    text = "".join(f"\n{part}" for part in SHORT.split("<p>"))
    assert metadata_of(html, URL, f"港のクレーン{text}", "港のクレーン").published == "2024-03-05"


def test_dates_of_several_comments_are_not_the_texts() -> None:
    html = f"<h1>港のクレーン</h1>{SHORT}{{}}"
    text = "".join(f"\n{part}" for part in SHORT.split("<p>"))
    behind = {
        "": "<p>佐藤 2024/03/05<p>田中 2024/03/06",
        "2024-03-05": "<p>佐藤 2024/03/05<p>田中 2024/03/05",
        "2024-03-06": "<p>2024/03/06<p>更新 2024/03/07",
    }
    found = [
        metadata_of(html.format(dates), URL, f"港のクレーン{text}", "港のクレーン").published
        for dates in behind.values()
    ]
    assert found == list(behind)


def test_dates_in_order_of_their_worth() -> None:
    ways = {
        "2024-01-01": {"head": ld('{"@type": "Article", "datePublished": "2024-01-01"}')},
        "2024-01-02": {"head": meta("article:published_time", "2024-01-02")},
        "2024-01-03": {"head": "<meta name=dc.date content=2024-01-03>"},
        "2024-01-04": {"byline": "<time itemprop=datePublished>2024-01-04</time>"},
        "2024-01-05": {"byline": "<time>2024-01-05</time>"},
        "2024-01-06": {"byline": "<p>2024-01-06"},
    }
    while ways:
        parts = {part: "".join(way.get(part, "") for way in reversed(ways.values())) for part in ("head", "byline")}
        assert told(**parts).published == next(iter(ways))
        ways.pop(next(iter(ways)))


def test_tags_stand_right_behind_the_text() -> None:
    tags = "<p>Filed under <a rel='category tag' href=/x>Rain</a>"
    assert metadata_of(f"<h1>Bridge closed</h1><p>{STORY}{tags}", URL, *BODY).tags == ("Rain",)


@pytest.mark.parametrize(
    ("line", "published"),
    [
        ("The fair takes place on 12 July 2024 at the old pier, until the lamps go out.", ""),
        ("OSLO, 12 July 2024 – The river rose again, and the bridge over it was closed.", "2024-07-12"),
        ("Ann Reed and Bo Lind for The Daily Herald of Oslo, 12 July 2024", "2024-07-12"),
    ],
)
def test_of_a_sentence_only_the_beginning_dates_the_text(line: str, published: str) -> None:
    html = f"<h1>Bridge closed</h1><p>{line}<p>{STORY}"
    assert metadata_of(html, URL, f"Bridge closed\n{line}\n{STORY}", "Bridge closed").published == published


def test_a_change_is_not_before_the_publication() -> None:
    both = meta("article:published_time", "2024-03-12") + meta("article:modified_time", "{}")
    assert told(both.format("2024-03-14T10:00:00Z")).modified == "2024-03-14T10:00:00+00:00"
    assert told(both.format("2023-03-14")).modified == ""


def test_of_several_articles_the_one_of_this_page_counts() -> None:
    article = '{"@type":"Article","headline":"%s","author":"%s"}'
    others = ",".join(article % of for of in (("Fox wins", "Cy Dunn"), ("Lynx", "Di Eck")))
    own = '{"@type":"Article","headline":"Bridge closed","author":"Ann Reed"}'
    assert told(ld(f"[{others}]")).authors == ()
    assert told(ld(f"[{others},{own}]")).authors == ("Ann Reed",)
    own = f'{{"@type":"Article","url":"{URL}?utm=1","author":"Ann Reed"}}'
    assert told(ld(f"[{others},{own}]")).authors == ("Ann Reed",)


# -- the body's --------------------------------------------------------------------------------------------------------


def test_a_body_has_its_pages_metadata() -> None:
    html = page(meta("article:published_time", "2024-03-12"), "<p class=byline>By Ann Reed").encode()
    body = extract(html, URL)
    assert body.meta is body.meta
    assert body.meta == metadata_of(html, URL, body.text, body.title)
    assert (body.meta.authors, body.meta.published, body.meta.title) == (("Ann Reed",), "2024-03-12", body.title)


def test_of_a_parsed_page_title_and_language_are_known() -> None:
    body = SiteModel().extract(Page.parse(page(meta("article:published_time", "2024-03-12")), url=URL))
    assert body.meta == Metadata(title=body.title, language="en")


@pytest.mark.parametrize("library", ["py3langid", "dateparser"])
def test_what_is_missing_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    body = extract(page(), URL)
    with pytest.raises(ImportError, match=rf"needs {library}.*denoise-scrapy\[meta\]"):
        body.meta  # noqa: B018
    assert body.text


# -- hostile pages -----------------------------------------------------------------------------------------------------

FRAMES = [
    "{}",
    "<meta name=author content='{}'>",
    "<time datetime='{}'>{}</time>",
    ld('{{"@type":"Article","author":"{}"}}'),
]


@given(SOUP | pages(), st.sampled_from(FRAMES), st.text())
def test_no_page_raises_or_is_spoken_of(html: str, frame: str, text: str) -> None:
    logged: list[logging.LogRecord] = []
    handler = logging.Handler(logging.INFO)
    handler.emit = logged.append  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        found = metadata_of(frame.replace("{}", text) + html, "http://a.example/" + text, *BODY)
        metadata_of(html, text, text)
    finally:
        logging.getLogger().removeHandler(handler)
    assert found.title == "Bridge closed"
    assert logged == []


KEYS = st.sampled_from("@type @id @graph author name image url keywords".split())
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON_VALUES, st.sampled_from("author image datePublished publisher keywords headline url @type".split()))
def test_lying_types_are_nothing(value: object, key: str) -> None:
    item = {"@type": "Article", "headline": "Bridge closed", key: value}
    found = asdict(told(ld(json.dumps(item).replace("<", "\\u003c"))))
    assert all(
        isinstance(text, str) for value in found.values() for text in (value if isinstance(value, tuple) else [value])
    )
    assert found["title"] == "Bridge closed"


GOOD = meta("article:published_time", "2024-03-12")
HOSTILE = {
    "deep JSON": ld("[" * 100_000 + "]" * 100_000),
    "references in a circle": ld('{"@type":"Article","@id":"#1","author":{"@id":"#1"},"publisher":{"@id":"#1"}}'),
    "marks": "<span class='author date'>12 foo 2011</span>" * 8_000,
    "bylines": "<p>by A by b, c and d" * 15_000,
    "dates": "<p class=date>" + "12 foo 2011 " * 30_000,
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_page_tells_what_it_told(case: str) -> None:
    html = page(GOOD) + HOSTILE[case]
    found = metadata_of(html, URL, *BODY)
    assert found.published == "2024-03-12"
    assert all(len(text) <= 2 * MAX_CHARS for text in (found.description, found.site_name, *found.authors, *found.tags))
    assert metadata_of(HOSTILE[case], URL, *BODY).title == "Bridge closed"


@pytest.mark.parametrize("address", ['a"b', "a'\"><script>", "a b`c|d\\e^{f}"])
def test_addresses_end_no_attribute_and_no_tag(address: str) -> None:
    told = escape(f"http://a.example/{address}.jpg?{address}#{address}")
    found = metadata_of(
        page(GOOD) + f'<link rel=canonical href="{told}"><meta property=og:image content="{told}">', URL, *BODY
    )
    assert found.canonical
    assert not set(found.canonical + found.image) & set(' "<>`\\^{|}')


def test_no_more_of_a_page_is_read_than_may_be() -> None:
    assert metadata_of(" " * MAX_HTML + page(GOOD), URL, *BODY) == Metadata(title="Bridge closed", language="en")


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("4 آذار 2025", "2025-03-04"),
        ("الثلاثاء 4 آذار/مارس 2025", "2025-03-04"),
        ("15 تشرين الثاني 2024", "2024-11-15"),
        ("٤ مارس ٢٠٢٥", "2025-03-04"),
        ("۱۴ اسفند ۱۴۰۳", "2025-03-04"),
        ("۱ فروردین ۱۴۰۴", "2025-03-21"),
        ("۱۴۰۲/۰۳/۱۰", "2023-05-31"),
        ("令和7年3月4日", "2025-03-04"),
        ("令和元年5月1日", "2019-05-01"),
        ("2025年（令和7年）3月4日", "2025-03-04"),
        ("令和七年三月十四日", "2025-03-14"),
        ("民國114年3月4日", "2025-03-04"),
        ("二〇二五年三月四日", "2025-03-04"),
        ("二〇二四年十二月三十一日", "2024-12-31"),
        ("民國一一三年五月三日", "2024-05-03"),
        ("民國一一〇年一〇月二三日", "2021-10-23"),
        ("令和元年五月三日", "2019-05-03"),
        ("4 มี.ค. 2568", "2025-03-04"),
        ("4 มี.ค. 68 14:05 น.", "2025-03-04T14:05:00"),
        ("ngày 4 tháng 3 năm 2025", "2025-03-04"),
        ("2025 оны 3 сарын 4", "2025-03-04"),
        ("الثلاثاء 04/مارس/2025 - 10:30 ص", "2025-03-04T10:30:00"),
        ("4 مارس 2025 10:30 مساءً", "2025-03-04T22:30:00"),
        ("4.3.2025, 5:30 μ.μ.", "2025-03-04T17:30:00"),
        ("04/Mar/2025", "2025-03-04"),
        ("วันพุธที่ 5 มี.ค. 2568 เวลา 09.30 น.", "2025-03-05T09:30:00"),
    ],
)
def test_dates_of_other_calendars(line: str, day: str) -> None:
    page = f"<title>Weir</title><h1>Weir</h1><p>{line}</p><p>The lock keeper wrote down each boat that passed.</p>"
    assert extract(page).meta.published == day


@pytest.mark.parametrize(
    ("ago", "published"),
    [
        ("<time datetime=1741083600000>today</time>", "2025-03-04T10:20:00+00:00"),
        ("<time datetime=1741083600>today</time>", "2025-03-04T10:20:00+00:00"),
        ("<span title='March 4, 2025 10:20 AM'>2 hours ago</span>", "2025-03-04T10:20:00"),
        ("<b aria-label='March 4, 2025'>2 hours ago</b>", "2025-03-04"),
        ("<b class=when data-timestamp=1741083600>2 hours ago</b>", "2025-03-04T10:20:00+00:00"),
        ("<b data-publish-date=2025-03-04T10:20:00Z>2 hours ago</b>", "2025-03-04T10:20:00+00:00"),
        ("<b title='2025'>2 hours ago</b>", ""),
        ("<a href=/y title='Review of the 3 May 2019 flood'>see</a>", ""),
        ("<b class=contact-meta>1423456789</b>", ""),
    ],
)
def test_times_in_attributes(ago: str, published: str) -> None:
    page = f"<h1>Weir</h1><p>{ago}</p><p>The lock keeper wrote down each boat that passed.</p>"
    assert extract(page).meta.published == published


def test_affiliations_are_no_authors() -> None:
    page = (
        "<h1>Weir</h1><div><span class=ltx_role_author><b class=ltx_personname>Nora Quill</b>"
        "<i class=ltx_author_notes>Heron Institute, Upper Lock</i></span></div><p>The lock keeper wrote it down.</p>"
    )
    assert extract(page).meta.authors == ("Nora Quill",)


@pytest.mark.parametrize(
    ("more", "authors"),
    [
        ("<meta name=author content='Otto Reed'><p>By Otto Reed</p>", ("Otto Reed",)),
        ("<meta name=author content='Otto Reed'>", ()),
        ("<meta name=author content='Weir Post'><p>By Weir Post</p>", ("Weir Post",)),
    ],
)
def test_a_site_with_the_name_of_its_writer(more: str, authors: tuple[str, ...]) -> None:
    site = "Otto Reed" if "Otto" in more else "The Weir Post"
    page = (
        f"<title>Oak | {site}</title><meta property=og:site_name content='{site}'><h1>Oak</h1>{more}<p>I build of oak."
    )
    assert extract(page, "https://ottoreed.example/oak").meta.authors == authors


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("מאת: דנה לוי", "דנה לוי"),
        ("به قلم سارا احمدی", "سارا احمدی"),
        ("خبرنگار: سارا احمدی", "سارا احمدی"),
        ("מאת דנה לוי, כתבת הנמל", "דנה לוי"),
        ("Ein Bericht von Uwe Timm", "Uwe Timm"),
        ("Bài, ảnh: Nguyễn Thu Hà", "Nguyễn Thu Hà"),
        ("โดย สมชาย ใจดี", "สมชาย ใจดี"),
        ("Teksti: Noora Virtanen Kuvat: Otto Laine", "Noora Virtanen"),
        ("Bài và ảnh: Nguyễn Thu Hà", "Nguyễn Thu Hà"),
        ("Kirjoittaja: Noora Virtanen", "Noora Virtanen"),
        ("Piše: Jovan Ilić", "Jovan Ilić"),
        ("Γράφει ο Γιώργος Παππάς", "Γιώργος Παππάς"),
        ("Подготовила Анна Белова", "Анна Белова"),
        ("كتبت سارة حسن", "سارة حسن"),
        ("লিখেছেন রহিম উদ্দিন", "রহিম উদ্দিন"),
        ("เขียนโดย สมชาย ใจดี", "สมชาย ใจดี"),
        ("執筆：佐藤健", "佐藤健"),
        ("本报记者 李明 报道", "李明"),
        ("作者：李明 责任编辑：王芳", "李明"),
        ("文・写真 佐藤健", "佐藤健"),
        ("Text und Fotos: Imke Onken", "Imke Onken"),
        ("Testo e foto di Sara Gallo", "Sara Gallo"),
        ("Reporter: Jo Marsh | Editor: Ann Lee", "Jo Marsh"),
        ("Av: Karin Ek, reporter", "Karin Ek"),
        ("Rozmawiała Ewa Lis", "Ewa Lis"),
        ("ავტორი: ნინო ბერიძე", "ნინო ბერიძე"),
        ("كتب - أحمد منصور:", "أحمد منصور"),
        ("بقلم: أحمد وليد منصور", "أحمد وليد منصور"),
        ("Autoři: Jana Malá", "Jana Malá"),
        ("By Ann Reed<br>Harbour Correspondent<br>Published 5 June 2024", "Ann Reed"),
        ("<span>Words by Ann Reed</span><span>Photography by Bo Lind</span>", "Ann Reed"),
        ("<b class=author>रवि शर्मा द्वारा</b>", "रवि शर्मा"),
        ("By AFP", "AFP"),
        ("By Ann Reed ∙ 5 March 2024", "Ann Reed"),
        ("Аутор: Јована Илић", "Јована Илић"),
        ("ผู้เขียน: สมชาย ใจดี", "สมชาย ใจดี"),
        ("Ann Reed<br>Published 5 March 2024, updated 6 March 2024", "Ann Reed"),
        ("Ann Reed<br>Staff Writer<br>5 March 2024", "Ann Reed"),
    ],
)
def test_bylines_of_more_languages(line: str, name: str) -> None:
    page = f"<title>Weir</title><h1>Weir</h1><p>{line}</p><p>The lock keeper wrote down each boat that passed.</p>"
    assert extract(page).meta.authors == (name,)


@pytest.mark.parametrize(
    "line", ["מאת: יעל שגב ועמית רון", "بقلم: سامي نصر وهدى فارس", "Автори: Оксана Гай та Тарас Дуб"]
)
def test_two_names_are_parted(line: str) -> None:
    page = f"<title>Weir</title><h1>Weir</h1><p>{line}</p><p>The lock keeper wrote down each boat that passed.</p>"
    assert len(extract(page).meta.authors) == 2


@pytest.mark.parametrize(
    ("behind", "kept", "authors"),
    [
        ("<p>By Nora Quill", "By Nora Quill", ("Nora Quill",)),
        ("<p><b>Nora Quill</b>", "Nora Quill", ("Nora Quill",)),
        ("<p>Nora Quill", "", ()),
        ("<p>Nora Quill<p>Bo Li<p>Ann Lee", "Nora Quill\nBo Li\nAnn Lee", ()),
        ("<div class=author-box><h4>About the author</h4><h5>Nora Quill</h5><p>She sails.</div>", "", ("Nora Quill",)),
        ("<h4>Remarks</h4><p class=author>Nora Quill<p>Well.<p class=author>Bo Li<p>So.", "", ()),
    ],
)
def test_names_behind_the_text(behind: str, kept: str, authors: tuple[str, ...]) -> None:
    story = "The lock keeper wrote down each boat that passed it, in all weathers and at all hours."
    page = f"<title>Weir</title><h1>Weir</h1><p>{story}</p>{behind}"
    assert metadata_of(page, URL, f"{story}\n{kept}", "Weir").authors == authors


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        (  # the author's employer is not the site
            """<script type=application/ld+json>{"@type": "NewsArticle", "headline": "Weir", "author":
            {"@type": "Organization", "name": "Reuters"}, "publisher": {"@type": "Organization", "name": "Daily Quay"}}
            </script>""",
            "",
            {"site_name": "Daily Quay"},
        ),
        (  # another story of the site
            """<script type=application/ld+json>{"@type": "NewsArticle", "headline": "Lynx seen in the park", "url":
            "http://a.example/lynx", "author": {"@type": "Person", "name": "Bo Lind"}}</script>""",
            "",
            {"authors": ()},
        ),
        (  # a remark below the text
            "",
            "<div itemscope itemtype=//schema.org/Comment><meta itemprop=dateCreated content=2024-03-07>Yes.</div>",
            {"published": "2024-03-04"},
        ),
    ],
    ids=["employer", "other story", "remark"],
)
def test_what_is_of_others_is_not_of_the_page(head: str, body: str, expected: dict[str, object]) -> None:
    text = "<p>The lock keeper wrote down each boat that passed, and the flag that it flew.</p>" * 3
    page = f"<title>Weir</title>{head}<h1>Weir</h1><p>4 March 2024</p>{text}{body}"
    meta = extract(page, "http://a.example/weir").meta
    assert {name: getattr(meta, name) for name in expected} == expected


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("published", "changed", "text"),
    [
        ("פורסם: 5 במרץ 2024", "עודכן: 6 במרץ 2024", "שומר הסכר רשם כל סירה שעברה בנהר, ואת הדגל שהתנוסס מעליה."),
        (
            "Publicerad 5 mars 2024",
            "Ändrad 6 mars 2024",
            "Slussvakten skrev upp varje båt som for förbi, och dess flagga.",
        ),
    ],
    ids=["he", "sv"],
)
def test_dates_of_changes_in_more_languages(order: int, published: str, changed: str, text: str) -> None:
    line = " | ".join([published, changed][::order])
    meta = extract(f"<title>{text[:9]}</title><h1>{text[:9]}</h1><p>{line}</p>{f'<p>{text}</p>' * 3}").meta
    assert (meta.published, meta.modified) == ("2024-03-05", "2024-03-06")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("5 March 2024", True),
        ("Published 5 March 2024, updated 6 March 2024", True),
        ("Weir and Locks | News of the Harbours | 5 March 2024", False),  # bars of its own are no dates
        ("Weir and Locks", False),
    ],
)
def test_a_line_of_dates_has_few_other_letters(line: str, expected: bool) -> None:
    assert is_date(line, "en") == expected
