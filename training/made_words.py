"""Words of made boxes by language: headings, dates, and plain sentences about an author, a newsletter, a product."""

from __future__ import annotations

#: Language -> what -> alternatives, parted by bars. `{n}` is a number, `{name}` a person's, `{product}` a product's.
_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "latest": "Latest|Most read|More from this section|Read next|You may also like|Related stories|Top stories",
        "comments": "Comments|{n} comments|Comments ({n})|Discussion|Readers' opinions|What do you think?|"
        "{n} responses",
        "reply": "Reply|Report|Like|Quote|Permalink|Share",
        "ago": "{n} hours ago|{n} days ago|yesterday|{n} min ago",
        "by": "By {name}|{name}|Written by {name}|{name}, staff writer",
        "photo": "Photo: {name}|Image: {name}|Picture {n}|Credit: {name}",
        "label": "Advertisement|Sponsored|Ad|Promoted|Partner content",
        "promise": "{product} makes mornings easier, whatever the weather brings.|Order today and save {n} percent.|"
        "More than {n},000 customers trust {product}, and every one of them can return it within thirty days.|"
        "Try {product} for a month without paying anything.|Our experts call {product} the best buy of the year.|"
        "Delivered free of charge to your door.|Sleep well, travel light, pay less: that is what {product} stands for.",
        "biography": "{name} has written about politics and business for {n} years.|"
        "{name} is a reporter who lives by the sea with two dogs.|"
        "Before that, {name} worked for radio and as a teacher.|"
        "Follow {name} for more stories like this one.|The latest book by {name} came out last spring.|"
        "You can reach {name} by e-mail.|{name} studied history and likes to cook.",
        "appeal": "Our work depends on readers like you. Please consider a gift of any size.|"
        "Sign up for our newsletter and get the best stories every morning.|Enter your e-mail address to subscribe.|"
        "This article first appeared elsewhere and is republished with permission.|"
        "Did you find a mistake? Write to us and we will correct it.|"
        "If you liked this text, support us from {n} a month.|"
        "We do not share your address with anyone, and you can cancel at any time.",
        "about": "About the author|The author|Stay informed|Support us|Newsletter|Republish this article",
        "rank": "Newbie|Member|Senior Member|Junior Member|Regular|Veteran|Moderator|Administrator|"
        "Well-Known Member|Active user|New user|Contributor|Registered User|Level {n}|Guru",
        "posts": "Posts: {n}|Messages: {n}|{n} posts|Posts: 1,0{n}|{n} messages|Post count {n}|Threads: {n}",
        "joined": "Joined: {n} May 2012|Join Date: Mar 2009|Registered: 2011|Member since June 2014|"
        "Joined Jan 20, 2018|Joined: 2016",
        "location": "Location: London|Location: the north|From: Ohio|Location: Melbourne, Australia|"
        "Location: under the stairs|Texas",
        "score": "Reputation: {n}|Likes: {n}|Reaction score: 1{n}|Thanks: {n}|Rep: +{n}|Points: {n}",
        "button": "Reply|Quote|Report|Like|Share|Reply with quote|Top|Back to top|Edit|Permalink|Report post|Thank|"
        "Multi-quote|Send private message|Go to post",
        "pages": "Page 1 of {n}|{n} posts|1 2 3 Next|Go to page: 1, 2|{n} posts, page 1 of 1|{n} replies, 1{n} views",
        "closed": "You must log in or register to reply here.|You cannot reply to topics in this forum|"
        "This topic is closed to new replies.|Sign in to comment|"
        "Users browsing this forum: no registered users and {n} guests",
        "similar": "Similar threads|Related topics|Similar topics|Recommended posts|More like this",
        "wrote": "{name} wrote:|{name} said:|Quote from {name}|Originally posted by {name}|Quote:",
        "edited": "Last edited by {name} on {n} May 2014|Edited {n} times in total|"
        "This post was edited by {name}: 12-05-2015|Last edited: Mar 3, 2019",
        "liked": "{n} people like this|Thanked by {name}|{n} users found this helpful|"
        "Reactions: {name} and {n} others|Like (1)",
    },
    "de": {
        "latest": "Neueste Meldungen|Meistgelesen|Mehr zum Thema|Lesen Sie auch|Das könnte Sie interessieren|"
        "Weitere Artikel",
        "comments": "Kommentare|{n} Kommentare|Kommentare ({n})|Diskussion|Leserbriefe|Ihre Meinung|Forum",
        "reply": "Antworten|Melden|Gefällt mir|Zitieren|Empfehlen",
        "ago": "vor {n} Stunden|vor {n} Tagen|gestern|vor {n} Min.",
        "by": "Von {name}|{name}|Ein Beitrag von {name}",
        "photo": "Foto: {name}|Bild: {name}|Bild {n}|Quelle: {name}",
        "label": "Anzeige|Werbung|Gesponsert|Sponsored Post",
        "promise": "{product} macht jeden Morgen leichter, egal wie das Wetter wird.|"
        "Jetzt bestellen und {n} Prozent sparen.|"
        "Über {n}.000 Kunden vertrauen {product}, und jeder kann es dreißig Tage lang zurückgeben.|"
        "Testen Sie {product} einen Monat lang, ohne etwas zu zahlen.|Versand und Rückgabe sind kostenlos.|"
        "Fachleute halten {product} für den besten Kauf des Jahres.",
        "biography": "{name} schreibt seit {n} Jahren über Politik und Wirtschaft.|"
        "{name} lebt mit zwei Hunden am Meer.|"
        "Davor arbeitete {name} für den Rundfunk und an einer Schule.|Das neue Buch von {name} erschien im Frühjahr.|"
        "{name} ist per E-Mail zu erreichen.|{name} hat Geschichte studiert und kocht gern.",
        "appeal": "Unsere Arbeit lebt von Leserinnen und Lesern. Jeder Betrag hilft.|"
        "Melden Sie sich für unseren Newsletter an und lesen Sie jeden Morgen das Beste.|"
        "Bitte geben Sie Ihre Adresse ein.|"
        "Dieser Text erschien zuerst an anderer Stelle; der Nachdruck ist genehmigt.|"
        "Haben Sie einen Fehler gefunden? Schreiben Sie uns, wir berichtigen ihn.|"
        "Unterstützen Sie uns ab {n} Euro im Monat.",
        "about": "Zum Autor|Über die Autorin|Bleiben Sie informiert|Unterstützen Sie uns|Newsletter",
        "rank": "Neuling|Mitglied|Erfahrener Benutzer|Stammgast|Moderator|Administrator|Neuer Benutzer|"
        "Fortgeschrittener|Level {n}|Experte",
        "posts": "Beiträge: {n}|{n} Beiträge|Beiträge: 1.0{n}|Themen: {n}",
        "joined": "Registriert: {n}. Mai 2012|Mitglied seit: März 2009|Dabei seit 2011|Registriert seit: 12.06.2014",
        "location": "Wohnort: Köln|Ort: Wien|Aus: Bayern|Wohnort: auf dem Land",
        "score": "Punkte: {n}|Danke: {n}|Reaktionen: 1{n}|Bewertung: +{n}",
        "button": "Antworten|Zitieren|Melden|Gefällt mir|Beitrag melden|Nach oben|Teilen|Inhalt melden|Bearbeiten|"
        "Danke",
        "pages": "Seite 1 von {n}|{n} Beiträge|1 2 3 Weiter|{n} Antworten, 1{n} Aufrufe",
        "closed": "Du musst dich anmelden, um zu antworten.|Das Thema ist geschlossen.|"
        "Mitglieder in diesem Forum: 0 Mitglieder und {n} Gäste",
        "similar": "Ähnliche Themen|Verwandte Themen|Weitere Themen",
        "wrote": "{name} schrieb:|Zitat von {name}|{name} hat geschrieben:|Zitat:",
        "edited": "Zuletzt geändert von {name} am {n}. Mai 2014|Zuletzt bearbeitet: 3. März 2019",
        "liked": "{n} Personen gefällt das|{name} hat sich bedankt|Gefällt mir (1)",
    },
    "fr": {
        "latest": "Les dernières nouvelles|Les plus lus|À lire aussi|Sur le même sujet|Dans la même rubrique|"
        "Plus d'articles",
        "comments": "Commentaires|{n} commentaires|Commentaires ({n})|Réactions|Vos avis|{n} réactions",
        "reply": "Répondre|Signaler|J'aime|Citer|Partager",
        "ago": "il y a {n} heures|il y a {n} jours|hier|il y a {n} min",
        "by": "Par {name}|{name}|Publié par {name}",
        "photo": "Photo : {name}|Crédit : {name}|Image {n}",
        "label": "Publicité|Sponsorisé|Annonce|Contenu partenaire",
        "promise": "{product} rend vos matins plus faciles, quel que soit le temps.|"
        "Commandez maintenant et gagnez {n} %.|"
        "Plus de {n} 000 clients font confiance à {product}, et chacun peut le renvoyer sous trente jours.|"
        "Essayez {product} pendant un mois sans rien payer.|La livraison est offerte chez vous.",
        "biography": "{name} écrit sur la politique et l'économie depuis {n} ans.|"
        "{name} vit au bord de la mer avec deux chiens.|"
        "Auparavant, {name} a travaillé à la radio et dans un lycée.|Le dernier livre de {name} est paru au printemps.|"
        "On peut écrire à {name} par courriel.",
        "appeal": "Notre travail dépend de nos lecteurs. Chaque don compte.|"
        "Inscrivez-vous à notre lettre et recevez chaque matin le meilleur de nos articles.|Saisissez votre adresse.|"
        "Cet article a d'abord paru ailleurs et il est repris avec autorisation.|"
        "Vous avez vu une erreur ? Écrivez-nous et nous la corrigerons.|Soutenez-nous à partir de {n} euros par mois.",
        "about": "À propos de l'auteur|L'auteur|Restez informé|Soutenez-nous|Lettre d'information",
        "rank": "Nouveau|Membre|Membre confirmé|Habitué|Modérateur|Administrateur|Vétéran",
        "posts": "Messages : {n}|{n} messages|Sujets : {n}",
        "joined": "Inscription : {n} mai 2012|Inscrit le 12/06/2014|Membre depuis 2011",
        "location": "Localisation : Lyon|De : Bretagne|Ville : Genève",
        "score": "J'aime reçus : {n}|Points : {n}",
        "button": "Répondre|Citer|Signaler|J'aime|Haut|Partager|Alerter|Modifier",
        "pages": "Page 1 sur {n}|{n} messages|1 2 3 Suivante|{n} réponses, 1{n} vues",
        "closed": "Vous devez être connecté pour répondre.|Ce sujet est fermé.|"
        "Utilisateurs parcourant ce forum : {n} invités",
        "similar": "Sujets similaires|Discussions similaires",
        "wrote": "{name} a écrit :|Citation de {name}|Citation :",
        "edited": "Modifié en dernier par {name} le {n} mai 2014|Dernière édition : 3 mars 2019",
        "liked": "{n} personnes aiment ça|{name} a remercié l'auteur",
    },
    "es": {
        "latest": "Últimas noticias|Lo más leído|Más noticias|Te puede interesar|Noticias relacionadas|Lee también",
        "comments": "Comentarios|{n} comentarios|Comentarios ({n})|Opiniones|Deja tu opinión",
        "reply": "Responder|Denunciar|Me gusta|Citar|Compartir",
        "ago": "hace {n} horas|hace {n} días|ayer|hace {n} min",
        "by": "Por {name}|{name}|Escrito por {name}",
        "photo": "Foto: {name}|Imagen: {name}|Imagen {n}",
        "label": "Publicidad|Patrocinado|Anuncio|Contenido patrocinado",
        "promise": "{product} hace más fáciles las mañanas, llueva o haga sol.|Compre hoy y ahorre un {n} por ciento.|"
        "Más de {n}.000 clientes confían en {product}, y todos pueden devolverlo en treinta días.|"
        "Pruebe {product} durante un mes sin pagar nada.|El envío a su casa es gratis.",
        "biography": "{name} escribe sobre política y economía desde hace {n} años.|"
        "{name} vive junto al mar con dos perros.|"
        "Antes {name} trabajó en la radio y en una escuela.|El último libro de {name} salió en primavera.|"
        "Se puede escribir a {name} por correo.",
        "appeal": "Nuestro trabajo depende de los lectores. Cualquier aportación ayuda.|"
        "Suscríbete a nuestro boletín y recibe cada mañana lo mejor.|Escribe tu correo para empezar.|"
        "Este artículo apareció antes en otro medio y se publica con permiso.|"
        "¿Has visto un error? Escríbenos y lo corregimos.|Apóyanos desde {n} euros al mes.",
        "about": "Sobre el autor|La autora|Mantente informado|Apóyanos|Boletín",
        "rank": "Novato|Miembro|Usuario activo|Veterano|Moderador|Administrador",
        "posts": "Mensajes: {n}|{n} mensajes|Temas: {n}",
        "joined": "Registrado: {n} may 2012|Miembro desde 2011|Se unió el 12/06/2014",
        "location": "Ubicación: Sevilla|De: Lima",
        "score": "Puntos: {n}|Gracias: {n}",
        "button": "Responder|Citar|Denunciar|Me gusta|Arriba|Compartir",
        "pages": "Página 1 de {n}|{n} mensajes|1 2 3 Siguiente",
        "closed": "Debes iniciar sesión para responder.|El tema está cerrado.",
        "similar": "Temas similares|Temas relacionados",
        "wrote": "{name} escribió:|Cita de {name}|Cita:",
        "edited": "Última edición por {name}, {n} mayo 2014",
        "liked": "A {n} personas les gusta esto",
    },
    "ru": {
        "latest": "Последние новости|Самое читаемое|Читайте также|По теме|Ещё новости|Вам может быть интересно",
        "comments": "Комментарии|Комментарии ({n})|{n} комментариев|Обсуждение|Мнения читателей|Отзывы",
        "reply": "Ответить|Пожаловаться|Нравится|Цитировать|Поделиться",
        "ago": "{n} часов назад|{n} дней назад|вчера|{n} мин. назад",
        "by": "Автор: {name}|{name}|Текст: {name}",
        "photo": "Фото: {name}|Снимок {n}|Изображение: {name}",
        "label": "Реклама|На правах рекламы|Партнёрский материал",
        "promise": "{product} делает утро легче в любую погоду.|Закажите сегодня и сэкономьте {n} процентов.|"
        "Более {n} тысяч покупателей доверяют {product}, и каждый может вернуть покупку за тридцать дней.|"
        "Попробуйте {product} месяц бесплатно.|Доставим до двери без доплаты.",
        "biography": "{name} пишет о политике и экономике уже {n} лет.|{name} живёт у моря с двумя собаками.|"
        "Раньше {name} работал на радио и в школе.|Новая книга, которую написал {name}, вышла весной.",
        "appeal": "Наша работа зависит от читателей. Поможет любая сумма.|"
        "Подпишитесь на рассылку и получайте лучшее каждое утро.|Введите адрес электронной почты.|"
        "Статья впервые вышла в другом издании и печатается с разрешения.|"
        "Нашли ошибку? Напишите нам, и мы её исправим.|Поддержите нас от {n} рублей в месяц.",
        "about": "Об авторе|Автор|Будьте в курсе|Поддержите нас|Рассылка",
        "rank": "Новичок|Участник|Пользователь|Старожил|Модератор|Администратор|Гуру",
        "posts": "Сообщений: {n}|Сообщения: {n}|Постов: 1{n}|Тем: {n}",
        "joined": "Регистрация: {n}.05.2012|На форуме с 2011|Зарегистрирован: 12 июня 2014",
        "location": "Откуда: Москва|Город: Казань|Адрес: за городом",
        "score": "Репутация: {n}|Благодарности: {n}|Рейтинг: +{n}",
        "button": "Ответить|Цитировать|Пожаловаться|Нравится|Вверх|Поделиться|Жалоба|Спасибо",
        "pages": "Страница 1 из {n}|{n} сообщений|1 2 3 След.|Ответов: {n}, просмотров: 1{n}",
        "closed": "Для ответа нужно войти.|Тема закрыта.|Сейчас на форуме гостей: {n}",
        "similar": "Похожие темы|Другие темы",
        "wrote": "{name} писал(а):|Цитата ({name})|Цитата:",
        "edited": "Последний раз редактировалось {name} {n}.05.2014|Изменено 3 марта 2019",
        "liked": "{n} человек сказали спасибо|Нравится: {n}",
    },
    "pl": {
        "latest": "Najnowsze|Najczęściej czytane|Czytaj także|Zobacz też|Więcej na ten temat|Polecamy",
        "comments": "Komentarze|Komentarze ({n})|{n} komentarzy|Opinie|Dyskusja|Wasze opinie",
        "reply": "Odpowiedz|Zgłoś|Lubię to|Cytuj|Udostępnij",
        "ago": "{n} godzin temu|{n} dni temu|wczoraj|{n} min temu",
        "by": "Autor: {name}|{name}|Tekst: {name}",
        "photo": "Fot. {name}|Zdjęcie: {name}|Zdjęcie {n}",
        "label": "Reklama|Artykuł sponsorowany|Materiał partnera",
        "promise": "{product} ułatwia każdy poranek, bez względu na pogodę.|Zamów dziś i oszczędź {n} procent.|"
        "Ponad {n} tysięcy klientów ufa {product}, a każdy może zwrócić zakup w ciągu trzydziestu dni.|"
        "Wypróbuj {product} przez miesiąc za darmo.|Dostawa do domu nic nie kosztuje.",
        "biography": "{name} pisze o polityce i gospodarce od {n} lat.|{name} mieszka nad morzem z dwoma psami.|"
        "Wcześniej {name} pracował w radiu i w szkole.|Nowa książka, którą napisał {name}, ukazała się wiosną.",
        "appeal": "Nasza praca zależy od czytelników. Pomoże każda kwota.|"
        "Zapisz się do newslettera i czytaj najlepsze teksty co rano.|Podaj adres e-mail.|"
        "Tekst ukazał się najpierw gdzie indziej i jest przedrukowany za zgodą.|"
        "Widzisz błąd? Napisz do nas, a poprawimy go.|Wesprzyj nas od {n} złotych miesięcznie.",
        "about": "O autorze|Autor|Bądź na bieżąco|Wesprzyj nas|Newsletter",
        "rank": "Nowy|Użytkownik|Stały bywalec|Moderator|Administrator|Zaawansowany",
        "posts": "Posty: {n}|Postów: {n}|{n} wiadomości",
        "joined": "Dołączył: {n} maja 2012|Rejestracja: 12.06.2014|Na forum od 2011",
        "location": "Skąd: Kraków|Miasto: Gdańsk",
        "score": "Punkty: {n}|Reputacja: {n}|Pomógł: {n}",
        "button": "Odpowiedz|Cytuj|Zgłoś|Lubię to|Do góry|Udostępnij",
        "pages": "Strona 1 z {n}|{n} postów|1 2 3 Następna",
        "closed": "Zaloguj się, aby odpowiedzieć.|Temat jest zamknięty.",
        "similar": "Podobne tematy",
        "wrote": "{name} napisał:|Cytat: {name}|Cytat",
        "edited": "Ostatnio zmieniony przez {name} {n}.05.2014",
        "liked": "{n} osób lubi to",
    },
    "zh": {
        "latest": "最新消息|热门文章|相关阅读|推荐阅读|更多新闻|猜你喜欢",
        "comments": "评论|评论({n})|网友评论|共{n}条评论|热门评论|发表评论",
        "reply": "回复|举报|赞|引用|分享",
        "ago": "{n}小时前|{n}天前|昨天|{n}分钟前",
        "by": "作者：{name}|{name}|记者 {name}|文/{name}",
        "photo": "图片来源：{name}|图{n}|摄影：{name}",
        "label": "广告|赞助|推广",
        "promise": "无论天气如何，{product}都让早晨更轻松。|今天下单立省{n}元。|"
        "超过{n}万顾客信赖{product}，三十天内都可以退货。|"
        "免费试用{product}一个月。|送货上门，不收运费。",
        "biography": "{name}写政治和经济已有{n}年。|{name}和两只狗住在海边。|{name}以前在电台和学校工作。|"
        "{name}的新书今年春天出版。",
        "appeal": "我们的工作离不开读者，欢迎您的支持。|订阅我们的邮件，每天早上阅读最好的文章。|请输入您的邮箱地址。|"
        "本文最初发表于其他媒体，经授权转载。|发现错误了吗？请写信告诉我们。|每月{n}元，支持我们。",
        "about": "关于作者|作者简介|订阅|支持我们",
        "rank": "新手上路|注册会员|中级会员|高级会员|金牌会员|版主|管理员|论坛元老",
        "posts": "帖子：{n}|主题 {n}|发帖数 1{n}|{n} 帖子",
        "joined": "注册时间：2012-5-{n}|注册：2011 年|加入于 2014-6-12",
        "location": "来自：北京|地区：广东",
        "score": "积分：{n}|威望 {n}|金币 1{n}|获赞 {n}",
        "button": "回复|引用|举报|赞|支持|反对|收藏|分享|只看该作者|使用道具|返回顶部",
        "pages": "1 2 3 下一页|查看：1{n} 回复：{n}|共 {n} 页",
        "closed": "您需要登录后才可以回帖|本主题已关闭",
        "similar": "相关帖子|相似主题|热门帖子",
        "wrote": "{name} 发表于 2014-5-12|引用 {name} 的话：|引用：",
        "edited": "本帖最后由 {name} 于 2014-5-{n} 编辑",
        "liked": "{n} 人点赞|{name} 等 {n} 人觉得很赞",
    },
    "it": {
        "latest": "Ultime notizie|I più letti|Leggi anche|Altre notizie|Potrebbe interessarti",
        "comments": "Commenti|{n} commenti|Commenti ({n})|Opinioni dei lettori",
        "reply": "Rispondi|Segnala|Mi piace",
        "ago": "{n} ore fa|{n} giorni fa|ieri",
        "by": "Di {name}|{name}",
        "photo": "Foto: {name}|Immagine {n}",
        "label": "Pubblicità|Sponsorizzato",
        "biography": "{name} scrive di politica ed economia da {n} anni.|{name} vive al mare con due cani.",
        "appeal": "Il nostro lavoro dipende dai lettori.|"
        "Iscriviti alla newsletter e ricevi ogni mattina i testi migliori.",
        "about": "L'autore|Newsletter|Sostienici",
    },
    "pt": {
        "latest": "Últimas notícias|Mais lidas|Leia também|Veja mais|Notícias relacionadas",
        "comments": "Comentários|{n} comentários|Comentários ({n})|Opinião dos leitores",
        "reply": "Responder|Denunciar|Curtir",
        "ago": "há {n} horas|há {n} dias|ontem",
        "by": "Por {name}|{name}",
        "photo": "Foto: {name}|Imagem {n}",
        "label": "Publicidade|Patrocinado",
        "biography": "{name} escreve sobre política e economia há {n} anos.|{name} mora perto do mar com dois cães.",
        "appeal": "O nosso trabalho depende dos leitores.|"
        "Assine o boletim e receba os melhores textos todas as manhãs.",
        "about": "Sobre o autor|Boletim|Apoie-nos",
    },
    "nl": {
        "latest": "Laatste nieuws|Meest gelezen|Lees ook|Meer nieuws",
        "comments": "Reacties|{n} reacties|Reacties ({n})",
        "reply": "Reageer|Meld|Vind ik leuk",
        "ago": "{n} uur geleden|{n} dagen geleden|gisteren",
        "by": "Door {name}|{name}",
        "photo": "Foto: {name}|Beeld {n}",
        "label": "Advertentie|Gesponsord",
    },
    "el": {
        "latest": "Τελευταία νέα|Δημοφιλή|Διαβάστε επίσης|Περισσότερα",
        "comments": "Σχόλια|{n} σχόλια|Σχόλια ({n})",
        "reply": "Απάντηση|Αναφορά",
        "ago": "πριν {n} ώρες|πριν {n} ημέρες|χθες",
        "by": "Του {name}|{name}",
        "photo": "Φωτογραφία: {name}|Εικόνα {n}",
        "label": "Διαφήμιση|Χορηγούμενο",
        "biography": "Ο/Η {name} γράφει για την πολιτική εδώ και {n} χρόνια.|Ο/Η {name} ζει δίπλα στη θάλασσα.",
        "appeal": "Η δουλειά μας στηρίζεται στους αναγνώστες.|"
        "Γραφτείτε στο ενημερωτικό δελτίο για τα καλύτερα κείμενα.",
        "about": "Ο συντάκτης|Ενημερωτικό δελτίο|Στηρίξτε μας",
    },
    "sv": {
        "latest": "Senaste nytt|Mest läst|Läs också|Mer från oss",
        "comments": "Kommentarer|{n} kommentarer|Kommentarer ({n})",
        "reply": "Svara|Anmäl|Gilla",
        "ago": "{n} timmar sedan|{n} dagar sedan|i går",
        "by": "Av {name}|{name}",
        "label": "Annons|Sponsrat",
    },
    "cs": {
        "latest": "Nejnovější zprávy|Nejčtenější|Čtěte také|Další články",
        "comments": "Komentáře|{n} komentářů|Diskuse ({n})",
        "reply": "Odpovědět|Nahlásit",
        "ago": "před {n} hodinami|před {n} dny|včera",
        "by": "Autor: {name}|{name}",
        "label": "Reklama|Inzerce",
    },
    "tr": {
        "latest": "Son haberler|En çok okunanlar|İlgili haberler|Daha fazla",
        "comments": "Yorumlar|{n} yorum|Yorumlar ({n})",
        "reply": "Yanıtla|Şikayet et|Beğen",
        "ago": "{n} saat önce|{n} gün önce|dün",
        "by": "Yazan: {name}|{name}",
        "label": "Reklam|Sponsorlu",
    },
    "ja": {
        "latest": "最新記事|人気の記事|関連記事|あわせて読みたい",
        "comments": "コメント|コメント({n})|コメント{n}件",
        "reply": "返信|通報|いいね",
        "ago": "{n}時間前|{n}日前|昨日",
        "by": "文：{name}|{name}",
        "label": "広告|PR|スポンサー",
    },
}
#: Names of people, by script.
_NAMES = {
    "latin": "Anna Berg|Tom Ellis|Marta Wolny|Luc Perrin|Inés Soto|Jan Novák|Carla Bruno|Piet Visser|Rosa Lima|"
    "Emre Kaya|"
    "Nils Holm|June Carter|Ola|reader_{n}|anonymous|Guest|kat{n}|bigfish{n}|J. K.|Mike from the hills|el_{n}|sunny",
    "ru": "Иван Орлов|Мария|Сергей К.|гость|Аноним|Елена Соколова|user{n}|Пётр",
    "zh": "王明|李芳|张伟|网友{n}|匿名用户|陈静|小鱼|路人{n}",
    "ja": "佐藤健|鈴木|匿名|名無し{n}|田中由美",
    "el": "Νίκος Π.|Μαρία|Ανώνυμος|Γιώργος Α.|Ελένη",
}
_PRODUCTS = "Velora Kimota Brisan Nordell Tavio Solmex Quenta Ostrea Fenwick Larimo Dapple Zuvia".split()


def words(language: str, what: str) -> list[str]:
    """The alternatives of a language; those of English where it has none.

    Args:
        language: Its code in ISO 639-1.
        what: "latest", "comments", "reply", "ago", "by", "photo", "label", "promise", "biography", "appeal", "about";
            of threads "rank", "posts", "joined", "location", "score", "button", "pages", "closed", "similar", "wrote",
            "edited", "liked".

    Example:
        >>> words("de", "latest")[:2], words("tr", "about")[0]
        (['Neueste Meldungen', 'Meistgelesen'], 'About the author')
    """
    return _WORDS.get(language, {}).get(what, _WORDS["en"][what]).split("|")


def names(language: str) -> list[str]:
    """Names of people and of readers."""
    return _NAMES.get(language, _NAMES["latin"]).split("|")


def products() -> list[str]:
    """Names of products that do not exist."""
    return _PRODUCTS
