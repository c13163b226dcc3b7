/* The steps of `network.c`, in vectors of LANES numbers; included once for each width. */

typedef float VERSION(floats) __attribute__((vector_size(4 * LANES)));
typedef int32_t VERSION(ints) __attribute__((vector_size(4 * LANES)));
typedef float VERSION(loose) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
#define Floats VERSION(floats)
#define AT(pointer) (*(const VERSION(loose) *)(pointer))
#define PUT(pointer) (*(VERSION(loose) *)(pointer))
#define POSITIVE(x) ((Floats)((VERSION(ints))(x) & ((x) > 0)))
/* Blocks that a product takes in one step, and vectors of sums of a first layer: as many as there are registers for. */
#define TILE (LANES / 2)
#define GROUP 14

TARGET static inline float VERSION(clip)(float x, float low, float high, float mean) {
    float cut = x < low ? low : x;
    cut = cut > high ? high : cut;
    return cut == cut ? cut : mean;
}

/* Lists what is not 0 of a feature, four blocks at a time: most are 0. */
TARGET static void VERSION(list)(const struct work *work, int64_t features, const float *values, int64_t count,
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
TARGET static int64_t VERSION(sort_features)(const struct model *model, const float *features, int64_t m, int64_t count,
                                             const struct work *work, float *base) {
    int64_t dense = 0;
    memcpy(base, model->bias, sizeof(float) * FIRST);
    memset(work->used, 0, sizeof(int32_t) * CHUNK);
    for (int64_t f = 0; f < model->features; f++) {
        const float *from = features + f * m, low = model->low[f], high = model->high[f], mean = model->mean[f];
        const float usual = from[0], nothing = VERSION(clip)(0, low, high, mean);
        float *restrict to = work->dense + dense * STRIDE;
        int differs = 0, shows = 0;
        for (int64_t i = 0; i < count; i++)
            differs |= from[i] != usual;
        if (!differs) { /* a value that is not known differs from itself */
            const float x = VERSION(clip)(usual, low, high, mean) - nothing;
            for (int64_t c = 0; x != 0 && c < FIRST; c++)
                base[c] += x * model->first[f * FIRST + c];
            continue;
        }
        for (int64_t i = 0; i < count; i++) {
            to[i] = VERSION(clip)(from[i], low, high, mean) - nothing;
            shows += to[i] != 0;
        }
        for (int64_t i = count; i % 4; i++)
            to[i] = 0;
        if (2 * shows > count)
            work->weights[dense++] = model->first + f * FIRST;
        else
            VERSION(list)(work, model->features, to, count, (int32_t)f);
    }
    return dense;
}

/* What dense features and the base add to the first layers of count blocks: rows of work->layers. */
TARGET static void VERSION(multiply)(const struct work *work, int64_t dense, int64_t count, const float *base) {
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
TARGET static void VERSION(end_layers)(const struct model *model, const struct term *terms, int64_t used,
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
TARGET static void VERSION(weigh)(const struct work *work, int64_t m, const int64_t *tokens) {
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
TARGET static inline __attribute__((always_inline)) void
VERSION(second_layers)(const float *means, const float *weights, int blocks, float *inner) {
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
TARGET static void VERSION(divide)(const float *sums, float *restrict means) {
    const float scale = 1 / sums[WIDTH];
    for (int c = 0; c < WIDTH; c++)
        means[c] = sums[c] * scale;
}

/* What the means of the page and of each path add to the second layers, biases included: rows of work->sums. */
TARGET static int VERSION(far_sets)(const struct model *model, const struct work *work, int64_t m,
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
    VERSION(divide)(page, means);
    VERSION(second_layers)(means, model->page, 1, whole);
    for (int64_t path = 0; path < m; path++) {
        float *sums = work->sums + path * ROW;
        if (sums[WIDTH] > 0) {
            VERSION(divide)(sums, means);
            memcpy(sums, whole, sizeof whole);
            VERSION(second_layers)(means, model->path, 1, sums);
        }
    }
    return 0;
}

/* Sums over all windows of count blocks, each made of narrower ones; as `window_sums` in `body/context.py`. */
TARGET static void VERSION(windows)(const struct work *work, const float *rows, int64_t count) {
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
TARGET static double VERSION(probability)(const struct model *model, const float *inner, const float *past) {
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
TARGET static void VERSION(judge)(const struct model *model, const struct work *work, int64_t m, const int64_t *paths,
                                  double *out) {
    float inner[TILE][NETWORKS * INNER] = {{0}}, means[TILE][WIDTH] = {{0}};
    for (int64_t start = 0; start < m; start += STEP) {
        const int64_t count = m - start < STEP ? m - start : STEP;
        VERSION(windows)(work, work->weighed + start * ROW, count);
        for (int64_t i = 0; i < count; i += TILE) {
            const float *sums[NEAR - 1] = {
                work->one + (i + REACH - 1) * ROW, work->three + (i + REACH - 3) * ROW,
                work->eight + (i + REACH - 8) * ROW, work->most + i * ROW,
            };
            const int64_t tile = count - i < TILE ? count - i : TILE;
            for (int64_t b = 0; b < tile; b++)
                memcpy(inner[b], work->sums + paths[start + i + b] * ROW, sizeof inner[b]);
            VERSION(second_layers)(work->block + (start + i) * WIDTH, model->near, TILE, *inner);
            for (int s = 1; s < NEAR; s++) {
                for (int64_t b = 0; b < tile; b++)
                    VERSION(divide)(sums[s - 1] + b * ROW, means[b]);
                VERSION(second_layers)(*means, model->near + s * NETWORKS * OUTPUTS * INNER, TILE, *inner);
            }
            for (int64_t b = 0; b < tile; b++)
                out[start + i + b] += (1 - model->trees_share) *
                                      VERSION(probability)(model, inner[b], work->past + (start + i + b) * NETWORKS);
        }
    }
}

/* Probability of m blocks, added to out with its share; -2 for a path that is none. */
TARGET static int VERSION(run)(const struct model *model, const struct work *work, const float *features, int64_t m,
                               const int64_t *tokens, const int64_t *paths, double *out) {
    float base[FIRST];
    for (int64_t start = 0; start < m; start += CHUNK) {
        const int64_t count = m - start < CHUNK ? m - start : CHUNK;
        const int64_t dense = VERSION(sort_features)(model, features + start, m, count, work, base);
        VERSION(multiply)(work, dense, count, base);
        for (int64_t i = 0; i < count; i++)
            VERSION(end_layers)(model, work->terms + i * model->features, work->used[i], work->layers + i * FIRST,
                                work->block + (start + i) * WIDTH, work->past + (start + i) * NETWORKS);
    }
    VERSION(weigh)(work, m, tokens);
    const int problem = VERSION(far_sets)(model, work, m, paths);
    if (!problem)
        VERSION(judge)(model, work, m, paths, out);
    return problem;
}

#undef Floats
#undef AT
#undef PUT
#undef POSITIVE
#undef TILE
#undef GROUP
