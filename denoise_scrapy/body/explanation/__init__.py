"""Why each block of a page was kept or dropped, as one HTML file to look at."""

from denoise_scrapy.body.explanation.drawing import CLASSES
from denoise_scrapy.body.explanation.explain import Explanation, explain_page

__all__ = ["CLASSES", "Explanation", "explain_page"]
