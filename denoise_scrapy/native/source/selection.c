/* The set of blocks with the highest expected F. The twin of `body/selection.py`: sums are taken in the same order. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

/* Runs of so many are sorted by insertion, longer ones by merging. */
#define RUN 16

struct candidate {
    double probability;
    int64_t block;
};

static void insert(struct candidate *run, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        const struct candidate next = run[i];
        int64_t at = i;
        for (; at > 0 && run[at - 1].probability < next.probability; at--)
            run[at] = run[at - 1];
        run[at] = next;
    }
}

/* Sorts by probability, highest first, equal ones in their order. Returns which of the two arrays holds the result. */
static struct candidate *sort(struct candidate *from, struct candidate *to, int64_t m) {
    for (int64_t start = 0; start < m; start += RUN)
        insert(from + start, m - start < RUN ? m - start : RUN);
    for (int64_t run = RUN; run < m; run *= 2) {
        for (int64_t start = 0; start < m; start += 2 * run) {
            const int64_t middle = m - start < run ? m : start + run, end = m - middle < run ? m : middle + run;
            int64_t left = start, right = middle;
            for (int64_t i = start; i < end; i++)
                to[i] = left < middle && (right >= end || from[left].probability >= from[right].probability)
                            ? from[left++]
                            : from[right++];
        }
        struct candidate *sorted = to;
        to = from, from = sorted;
    }
    return from;
}

/* Marks the blocks to keep of m, and returns the expected F1 of the choice; -1 without memory. Marks none where kept is
   NULL, and where nothing is expected. weight: beta squared. */
EXPORTED double denoise_select(const double *probability, const int64_t *tokens, int64_t m, double weight,
                               uint8_t *kept) {
    if (kept)
        memset(kept, 0, (size_t)m);
    if (m <= 0)
        return 0;
    struct candidate *room = malloc(2 * (size_t)m * sizeof *room);
    if (room == NULL)
        return -1;
    for (int64_t i = 0; i < m; i++)
        room[i] = (struct candidate){probability[i], i};
    const struct candidate *sorted = sort(room, room + m, m);
    double total = 0, expected = 0, highest = -1, best_expected = 0, best_chosen = 0;
    for (int64_t i = 0; i < m; i++)
        total += sorted[i].probability * (double)tokens[sorted[i].block];
    int64_t chosen = 0, best = 0;
    for (int64_t i = 0; i < m; i++) {
        expected += sorted[i].probability * (double)tokens[sorted[i].block];
        chosen += tokens[sorted[i].block];
        const double most = (double)chosen + weight * total, score = expected / (most > 1e-9 ? most : 1e-9);
        if (score > highest)
            highest = score, best = i, best_expected = expected, best_chosen = (double)chosen;
    }
    const double sum = best_chosen + total, f1 = 2 * best_expected / (sum > 1e-9 ? sum : 1e-9);
    for (int64_t i = 0; kept && f1 > 0 && i <= best; i++)
        kept[sorted[i].block] = 1;
    free(room);
    return f1;
}
