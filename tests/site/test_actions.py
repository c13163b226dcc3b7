"""Names of paths that say what opening them does are told from those of articles."""

from urllib.parse import quote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.site.urls import looks_like_action


def is_action(reference: str) -> bool:
    return looks_like_action(urlsplit("http://a.example" + reference).path)


ACTIONS = [
    "/logout", "/log-out.php", "/LogOut", "/users/sign_out", "/user/7/logoff", "/session/destroy",
    "/wp-login.php?action=logout", "/add_to_cart/17", "/cart/add?id=7", "/shop/addToCart", "/basket", "/item/3/delete",
    "/deleteItem?id=1", "/doLogout", "/delete-comment-17", "/comments/17/remove", "/items/add", "/item/update/3",
    "/confirm?token=ab12", "/unsubscribe/ab12", "/delete-this-post-now", "/confirm-delete-item", "/vote/12",
    "/poll/12/vote", "/wp-login.php", "/my-account/", "/x;jsessionid=1/logout",
]  # fmt: skip
FOREIGN = """
abmelden löschen loeschen warenkorb déconnexion deconnexion se-déconnecter supprimer cerrar-sesion cerrar_sesión
eliminar carrito sair carrinho esci-elimina uitloggen verwijderen logga-ut wyloguj usuń odhlásit çıkış выход удалить
корзина vyhod 退出 注销 登出 删除 刪除 购物车 删除评论 ログアウト カートに入れる 로그아웃 삭제하기 حذف
""".split()
PAGES = [
    "/", "/news/2021/how-to-vote.html", "/2021/05/03/things-you-should-never-delete-from-your-phone", "/news/7",
    "/thread.php?id=7", "/index.php?action=view&id=3", "/?q=how+to+delete+a+file", "/annual-report",
    "/reports-2021.html",
    "/blogging-in-editions", "/deleted-scenes", "/post/17", "/posts/new-bridge-opens", "/cartography/maps",
    "/a-man-like-you-and-me", "/2012/removers-of-asbestos", "/?utm_source=feed&utm_medium=rss", "/archive/2019/flood",
    "/%E6%96%B0%E9%97%BB/7", "/新闻/如何删除手机里不需要的照片和视频", "/a?order=asc", "/a?views=3", "/%zz",
]  # fmt: skip


@pytest.mark.parametrize("reference", ACTIONS)
def test_actions_are_known_by_their_words(reference: str) -> None:
    assert is_action(reference)


@pytest.mark.parametrize("word", FOREIGN)
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_actions_in_other_languages_are_known_percent_encoded(word: str, encoding: str) -> None:
    encoded = quote(word.encode(encoding))
    for reference in (f"/user/{encoded}", f"/{encoded}/17"):
        assert is_action(reference) or (encoding != "utf-8" and not _survives(word))


def _survives(word: str) -> bool:
    """Whether its bytes in the encoding of Chinese sites are not taken for UTF-8."""
    try:
        word.encode("gb18030").decode()
    except UnicodeDecodeError:
        return True
    return word.isascii()


@pytest.mark.parametrize("reference", PAGES)
def test_pages_are_no_actions(reference: str) -> None:
    assert not is_action(reference)


@given(st.sampled_from(ACTIONS), st.data())
def test_the_spelling_of_an_action_does_not_hide_it(reference: str, data: st.DataObject) -> None:
    letters = [place for place, sign in enumerate(reference) if sign.isalnum() and "%" not in reference]
    hidden = data.draw(st.sets(st.sampled_from(letters), max_size=5)) if letters else set()
    mark = "%" + "25" * data.draw(st.integers(0, 2))
    spelled = "".join(f"{mark}{ord(sign):02X}" if place in hidden else sign for place, sign in enumerate(reference))
    assert is_action(spelled)


@given(st.text(max_size=60))
def test_any_text_is_judged(path: str) -> None:
    assert looks_like_action(path) in (True, False)
