/* Features of all blocks of one path, and of what comparison pages tell. */
#include "features.h"

#include <string.h>

/* Sums over the blocks of a path, and what is made of them. */
struct path {
    int64_t count, prose, links, tokens, chars, copies;
    double log_mean;
    float values[5], repeated;
};

size_t path_scratch(int64_t m) { return (size_t)m * sizeof(struct path); }

static void measure_path(const struct features *f, struct path *path)
{
    path->log_mean = log_of((double)path->tokens / at_least_1(path->count));
    path->values[0] = (float)((double)path->prose / at_least_1(path->tokens));
    path->values[1] = (float)((double)path->links / at_least_1(path->chars));
    path->values[2] = (float)path->log_mean;
    path->values[3] = (float)log_count(path->count);
    path->values[4] = (float)((double)path->tokens / (double)f->whole);
    path->repeated = (float)((double)path->copies / ((double)f->pages * at_least_1(path->tokens)));
}

void fill_paths(struct features *f)
{
    const struct page_columns *p = f->page;
    struct path *paths = f->scratch;
    memset(paths, 0, path_scratch(p->slot_count));
    for (int64_t i = 0; i < f->m; i++) {
        struct path *path = &paths[p->slots[i]];
        path->count++;
        path->prose += p->paragraph_tokens[i];
        path->links += p->link_chars[i];
        path->tokens += p->tokens[i];
        path->chars += p->chars[i];
        path->copies += f->before[i + 1][COPIES] - f->before[i][COPIES];
    }
    for (int64_t s = 0; s < p->slot_count; s++) measure_path(f, &paths[s]);
    for (int64_t i = 0; i < f->m; i++) {
        const struct path *path = &paths[p->slots[i]];
        for (int k = 0; k < 5; k++) row_of(f, PATH_ROWS, k)[i] = path->values[k];
        row_of(f, PATH_ROWS, 5)[i] = (float)(f->log_tokens[i] - path->log_mean);
        row_of(f, SITE_ROWS, 0)[i] = path->repeated; /* without comparison pages `fill_site` writes over it */
    }
}

/* What the comparison pages tell; `fill_paths` comes before. NaN where there is none. */
void fill_site(struct features *f)
{
    const struct feature_inputs *given = &f->given;
    if (!f->pages) {
        for (int64_t i = 0; i < 9 * f->m; i++) row_of(f, SITE_ROWS, 0)[i] = NAN;
        return;
    }
    for (int64_t i = 0; i < f->m; i++) {
        for (int up = 0; up < 2; up++) {
            const int64_t element = f->page->above[(2 * up + 1) * f->m + i];
            const double whole = (double)f->pages * at_least_1(under(f, element, TOKENS));
            row_of(f, SITE_ROWS, 1 + up)[i] = (float)((double)under(f, element, COPIES) / whole);
        }
        const double elsewhere = log_of(given->slot_tokens[i]); /* NaN: no other page has the path */
        row_of(f, SITE_ROWS, 3)[i] = (float)given->text_share[i];
        row_of(f, SITE_ROWS, 4)[i] = (float)given->placed_share[i];
        row_of(f, SITE_ROWS, 5)[i] = (float)given->slot_share[i];
        row_of(f, SITE_ROWS, 6)[i] = (float)given->path_share[i];
        row_of(f, SITE_ROWS, 7)[i] = (float)elsewhere;
        row_of(f, SITE_ROWS, 8)[i] = (float)(f->log_tokens[i] - elsewhere);
    }
}
