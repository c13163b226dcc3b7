/* Boosted trees over many blocks at once, a bit a block: all splits are compared, then all trees gone down together,
   level by level. The twin of `body/descent.py`; the order of its sums is the same. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#define LANES 8

typedef float Floats __attribute__((vector_size(4 * LANES)));
typedef float Loose __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef uint32_t Bits __attribute__((vector_size(4 * LANES)));

/* Most bits of a leaf's number. */
#define PLANES 8

/* Answers of count blocks to the splits from one to another: values above the threshold, or not above it, set the bit.
   Block 8 k + j of a chunk is bit k of lane j: so no answer has to be moved across lanes. */
static inline __attribute__((always_inline)) void answer(const struct model *model, const float *features, int64_t m,
                                                         int64_t count, const Floats *tails, int64_t from, int64_t to,
                                                         int above, Bits *answers) {
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

int forest_odds(const struct model *model, const float *features, int64_t m, double *odds) {
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
