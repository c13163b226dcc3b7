"""Links that do something when they are opened, as sites have them, and what a crawl has visited when it meets them."""

#: What the crawl has asked for; and the same of sites whose last parts are words.
VISITED = """
/item/12 /item/13?page=2 /news/2024/05/slug-of-story /12/view /?p=3
""".split()
VISITED_WORDS = """
/wiki/Dog /tag/boston /tag/harbour /tag/ferries /blog/storm-hits-the-north-coast /about /contact-us
/en/about /en/contact /thread.php?id=7 /forum/index.php /forum/viewtopic.php?t=7&start=20 /products/B00X4WHP5E
/index.php?title=Dog /doc/1f0c9a7e-55aa-4b1c-9d1e-0123456789ab/read
""".split()

ACTING = """
/del/13 /item/13/rm /12/trash /item/13?del=1 /item/13?action=trash /verwijder/3 /radera/3 /izbrisi/3 /hapus/3 /xoa/3
/usunac/3 /exit /quit /endsession /session/end /dang-xuat /keluar /odjava /unsub/abc /pay/now
/transfer?to=7&amount=900 /graphql?query=mutation{deletePost(id:3){id}}

/logout /log-out /log_out /LogOut /LOGOUT /logout.php /logoff.aspx /signout /sign-off /users/sign_out /user/7/logoff
/session/destroy /sessions/12/end /auth/revoke /oauth/revoke?token=ab12 /wp-login.php?action=logout&_wpnonce=1f
/?do=logout /?logout /?logout=1 /?p=3&logout=1 /?p=3;action=delete /Account/LogOff /saml/slo /sso/end /bye /leave
/disconnect /account/close /account/deactivate /me/delete

/delete/13 /item/delete/13 /item/13/delete /item/13/destroy /item/13/purge /item/13/remove /item/13/hide
/item/13/erase /item/13/wipe /item/13/drop /item/13/archive /item/13/unpublish /item/13/reset /item/13/restore
/item/13/move?to=7 /item/13/edit /item/13/lock /item/13/ban /13/rm /12/del /12/kill /12/x /item/13.delete
/item/13;delete /item/13/delete/1 /item/13/comments/7/remove /item?delete=13 /item/13?_method=DELETE
/item/13?method=delete&page=2 /item/13?page=delete /item/13?page=2&rm=1 /?del=3 /?p=3&del=1 /?p=delete /?p=trash
/?remove=3 /api/v1/items/13/delete /api/v2/del?id=13 /rpc/deleteItem?id=13 /cgi-bin/rm.cgi?f=13 /deleteItem?id=13
/doDelete.action?id=13 /news/2024/05/delete /news/2024/05/13/rm /news/2024/05/slug-of-story/delete
/news/2024/05/slug-of-story?trash=1 /news/2024/05/slug-of-story?do=purge /news/2024/05/delete-this-story
/news/2024/05/remove-my-comment /news/2024/05/unsubscribe-me-now /empty-trash /clear-history

/%64el/13 /%6Cogout /LOGOUT/ /item/13/%72%6D /item/13/R%4D /%2564elete/3 /item/13%2Fdelete /item/%2E%2E/logout
/item/13/..%2F..%2Flogout /item/13%2Frm /?%61ction=%64elete /?p=3%26del=1 /?p=%33;rm /item/13?%64el=1 /DEL/13
/Item/13/RM

/cart/add/13 /cart/add?id=13 /?add-to-cart=13 /basket/13 /buy/13 /item/13/buy /buy-now /checkout /checkout/confirm
/order/13/cancel /orders/new?item=13 /pay /pay/13 /payment/execute?id=13 /donate?amount=5 /transfer/7/900
/withdraw?sum=9 /subscribe/13 /subscribe?plan=2 /unsubscribe/ab12 /optout?u=7 /u/ab12cd34ef/unsub /newsletter/off
/renew/13 /refund/13 /bid/13?amount=9 /tip/7 /redeem/AB12CD34 /coupon/apply?code=X

/vote/13 /item/13/vote /item/13/up /item/13/upvote /item/13/like /poll/7?choice=2 /rate/13/5 /item/13?vote=up /12/like
/12/follow /follow/7 /friend/add/7 /block/7 /report/13 /flag/13 /item/13/share /item/13/star /item/13/pin
/item/13/read?mark=1 /invite/accept/7 /accept/7 /confirm/ab12cd34 /verify?token=ab12 /activate/ab12cd34 /approve/13
/admin/reboot /admin/restart /system/shutdown /cache/flush /cron/run /backup/start /deploy /jobs/13/run /jobs/13/stop
/device/7/off /light/7/toggle /door/7/open /set?led=1 /switch/7/on /reset /format?disk=1 /install.php?step=2
/graphql?query=mutation%7Blogout%7D /graphql?query=mutation+%7BlikePost(id%3A3)%7D /gql?q=mutation{pay} /api?cmd=stop
/api?op=rm&id=13 /rest/item/13?verb=delete /odata/Item(13)/Delete

/abmelden /loeschen/3 /l%C3%B6schen/3 /artikel/3/loeschen /kuendigen /in-den-warenkorb /deconnexion /d%C3%A9connexion
/supprimer/3 /effacer/3 /annonce/3/supprimer /se-desabonner /cerrar-sesion /salir /eliminar/3 /borrar/3
/articulo/3/borrar /pagar/3 /sair /excluir/3 /apagar/3 /terminar-sessao /esci /disconnetti /elimina/3 /cancella/3
/uitloggen /afmelden /verwijderen/3 /logga-ut /ta-bort/3 /logg-ut /slett/3 /log-ud /slet/3 /kirjaudu-ulos /poista/3
/wyloguj /usun/3 /usu%C5%84/3 /odhlasit /smazat/3 /odhlasit-sa /vymazat/3 /kijelentkezes /torles/3 /deconectare
/sterge/3 /cikis /sil/3 /%C3%A7%C4%B1k%C4%B1%C5%9F /apo%C3%B6sindesi /aposyndesi /diagrafi/3 /vyhod /udalit/3
/%D0%B2%D1%8B%D1%85%D0%BE%D0%B4 /%D1%83%D0%B4%D0%B0%D0%BB%D0%B8%D1%82%D1%8C/3 /vidaliti/3 /izlez /iztrij/3 /odjavi-se
/obrisi/3 /pobrisi/3 /atsijungti /istrinti/3 /iziet /dzest/3 /logi-valja /kustuta/3 /log-keluar /padam/3 /xoa-bai/3
/thoat /%E9%80%80%E5%87%BA /%E5%88%A0%E9%99%A4/3 /%E6%B3%A8%E9%94%80 /tuichu /shanchu/3
/%E3%83%AD%E3%82%B0%E3%82%A2%E3%82%A6%E3%83%88 /%E5%89%8A%E9%99%A4/3 /%EC%82%AD%EC%A0%9C/3
/%EB%A1%9C%EA%B7%B8%EC%95%84%EC%9B%83 /%D8%AE%D8%B1%D9%88%D8%AC /%D8%AD%D8%B0%D9%81/3 /khrooj
/%E0%B8%AD%E0%B8%AD%E0%B8%81 /%D7%99%D7%A6%D7%99%D7%90%D7%94 /hatao/3 /toka /futa/3 /item/3/usun /item/3/poista
/item/3/xoa /item/3/hapus /12/sil /12/borrar /?p=3&sil=1 /?sil=3
""".split()

