"""The model of blocks: boosted trees and small networks over the same features."""

from denoise_scrapy.body.model.block_model import BlockModel, block_model

__all__ = ["BlockModel", "block_model"]
