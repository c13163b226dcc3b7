"""One page: parsing, columns, layout, text."""

from denoise_scrapy.core.markup import Flag
from denoise_scrapy.page.columns import Boxes
from denoise_scrapy.page.feature_tree import FeatureTree
from denoise_scrapy.page.page import Blocks, Elements, Page, PageFacts

__all__ = ["Blocks", "Boxes", "Elements", "FeatureTree", "Flag", "Page", "PageFacts"]
