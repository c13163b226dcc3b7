"""Bytes become text as the HTML standard has it: BOM, transport, meta, XML declaration; all else is a guess.

Sources: https://html.spec.whatwg.org/#determining-the-character-encoding and https://encoding.spec.whatwg.org/#names-and-labels.
"""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse
from w3lib.encoding import to_unicode

from denoise_scrapy.page import Page
from denoise_scrapy.page.parse import decode_html, is_guessed, to_utf8
from tests.crawl.responses import read_page

POLISH, CHINESE, FRENCH = "Zażółć gęślą jaźń", "中文网页", "déjà vu “ça va”"


def meta(charset: str) -> str:
    return f"<meta charset={charset}>"


def pragma(charset: str) -> str:
    return f'<META content="text/html; charset={charset}" http-equiv=Content-Type>'


# (declaration, what the bytes are in, text): read right by every browser
DECLARED = [
    ("", "utf-8", POLISH),
    (meta("' UTF-8 '"), "utf-8", POLISH),
    ("<meta/charset=gbk />", "gbk", CHINESE),
    (meta("gb2312"), "gbk", "中文镕"),  # a character that GBK alone has
    (meta("x-gbk"), "gbk", CHINESE),
    (meta("iso-8859-1"), "cp1252", FRENCH),
    (meta("iso-8859-9"), "cp1254", "ağaç “ev”"),
    (meta("iso-8859-8-i"), "iso8859-8", "שלום"),
    (meta("x-mac-cyrillic"), "mac-cyrillic", "Привет"),
    (meta("ks_c_5601-1987"), "cp949", "똠방각하"),
    (meta("shift-jis"), "cp932", "①日本"),
    (meta("windows-874"), "cp874", "ไทย…"),
    (meta("big5"), "big5hkscs", "香港嘅"),
    (pragma("koi8-r"), "koi8-r", "Привет"),
    ("<meta content='text/html; charset=koi8-r'>" + meta("windows-1251"), "cp1251", "Привет"),  # no pragma
    (pragma("nonsense") + pragma("koi8-r"), "koi8-r", "Привет"),
    ("<?xml version='1.0' encoding='windows-1250'?>", "cp1250", POLISH),
    # what a page in ASCII cannot be in
    *((declare(label), "utf-8", POLISH) for label in ("utf-16", "utf-16le", "utf-16be", "UCS-2", "unicode")
      for declare in (meta, pragma)),
    ("<?xml version='1.0' encoding='utf-16'?>", "utf-8", POLISH),
    (meta("x-user-defined"), "cp1252", FRENCH),
    # no labels of the standard: codecs of Python's, or nobody's
    *((meta(label), "utf-8", POLISH) for label in ("utf-32", "utf-7", "cp037", "punycode", "hex", "klingon", "é")),
    ("<?xml version='1.0' encoding='cp037'?>", "utf-8", POLISH),
    # not where it is looked for
    (f"<!-- {meta('gbk')} -->{meta('koi8-r')}", "koi8-r", "Привет"),
    ("<!-- <body> --><meta name='>' charset=koi8-r>", "koi8-r", "Привет"),
    ("<meta data-charset=gbk name=charset>" + meta("koi8-r"), "koi8-r", "Привет"),
    (f"<body>{meta('gbk')}", "utf-8", POLISH),
    (f"<script>{'x' * 10_000}</script>{meta('koi8-r')}", "koi8-r", "Привет"),
    ("<title>" + "ä" * 20 + "</title>" + meta("utf-8"), "utf-8", POLISH),
]  # fmt: skip


def body_of(page: Page) -> str:
    return page.block_text(len(page.blocks) - 1) if len(page.blocks) else ""  # a meta may take all of a page


def read(body: bytes, content_type: str = "text/html") -> str:
    """The last block of a page, as Scrapy gets it and as bytes: equal but for the server and Scrapy's guess."""
    response = HtmlResponse("http://a.example/", body=body, headers={"Content-Type": content_type})
    found = body_of(read_page(response))
    if "charset" not in content_type and not is_guessed(body):
        assert body_of(Page.parse(body)) == found
    return found


@pytest.mark.parametrize(("head", "codec", "text"), DECLARED)
def test_a_page_declares_its_encoding(head: str, codec: str, text: str) -> None:
    assert read(f"{head}<p>{text}".encode(codec, "xmlcharrefreplace")) == text


