"""Features of blocks, for models that learn which of them are content.

A feature is a row of a float32 matrix of shape (features, blocks); `NAMES` names the rows. A value that is not
known (what other pages tell, where there is none) is NaN.
"""

from denoise_scrapy.body.features.matrix import NAMES, block_features

__all__ = ["NAMES", "block_features"]
