"""Words that speak for a kind of page: declared types, class names, URLs, titles, short texts.

Class names, schema.org types and most URLs are English in nearly every country. Titles and phrases hold what is
usual in English and in some other large languages; elsewhere they are silent. A feature is which lists, or how many
of a list, occur on a page: no single word decides.
"""

from __future__ import annotations


def _sets(words: dict[str, str]) -> dict[str, frozenset[str]]:
    return {name: frozenset(some.split()) for name, some in words.items()}


#: `Page.declared_types` that speak for a kind, or often stand on pages of one.
DECLARED = _sets(
    {
        "news": "newsarticle reportagenewsarticle analysisnewsarticle opinionnewsarticle",
        "article": "article blogposting socialmediaposting scholarlyarticle og:article og:blog recipe",
        "og_article": "og:article",
        "og_website": "og:website",
        "og_product": "og:product og:product.item og:product.group",
        "product": "product individualproduct productgroup productmodel og:product og:product.item",
        "offer": "offer aggregateoffer offershippingdetails merchantreturnpolicy buyaction",
        "forum": "discussionforumposting qapage usercomments",
        "comment": "comment answer",
        "question": "question",
        "faq": "faqpage",
        "items": "itemlist collectionpage og:product.group searchresultspage someproducts offercatalog",
        "list_item": "listitem",
        "technical": "techarticle apireference",
        "service": "service localbusiness professionalservice corporation softwareapplication webapplication course "
        "openinghoursspecification geocoordinates postaladdress",
        "organization": "organization",
        "person": "person",
        "website": "website",
        "webpage": "webpage",
        "rating": "aggregaterating rating review",
        "video": "videoobject og:video og:video.other og:video.movie",
        "forum_software": "generator:discourse generator:vbulletin generator:phpbb generator:xenforo generator:mybb "
        "generator:flarum generator:nodebb generator:vanilla generator:invision",
        "docs_software": "generator:sphinx generator:docusaurus generator:mkdocs generator:vitepress "
        "generator:vuepress generator:antora generator:gitbook generator:rustdoc generator:asciidoctor "
        "generator:docfx generator:mediawiki generator:dokuwiki generator:doxygen generator:mdbook",
        "shop_software": "generator:woocommerce generator:prestashop generator:magento generator:shopify "
        "generator:opencart",
        "blog_software": "generator:wordpress generator:blogger generator:ghost generator:movable generator:typepad",
    }
)
#: Words of class and id names, matched at a word's start.
CLASS_WORDS = {
    "product": r"product|sku|variant|swatch|cart\b|basket|buy\b|stock|shipping|quantity|qty",
    "price": r"price|msrp|amount|currency",
    "forum": r"forum|thread|topic|post(?:s|er|body|count|bit)?\b|quote|signature|message|vote|answer|question",
    "docs": r"docs?\b|documentation|toc\b|api\b|highlight|code|admonition|note\b|tutorial|manual|reference",
    "results": r"results?\b|search|listing|cards?\b|grid|tile|items?\b|catalog|collection|categor|filter|facet|sort",
    "service": r"hero|cta\b|pricing|testimonial|features?\b|contact|service|accordion|faq|banner|slider|carousel|"
    r"logo|client|customer",
    "rating": r"rating|review|stars?\b",
    "tags": r"tags?\b|breadcrumb",
    "author": r"author|byline",
    "user": r"user|avatar|member|profile",
    "story": r"article|story|entry|single|blog",
}
#: Segments of a URL's path, its ending cut off, and labels of its host.
URL_WORDS = _sets(
    {
        "product": "product products p pdp item shop store buy dp ip listing prod sku pd artikel produit producto "
        "produkt produto prodotto goods tovar",
        "list": "category categories collection collections tag tags archive archives search browse topics topic "
        "section sections c catalog list lists index directory subject all best rankings ranking results kategorie "
        "categorie categoria rubrique rubrik",
        "forum": "forum forums thread threads community topic t viewtopic showthread discussion discussions questions "
        "question comments bbs board boards answers showtopic post r foro foros foren",
        "docs": "docs doc documentation guide guides reference manual tutorial tutorials api wiki help support learn "
        "book man handbook stable latest en",
        "article": "blog blogs news article articles story post posts opinion magazine insights resources press "
        "journal archives noticias actualite nachrichten artikel noticia",
        "service": "services service about solutions pricing contact features platform use-cases locations industries "
        "programs courses software company capabilities",
    }
)
#: Words of the title, in lower case.
TITLE_WORDS = {
    "forum": "forum|community|discussion|page |topic|thread|questions|foro|форум|论坛|掲示板",
    "docs": "docs|documentation|manual|reference|guide|tutorial|api|wiki|installation|handbuch|manuel|文档|"
    "ドキュメント",
    "list": "archives|category|search|news|best |top |list|all |latest|blog|collection|results|kategorie|categor|"
    "一覧|列表",
    "shop": "buy|price|shop|sale|store|shipping|products|kaufen|comprar|acheter|купить|价格|通販",
    "service": "services|software|company|solutions|home|official|agency|platform|rental|center",
    "advice": "how to|tips|ways|what is|why|guide to|best",
}
#: Phrases of short blocks (buttons, headings, labels), whole words in lower case, punctuation left out.
PHRASES = {
    "buy": "add to cart|add to bag|add to basket|buy now|in stock|out of stock|free shipping|sku|quantity|warranty|"
    "specifications|加入购物车|加入購物車|in den warenkorb|ajouter au panier|añadir al carrito|в корзину|"
    "adicionar ao carrinho|カートに入れる",
    "list": "sort by|filter|results|showing|view all|load more|see more|show more|next page|per page|items|clear all|"
    "compare|排序|sortieren|trier|ordenar|сортир|並び替え",
    "forum": "reply|quote|posts|joined|likes|views|replies|solved|answers|upvote|permalink|topic|thread|回复|回覆|"
    "antworten|répondre|responder|ответить|返信",
    "docs": "on this page|table of contents|edit this page|prerequisites|parameters|syntax|previous|next|example|"
    "overview|see also|version|returns|note|warning",
    "service": "get started|contact us|free trial|request a demo|book a|get a quote|free quote|our services|our team|"
    "why choose|testimonials|call us|sign up|schedule|learn more|about us|how it works|pricing|trusted by|what our|"
    "apply now|faq|联系我们|kontakt|contactez|contáctenos|お問い合わせ",
    "article": "table of contents|key takeaways|written by|conclusion|published|updated|by|min read|about the author|"
    "leave a comment|share this|subscribe|related|introduction|final thoughts",
    "reviews": "reviews|rating|stars|verified",
    "teasers": "read more|continue reading|learn more|min read|minutes ago|hours ago|days ago|lire la suite|"
    "weiterlesen|leer más|leia mais|阅读全文|続きを読む|читать далее",
}