@pytest.mark.parametrize(
    ("charset", "head", "codec", "text"),
    [
        ("GB2312", meta("utf-8"), "gbk", CHINESE),
        ("iso-8859-1", "", "cp1252", FRENCH),
        ("utf-16le", "", "utf-16-le", CHINESE),  # where the transport says so, it is
        ("cp037", meta("koi8-r"), "koi8-r", "Привет"),
        ("klingon", "", "utf-8", POLISH),
        ("", meta("koi8-r"), "koi8-r", "Привет"),
    ],
)
def test_the_transport_counts_before_the_page(charset: str, head: str, codec: str, text: str) -> None:
    assert read(f"{head}<p>{text}".encode(codec), f"text/html; charset={charset}") == text
    if "'" not in charset:
        assert body_of(Page.parse(f"{head}<p>{text}".encode(codec), encoding=charset)) == text


@pytest.mark.parametrize("charset", ["", "; charset=windows-1252", "; charset=utf-16be"])
@pytest.mark.parametrize("head", ["", meta("koi8-r")])
@pytest.mark.parametrize(
    ("bom", "codec"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_a_mark_of_the_byte_order_counts_before_all(bom: bytes, codec: str, head: str, charset: str) -> None:
    assert read(bom + f"{head}<p>{CHINESE}".encode(codec), f"text/html{charset}") == CHINESE


@pytest.mark.parametrize(("label", "codec"), [("gb2312", "gbk"), ("utf-16le", "utf-8")])
def test_a_response_made_from_another_is_read_as_that(label: str, codec: str) -> None:
    """Scrapy gives it what it takes the other one's encoding to be."""
    response = HtmlResponse("http://a.example/", body=f"{meta(label)}<p>中文".encode(codec))
    assert body_of(read_page(response.replace(url="http://a.example/2"))) == "中文"


def test_what_a_spider_gives_a_response_counts() -> None:
    for told, given_by in (("utf-8", meta("gbk")), ("koi8-r", ""), ("cp932", ""), ("big5hkscs", ""), ("latin_1", "")):
        text = {"koi8-r": "Привет", "latin_1": "déjà"}.get(told, "日本")
        response = HtmlResponse("http://a.example/", body=f"{given_by}<p>{text}".encode(told), encoding=told)
        assert body_of(read_page(response)) == text


@pytest.mark.parametrize("label", ["iso-8859-1", "shift_jis", "gbk", "big5", "euc-kr", "koi8-r", "windows-1256"])
@pytest.mark.parametrize("text", [POLISH, CHINESE, FRENCH, "é", "©"])
def test_utf_8_counts_before_an_older_declaration(label: str, text: str) -> None:
    body = f"<p>{text}".encode()
    for head in (meta(label), pragma(label), f"<?xml version='1.0' encoding='{label}'?>"):
        assert read(head.encode() + body) == text
    assert read(body, f"text/html; charset={label}") == body_of(Page.parse(body, encoding=label)) == text
    assert decode_html(body, label) == f"<p>{text}"


def test_ascii_is_read_as_declared() -> None:
    escaped = "日本".encode("iso2022_jp")
    assert escaped.isascii() and read(meta("iso-2022-jp").encode() + b"<p>" + escaped) == "日本"


PROSE = {
    "cp1251": "Городской совет решил во вторник закрыть старый мост для всех, кроме пешеходов.",
    "koi8-r": "Городской совет решил во вторник закрыть старый мост для всех, кроме пешеходов.",
    "gb18030": "市议会星期二决定关闭这座古老的桥梁，只允许行人通过，修理工作将在冰融化之后开始。",
    "big5": "市議會星期二決定關閉這座古老的橋樑，只允許行人通過，修理工作將在冰融化之後開始。",
    "cp932": "港の委員会は火曜日の夜、古い橋を閉鎖することを決めた。修理は氷が解けてから始まる。",
    "euc_jp": "港の委員会は火曜日の夜、古い橋を閉鎖することを決めた。修理は氷が解けてから始まる。",
    "euc_kr": "시의회는 화요일에 보행자를 제외한 모든 사람에게 오래된 다리를 폐쇄하기로 결정했다.",
    "iso8859-2": "Rada miasta zdecydowała we wtorek, że stary most będzie zamknięty dla wszystkich prócz pieszych.",
    "cp1256": "قرر مجلس المدينة يوم الثلاثاء إغلاق الجسر القديم أمام الجميع باستثناء المشاة بعد ارتفاع النهر.",
    "cp1253": "Το δημοτικό συμβούλιο αποφάσισε την Τρίτη να κλείσει την παλιά γέφυρα για όλους εκτός από τους πεζούς.",
    "cp1252": "Le conseil municipal a décidé mardi de fermer le vieux pont à tous, sauf aux piétons : l’été, déjà…",
}


@pytest.mark.parametrize("codec", PROSE)
@pytest.mark.parametrize("markup", ["", "<script>var a = 'é';" + "x" * 9_000 + "</script>", "<div class=a>" * 1_000])
def test_an_undeclared_encoding_is_detected_in_the_text(codec: str, markup: str) -> None:
    body = f"<html><title>x</title>{markup.encode('ascii', 'ignore').decode()}<p>{PROSE[codec]}".encode(codec)
    assert is_guessed(body)
    assert body_of(Page.parse(body)) == PROSE[codec]
    assert decode_html(body).endswith(PROSE[codec])


@pytest.mark.parametrize("codec", PROSE)
def test_where_a_crawl_can_but_guess_its_text_is_the_spiders(codec: str) -> None:
    response = HtmlResponse("http://a.example/", body=f"<p>{PROSE[codec]}".encode(codec))
    if response.encoding in {"cp1252", "ascii", "utf-8"}:
        pytest.skip("an older Scrapy, which guesses nothing else")
    assert body_of(read_page(response)) == response.css("p::text").get()


@pytest.mark.parametrize("text", ["50 °", "déjà vu “ça va”", "naïve café", "§ 5"])
def test_a_few_bytes_are_western(text: str) -> None:
    body = b"<p>" + b"plain words " * 9 + text.encode("cp1252")
    assert body_of(Page.parse(body)).endswith(text)


@pytest.mark.parametrize(("codec", "left"), [("utf-8", "中文网"), ("gbk", "中文网"), ("shift_jis", "日本")])
def test_a_character_that_is_cut_costs_itself_alone(codec: str, left: str) -> None:
    whole = f"{meta(codec)}<p>{left}".encode(codec)
    assert read(whole + "中".encode(codec)[:1]).rstrip("\ufffd") == left
    assert read(f"<p>{left}".encode() + b"\xe4\xb8").rstrip("\ufffd") == left


def test_a_few_wrong_bytes_do_not_make_a_page_of_another_encoding() -> None:
    assert read(f"<p>{POLISH}".encode() + b" \xe9 \x93").startswith(POLISH)
    assert read(f"<p>{FRENCH} \ufffd".encode()).startswith(FRENCH)


def test_what_follows_the_euro_sign_of_gbk_at_the_end_is_read() -> None:
    if to_unicode(b"\x80", "gb18030") != "€":
        pytest.skip("an older w3lib, in which it is no character")
    assert read(f"{meta('gbk')}<p>中".encode("gbk") + b"\x800") == "中€0"


DECLARATIONS = (
    *("<meta", " charset", "=", "'", '"', "gbk", ">", "<!--", "-->", "<?xml encoding", " ", "http-equiv=content-type"),
    *(" content", "charset=utf-16", "<body", "/", "é", "\0"),
)


@given(st.lists(st.sampled_from(DECLARATIONS)))
def test_no_declaration_raises(parts: list[str]) -> None:
    body = "".join(parts).encode("latin-1")
    assert len(to_utf8(body)) <= 3 * len(body)
    read(body + b"<p>x")


@pytest.mark.parametrize("part", ["<meta ", "<meta a='", "<!--", "<?xml ", "=", "<script>", "<style\xe9", "<"])
def test_looking_for_one_takes_no_square(part: str) -> None:
    """A tenth of a second, else hours."""
    to_utf8((part * 2_000_000)[:2_000_000].encode("latin-1"))
    to_utf8(("<meta " + part * 2_000_000)[:2_000_000].encode("latin-1") + b"\xe9")


@given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(max_size=3),
    st.sampled_from(["", "utf-8", "gbk", "hex", "\0", "\ud800"]),
)
def test_bytes_are_read_as_the_text_they_decode_to(text: str, more: bytes, encoding: str) -> None:
    for body in (text.encode() + more, codecs.BOM_UTF8 + text.encode() + more, text.encode("utf-16") + more):
        assert to_utf8(body, encoding) == to_utf8(decode_html(body, encoding))


def test_a_declaration_may_stand_behind_other_elements_of_the_head() -> None:
    page = "<head><meta name=a content=b><!-- <meta charset=utf-8> --><meta charset=iso-8859-2></head><p>ą"
    assert decode_html(page.encode("iso-8859-2")) == page
