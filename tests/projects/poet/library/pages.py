from web_poet import WebPage, field, handle_urls

from library.items import Chapter


class ListPage(WebPage):
    def links(self, prefix):
        return self.css(f"a[href^='{prefix}'][href$='.html']::attr(href)").getall()


@handle_urls("")
class ChapterPage(WebPage[Chapter]):
    @field
    def url(self):
        return str(self.response.url)

    @field
    def title(self):
        return self.css("h1::text").get()
