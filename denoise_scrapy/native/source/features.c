/* Fills the matrix of features of a page's blocks from its columns: one call for all families.
 *
 * Linear in elements and blocks, but for siblings, which are sorted. */
#include "features.h"

#include <stdlib.h>

static const int64_t SIZES[FAMILIES] = {11 + TAGS, 3 * FLAGS - FIRST_WORD, 9, 20, 9, 12, 6, 7, 22, 4, 4, 9, 4,
                                        13 + DECLARED + SPREAD};

/* Whether all families lie in the matrix, and all numbers that are used as indices in their arrays. */
static int settings_fit(const struct feature_settings *set)
{
    for (int family = 0; family < FAMILIES; family++)
        if (set->start[family] < 0 || set->start[family] > set->rows - SIZES[family]) return 0;
    for (int i = 0; i < SPREAD; i++)
        if (set->spread[i] < 0 || set->spread[i] >= FLAGS) return 0;
    return 1;
}

static int elements_fit(const struct page_columns *p)
{
    if (p->n > INT32_MAX) return 0;
    for (int64_t i = 0; i < p->n; i++)
        if (p->end[i] <= i || p->end[i] > p->n) return 0;
    return 1;
}

static int blocks_fit(const struct page_columns *p)
{
    if (p->slot_count > p->m) return 0;
    for (int64_t i = 0; i < p->m; i++) {
        if (p->element[i] < 0 || p->element[i] >= p->n || p->slots[i] < 0 || p->slots[i] >= p->slot_count) return 0;
        if (p->tokens[i] < 0 || p->tokens[i] > INT32_MAX || p->chars[i] < 0) return 0;
    }
    for (int64_t i = 0; i < ABOVE_LEVELS * p->m; i++)
        if (p->above[i] < 0 || p->above[i] >= p->n) return 0;
    return 1;
}

/* The next part of a block of memory, aligned for anything; null while only sizes are asked for. */
static void *part(char *memory, size_t *used, size_t bytes)
{
    void *found = memory == NULL ? NULL : memory + *used;
    *used += (bytes + 15) / 16 * 16;
    return found;
}

/* Shares the memory out, and returns how many bytes it takes. */
static size_t share_out(struct features *f, char *memory)
{
    const size_t n = (size_t)f->n, m = (size_t)f->m;
    const size_t records = record_scratch(f->n), paths = path_scratch(f->m), elements = 3 * (n + 1) * sizeof(int64_t);
    const size_t most = records > paths ? records : paths;
    size_t used = 0;
    f->before = part(memory, &used, (m + 1) * sizeof(counts));
    f->sorted = part(memory, &used, (m + 1) * sizeof(counts));
    f->first = part(memory, &used, (n + 1) * sizeof(int64_t));
    f->images = part(memory, &used, (n + 1) * sizeof(int64_t));
    f->log_tokens = part(memory, &used, m * sizeof(double));
    f->repeated = part(memory, &used, m);
    f->hidden = part(memory, &used, m);
    f->inside = part(memory, &used, m);
    f->in_own = part(memory, &used, m);
    f->scratch = part(memory, &used, most > elements ? most : elements);
    return used;
}

static void fill_all(struct features *f)
{
    fill_flags(f);
    judge_template(f);
    sum_up(f);
    find_containers(f);
    fill_own(f);
    fill_subtrees(f);
    fill_windows(f);
    fill_near(f);
    fill_paths(f);
    fill_place(f);
    fill_records(f);
    fill_goods(f);
    fill_sections(f);
    fill_site(f);
    fill_rule(f);
    fill_page(f);
}

static struct feature_inputs inputs(const double *rows, int64_t m)
{
    return (struct feature_inputs){rows,         rows + m,     rows + 2 * m, rows + 3 * m,
                                   rows + 4 * m, rows + 5 * m, rows + 6 * m, rows + 7 * m};
}

/* Fills the matrix, [set->rows][m], from the page and from what is told of its blocks, [INPUTS][m].
 *
 * 0; -1 where sizes or indices do not fit, -2 without memory: nothing is written then. */
EXPORTED int denoise_features(const struct page_columns *page, const struct feature_settings *set, const double *given,
                              int64_t m, int64_t pages, int64_t declared, float *matrix)
{
    if (page->n < 1 || m < 1 || m != page->m || pages < 0) return -1;
    if (!settings_fit(set) || !elements_fit(page) || !blocks_fit(page)) return -1;
    struct features f = {.page = page, .set = set, .given = inputs(given, m), .matrix = matrix,
                         .n = page->n, .m = m,     .pages = pages,           .declared = declared};
    char *memory = malloc(share_out(&f, NULL));
    if (memory == NULL) return -2;
    share_out(&f, memory);
    fill_all(&f);
    free(memory);
    return 0;
}
