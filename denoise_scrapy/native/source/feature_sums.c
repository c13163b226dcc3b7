/* Counts of the blocks, their sums before each block and under each element, and where the prose is. */
#include "features.h"

#include <string.h>

static void count_block(const struct features *f, int64_t i, int64_t *row)
{
    const struct page_columns *p = f->page;
    const struct feature_inputs *given = &f->given;
    const double density = (double)p->link_chars[i] / at_least_1(p->chars[i]);
    const int own = !f->repeated[i] && !f->hidden[i] && density < f->set->linked;
    const double share = f->pages ? given->text_share[i] : 0.0;
    const double pages = share >= 0 && share <= 1 ? rint(share * (double)f->pages) : 0.0;
    row[OWN] = own ? p->paragraph_tokens[i] : 0;
    row[PROSE] = p->paragraph_tokens[i];
    row[LINKS] = p->link_chars[i];
    row[TOKENS] = p->tokens[i];
    row[CHARS] = p->chars[i];
    row[COPIES] = p->tokens[i] * (int64_t)pages;
    row[HEADINGS] = p->own_flags[i] >> HEADING_BIT & 1;
    row[META] = announces(f, i, META_BIT);
    row[PRICES] = announces(f, i, PRICE_BIT) && p->tokens[i] <= f->set->price_tokens &&
                  p->counts[i * CHARACTER_CLASSES + DIGIT] > 0;
}

static void add_up(counts *sums, int64_t i, const int64_t *row)
{
    for (int c = 0; c < CHANNELS; c++) sums[i + 1][c] = sums[i][c] + row[c];
}

/* A block of an element may follow those of its children: text goes on behind them. So they are sorted, by counting. */
static void sort_blocks(struct features *f)
{
    int64_t *first = f->first, *next = f->scratch;
    memset(first, 0, (size_t)(f->n + 1) * sizeof *first);
    for (int64_t i = 0; i < f->m; i++) first[f->page->element[i] + 1]++;
    for (int64_t e = 0; e < f->n; e++) first[e + 1] += first[e];
    memcpy(next, first, (size_t)f->n * sizeof *next);
    for (int64_t i = 0; i < f->m; i++) {
        const int64_t at = next[f->page->element[i]]++;
        for (int c = 0; c < CHANNELS; c++) f->sorted[at + 1][c] = f->before[i + 1][c] - f->before[i][c];
    }
    for (int64_t i = 0; i < f->m; i++) add_up(f->sorted, i, f->sorted[i + 1]);
}

void sum_up(struct features *f)
{
    memset(f->before[0], 0, sizeof(counts));
    memset(f->sorted[0], 0, sizeof(counts));
    for (int64_t i = 0; i < f->m; i++) {
        counts row;
        count_block(f, i, row);
        add_up(f->before, i, row);
        f->log_tokens[i] = log_count(f->page->tokens[i]);
    }
    f->whole = total_of(f, TOKENS) > 1 ? total_of(f, TOKENS) : 1;
    sort_blocks(f);
    f->images[0] = 0;
    for (int64_t e = 0; e < f->n; e++) f->images[e + 1] = f->images[e] + (tag_of(f, e) == (uint32_t)f->set->image);
}

/* The element with the highest F = 2 * prose inside / (tokens inside + all prose), the last of equals. */
static int64_t best_container(const struct features *f, int row)
{
    const double total = at_least_1(total_of(f, row));
    double most = -1.0;
    int64_t best = 0;
    for (int64_t e = 0; e < f->n; e++) {
        const double score = 2.0 * (double)under(f, e, row) / ((double)under(f, e, TOKENS) + total);
        if (score >= most) most = score, best = e;
    }
    return best;
}

static void mark_container(const struct features *f, int row, uint8_t *inside)
{
    if (total_of(f, row) == 0) {
        memset(inside, 1, (size_t)f->m);
        return;
    }
    const int64_t best = best_container(f, row), end = f->page->end[best];
    for (int64_t i = 0; i < f->m; i++) inside[i] = f->page->element[i] >= best && f->page->element[i] < end;
}

void find_containers(struct features *f)
{
    mark_container(f, OWN, f->in_own);
    mark_container(f, PROSE, f->inside);
}
