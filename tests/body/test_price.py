"""The price below the headline stays, and nothing else that has a number there."""

import pytest

from denoise_scrapy import Page, extract
from denoise_scrapy.body.worded import BELOW, MOST_CHARS, block_of_price
from denoise_scrapy.page.currencies import is_price


@pytest.mark.parametrize(
    "text",
    ["189,00 kr", "54,00 lei", "£46.50", "ab 94,00 €", "1.340,00 TL", "RM 20", "2,640円", "68,000원", "7,4 tỷ đồng",
     "350 บาท", "1 200 руб.", "٣٥٠ ريال", "₹ 1,29,000", "12.000 đ", "USD 60.00 each", "12 990 Ft", "54 eur"],
)  # fmt: skip
def test_prices(text):
    assert is_price(text)


@pytest.mark.parametrize(
    "text",
    ["4.6 (210)", "SKU 12345", "In stock: 5", "43 YEARS", "09 декабря 2011 г.", "5 Min.", "from €", "", "euro2day",
     "1,958 sq ft", "30 sek", "Ron 3"],
)  # fmt: skip
def test_other_numbers(text):
    assert not is_price(text)


def test_the_first_price_right_below_the_headline_counts():
    assert block_of_price(Page.parse("<p>£1</p><h1>Lamp</h1><p>2 bulbs</p><p>£46.50</p><p>£50</p>")) == 3
    for page in (
        "<p>£1</p><h1>Lamp</h1><p>Tin</p>",
        "<h2>Lamp</h2><p>£46.50</p>",
        "<h1>Lamp</h1><p><a href=/cart>£46.50</a></p>",
        f"<h1>Lamp</h1><p>£46.50 {'o' * MOST_CHARS}</p>",
        f"<h1>Lamp</h1>{'<p>Tin</p>' * BELOW}<p>£46.50</p>",
        "",
    ):
        assert block_of_price(Page.parse(page)) is None


def test_a_product_keeps_its_price():
    page = """<title>Copper lamp | Tinsmiths</title><header><a href=/>Tinsmiths</a><nav><a href=/lamps>Lamps</a> <a
    href=/cart>Basket (0)</a></nav></header><main><h1>Copper lamp</h1><div class=x1>{}</div><button>Add to basket</
    button><p>The lamp is cut from one sheet of copper and burns four hours on a cup of oil. It hangs high.</p>
    <p>Height 31 cm without the ring. The wick is of hemp and can be had anew.</p></main><footer>Tinsmiths, all rights
    reserved</footer>"""
    body = extract(page.format("189,00 kr"), "https://tin.example/lamp")
    assert "189,00 kr" in body.text
    block = next(block for block in body.blocks if block.text == "189,00 kr")
    assert block.reason.startswith("the price below the headline (+3.5)")
    assert "Add to basket" not in body.text
