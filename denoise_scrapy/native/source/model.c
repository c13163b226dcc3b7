/* Probability that blocks are content: trees and networks over the same features, in one call. The twins are
 * `body/forest.py` and `body/network.py`. */
#include "kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Numbers of a vector: two registers where the machine has narrow ones. */
#define LANES 8
typedef float Floats __attribute__((vector_size(4 * LANES)));
typedef float Loose __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef uint32_t Bits __attribute__((vector_size(4 * LANES)));
#define AT(pointer) (*(const Loose *)(pointer))
#define PUT(pointer) (*(Loose *)(pointer))

struct model {
    int64_t features;
    /* Trees, as `Descent` describes them. */
    int64_t splits, above, levels, nodes, trees, leaves;
    const int32_t *split_feature; /* (splits) */
    const float *threshold;       /* (splits) */
    const int32_t *level_size;    /* (levels), their sum is nodes */
    const int32_t *node_split;    /* (nodes) */
    const int32_t *node_come;     /* (nodes) */
    const int32_t *leaf;          /* (leaves, trees) */
    const double *value;          /* (trees, leaves) */
    /* Networks, as `SideBySide` describes them. */
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

/* ---- trees: a bit a block. All splits are compared, then all trees gone down together, level by level. The order of
 * the sums is that of `body/forest.py`. ---- */

/* Most bits of a leaf's number. */
#define PLANES 8

/* Answers of count blocks to the splits from one to another: values above the threshold, or not above it, set the bit.
   Block 8 k + j of a chunk is bit k of lane j: so no answer has to be moved across lanes. */
INLINED void answer(const struct model *model, const float *features, int64_t m, int64_t count, const Floats *tails,
                    int64_t from, int64_t to, int above, Bits *answers) {
    const int64_t whole = count / LANES;
    for (int64_t s = from; s < to; s++) {
        const Loose *x = (const Loose *)(features + model->split_feature[s] * m);
        const Floats threshold = (Floats){0} + model->threshold[s];
        Bits bits = {0};
        for (int64_t k = 0; k < whole; k++)
            bits |= (Bits)(above ? x[k] > threshold : x[k] <= threshold) & (uint32_t)1 << k;
        if (count % LANES) {
            const Floats tail = tails[model->split_feature[s]];
            bits |= (Bits)(above ? tail > threshold : tail <= threshold) & (uint32_t)1 << whole;
        }
        answers[s] = bits;
    }
}

/* Whether each of count blocks sets the bit of each split. tails: room for the last values of each feature. */
WIDE static void compare(const struct model *model, const float *features, int64_t m, int64_t count, Floats *tails,
                         Bits *answers) {
    const int64_t rest = count % LANES;
    for (int64_t f = 0; rest && f < model->features; f++)
        memcpy(tails + f, features + f * m + count - rest, sizeof(float) * (size_t)rest);
    answer(model, features, m, count, tails, 0, model->above, 1, answers);
    answer(model, features, m, count, tails, model->above, model->splits, 0, answers);
}

/* Which blocks come to each node: those of its parent whose answer leads there. */
WIDE static void descend(const struct model *model, const Bits *answers, Bits *reached) {
    const int32_t *split = model->node_split, *come = model->node_come;
    reached[2 * model->nodes] = ~(Bits){0};
    reached[2 * model->nodes + 1] = (Bits){0};
    Bits *row = reached;
    for (int64_t level = 0; level < model->levels; level++) {
        const int64_t n = model->level_size[level];
        for (int64_t i = 0; i < n; i++) {
            const Bits here = reached[come[i]], there = here & answers[split[i]];
            row[i] = there;
            row[n + i] = here ^ there;
        }
        row += 2 * n, split += n, come += n;
    }
}

/* Sums of the values of the leaves that count blocks reach. planes: bits of the leaves' numbers, (trees, PLANES). */
WIDE static void add_up(const struct model *model, const Bits *reached, int64_t count, Bits *planes, double *odds) {
    int planes_used = 0;
    for (int64_t bit = 1; bit < model->leaves; bit *= 2, planes_used++)
        for (int64_t t = 0; t < model->trees; t++) {
            Bits plane = {0};
            for (int64_t leaf = bit; leaf < model->leaves; leaf = (leaf + 1) | bit)
                plane |= reached[model->leaf[leaf * model->trees + t]];
            planes[t * PLANES + planes_used] = plane;
        }
    for (int64_t k = 0; LANES * k < count; k++) {
        double sums[LANES] = {0};
        for (int64_t t = 0; t < model->trees; t++) {
            Bits leaf = {0};
            for (int bit = 0; bit < planes_used; bit++)
                leaf |= (planes[t * PLANES + bit] >> (uint32_t)k & 1u) << (uint32_t)bit;
            for (int j = 0; j < LANES; j++)
                sums[j] += model->value[t * model->leaves + leaf[j]];
        }
        const int64_t left = count - LANES * k;
        memcpy(odds + LANES * k, sums, sizeof(double) * (size_t)(left < LANES ? left : LANES));
    }
}

/* Log odds of m blocks by the trees. Returns -1 without memory. */
static int forest_odds(const struct model *model, const float *features, int64_t m, double *odds) {
    const size_t rows = (size_t)(model->splits + 2 * model->nodes + 2 + PLANES * model->trees + model->features);
    Bits *answers = aligned_alloc(sizeof(Bits), rows * sizeof(Bits));
    if (answers == NULL)
        return -1;
    Bits *reached = answers + model->splits, *planes = reached + 2 * model->nodes + 2;
    Floats *tails = (Floats *)(planes + PLANES * model->trees);
    memset(tails, 0, (size_t)model->features * sizeof *tails);
    for (int64_t start = 0; start < m; start += CHUNK) {
        const int64_t count = m - start < CHUNK ? m - start : CHUNK;
        compare(model, features + start, m, count, tails, answers);
        descend(model, answers, reached);
        add_up(model, reached, count, planes, odds + start);
    }
    free(answers);
    return 0;
}

/* ---- networks over blocks and what stands around them, all at once.
 *
 * Most features of a block are 0, many others the same for the whole page. So a first layer is what it says of zeros,
 * what the page's features add to that, then a product of the third that is seldom 0, and last, block by block, what is
 * not 0 of the others. Sums of products stay in registers. ---- */

/* Blocks whose window sums are made in one step. */
#define STEP 128
/* Numbers from one feature to the next: a power of two would put them all into the same lines of the cache. */
#define STRIDE (CHUNK + 16)

/* A feature's value. */
struct term {
    float value;
    int32_t feature;
};

/* What a page needs on its way; rows of blocks lie between REACH rows of zeros. */
struct work {
    float *block;   /* (m + SPARE, WIDTH): first layers */
    float *past;    /* (m, NETWORKS): what goes past the layers */
    float *weighed; /* (REACH + m + REACH, ROW): the first layers times the weight, and the weight */
    float *sums;    /* (m, ROW): of each path; then, in the same place, what its mean adds to the second layers */
    float *one, *three, *eight, *most; /* (STEP + 2 * REACH, ROW): windows */
    /* Of CHUNK blocks, as differences from what 0 counts as: */
    float *dense;            /* (features, STRIDE): features that are seldom 0 */
    const float **weights;   /* (features): the first layers' of these */
    struct term *terms;      /* (CHUNK, features): what is not 0 of each block's others */
    int32_t *used;           /* (CHUNK): how many these are */
    float *layers;           /* (CHUNK, FIRST): first layers, while they are summed up */
};

#define POSITIVE(x) ((Floats)((Bits)(x) & (Bits)((x) > 0)))
/* Blocks that a product takes in one step, and vectors of sums of a first layer: as many as there are registers for. */
#define TILE 4
#define GROUP 14

INLINED float clip(float x, float low, float high, float mean) {
    float cut = x < low ? low : x;
    cut = cut > high ? high : cut;
    return cut == cut ? cut : mean;
}

/* Lists what is not 0 of a feature, four blocks at a time: most are 0. */
INLINED void list(const struct work *work, int64_t features, const float *values, int64_t count,
                  int32_t feature) {
    for (int64_t i = 0; i < count; i += 4) {
        uint64_t four[2];
        memcpy(four, values + i, sizeof four);
        for (int64_t j = i; (four[0] | four[1]) && j < i + 4; j++)
            if (values[j] != 0)
                work->terms[j * features + work->used[j]++] = (struct term){values[j], feature};
    }
}

/* Sorts the features of count blocks: what those add that are the same for all stands in base, those that are seldom 0
   in work->dense, what is not 0 of the others in work->terms. Returns how many are dense. */
INLINED int64_t sort_features(const struct model *model, const float *features, int64_t m, int64_t count,
                              const struct work *work, float *base) {
    int64_t dense = 0;
    memcpy(base, model->bias, sizeof(float) * FIRST);
    memset(work->used, 0, sizeof(int32_t) * CHUNK);
    for (int64_t f = 0; f < model->features; f++) {
        const float *from = features + f * m, low = model->low[f], high = model->high[f], mean = model->mean[f];
        const float usual = from[0], nothing = clip(0, low, high, mean);
        float *restrict to = work->dense + dense * STRIDE;
        int differs = 0, shows = 0;
        for (int64_t i = 0; i < count; i++)
            differs |= from[i] != usual;
        if (!differs) { /* a value that is not known differs from itself */
            const float x = clip(usual, low, high, mean) - nothing;
            for (int64_t c = 0; x != 0 && c < FIRST; c++)
                base[c] += x * model->first[f * FIRST + c];
            continue;
        }
        for (int64_t i = 0; i < count; i++) {
            to[i] = clip(from[i], low, high, mean) - nothing;
            shows += to[i] != 0;
        }
        for (int64_t i = count; i % 4; i++)
            to[i] = 0;
        if (2 * shows > count)
            work->weights[dense++] = model->first + f * FIRST;
        else
            list(work, model->features, to, count, (int32_t)f);
    }
    return dense;
}

/* What dense features and the base add to the first layers of count blocks: rows of work->layers. */
INLINED void multiply(const struct work *work, int64_t dense, int64_t count, const float *base) {
    for (int c = 0; c < FIRST; c += 2 * LANES)
        for (int64_t i = 0; i < count; i += TILE) {
            Floats low[TILE], high[TILE];
            for (int b = 0; b < TILE; b++)
                low[b] = AT(base + c), high[b] = AT(base + c + LANES);
            for (int64_t d = 0; d < dense; d++) {
                const float *x = work->dense + d * STRIDE + i, *w = work->weights[d] + c;
                for (int b = 0; b < TILE; b++)
                    low[b] += x[b] * AT(w), high[b] += x[b] * AT(w + LANES);
            }
            for (int b = 0; b < TILE; b++) {
                PUT(work->layers + (i + b) * FIRST + c) = low[b];
                PUT(work->layers + (i + b) * FIRST + c + LANES) = high[b];
            }
        }
}

/* Adds the terms of a block to its first layers, and ends these. */
INLINED void end_layers(const struct model *model, const struct term *terms, int64_t used,
                        float *layers, float *block, float *past) {
    for (int c = 0; c < FIRST; c += GROUP * LANES) {
        Floats sums[GROUP];
        for (int g = 0; g < GROUP; g++)
            sums[g] = AT(layers + c + g * LANES);
        for (int64_t t = 0; t < used; t++)
            for (int g = 0; g < GROUP; g++)
                sums[g] += terms[t].value * AT(model->first + terms[t].feature * FIRST + c + g * LANES);
        for (int g = 0; g < GROUP; g++)
            PUT(layers + c + g * LANES) = sums[g];
    }
    for (int c = 0; c < WIDTH; c += LANES)
        PUT(block + c) = POSITIVE(AT(layers + c));
    memcpy(past, layers + WIDTH, sizeof(float) * NETWORKS);
}

/* The blocks times their weights. */
INLINED void weigh(const struct work *work, int64_t m, const int64_t *tokens) {
    for (int64_t i = 0; i < m; i++) {
        const float weight = (float)(log1p((double)tokens[i]) + 0.1);
        float *restrict to = work->weighed + (REACH + i) * ROW;
        for (int c = 0; c < WIDTH; c++)
            to[c] = work->block[i * WIDTH + c] * weight;
        for (int c = WIDTH; c < ROW; c++)
            to[c] = c == WIDTH ? weight : 0;
    }
}

/* Adds means over one set, (blocks, WIDTH), times its weights, (NETWORKS, OUTPUTS, INNER), to the second layers of so
   many blocks, (blocks, NETWORKS * INNER); TILE at most. */
INLINED void second_layers(const float *means, const float *weights, int blocks, float *inner) {
    for (int n = 0; n < NETWORKS; n++) {
        Floats sums[TILE][INNER / LANES];
        for (int b = 0; b < blocks; b++)
            for (int g = 0; g < INNER / LANES; g++)
                sums[b][g] = AT(inner + (b * NETWORKS + n) * INNER + g * LANES);
        for (int h = n * OUTPUTS; h < (n + 1) * OUTPUTS; h++)
            for (int b = 0; b < blocks; b++)
                for (int g = 0; g < INNER / LANES; g++)
                    sums[b][g] += means[b * WIDTH + h] * AT(weights + h * INNER + g * LANES);
        for (int b = 0; b < blocks; b++)
            for (int g = 0; g < INNER / LANES; g++)
                PUT(inner + (b * NETWORKS + n) * INNER + g * LANES) = sums[b][g];
    }
}

/* Means, from weighted sums that end in the sum of the weights. */
INLINED void divide(const float *sums, float *restrict means) {
    const float scale = 1 / sums[WIDTH];
    for (int c = 0; c < WIDTH; c++)
        means[c] = sums[c] * scale;
}

/* What the means of the page and of each path add to the second layers, biases included: rows of work->sums. */
INLINED int far_sets(const struct model *model, const struct work *work, int64_t m,
                     const int64_t *paths) {
    float page[ROW] = {0}, means[WIDTH], whole[NETWORKS * INNER];
    for (int64_t i = 0; i < m; i++) {
        if (paths[i] < 0 || paths[i] >= m)
            return -2;
        const float *from = work->weighed + (REACH + i) * ROW;
        float *restrict to = work->sums + paths[i] * ROW;
        for (int c = 0; c < ROW; c++)
            to[c] += from[c], page[c] += from[c];
    }
    memcpy(whole, model->inner, sizeof whole);
    divide(page, means);
    second_layers(means, model->page, 1, whole);
    for (int64_t path = 0; path < m; path++) {
        float *sums = work->sums + path * ROW;
        if (sums[WIDTH] > 0) {
            divide(sums, means);
            memcpy(sums, whole, sizeof whole);
            second_layers(means, model->path, 1, sums);
        }
    }
    return 0;
}

/* Sums over all windows of count blocks, each made of narrower ones; as `window_sums` in `body/context.py`. */
INLINED void windows(const struct work *work, const float *rows, int64_t count) {
    float *restrict one = work->one, *restrict three = work->three, *restrict eight = work->eight;
    float *restrict most = work->most;
    for (int64_t i = 0; i < (count + 46) * ROW; i++)
        one[i] = rows[i] + rows[i + ROW] + rows[i + 2 * ROW];
    for (int64_t i = 0; i < (count + 42) * ROW; i++)
        three[i] = one[i] + one[i + 4 * ROW] + rows[i + 3 * ROW];
    for (int64_t i = 0; i < (count + 32) * ROW; i++)
        eight[i] = three[i] + three[i + 10 * ROW] + one[i + 7 * ROW];
    for (int64_t i = 0; i < count * ROW; i++)
        most[i] = eight[i] + eight[i + 32 * ROW] + three[i + 17 * ROW] + three[i + 25 * ROW] + rows[i + 24 * ROW];
}

/* The mean of the networks' probabilities of a block. */
INLINED double probability(const struct model *model, const float *inner, const float *past) {
    double sum = 0;
    for (int n = 0; n < NETWORKS; n++) {
        Floats lanes = {0};
        for (int g = n * INNER; g < (n + 1) * INNER; g += LANES)
            lanes += POSITIVE(AT(inner + g)) * AT(model->last + g);
        float odds = past[n];
        for (int j = 0; j < LANES; j += 4)
            odds += (lanes[j] + lanes[j + 1]) + (lanes[j + 2] + lanes[j + 3]);
        odds = odds > model->most ? model->most : odds < -model->most ? -model->most : odds;
        sum += 1 / (1 + expf(-odds));
    }
    return sum / NETWORKS;
}

/* The probabilities of m blocks, added to out with their share; TILE blocks at a time, spare ones come to nothing. */
INLINED void judge(const struct model *model, const struct work *work, int64_t m, const int64_t *paths,
                   double *out) {
    float inner[TILE][NETWORKS * INNER] = {{0}}, means[TILE][WIDTH] = {{0}};
    for (int64_t start = 0; start < m; start += STEP) {
        const int64_t count = m - start < STEP ? m - start : STEP;
        windows(work, work->weighed + start * ROW, count);
        for (int64_t i = 0; i < count; i += TILE) {
            const float *sums[NEAR - 1] = {
                work->one + (i + REACH - 1) * ROW, work->three + (i + REACH - 3) * ROW,
                work->eight + (i + REACH - 8) * ROW, work->most + i * ROW,
            };
            const int64_t tile = count - i < TILE ? count - i : TILE;
            for (int64_t b = 0; b < tile; b++)
                memcpy(inner[b], work->sums + paths[start + i + b] * ROW, sizeof inner[b]);
            second_layers(work->block + (start + i) * WIDTH, model->near, TILE, *inner);
            for (int s = 1; s < NEAR; s++) {
                for (int64_t b = 0; b < tile; b++)
                    divide(sums[s - 1] + b * ROW, means[b]);
                second_layers(*means, model->near + s * NETWORKS * OUTPUTS * INNER, TILE, *inner);
            }
            for (int64_t b = 0; b < tile; b++)
                out[start + i + b] += (1 - model->trees_share) *
                                      probability(model, inner[b], work->past + (start + i + b) * NETWORKS);
        }
    }
}

/* Probability of m blocks, added to out with its share; -2 for a path that is none. */
WIDE static int run(const struct model *model, const struct work *work, const float *features, int64_t m,
                    const int64_t *tokens, const int64_t *paths, double *out) {
    float base[FIRST];
    for (int64_t start = 0; start < m; start += CHUNK) {
        const int64_t count = m - start < CHUNK ? m - start : CHUNK;
        const int64_t dense = sort_features(model, features + start, m, count, work, base);
        multiply(work, dense, count, base);
        for (int64_t i = 0; i < count; i++)
            end_layers(model, work->terms + i * model->features, work->used[i], work->layers + i * FIRST,
                                work->block + (start + i) * WIDTH, work->past + (start + i) * NETWORKS);
    }
    weigh(work, m, tokens);
    const int problem = far_sets(model, work, m, paths);
    if (!problem)
        judge(model, work, m, paths, out);
    return problem;
}

/* Memory for m blocks of f features, zeros where sums begin; NULL where there is none. */
static void *make_room(struct work *work, size_t m, size_t f) {
    const size_t step = (STEP + 2 * REACH) * ROW;
    const size_t sizes[] = {(m + SPARE) * WIDTH, m * NETWORKS, (m + 2 * REACH) * ROW, m * ROW, step, step, step, step,
                            f * STRIDE, CHUNK * FIRST};
    float **parts[] = {&work->block, &work->past,  &work->weighed, &work->sums,  &work->one,
                       &work->three, &work->eight, &work->most,    &work->dense, &work->layers};
    size_t total = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        total += sizes[i] * sizeof(float);
    work->weights = malloc(f * sizeof *work->weights + CHUNK * (f * sizeof *work->terms + sizeof *work->used) + total);
    if (work->weights == NULL)
        return NULL;
    work->terms = (struct term *)(work->weights + f);
    work->used = (int32_t *)(work->terms + CHUNK * f);
    float *next = (float *)(work->used + CHUNK);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *parts[i] = next;
        next += sizes[i];
    }
    memset(work->sums, 0, m * ROW * sizeof(float));
    memset(work->block + m * WIDTH, 0, SPARE * WIDTH * sizeof(float));
    memset(work->weighed, 0, REACH * ROW * sizeof(float));
    memset(work->weighed + (REACH + m) * ROW, 0, REACH * ROW * sizeof(float));
    return work->weights;
}

/* Probability of m blocks by the networks, added to out with their share. Returns -1 without memory, -2 for a path that
 * is none. */
static int network_probability(const struct model *model, const float *features, int64_t m, const int64_t *tokens,
                               const int64_t *paths, double *out) {
    struct work work;
    void *memory = make_room(&work, (size_t)m, (size_t)model->features);
    if (memory == NULL)
        return -1;
    const int problem = run(model, &work, features, m, tokens, paths, out);
    free(memory);
    return problem;
}

/* ---- both ---- */

/* Probability of each of m blocks: features (model->features, m), tokens and numbers of paths (m), out (m). Returns 0;
   -1 without memory, -2 where a path's number is not below m. */
EXPORTED int denoise_model_probability(const struct model *model, const float *features, int64_t m,
                                       const int64_t *tokens, const int64_t *paths, double *out) {
    const int problem = forest_odds(model, features, m, out);
    if (problem)
        return problem;
    for (int64_t i = 0; i < m; i++)
        out[i] = model->trees_share / (1 + exp(-out[i]));
    return network_probability(model, features, m, tokens, paths, out);
}
