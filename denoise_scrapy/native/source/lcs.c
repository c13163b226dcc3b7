/* Maximum similarity matching of two feature trees, level by level: the twin of `site/lcs.py`, which says what it is
 * and where it comes from. Same sums in the same order, so same ties and same nodes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

/* A feature tree of n nodes, breadth first; boxes are n rows of four rounded numbers, NaN unknown, or NULL. */
struct lcs_tree {
    int64_t n, levels;
    const int64_t *first; /* first node of each level, and n: levels + 1 */
    const int64_t *parent;
    const uint32_t *tag, *id, *class_;
    const uint64_t *inner;
    const uint8_t *content;
    const double *boxes;
};

/* Tables of one pair of levels, large enough for all. */
struct tables {
    double *similarity, *sums;
    uint8_t *above, *below; /* which pairs of the level above are similar, and of this one */
    int64_t *rows, *columns;
};

enum { DONE = 0, DECLINED = 1 }; /* declined: malformed, too large, or no memory; numpy does it */

/* Weight of "one more similar pair" among matchings of equal score, as in `site/lcs.py`. */
static const double PREFER = 1e-9;

static int is_valid(const struct lcs_tree *t) {
    if (t->n <= 0 || t->levels <= 0 || t->first[0] != 0 || t->first[t->levels] != t->n) return 0;
    for (int64_t level = 0; level < t->levels; level++) {
        if (t->first[level + 1] <= t->first[level]) return 0;
        if (level == 0) continue;
        for (int64_t i = t->first[level]; i < t->first[level + 1]; i++)
            if (t->parent[i] < t->first[level - 1] || t->parent[i] >= t->first[level]) return 0;
    }
    return 1;
}

/* Rule 7: share of equal features among depth (equal here), id, class and what both pages know of the box. */
static double equal_features(const struct lcs_tree *x, int64_t i, const struct lcs_tree *y, int64_t j) {
    double equal = 1.0 + (x->id[i] == y->id[j]) + (x->class_[i] == y->class_[j]);
    if (!x->boxes || !y->boxes) return equal / 3;
    int known = 0, same = 0;
    for (int side = 0; side < 4; side++) {
        double a = x->boxes[4 * i + side], b = y->boxes[4 * j + side];
        known += !isnan(a) && !isnan(b);
        same += a == b;
    }
    return (equal + same) / (3 + known);
}

/* Rules 1 to 7 for one pair; `above` has the pairs of the level above, rows of `width`. */
static double similarity(const struct lcs_tree *x, int64_t i, const struct lcs_tree *y, int64_t j, int64_t level,
                         const uint8_t *above, int64_t width) {
    if (x->tag[i] != y->tag[j]) return 0;
    if (level == 0) return 1;
    int64_t up = x->parent[i] - x->first[level - 1], beside = y->parent[j] - y->first[level - 1];
    if (!above[up * width + beside]) return 0;
    if (x->content[i] != y->content[j]) return 0;
    return x->content[i] ? (double)(x->inner[i] == y->inner[j]) : equal_features(x, i, y, j);
}

/* Fills the table of one level; gives the number of pairs that are at all alike. */
static int64_t fill(const struct lcs_tree *x, const struct lcs_tree *y, int64_t level, double similar,
                    struct tables *t) {
    int64_t a = x->first[level], n = x->first[level + 1] - a, b = y->first[level], m = y->first[level + 1] - b;
    int64_t width = level ? y->first[level] - y->first[level - 1] : 0, alike = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            double found = similarity(x, a + i, y, b + j, level, t->above, width);
            t->similarity[i * m + j] = found;
            t->below[i * m + j] = found > similar;
            alike += found > 0;
        }
    return alike;
}

/* Rows and columns with anything in them: lines of zeros cannot change the score. */
static void reduce(struct tables *t, int64_t n, int64_t m, int64_t *rows, int64_t *columns) {
    *rows = *columns = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            if (t->similarity[i * m + j] != 0) {
                t->rows[(*rows)++] = i;
                break;
            }
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < n; i++)
            if (t->similarity[i * m + j] != 0) {
                t->columns[(*columns)++] = j;
                break;
            }
}

