"""One page: parsing, columns, layout, text.

`parse` turns bytes into lxml's tree; `page` has the core walk it, and holds what it found as columns (`columns`), a row
for each element or block. Around them: what the columns leave out (`attributes`), shadow trees (`shadow`), a user's
selectors (`selectors`), a browser's layout (`layout`), and the tree that LCS matching compares (`feature_tree`).
"""

from denoise_scrapy.core.markup import Flag
from denoise_scrapy.page.columns import Boxes
from denoise_scrapy.page.feature_tree import FeatureTree
from denoise_scrapy.page.page import Blocks, Elements, Page, PageFacts

__all__ = ["Blocks", "Boxes", "Elements", "FeatureTree", "Flag", "Page", "PageFacts"]
