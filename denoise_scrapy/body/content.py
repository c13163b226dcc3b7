"""Pages without content: consent walls, logins, error pages, by a few trees over the page as a whole."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: Tokens that a page without content says at most: of 1,600 made in twelve languages, the longest says 230 outside of
#: the site's frame. Others are not looked at.
FEW_TOKENS = 400


def content_signals(
    features: npt.NDArray[np.float32], odds: npt.NDArray[np.float32], tokens: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    """Signals of a page of n features and m blocks, shape (2n + 5, 1): sums, and means of kept blocks and of others.

    Args:
        features: What the model of blocks sees, shape (n, m).
        odds: What its network says of each block, shape (m,).
        tokens: Tokens of each block, shape (m,).

    Example:
        >>> signals = content_signals(np.float32([[1, 2, 9]]), np.float32([3, 1, -2]), np.array([30, 10, 8]))
        >>> signals[-2:, 0].tolist()
        [1.25, 9.0]
    """
    kept, known = odds > 0, ~np.isnan(features)
    values = np.where(known, features, 0)
    weights = np.stack([tokens * kept, tokens * ~kept]).astype(np.float32).T
    means = (values @ weights) / np.maximum(known @ weights, 1)
    own = tokens[kept]
    sums = [tokens.sum(), own.sum(), len(tokens), len(own), odds.max(initial=0)]
    return np.concatenate([np.float32(sums), means.T.ravel()])[:, None].astype(np.float32)
