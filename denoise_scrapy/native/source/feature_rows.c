/* Features of the block itself, of what stands around it, and of the page. */
#include "features.h"

#include <string.h>

static float divided(int64_t part, int64_t whole) { return (float)((double)part / at_least_1(whole)); }

void fill_own(struct features *f)
{
    const struct page_columns *p = f->page;
    static const int KINDS[] = {COMMA, STOP, DIGIT, UPPER, CJK};
    for (int64_t i = 0; i < f->m; i++) {
        row_of(f, OWN_ROWS, 0)[i] = (float)f->log_tokens[i];
        row_of(f, OWN_ROWS, 1)[i] = (float)log_count(p->chars[i]);
        row_of(f, OWN_ROWS, 2)[i] = divided(p->link_chars[i], p->chars[i]);
        row_of(f, OWN_ROWS, 3)[i] = divided(p->chars[i], p->tokens[i]);
        for (int k = 0; k < 5; k++)
            row_of(f, OWN_ROWS, 4 + k)[i] = divided(p->counts[i * CHARACTER_CLASSES + KINDS[k]], p->chars[i]);
        row_of(f, OWN_ROWS, 9)[i] = p->ends_in_stop[i];
        row_of(f, OWN_ROWS, 10)[i] = (float)p->depth[p->element[i]];
    }
    memset(row_of(f, OWN_ROWS, 11), 0, (size_t)(TAGS * f->m) * sizeof(float));
    for (int64_t i = 0; i < f->m; i++) {
        const int64_t tag = tag_of(f, p->element[i]);
        for (int k = 0; k < TAGS; k++)
            if (tag == f->set->tags[k]) row_of(f, OWN_ROWS, 11 + k)[i] = 1;
    }
}

/* Window of so many blocks before and after: its first block, and its end. */
static int64_t low_of(int64_t i, int64_t width) { return i > width ? i - width : 0; }

static int64_t high_of(const struct features *f, int64_t i, int64_t width)
{
    return f->m - i > width ? i + width + 1 : f->m;
}

static int64_t between(const struct features *f, int64_t low, int64_t high, int row)
{
    return f->before[high][row] - f->before[low][row];
}

void fill_subtrees(struct features *f)
{
    for (int level = 0; level < 4; level++)
        for (int64_t i = 0; i < f->m; i++) {
            const int64_t element = f->page->above[level * f->m + i], end = f->first[f->page->end[element]];
            const int64_t tokens = under(f, element, TOKENS);
            row_of(f, SUBTREE_ROWS, level)[i] = divided(under(f, element, PROSE), tokens);
            row_of(f, SUBTREE_ROWS, 4 + level)[i] = divided(under(f, element, LINKS), under(f, element, CHARS));
            row_of(f, SUBTREE_ROWS, 8 + level)[i] = (float)log_count(tokens);
            row_of(f, SUBTREE_ROWS, 12 + level)[i] = (float)log_count(end - f->first[element]);
            row_of(f, SUBTREE_ROWS, 16 + level)[i] = (float)((double)tokens / (double)f->whole);
        }
}

void fill_windows(struct features *f)
{
    static const int64_t WIDTHS[] = {2, 5, 12};
    for (int w = 0; w < 3; w++)
        for (int64_t i = 0; i < f->m; i++) {
            const int64_t low = low_of(i, WIDTHS[w]), high = high_of(f, i, WIDTHS[w]);
            const double mean = (double)between(f, low, high, TOKENS) / (double)(high - low);
            row_of(f, WINDOW_ROWS, w)[i] = divided(between(f, low, high, LINKS), between(f, low, high, CHARS));
            row_of(f, WINDOW_ROWS, 3 + w)[i] = (float)log_count(between(f, low, high, PROSE));
            row_of(f, WINDOW_ROWS, 6 + w)[i] = (float)log_of(mean);
        }
}

/* Tokens, links and prose of the neighbours, 0 beyond the page; `fill_own` comes before. */
void fill_near(struct features *f)
{
    static const int64_t STEPS[] = {-2, -1, 1, 2};
    const float *tokens = row_of(f, OWN_ROWS, 0), *links = row_of(f, OWN_ROWS, 2);
    for (int s = 0; s < 4; s++)
        for (int64_t i = 0; i < f->m; i++) {
            const int64_t at = i + STEPS[s];
            const int known = at >= 0 && at < f->m;
            row_of(f, NEAR_ROWS, 3 * s)[i] = known ? tokens[at] : 0;
            row_of(f, NEAR_ROWS, 3 * s + 1)[i] = known ? links[at] : 0;
            row_of(f, NEAR_ROWS, 3 * s + 2)[i] = known && f->page->paragraph_tokens[at] > 0;
        }
}

