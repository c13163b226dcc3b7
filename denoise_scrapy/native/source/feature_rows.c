/* Families of features: of the block itself, what stands around it, its path, lists of records, the site, the page. */
#include "features.h"

#include <stdlib.h>
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

/* ---- all blocks of one path, and what comparison pages tell ---- */

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
    memset(paths, 0, path_scratch(f->m));
    for (int64_t i = 0; i < f->m; i++) {
        struct path *path = &paths[f->slots[i]];
        path->count++;
        path->prose += p->paragraph_tokens[i];
        path->links += p->link_chars[i];
        path->tokens += p->tokens[i];
        path->chars += p->chars[i];
        path->copies += f->before[i + 1][COPIES] - f->before[i][COPIES];
    }
    for (int64_t s = 0; s < f->m; s++)
        if (paths[s].count) measure_path(f, &paths[s]);
    for (int64_t i = 0; i < f->m; i++) {
        const struct path *path = &paths[f->slots[i]];
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

/* ---- lists of records: siblings of one tag, class and id, as comments, products and search results are ---- */

enum { MEASURES = 9, OUTER_ROWS = 11, SHARE = 4 };

/* A list of records. */
struct list {
    double count, log_mean;
    double share;
    float values[MEASURES]; /* count, mean, prose, ld, share, picture, heading, meta, price */
};

struct sibling {
    uint64_t token;
    int64_t element;
};

struct work {
    int64_t lists;
    struct list *list;                 /* [n / 3 + 1], the first for what is in none */
    struct sibling *siblings;          /* [n] */
    int32_t *list_of, *rank;           /* of each element, [n] */
};

static void share_out(struct work *w, char *memory, int64_t n)
{
    const size_t count = (size_t)n, lists = count / 2 + 2;
    w->list = (struct list *)memory;
    w->siblings = (struct sibling *)(memory + lists * sizeof(struct list));
    w->list_of = (int32_t *)(w->siblings + count);
    w->rank = w->list_of + count;
}

size_t record_scratch(int64_t n)
{
    const size_t count = (size_t)n, lists = count / 2 + 2;
    return lists * sizeof(struct list) + count * sizeof(struct sibling) + 2 * count * sizeof(int32_t);
}

/* By token, in document order within one. */
static int order_of(const void *one, const void *other)
{
    const struct sibling *a = one, *b = other;
    if (a->token != b->token) return a->token < b->token ? -1 : 1;
    return a->element < b->element ? -1 : 1;
}

/* Siblings of one kind as a list, where they have elements and text enough. */
static void add_list(struct features *f, struct work *w, const struct sibling *kind, int64_t count)
{
    int64_t size = 0, prose = 0, links = 0, tokens = 0, chars = 0, held[4] = {0};
    for (int64_t i = 0; i < count; i++) {
        size += f->page->end[kind[i].element] - kind[i].element;
        tokens += under(f, kind[i].element, TOKENS);
    }
    if (size < f->set->record_elements * count || tokens < f->set->record_tokens * count) return;
    struct list *list = &w->list[++w->lists];
    for (int64_t i = 0; i < count; i++) {
        const int64_t e = kind[i].element;
        prose += under(f, e, PROSE), links += under(f, e, LINKS), chars += under(f, e, CHARS);
        held[0] += f->images[f->page->end[e]] > f->images[e];
        held[1] += under(f, e, HEADINGS) > 0, held[2] += under(f, e, META) > 0, held[3] += under(f, e, PRICES) > 0;
        w->list_of[e] = (int32_t)w->lists, w->rank[e] = (int32_t)i;
    }
    list->count = (double)count;
    list->log_mean = log_of((double)tokens / list->count);
    list->share = (double)tokens / (double)f->whole;
    const double values[MEASURES - 4] = {log_count(count), list->log_mean, (double)prose / at_least_1(tokens),
                                         (double)links / at_least_1(chars), list->share};
    for (int k = 0; k < MEASURES - 4; k++) list->values[k] = (float)values[k];
    for (int k = 0; k < 4; k++) list->values[MEASURES - 4 + k] = (float)((double)held[k] / list->count);
    if (list->share > f->most_listed) f->most_listed = list->share;
}

/* The lists among the children of an element; -1: among the roots. */
static void add_children(struct features *f, struct work *w, int64_t parent)
{
    const struct page_columns *p = f->page;
    const int64_t end = parent < 0 ? f->n : p->end[parent];
    int64_t count = 0;
    for (int64_t e = parent + 1; e < end; e = p->end[e]) count++;
    if (count < f->set->records) return;
    count = 0;
    for (int64_t e = parent + 1; e < end; e = p->end[e])
        w->siblings[count++] = (struct sibling){p->token[e], e};
    qsort(w->siblings, (size_t)count, sizeof *w->siblings, order_of);
    for (int64_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && w->siblings[next].token == w->siblings[first].token;) next++;
        if (next - first >= f->set->records) add_list(f, w, w->siblings + first, next - first);
    }
}

/* The rows of a block: of the list whose record `element` is, 0 where it is none. */
static void describe(const struct features *f, const struct work *w, int64_t row, int64_t i, int64_t element)
{
    const struct list *list = &w->list[w->list_of[element]];
    for (int k = 0; k < MEASURES; k++) row_of(f, RECORD_ROWS, row + k)[i] = list->values[k];
    const int is_record = w->list_of[element] > 0;
    const double length = is_record ? log_count(under(f, element, TOKENS)) - list->log_mean : 0.0;
    row_of(f, RECORD_ROWS, row + MEASURES)[i] = is_record ? (float)(w->rank[element] / list->count) : 0;
    row_of(f, RECORD_ROWS, row + MEASURES + 1)[i] = (float)length;
}

/* Of the list of records with the most text, and of the innermost one, that hold each block. */
void fill_records(struct features *f)
{
    struct work w = {0};
    share_out(&w, f->scratch, f->n);
    memset(w.list, 0, sizeof *w.list);
    memset(w.list_of, 0, (size_t)f->n * sizeof *w.list_of);
    for (int64_t e = -1; e < f->n; e++) add_children(f, &w, e);
    for (int64_t i = 0; i < f->m; i++) {
        int64_t outer = f->page->above[i], inner = outer;
        for (int level = 1; level < ABOVE_LEVELS; level++) {
            const int64_t element = f->page->above[level * f->m + i];
            if (w.list[w.list_of[element]].share > w.list[w.list_of[outer]].share) outer = element;
            if (!w.list_of[inner]) inner = element;
        }
        describe(f, &w, 0, i, outer);
        describe(f, &w, OUTER_ROWS, i, inner);
    }
}

/* ---- the page ---- */

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
