"""Links to siblings: of the page's own host, of the shape of what was visited, never an action; and spellings."""

from html import escape
from urllib.parse import quote, urlsplit

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from denoise_scrapy.crawl.passages import Spellings
from denoise_scrapy.page import Page
from denoise_scrapy.site import VisitedShapes, page_identity, sibling_links, site_key, url_likeness
from denoise_scrapy.site.urls import (
    MANY_WORDS,
    MAX_LENGTH,
    MOST_LINKS,
    likest_links,
    looks_like_action,
    spelling,
    url_shape,
)

SITE = "http://a.example"
PAGE = f"{SITE}/news/7"


def shapes(*paths: str, most: int = 1000) -> VisitedShapes:
    visited = VisitedShapes(most)
    for path in paths:
        visited.add(SITE + path)
    return visited


def siblings(*hrefs: str, url: str = PAGE, head: str = "", visited: VisitedShapes | None = None) -> list[str]:
    links = "".join(f'<a href="{href}">x</a>' for href in hrefs)
    page = Page.parse(head + links, url=url)
    return sibling_links(page.url, likest_links(page), 1000, visited)


ELSEWHERE = r"""
http://user:pw@a.example/news/8 http://user@a.example/news/8 http://@a.example/news/8 http://a.example@b.example/news/8
http://a.example:80@b.example/news/8 http://a.example\@b.example/news/8 http://b.example\@a.example/news/8
http://b.example\.a.example/news/8 \\b.example\news\8 /\b.example/news/8 //b.example/news/8
http://a.example.b.example/news/8 http://b.example/a.example/news/8 http://a.example./news/8 http://%61.example/news/8
http://a%2eexample/news/8 http://a.example%00.b.example/news/8 http://a.example:81/news/8 http://a.example:0/news/8
http://a.example:99999/news/8 http://a.example:x/news/8 http://[::1]/news/8 http://[a.example/news/8
https://a.example/news/8 ftp://a.example/news/8 javascript:open('/news/8') file:///news/8 mailto:x@a.example
""".split()
NO_SIBLINGS = """
/style.css /paper.pdf /logout /user/logout?next=1 /news/1?action=delete /cart/add/7 /account/ #top /news/7 /news/7/
/news/7?PHPSESSID=1 /news/7;jsessionid=2 /(S(1x))/news/7
""".split()


@pytest.mark.parametrize(
    "href", [*ELSEWHERE, "java\nscript:open('//a.example/news/8')", "data:text/html,<a href=/news/8>", *NO_SIBLINGS]
)
def test_what_is_no_sibling(href: str) -> None:
    visited = shapes("/style.css", "/paper.pdf", "/logout", "/user/logout?next=1", "/cart/add/7", "/account/")
    visited.add(PAGE)
    assert siblings(href) == siblings(href, visited=visited) == []


SPELLED = "http://A.Example/news/8 HTTP://a.example/news/8 http://a.example:80/news/8 //a.example:/news/8".split()
BOOKS, NUMBERED = "http://xn--bcher-kva.example", "http://[2001:db8::7]:8080"
FORMS = """<meta http-equiv=refresh content="0;url=/news/8"><form action=/news/9><button formaction=/news/10>Go
</form><link rel=next href=/news/11><iframe src=/news/12></iframe><img src=/news/13><q cite=/news/14></q>"""


