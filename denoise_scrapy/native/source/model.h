/* The model of blocks: what `body/block_model.py` holds, as `native/model.py` lays it out. */
#ifndef DENOISE_MODEL_H
#define DENOISE_MODEL_H

#include "kernels.h"

/* Blocks that are judged in one step: one bit each, in lanes of 32. */
#define CHUNK 256
/* The one form of networks that is made ready here (`training/networks.py`); numpy runs any. */
#define NETWORKS 3
#define OUTPUTS 32
#define INNER 16
#define NEAR 5
/* Outputs of all first layers; with a column for a weight, padded to whole vectors; with what goes past them, padded to
   pairs of vectors. */
#define WIDTH (NETWORKS * OUTPUTS)
#define ROW (WIDTH + 8)
#define FIRST (WIDTH + 16)
/* Blocks that the widest window reaches to either side. */
#define REACH 24

/* Rows that a product may read behind the last block. */
#define SPARE 4

/* A second version of hot functions, for machines that have it. */
#if defined(__GNUC__) && defined(__x86_64__) && defined(__linux__)
#define AVX2 __attribute__((target("avx2")))
#endif

struct model {
    int64_t features;
    /* Trees, as `body/descent.py` describes them. */
    int64_t splits, above, levels, nodes, trees, leaves;
    const int32_t *split_feature; /* (splits) */
    const float *threshold;       /* (splits) */
    const int32_t *level_size;    /* (levels), their sum is nodes */
    const int32_t *node_split;    /* (nodes) */
    const int32_t *node_come;     /* (nodes) */
    const int32_t *leaf;          /* (leaves, trees) */
    const double *value;          /* (trees, leaves) */
    /* Networks, as `body/side_by_side.py` describes them. */
    const float *mean, *low, *high; /* (features) */
    const float *first;             /* (features, FIRST): first layers, then what goes past them */
    const float *bias;              /* (FIRST): the same where all features are 0 */
    const float *near;              /* (NEAR, NETWORKS, OUTPUTS, INNER) */
    const float *page, *path;       /* (NETWORKS, OUTPUTS, INNER) each */
    const float *inner;             /* (NETWORKS, INNER) */
    const float *last;              /* (NETWORKS, INNER) */
    double trees_share;             /* Weight of the trees' probability. */
    float most;                     /* Log odds of a network are cut here. */
};

/* Log odds of m blocks by the trees. Returns -1 without memory. */
int forest_odds(const struct model *model, const float *features, int64_t m, double *odds);

/* Probability of m blocks by the networks, added to out with their share. Returns -1 without memory, -2 for a path that
   is none. */
int network_probability(const struct model *model, const float *features, int64_t m, const int64_t *tokens,
                        const int64_t *paths, double *out);

#endif
