/* Probability that blocks are content: trees and networks over the same features, in one call. */
#include "model.h"

#include <math.h>

/* Whether count numbers are all from 0 up to, but not including, end. */
static int within(const int32_t *numbers, int64_t count, int64_t end) {
    for (int64_t i = 0; i < count; i++)
        if (numbers[i] < 0 || numbers[i] >= end)
            return 0;
    return 1;
}

/* Whether all numbers of a model point into it: asked once, when it is made ready. */
EXPORTED int denoise_model_sound(const struct model *model) {
    int64_t nodes = 0;
    if (model->features < 1 || model->splits < 0 || model->above < 0 || model->above > model->splits ||
        model->levels < 0 || model->trees < 0 || model->leaves < 1 || model->leaves > 256 ||
        (model->leaves & (model->leaves - 1)))
        return 0;
    for (int64_t level = 0; level < model->levels; level++) {
        const int64_t n = model->level_size[level];
        if (n < 0 || nodes + n > model->nodes || !within(model->node_split + nodes, n, model->splits))
            return 0;
        for (int64_t i = nodes; i < nodes + n; i++) /* rows above this level, or every block */
            if (!within(model->node_come + i, 1, 2 * nodes) && model->node_come[i] != 2 * model->nodes)
                return 0;
        nodes += n;
    }
    return nodes == model->nodes && within(model->split_feature, model->splits, model->features) &&
           within(model->leaf, model->leaves * model->trees, 2 * model->nodes + 2);
}

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
