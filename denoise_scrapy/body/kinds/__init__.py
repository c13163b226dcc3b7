"""Kinds of pages: article, forum, product, listing, collection, documentation, service.

A linear model over some 190 features of a whole page. It uses nothing of the model of blocks, so that that model can
have its probabilities as features.
"""

from denoise_scrapy.body.kinds.model import FEATURES, KINDS, KindModel, kind_features, kind_model

__all__ = ["FEATURES", "KINDS", "KindModel", "kind_features", "kind_model"]