@pytest.mark.parametrize(
    ("hrefs", "page", "head", "found"),
    [
        *(
            ([href, "/news/8"], PAGE, "", [f"{SITE}/news/8"])
            for href in [*SPELLED, "/ne\tws/\n8", "  /news/8\r\n", "/news/8#comments", "../news/./8"]
        ),
        (["http://bücher.example/news/8"], f"{BOOKS}/news/7", "", [f"{BOOKS}/news/8"]),
        (["http://bucher.example/news/8"], f"{BOOKS}/news/7", "", []),
        (["/news/8"], f"{NUMBERED}/news/7", "", [f"{NUMBERED}/news/8"]),
        ([f"{NUMBERED.upper()}/news/9"], f"{NUMBERED}/news/7", "", [f"{NUMBERED}/news/9"]),
        (["http://[2001:db8::7]/news/8", "http://2001:db8::7:8080/news/8"], f"{NUMBERED}/news/7", "", []),
        (["/news/8"], PAGE, "<base href='http://b.example/'>", []),
        (["/news/8", f"{SITE}/news/9"], PAGE, "<base href=//b.example/>", [f"{SITE}/news/9"]),
        # a password goes nowhere
        (["/news/8", f"{SITE}/news/9"], "http://user:pw@a.example/news/7", "", [f"{SITE}/news/9"]),
        ([], PAGE, FORMS, []),
        (["/news/8?sid=3f", "/news/8?sid=4f"], PAGE, "", [f"{SITE}/news/8?sid=3f"]),
        (["/news/8?id=3", "/news/8?id=4"], f"{PAGE}?id=5", "", [f"{SITE}/news/8?id=3", f"{SITE}/news/8?id=4"]),
        ([f"/news/{'8' * (MAX_LENGTH - 22)}"], PAGE, "", [f"{SITE}/news/{'8' * (MAX_LENGTH - 22)}"]),
        ([f"/news/{'8' * (MAX_LENGTH - 21)}"], PAGE, "", []),
        (["/wiki/Cat", "/about"], f"{SITE}/wiki/Dog", "", [f"{SITE}/wiki/Cat"]),
        (["/blog/all-is-well-again"], f"{SITE}/blog/a-storm-hits-the-coast", "", [f"{SITE}/blog/all-is-well-again"]),
    ],
)
def test_siblings_are_spelled_as_the_page_and_come_once(
    hrefs: list[str], page: str, head: str, found: list[str]
) -> None:
    assert siblings(*hrefs, url=page, head=head) == found


def test_numbers_under_a_common_name_are_no_session() -> None:
    numbered = [f"{PAGE}?{pair}" for pair in ("sid=3", "sid=4", "session=12", "session_id=20261123")]
    assert list(map(page_identity, numbered)) == numbered


@given(st.text(alphabet="abhtp:/\\@.[]%?#\t ü。0", max_size=30))
def test_any_reference_leads_to_the_page_s_site_or_nowhere(href: str) -> None:
    links = "".join(f"<a href='{escape(each)}'>x</a>" for each in (href, SITE + href))
    page, visited = Page.parse(links, url=PAGE), VisitedShapes()
    for link in page.links:
        visited.add(link)
    for url in sibling_links(page.url, likest_links(page), 10, visited):
        assert url.startswith(f"{SITE}/")
        assert site_key(url) == site_key(PAGE)
        assert page_identity(page_identity(url)) == page_identity(url)


def test_likest_urls_first() -> None:
    likest = ["/news/2022/council-votes-again.html", "/sports/2021/cup-final-tonight.html"]
    visited = shapes("/", "/about", "/sports/2019/ski-race-off-again.html", "/news/2020/frost-hits-fruit.html")
    hrefs = ["/", "/about", "/news/", *reversed(likest)]
    found = siblings(*hrefs, url=f"{SITE}/news/2021/storm-hits-coast.html", visited=visited)
    assert found[:2] == [SITE + path for path in likest]
    assert found[-1] == f"{SITE}/"


