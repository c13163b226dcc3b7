"""One page: parse, columnar feature tree, geometry, text."""

from denoise_scrapy.core.markup import Flag
from denoise_scrapy.page.columns import Blocks, Boxes, Elements
from denoise_scrapy.page.page import FeatureTree, Page, PageFacts

__all__ = ["Blocks", "Boxes", "Elements", "FeatureTree", "Flag", "Page", "PageFacts"]