static double gain_of(const struct tables *t, int64_t m, int64_t i, int64_t j) {
    int64_t cell = t->rows[i] * m + t->columns[j];
    return t->similarity[cell] + PREFER * t->below[cell];
}

/* The best alignment of one level: marks the nodes that are similar to their partner, gives its score. */
static double align(struct tables *t, int64_t n, int64_t m, uint8_t *matched) {
    int64_t rows, columns;
    reduce(t, n, m, &rows, &columns);
    int64_t width = columns + 1;
    memset(t->sums, 0, (size_t)width * sizeof(double));
    for (int64_t i = 0; i < rows; i++) {
        const double *up = t->sums + i * width;
        double *here = t->sums + (i + 1) * width, best = -INFINITY;
        here[0] = 0;
        for (int64_t j = 0; j < columns; j++) {
            double diagonal = up[j] + gain_of(t, m, i, j);
            if (up[j + 1] > diagonal) diagonal = up[j + 1];
            if (diagonal > best) best = diagonal;
            here[j + 1] = best;
        }
    }
    double score = 0;
    int64_t i = rows, j = columns;
    while (i && j) { /* from the corner: diagonal before up before left */
        double here = t->sums[i * width + j], gain = gain_of(t, m, i - 1, j - 1);
        if (gain > 0 && here == t->sums[(i - 1) * width + j - 1] + gain) {
            i--, j--;
            int64_t cell = t->rows[i] * m + t->columns[j];
            matched[t->rows[i]] = t->below[cell];
            score += t->similarity[cell];
        } else if (here == t->sums[(i - 1) * width + j]) {
            i--;
        } else {
            j--;
        }
    }
    return score;
}

static void release(struct tables *t) {
    free(t->similarity), free(t->sums), free(t->above), free(t->below), free(t->rows), free(t->columns);
}

/* Room for the largest pair of levels, none of which may have more than `most` cells. */
static int reserve(const struct lcs_tree *x, const struct lcs_tree *y, int64_t most, struct tables *t) {
    int64_t levels = x->levels < y->levels ? x->levels : y->levels, cells = 1, sums = 1, n = 1, m = 1;
    for (int64_t level = 0; level < levels; level++) {
        int64_t rows = x->first[level + 1] - x->first[level], columns = y->first[level + 1] - y->first[level];
        if (rows > most / columns) return DECLINED;
        if (rows * columns > cells) cells = rows * columns;
        if ((rows + 1) * (columns + 1) > sums) sums = (rows + 1) * (columns + 1);
        if (rows > n) n = rows;
        if (columns > m) m = columns;
    }
    t->similarity = malloc((size_t)cells * sizeof(double));
    t->sums = malloc((size_t)sums * sizeof(double));
    t->above = malloc((size_t)cells);
    t->below = malloc((size_t)cells);
    t->rows = malloc((size_t)n * sizeof(int64_t));
    t->columns = malloc((size_t)m * sizeof(int64_t));
    return t->similarity && t->sums && t->above && t->below && t->rows && t->columns ? DONE : DECLINED;
}

/* Matches x against y. `matched` (x->n, zeros) gets the nodes with a similar partner, `score` the table's corner. */
EXPORTED int denoise_lcs(const struct lcs_tree *x, const struct lcs_tree *y, double similar, int64_t most_cells,
                         uint8_t *matched, double *score) {
    struct tables t = {0};
    if (!is_valid(x) || !is_valid(y) || reserve(x, y, most_cells, &t) != DONE) {
        release(&t);
        return DECLINED;
    }
    int64_t levels = x->levels < y->levels ? x->levels : y->levels;
    *score = 0;
    for (int64_t level = 0; level < levels; level++) {
        if (!fill(x, y, level, similar, &t)) break;
        int64_t n = x->first[level + 1] - x->first[level], m = y->first[level + 1] - y->first[level];
        *score += align(&t, n, m, matched + x->first[level]);
        uint8_t *free_table = t.above;
        t.above = t.below, t.below = free_table;
    }
    release(&t);
    return DONE;
}