@given(st.sampled_from(["", "/", "/a", "/a/b.html", "?q=1", "//", "/%zz/;x"]), st.text("ab/?=.1%", max_size=8))
def test_likeness_of_any_urls(path: str, other: str) -> None:
    a, b = SITE + path, f"{SITE}/{other}"
    assert 0 <= url_likeness(a, b) <= 1
    assert url_likeness(a, b) == pytest.approx(url_likeness(b, a))
    assert url_likeness(a, a) == pytest.approx(1)


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    monkeypatch.setattr(Page, "absolute", lambda page, href: looked_at.append(href) or f"{SITE}/news/{href}")
    head = f"<base href='{SITE}/{'x' * 2000}/'>"
    found = siblings(*(str(n // 2) for n in range(6 * MOST_LINKS)), url=f"{SITE}/news/x7", head=head)
    assert len(looked_at) == MOST_LINKS
    assert len(found) <= MOST_LINKS


# What a crawl has asked for, and links that do something when they are opened; the same of sites whose last parts are
# words.
VISITED = "/item/12 /item/13?page=2 /news/2024/05/slug-of-story /12/view /?p=3".split()
VISITED_WORDS = """
/wiki/Dog /tag/boston /tag/harbour /tag/ferries /blog/storm-hits-the-north-coast /about /contact-us
/en/about /en/contact /thread.php?id=7 /forum/index.php /forum/viewtopic.php?t=7&start=20 /products/B00X4WHP5E
/index.php?title=Dog /doc/1f0c9a7e-55aa-4b1c-9d1e-0123456789ab/read
""".split()
ACTING = """
/del/13 /item/13/rm /12/trash /item/13?del=1 /item/13?action=trash /verwijder/3 /exit /dang-xuat /unsub/abc /pay/now
/transfer?to=7&amount=900 /graphql?query=mutation{deletePost(id:3){id}} /logout /LogOut /logout.php /users/sign_out
/wp-login.php?action=logout&_wpnonce=1f /?logout /?logout=1 /?p=3&logout=1 /?p=3;action=delete /account/close
/item/delete/13 /item/13/delete /item/13/edit /13/rm /12/del /item/13.delete /item/13;delete /item/13/comments/7/remove
/item?delete=13 /item/13?_method=DELETE /item/13?method=delete&page=2 /item/13?page=delete /item/13?page=2&rm=1 /?del=3
/?p=delete /api/v1/items/13/delete /cgi-bin/rm.cgi?f=13 /deleteItem?id=13 /news/2024/05/delete /news/2024/05/13/rm
/news/2024/05/slug-of-story/delete /news/2024/05/slug-of-story?trash=1 /news/2024/05/delete-this-story
/news/2024/05/unsubscribe-me-now /%64el/13 /LOGOUT/ /item/13/%72%6D /%2564elete/3 /item/13%2Fdelete /item/%2E%2E/logout
/item/13/..%2F..%2Flogout /?%61ction=%64elete /?p=3%26del=1 /?p=%33;rm /DEL/13 /Item/13/RM /cart/add/13 /?add-to-cart=13
/item/13/buy /checkout/confirm /order/13/cancel /u/ab12cd34ef/unsub /vote/13 /item/13/up /poll/7?choice=2 /rate/13/5
/item/13?vote=up /12/like /friend/add/7 /item/13/read?mark=1 /verify?token=ab12 /jobs/13/stop /device/7/off
/install.php?step=2 /rest/item/13?verb=delete /odata/Item(13)/Delete /l%C3%B6schen/3 /in-den-warenkorb /xoa-bai/3
/%E9%80%80%E5%87%BA /%E5%88%A0%E9%99%A4/3 /item/3/usun /12/sil /?p=3&sil=1
""".split()
ACTING_WORDS = """
/logout /exit /dang-xuat /log-out /en/quit /en/dang-xuat /en/logout /wiki/13/rm /wiki/Dog/delete /tag/boston/follow
/wiki/Dog?action=delete /wiki/logout /tag/delete /tag/Logout /blog/logout /blog/keluar /blog/dang-xuat
/blog/delete-this-post-now /blog/add-to-cart-now /blog/13/trash /forum/del.php /forum/logout.php /forum/rm.php?t=7
/forum/viewtopic.php?t=7&start=20&del=1 /forum/viewtopic.php?t=delete&start=20 /forum/posting.php?t=7
/thread.php?id=del /thread.php?del=7 /products/B00X4WHP5E/buy /products/buy /products/remove
/doc/1f0c9a7e-55aa-4b1c-9d1e-0123456789ab/trash /doc/trash/13 /index.php?title=Dog&action=purge
/index.php?title=Special:Logout /wiki/%2E%2E /wiki/..%2Flogout /tag/..%2Flogout
""".split()
PAGES = """
/item/99 /item/7/ /item/13?page=9 /item/14 /news/2023/11/council-votes-again /news/2024/01/storm-hits-coast /99/view
/?p=77
""".split()
PAGES_WORDS = """
/wiki/Cat /wiki/New_York /wiki/History_of_the_river_Thames /tag/london /tag/new-york /blog/what-we-learned-last-year
/thread.php?id=99 /forum/viewtopic.php?t=99&start=40 /forum/viewtopic.php /products/B00ABC12DE
/doc/1f0c9a7e-55aa-4b1c-9d1e-aaaaaaaaaaaa/read
""".split()


def passing(links: list[str], visited: list[str]) -> set[str]:
    """Which of a page's links may be followed."""
    found = siblings(*links, url=SITE + visited[0], visited=shapes(*visited))
    return {url.removeprefix(SITE) for url in found}


@pytest.mark.parametrize(
    ("acting", "pages", "visited"),
    [
        (ACTING, PAGES, VISITED),
        (ACTING_WORDS, PAGES_WORDS, VISITED_WORDS),
        ([*ACTING, *ACTING_WORDS], [], [*VISITED, *VISITED_WORDS]),
    ],
)
def test_pages_like_those_visited_pass_and_no_link_that_acts(
    acting: list[str], pages: list[str], visited: list[str]
) -> None:
    assert passing([*acting, *pages], visited) == set(pages)


def hidden(link: str, data: st.DataObject) -> str:
    """Spell some letters of a link percent-encoded."""
    letters = [place for place, sign in enumerate(link) if sign.isalnum() and "%" not in link]
    chosen = data.draw(st.sets(st.sampled_from(letters), max_size=5)) if letters else set()
    mark = "%" + "25" * data.draw(st.integers(0, 2))
    return "".join(f"{mark}{ord(sign):02X}" if place in chosen else sign for place, sign in enumerate(link))


@given(st.text(st.characters(categories=["L"]), min_size=1, max_size=12))
def test_no_single_word_passes_beside_numbers_or_at_the_root(word: str) -> None:
    word = quote(word)
    assume(f"/{word}/" not in " ".join(VISITED + VISITED_WORDS))  # "item", which hypothesis finds in code
    links = [f"/{word}", f"/{word}/13", f"/item/13/{word}", f"/12/{word}", f"/?p={word}", f"/?{word}=3", f"/en/{word}"]
    visited = [path for path in VISITED + VISITED_WORDS if not path.startswith("/en/")]
    visited += ["/en/about", "/en/contact", "/en/news", "/en/team"]
    assert passing(links, visited) <= {*visited, "/12/view"}


@pytest.mark.parametrize(
    ("visited", "path", "found"),
    [
        *(([f"/zoo/{word}" for word in "ant bee cow dog".split()[:n]], "/zoo/eel", n >= MANY_WORDS) for n in range(5)),
        (["/zoo/ant"], "/zoo/ants-of-the-north", True),
        (["/zoo/ant"], "/zoo/ant", True),
        (["/ant", "/bee", "/cow", "/dog"], "/eel", False),
        (["/ant.php", "/bee.php", "/cow.php", "/dog.php"], "/eel.php", False),
        (["/zoo/ant.php", "/zoo/bee.php", "/zoo/cow.php"], "/zoo/eel.php", False),
        (["/news/7"], "/news/8", True),
    ],
)
def test_words_stand_for_others_when_several_were_visited(visited: list[str], path: str, found: bool) -> None:
    assert shapes(*visited).has(SITE + path) == found
    assert shapes(*visited).has(f"HTTP://A.example:80{path}") == found
    assert not shapes(*visited).has(f"http://b.example{path}") and not shapes(*visited).has(f"https://a.example{path}")


def test_the_oldest_shapes_leave_and_what_is_no_url_is_not_remembered() -> None:
    visited = shapes(*(f"/{'x' * n}/7" for n in range(1, 9)), most=3)
    for url in ("", "data:,x", "http://[a.example/7", "http://a.example:x/7", "file:///news/7"):
        visited.add(url)
    assert (len(visited), visited.evicted) == (3, 5)
    assert visited.has(f"{SITE}/xxxxxxxx/9") and not visited.has(f"{SITE}/x/9")


@given(st.text("ab/?=.1%&;-_~*0 Aä猫", max_size=30))
def test_any_url_has_the_shape_of_itself(path: str) -> None:
    assert shapes("/" + path).has(f"{SITE}/{path}")


@pytest.mark.parametrize("part", ["0", "a", "a1", "1-", "a_", "-", "A b", "%2525", "é", "猫", ".a"])
def test_the_work_grows_with_the_length_alone(part: str) -> None:
    url = f"{SITE}/{part * 50_000}!?{part * 50_000}!"  # the square of that would take hours
    assert url_shape(url) == url_shape(url)


ACTIONS = """
/logout /log-out.php /LogOut /users/sign_out /user/7/logoff /session/destroy /wp-login.php?action=logout /add_to_cart/17
/cart/add?id=7 /shop/addToCart /basket /item/3/delete /deleteItem?id=1 /doLogout /delete-comment-17 /comments/17/remove
/items/add /item/update/3 /confirm?token=ab12 /unsubscribe/ab12 /delete-this-post-now /confirm-delete-item /vote/12
/poll/12/vote /wp-login.php /my-account/ /x;jsessionid=1/logout
""".split()
FOREIGN = """
abmelden löschen loeschen warenkorb déconnexion deconnexion se-déconnecter supprimer cerrar-sesion cerrar_sesión
eliminar carrito sair carrinho esci-elimina uitloggen verwijderen logga-ut wyloguj usuń odhlásit çıkış выход удалить
корзина vyhod 退出 注销 登出 删除 刪除 购物车 删除评论 ログアウト カートに入れる 로그아웃 삭제하기 حذف
""".split()
READ = """
/ /news/2021/how-to-vote.html /2021/05/03/things-you-should-never-delete-from-your-phone /news/7 /thread.php?id=7
/index.php?action=view&id=3 /?q=how+to+delete+a+file /annual-report /reports-2021.html /blogging-in-editions
/deleted-scenes /post/17 /posts/new-bridge-opens /cartography/maps /a-man-like-you-and-me /2012/removers-of-asbestos
/?utm_source=feed&utm_medium=rss /archive/2019/flood /%E6%96%B0%E9%97%BB/7 /新闻/如何删除手机里不需要的照片和视频
/a?order=asc /a?views=3 /%zz
""".split()


def is_action(reference: str) -> bool:
    return looks_like_action(urlsplit(SITE + reference).path)


@pytest.mark.parametrize(("reference", "acts"), [*((one, True) for one in ACTIONS), *((one, False) for one in READ)])
def test_actions_are_recognised_by_their_words(reference: str, acts: bool) -> None:
    assert is_action(reference) == acts


@pytest.mark.parametrize("word", FOREIGN)
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_actions_in_other_languages_are_recognised_percent_encoded(word: str, encoding: str) -> None:
    raw = word.encode(encoding)
    is_taken_for_utf_8 = encoding != "utf-8" and not word.isascii() and raw.decode(errors="replace").encode() == raw
    for reference in (f"/user/{quote(raw)}", f"/{quote(raw)}/17"):
        assert is_action(reference) or is_taken_for_utf_8


@given(st.sampled_from(ACTIONS), st.sampled_from(ACTING), st.data())
def test_the_spelling_of_an_action_does_not_hide_it(action: str, acting: str, data: st.DataObject) -> None:
    assert is_action(hidden(action, data))
    assert passing([hidden(acting, data)], VISITED) == set()


@given(st.text(max_size=60))
def test_any_text_is_judged(path: str) -> None:
    assert looks_like_action(path) in (True, False)


@pytest.mark.parametrize("url", ["http://[::1].", "http://:80\\@a.example", "http://[v1.x]@½"])
def test_what_only_looks_like_a_url_has_a_key_too(url: str) -> None:
    assert site_key(url) and Spellings().key(url).startswith("http://")


def test_spellings_of_one_page() -> None:
    assert spelling("http://a.example/x/") == spelling("https://www.a.example/x")
    assert len({*map(spelling, (f"http://a.example/{end}" for end in ("x", "y", "x?page=2", "1")))}) == 4
