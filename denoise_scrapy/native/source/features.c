/* Fills the matrix of features of a page's blocks from its columns: one call for all families. Here are the sums that
 * all build upon, the hand rule (`body/hand_rule.py`), and what is called.
 *
 * Linear in elements and blocks, but for siblings, which are sorted. */
#include "features.h"

#include <stdlib.h>
#include <string.h>

/* ---- counts of the blocks, their sums before each block and under each element, and where the prose is ---- */

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

static void sum_up(struct features *f)
{
    memset(f->before[0], 0, sizeof(counts));
    memset(f->sorted[0], 0, sizeof(counts));
    for (int64_t i = 0; i < f->m; i++) {
        counts row;
        count_block(f, i, row);
        add_up(f->before, i, row);
        f->log_tokens[i] = log_count(f->page->tokens[i]);
    }
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

static void find_containers(struct features *f)
{
    mark_container(f, OWN, f->in_own);
    mark_container(f, PROSE, f->inside);
}

/* ---- flags of the blocks, the hand rule, and the block of highest H (`site/clusters.py`) ---- */

static void flag_rows(const struct features *f, const int64_t *flags, int64_t first)
{
    for (int bit = 0; bit < FLAGS; bit++) {
        float *row = row_of(f, FLAG_ROWS, first + bit);
        for (int64_t i = 0; i < f->m; i++) row[i] = (float)(flags[i] >> bit & 1);
    }
}

/* What blocks are, what they are in, and the same where it covers at most half of the page. */
static void fill_flags(struct features *f)
{
    const struct page_columns *p = f->page;
    int64_t total = 0;
    for (int64_t i = 0; i < f->m; i++) total += p->tokens[i];
    f->whole = total > 1 ? total : 1;
    flag_rows(f, p->own_flags, 0);
    flag_rows(f, p->flags, FLAGS);
    for (int bit = 0; bit < FLAGS; bit++) {
        int64_t covered = 0;
        for (int64_t i = 0; i < f->m; i++) covered += (p->flags[i] >> bit & 1) * p->tokens[i];
        f->covered[bit] = covered;
    }
    for (int bit = FIRST_WORD; bit < FLAGS; bit++) {
        float *row = row_of(f, FLAG_ROWS, 2 * FLAGS + bit - FIRST_WORD);
        if ((double)f->covered[bit] <= (double)f->whole / 2)
            memcpy(row, row_of(f, FLAG_ROWS, FLAGS + bit), (size_t)f->m * sizeof *row);
        else
            memset(row, 0, (size_t)f->m * sizeof *row);
    }
}

/* Text of other pages in slots of template; a title counts only where they carry it in its place. And hidden blocks,
 * unless most of the page is hidden, and shown by a script. */
static void judge_template(struct features *f)
{
    const struct feature_inputs *given = &f->given;
    const int hides = (double)f->covered[HIDDEN_BIT] <= f->set->hidden * (double)f->whole;
    for (int64_t i = 0; i < f->m; i++) {
        f->hidden[i] = hides && (f->page->flags[i] >> HIDDEN_BIT & 1);
        f->repeated[i] = 0;
        if (!f->pages || !(given->slot_share[i] > f->set->template_slot)) continue;
        f->repeated[i] = (given->titles[i] > 0 ? given->placed_share[i] : given->text_share[i]) >= f->set->repeated;
    }
}

/* Points of the flags; evidence against that covers most of the page frames nothing. */
static int64_t counted_points(const struct features *f, int64_t *points)
{
    const double most = f->set->framed * (double)f->whole;
    int64_t mask = 0;
    for (int bit = 0; bit < FLAGS; bit++) {
        points[bit] = f->set->points[bit] > 0 || (double)f->covered[bit] <= most ? f->set->points[bit] : 0;
        if (points[bit]) mask |= (int64_t)1 << bit;
    }
    return mask;
}

static int64_t frame_of(const struct features *f, int64_t i, const int64_t *points, int64_t mask)
{
    int64_t sum = f->page->paragraph_tokens[i] > 0 ? f->set->prose_points : f->set->block_points;
    for (int64_t flags = f->page->flags[i] & mask, bit = 0; flags >> bit; bit++)
        if (flags >> bit & 1) sum += points[bit];
    return sum;
}

static int64_t place_of(const struct features *f, int64_t i)
{
    const struct feature_settings *set = f->set;
    const int64_t around = f->page->above[2 * f->m + i]; /* two levels up */
    const double density = (double)under(f, around, LINKS) / at_least_1(under(f, around, CHARS));
    int64_t sum = f->in_own[i] ? 0 : set->outside_points;
    if (density > set->teasers) sum += set->teaser_points;
    if (f->given.titles[i] > 0) sum += set->title_points;
    if (f->pages && f->given.slot_share[i] > set->template_slot) sum += set->slot_points;
    return sum;
}

/* kept, points: which blocks the rule keeps. A page that would keep little keeps all of its own text. */
static void judge(struct features *f, float *kept, float *points)
{
    int64_t of_flags[FLAGS], kept_tokens = 0, own_tokens = 0;
    const int64_t mask = counted_points(f, of_flags);
    uint8_t *own = f->scratch;
    for (int64_t i = 0; i < f->m; i++) {
        const int64_t frame = frame_of(f, i, of_flags, mask), sum = frame + place_of(f, i);
        const double density = (double)f->page->link_chars[i] / at_least_1(f->page->chars[i]);
        own[i] = !f->repeated[i] && !f->hidden[i] && frame > 0;
        points[i] = (float)sum;
        kept[i] = own[i] && !(density >= f->set->linked) && sum > 0;
        if (own[i]) own_tokens += f->page->tokens[i];
        if (kept[i] > 0) kept_tokens += f->page->tokens[i];
    }
    const double least = f->set->sparse * (double)own_tokens;
    f->kept_tokens = kept_tokens;
    if (!((double)kept_tokens < (least < f->set->sparse_tokens ? least : f->set->sparse_tokens))) return;
    f->kept_tokens = own_tokens;
    for (int64_t i = 0; i < f->m; i++) kept[i] = own[i];
}

static int is_node(const struct features *f, int64_t element)
{
    const int64_t tag = tag_of(f, element);
    for (int i = 0; i < NODE_TAGS; i++)
        if (tag == f->set->nodes[i]) return 1;
    return 0;
}

/* The block node with the highest H, the first of equals, -1 where none has text (Wang, Chen and Dai 2018). */
static int64_t best_node(const struct features *f)
{
    const struct page_columns *p = f->page;
    int64_t(*sums)[3] = f->scratch; /* text outside links, all text, links before each element */
    memset(sums[0], 0, sizeof sums[0]);
    for (int64_t e = 0; e < f->n; e++) {
        const int in_link = p->element_flags[e] >> LINK_BIT & 1;
        sums[e + 1][0] = sums[e][0] + (in_link ? 0 : p->own_chars[e]);
        sums[e + 1][1] = sums[e][1] + p->own_chars[e];
        sums[e + 1][2] = sums[e][2] + (tag_of(f, e) == (uint32_t)f->set->link);
    }
    const double plain = (double)(1 + sums[f->n][0]), links = (double)(1 + sums[f->n][2]);
    double most = 0.0;
    int64_t best = -1;
    for (int64_t e = 0; e < f->n; e++) {
        if (!is_node(f, e)) continue;
        const int64_t end = p->end[e];
        const double text = (double)(sums[end][0] - sums[e][0]), all = (double)(1 + sums[end][1] - sums[e][1]);
        const double linked = (double)(sums[end][2] - sums[e][2]) / links;
        const double density = text / plain * (1 - linked) * (text / all) / (1 + (double)(end - e) * f->set->alpha);
        if (density > most) most = density, best = e;
    }
    return best;
}

static void fill_rule(struct features *f)
{
    judge(f, row_of(f, RULE_ROWS, 0), row_of(f, RULE_ROWS, 1));
    const int64_t best = best_node(f), end = best >= 0 ? f->page->end[best] : -1;
    float *inside = row_of(f, RULE_ROWS, 2), *times = row_of(f, RULE_ROWS, 3);
    for (int64_t i = 0; i < f->m; i++) {
        const int64_t element = f->page->element[i];
        inside[i] = best >= 0 && element >= best && element < end;
        times[i] = (float)log_of(f->given.times[i]);
    }
}

/* ---- all families ---- */

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

/* Whether the numbers of paths that Python gives are those of so many blocks; the rest comes from columns.c. */
static int paths_fit(const int64_t *slots, int64_t m)
{
    for (int64_t i = 0; i < m; i++)
        if (slots[i] < 0 || slots[i] >= m) return 0;
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
                              const int64_t *slots, int64_t m, int64_t pages, int64_t declared, float *matrix)
{
    if (page->n < 1 || m < 1 || m != page->m || pages < 0) return -1;
    if (page->n > INT32_MAX || !settings_fit(set) || !paths_fit(slots, m)) return -1;
    struct features f = {.page = page, .set = set, .given = inputs(given, m), .slots = slots,
                         .matrix = matrix, .n = page->n, .m = m, .pages = pages, .declared = declared};
    char *memory = malloc(share_out(&f, NULL));
    if (memory == NULL) return -2;
    share_out(&f, memory);
    fill_all(&f);
    free(memory);
    return 0;
}