#: The same in sites whose last parts are words: below what was visited, where a word or a title may stand.
ACTING_WORDS = """
/logout /exit /dang-xuat /keluar /log-out /en/quit /en/dang-xuat /en/logout /wiki/13/rm /wiki/Dog/delete
/tag/boston/follow /wiki/Dog?action=delete /wiki/Dog?action=purge /wiki/logout /tag/delete /tag/Logout /blog/logout
/blog/keluar /blog/dang-xuat /blog/delete-this-post-now /blog/add-to-cart-now /blog/13/trash /forum/del.php
/forum/logout.php /forum/rm.php?t=7 /forum/viewtopic.php?t=7&start=20&del=1 /forum/viewtopic.php?t=delete&start=20
/forum/posting.php?t=7 /thread.php?id=del /thread.php?del=7 /thread.php?id=7&rm=1 /products/B00X4WHP5E/buy
/products/buy /products/remove /doc/1f0c9a7e-55aa-4b1c-9d1e-0123456789ab/trash
/doc/1f0c9a7e-55aa-4b1c-9d1e-0123456789ab/rm /doc/trash/13 /index.php?title=Dog&action=purge
/index.php?action=delete&title=Dog /index.php?title=Special:Logout /wiki/%2E%2E /wiki/..%2Flogout /tag/..%2Flogout
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
