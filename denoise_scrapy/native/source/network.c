/* Networks over blocks and what stands around them, all at once. The twin of `body/side_by_side.py`.

   Most features of a block are 0, many others the same for the whole page. So a first layer is what it says of zeros,
   what the page's features add to that, then a product of the third that is seldom 0, and last, block by block, what is
   not 0 of the others. Sums of products stay in registers. The steps stand in `network_steps.h`, once for each width of
   vectors. */
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* For any machine: vectors of 16 bytes, which all have. */
#define LANES 4
#define VERSION(name) name##_any
#define TARGET
#include "network_steps.h"
#undef LANES
#undef VERSION
#undef TARGET

#ifdef AVX2 /* for those that have wider ones */
#define LANES 8
#define VERSION(name) name##_avx2
#define TARGET AVX2
#include "network_steps.h"
#endif

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

int network_probability(const struct model *model, const float *features, int64_t m, const int64_t *tokens,
                        const int64_t *paths, double *out) {
    struct work work;
    void *memory = make_room(&work, (size_t)m, (size_t)model->features);
    if (memory == NULL)
        return -1;
    int problem;
#ifdef AVX2
    if (__builtin_cpu_supports("avx2"))
        problem = run_avx2(model, &work, features, m, tokens, paths, out);
    else
#endif
        problem = run_any(model, &work, features, m, tokens, paths, out);
    free(memory);
    return problem;
}
