"""Words of URLs that log a reader out, delete, buy, vote …: the field's own, in the languages sites are written in.

Written folded: lower case, without accents, and what people write apart or with hyphens ("log-out", "add to cart",
"cerrar sesión") as one word.
"""

from __future__ import annotations

from denoise_scrapy.site.folding import fold

#: Ends of a session, deletions, carts, doors of accounts and shops: no article needs to be called so, so they count at
#: the start of a longer name too.
CORE = frozenset(
    fold(word)
    for word in """
    logout logoff signout signoff disconnect delete remove destroy erase purge unsubscribe optout
    cart basket addtocart addtobasket addtobag addtowishlist addtocompare
    abmelden ausloggen loschen loeschen entfernen austragen kundigen kuendigen warenkorb
    deconnexion deconnecter sedeconnecter supprimer effacer desinscrire desinscription panier
    cerrarsesion desconectar eliminar borrar carrito cancelarsuscripcion
    sair terminarsessao excluir apagar carrinho disconnetti cancellati elimina cancella carrello
    uitloggen afmelden verwijderen uitschrijven winkelwagen winkelmand winkelmandje
    loggaut loggut logud tabort slett slet varukorg handlekurv indkobskurv kirjauduulos poista ostoskori
    wyloguj usun koszyk odhlasit smazat odstranit kosik kijelentkezes kosar deconectare iesire sterge
    cikis oturumukapat sil sepet aposyndesi diagrafi kalathi
    выход выйти удалить корзина отписаться вихід вийти видалити кошик vyhod vyjti udalit korzina otpisatsya
    退出 注销 登出 註銷 删除 刪除 移除 退订 退訂 购物车 購物車
    ログアウト 削除 カート 買い物かご 로그아웃 삭제 장바구니
    خروج حذف ออกจากระบบ ลบ יציאה מחק
    login signin signup logon register account password oauth sso checkout wishlist
    einloggen anmelden registrieren passwort kasse connexion seconnecter inscription motdepasse
    iniciarsesion acceder registrarse contrasena iniciarsessao cadastro senha accedi registrati
    inloggen aanmelden loggain logind kirjaudu zaloguj zarejestruj prihlasit bejelentkezes giris kayitol uyeol
    войти вход регистрация voiti vojti увійти 登录 登錄 登入 注册 註冊 ログイン 会員登録 로그인 회원가입
    """.split()
)
#: What else a reader does with a button rather than by opening a page, and what is no page. In articles' names these
#: are common words ("how-to-vote"), so they count only as a name of their own, or first of two words.
ACTION = CORE | frozenset(
    fold(word)
    for word in """
    subscribe follow unfollow like unlike dislike upvote downvote vote favorite favourite bookmark
    edit reply report share print redirect feed rss
    buy buynow addtofavorites addfavorite
    cancel confirm activate deactivate approve reject revoke reset unblock ban unban mute accept decline unpublish
    bestellen kaufen bezahlen bearbeiten acheter commander modifier sabonner comprar pagar editar suscribirse
    acquista compra modifica kopen kup edytuj koupit satinal duzenle купить редактировать kupit купити
    购买 購買 立即购买 下单 编辑 編輯 点赞 點讚 收藏 投票 举报 檢舉 回复 購入 編集 通報 구매 수정 추천 신고
    add create update save submit send upload insert modify move merge rename rate flag quote purchase order block pay
    publish restore undo rollback revert
    """.split()
)
