from web_poet import HttpClient, ItemPage, RequestUrl, WebPage, field, handle_urls

from library.items import Chapter, OldChapter


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


class FetchedPage(ItemPage[OldChapter]):
    def __init__(self, address: RequestUrl, http: HttpClient):
        self.address, self.http = address, http

    async def to_item(self):
        response = await self.http.get(self.address)
        return OldChapter(
            url=str(self.address),
            title=response.css("h1::text").get(),
            sections=len(response.css("h2")),
        )