void fill_place(struct features *f)
{
    const int64_t far = f->set->far;
    int64_t first = -1, last = f->m - 1, title = -1;
    for (int64_t i = 0; i < f->m; i++) {
        if (f->inside[i] && f->page->paragraph_tokens[i] > 0) last = i, first = first < 0 ? i : first;
        if (f->given.titles[i] > 0 && title < 0) title = i;
    }
    const int64_t from[] = {first < 0 ? 0 : first, first < 0 ? f->m - 1 : last, title};
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i < f->m; i++) {
            const int64_t distance = i - from[k], cut = distance < -far ? -far : distance > far ? far : distance;
            row_of(f, PLACE_ROWS, 1 + k)[i] = k == 2 && title < 0 ? NAN : (float)cut;
        }
    for (int64_t i = 0; i < f->m; i++) {
        row_of(f, PLACE_ROWS, 0)[i] = f->inside[i];
        row_of(f, PLACE_ROWS, 4)[i] = divided(f->before[i][PROSE], total_of(f, PROSE));
        row_of(f, PLACE_ROWS, 5)[i] = (float)((double)f->before[i + 1][TOKENS] / (double)f->whole);
        row_of(f, PLACE_ROWS, 6)[i] = (float)((double)i / (double)f->m);
    }
}

void fill_goods(struct features *f)
{
    const struct page_columns *p = f->page;
    for (int64_t i = 0; i < f->m; i++) {
        const int64_t one = p->above[f->m + i], three = p->above[3 * f->m + i];
        row_of(f, GOODS_ROWS, 0)[i] = (float)log_count(f->images[p->end[one]] - f->images[one]);
        row_of(f, GOODS_ROWS, 1)[i] = (float)log_count(f->images[p->end[three]] - f->images[three]);
        row_of(f, GOODS_ROWS, 2)[i] = f->before[i + 1][PRICES] > f->before[i][PRICES];
        row_of(f, GOODS_ROWS, 3)[i] = (float)between(f, low_of(i, 5), high_of(f, i, 5), PRICES);
    }
}

static int level_of(const struct features *f, int64_t block)
{
    const int64_t tag = tag_of(f, f->page->element[block]);
    for (int k = 0; k < HEADING_LEVELS; k++)
        if (tag == f->set->levels[k]) return k + 1;
    return 0;
}

/* A section is a heading and what follows up to the next one; the heading itself does not count. */
void fill_sections(struct features *f)
{
    for (int64_t head = -1, next; head < f->m; head = next) {
        for (next = head + 1; next < f->m && !(f->page->own_flags[next] >> HEADING_BIT & 1);) next++;
        const int64_t tokens = between(f, head + 1, next, TOKENS);
        const float values[] = {divided(between(f, head + 1, next, PROSE), tokens),
                                divided(between(f, head + 1, next, LINKS), between(f, head + 1, next, CHARS)),
                                (float)log_count(tokens), head < 0 ? 0 : (float)level_of(f, head)};
        for (int64_t i = head < 0 ? 0 : head; i < next; i++)
            for (int k = 0; k < 4; k++) row_of(f, SECTION_ROWS, k)[i] = values[k];
    }
}

/* The same for all blocks. */
void fill_page(struct features *f)
{
    int64_t longest = 0, pictures = 0;
    for (int64_t i = 0; i < f->m; i++)
        if (f->page->paragraph_tokens[i] > longest) longest = f->page->paragraph_tokens[i];
    for (int64_t e = 0; e < f->n; e = f->page->end[e]) { /* of several roots the one with the most */
        const int64_t of_root = f->images[f->page->end[e]] - f->images[e];
        if (of_root > pictures) pictures = of_root;
    }
    const double copies = (double)total_of(f, COPIES) / ((double)f->pages * (double)f->whole);
    double values[13 + DECLARED + SPREAD] = {
        log_count(f->whole), log_count(f->m), divided(total_of(f, LINKS), total_of(f, CHARS)),
        (double)total_of(f, PROSE) / (double)f->whole, log_count(longest), log_count(total_of(f, HEADINGS)),
        log_count(pictures), log_count(total_of(f, PRICES)), f->most_listed, log_count(f->kept_tokens),
        f->pages ? copies : NAN,
        (double)(f->pages < f->set->most_pages ? f->pages : f->set->most_pages), f->pages == 0};
    for (int k = 0; k < DECLARED; k++) values[13 + k] = (double)(f->declared >> k & 1);
    for (int k = 0; k < SPREAD; k++)
        values[13 + DECLARED + k] = (double)f->covered[f->set->spread[k]] / (double)f->whole;
    for (int k = 0; k < 13 + DECLARED + SPREAD; k++) {
        float *row = row_of(f, PAGE_ROWS, k);
        for (int64_t i = 0; i < f->m; i++) row[i] = (float)values[k];
    }
}
