/* Flags of the blocks, the hand rule (`body/hand_rule.py`) and the block of highest H (`site/clusters.py`). */
#include "features.h"

#include <string.h>

static void flag_rows(const struct features *f, const int64_t *flags, int64_t first)
{
    for (int bit = 0; bit < FLAGS; bit++) {
        float *row = row_of(f, FLAG_ROWS, first + bit);
        for (int64_t i = 0; i < f->m; i++) row[i] = (float)(flags[i] >> bit & 1);
    }
}

/* What blocks are, what they are in, and the same where it covers at most half of the page. */
void fill_flags(struct features *f)
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

static int64_t total_tokens(const struct features *f)
{
    int64_t total = 0;
    for (int64_t i = 0; i < f->m; i++) total += f->page->tokens[i];
    return total;
}

/* Text of other pages in slots of template; a title counts only where they carry it in its place. And hidden blocks,
 * unless most of the page is hidden, and shown by a script. */
void judge_template(struct features *f)
{
    const struct feature_inputs *given = &f->given;
    const int hides = (double)f->covered[HIDDEN_BIT] <= f->set->hidden * (double)total_tokens(f);
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
    const double most = f->set->framed * (double)total_tokens(f);
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

void fill_rule(struct features *f)
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
