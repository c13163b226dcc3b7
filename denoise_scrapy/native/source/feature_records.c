/* Features of lists of records: siblings of one tag, class and id, as comments, products and search results are. */
#include "features.h"

#include <string.h>

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
    struct sibling *siblings, *merged; /* [n] */
    int32_t *list_of, *rank;           /* of each element, [n] */
};

static void share_out(struct work *w, char *memory, int64_t n)
{
    const size_t count = (size_t)n, lists = count / 2 + 2;
    w->list = (struct list *)memory;
    w->siblings = (struct sibling *)(memory + lists * sizeof(struct list));
    w->merged = w->siblings + count;
    w->list_of = (int32_t *)(w->merged + count);
    w->rank = w->list_of + count;
}

size_t record_scratch(int64_t n)
{
    const size_t count = (size_t)n, lists = count / 2 + 2;
    return lists * sizeof(struct list) + 2 * count * sizeof(struct sibling) + 2 * count * sizeof(int32_t);
}

static void insert_sorted(struct sibling *all, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        const struct sibling moved = all[i];
        int64_t at = i;
        for (; at > 0 && all[at - 1].token > moved.token; at--) all[at] = all[at - 1];
        all[at] = moved;
    }
}

static void merge(const struct sibling *from, struct sibling *to, int64_t low, int64_t middle, int64_t high)
{
    int64_t left = low, right = middle;
    for (int64_t i = low; i < high; i++) {
        const int is_left = left < middle && (right >= high || from[left].token <= from[right].token);
        to[i] = is_left ? from[left++] : from[right++];
    }
}

/* By token, in document order within one: pieces by insertion, then merged. */
static void sort_siblings(const struct work *w, int64_t count)
{
    enum { PIECE = 16 };
    struct sibling *from = w->siblings, *to = w->merged;
    for (int64_t low = 0; low < count; low += PIECE)
        insert_sorted(from + low, count - low < PIECE ? count - low : PIECE);
    for (int64_t width = PIECE; width < count; width *= 2) {
        for (int64_t low = 0; low < count; low += 2 * width) {
            const int64_t middle = low + width < count ? low + width : count;
            merge(from, to, low, middle, middle + width < count ? middle + width : count);
        }
        struct sibling *const sorted = to;
        to = from, from = sorted;
    }
    if (from != w->siblings) memcpy(w->siblings, from, (size_t)count * sizeof *from);
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
    sort_siblings(w, count);
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
