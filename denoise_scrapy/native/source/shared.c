/* What a page shares with other pages: which of its texts and paths stand on how many of them, in one pass over the
 * blocks of all. `site/shared.py` has the twin in numpy.
 *
 * The page's own texts, its texts under their paths, and its paths are put into tables by hash; the blocks of the other
 * pages are looked up there. Texts of others alone are counted too: they tell what of a path is repeated. */
#include <math.h>
#include <string.h>

#include "kernels.h"

/* The blocks of a page, or of what is left of one. */
struct page_facts {
    const uint64_t *text_hashes, *path_keys;
    const int64_t *tokens;
    int64_t m;
    const uint64_t *shapes; /* hashes of its layout containers' paths; of others each once */
    int64_t containers;
};

struct entry {
    uint64_t value;
    int32_t last;  /* 1 + the last other page that has it; 0 for none yet */
    int32_t pages; /* how many others have it */
    int64_t own;   /* how many blocks of the page */
    /* of texts: tokens, and tokens of prose, that the page says in it; of paths: tokens, tokens of the others,
     * tokens in texts that two pages have, tokens of others in texts that no other page has */
    int64_t tokens, prose, others_tokens, repeated, alone;
};

/* Entries by value, in the order they came; slots hold 1 + their number, 0 where they are free. */
struct table {
    struct entry *entries;
    int32_t *slots, used;
    uint64_t mask;
};

static struct entry *find(struct table *table, uint64_t value, int add) {
    /* the values are hashes, but not all of their bits are as good as others */
    uint64_t slot = ((value * 0x9e3779b97f4a7c15u) >> 24) & table->mask;
    for (; table->slots[slot]; slot = (slot + 1) & table->mask) {
        struct entry *entry = &table->entries[table->slots[slot] - 1];
        if (entry->value == value) return entry;
    }
    if (!add) return NULL;
    struct entry *entry = &table->entries[table->used];
    memset(entry, 0, sizeof *entry);
    entry->value = value;
    table->slots[slot] = ++table->used;
    return entry;
}

static void count(struct entry *entry, int32_t page) {
    entry->pages += entry->last != page;
    entry->last = page;
}

static int64_t slots_for(int64_t values) {
    int64_t slots = 4;
    while (slots < 2 * values) slots *= 2;
    return slots;
}

static int64_t space_for(int64_t values) {
    return slots_for(values) * (int64_t)sizeof(int32_t) + values * (int64_t)sizeof(struct entry);
}

static struct table take(char **space, int64_t values) {
    const int64_t slots = slots_for(values);
    struct table table = {(struct entry *)*space, (int32_t *)(*space + values * (int64_t)sizeof(struct entry)), 0,
                          (uint64_t)slots - 1};
    memset(table.slots, 0, (size_t)slots * sizeof(int32_t));
    *space += space_for(values);
    return table;
}

static inline uint64_t placed(const struct page_facts *page, int64_t i) {
    return page->text_hashes[i] * 3 + page->path_keys[i];
}

/* Bytes of the workspace that `denoise_shared` needs for a page of m blocks, and containers, and others of so many blocks
 * in all. */
EXPORTED int64_t denoise_shared_space(int64_t m, int64_t containers, int64_t others) {
    const int64_t likeness = space_for(containers), sharing = space_for(m + others) + 2 * space_for(m);
    return likeness > sharing ? likeness : sharing;
}

/* How many of the page's containers each other page has, among those of the page with fewer. */
static void compare_containers(const struct page_facts *page, const struct page_facts *others, int64_t k, char *space,
                               double *likeness) {
    struct table own = take(&space, page->containers);
    for (int64_t i = 0; i < page->containers; i++) find(&own, page->shapes[i], 1);
    for (int64_t j = 0; j < k; j++) {
        const int64_t fewer = own.used < others[j].containers ? own.used : others[j].containers;
        int64_t common = 0;
        for (int64_t i = 0; i < others[j].containers; i++) common += find(&own, others[j].shapes[i], 0) != NULL;
        likeness[j] = fewer ? (double)common / (double)fewer : 0;
    }
}

enum { TEXT_SHARE, PLACED_SHARE, SLOT_SHARE, TIMES, OWN_TOKENS, ROWS };

/* What a page shares with k others.
 *
 * Writes `sums`: of each other page the page's tokens, and tokens of prose, in texts that the other carries too, [2][k];
 * how like their templates are, [k]; and `out`: rows as in the enum above, of a value a block, [ROWS][m]; without others shares are 0. */
EXPORTED void denoise_shared(const struct page_facts *page, const int64_t *prose, const struct page_facts *others,
                             int64_t k, void *workspace, int64_t *sums, double *likeness, double *out) {
    const int64_t m = page->m;
    int64_t total = 0;
    char *space = workspace;
    compare_containers(page, others, k, space, likeness);
    for (int64_t j = 0; j < k; j++) total += others[j].m;
    struct table texts = take(&space, m + total), paths = take(&space, m), places = take(&space, m);
    for (int64_t i = 0; i < m; i++) {
        struct entry *text = find(&texts, page->text_hashes[i], 1), *path = find(&paths, page->path_keys[i], 1);
        text->own++;
        text->tokens += page->tokens[i];
        text->prose += prose[i];
        path->tokens += page->tokens[i];
        find(&places, placed(page, i), 1);
    }
    if (k) memset(sums, 0, (size_t)(2 * k) * sizeof *sums);
    for (int64_t j = 0; j < k; j++) {
        const struct page_facts *other = &others[j];
        for (int64_t i = 0; i < other->m; i++) {
            struct entry *text = find(&texts, other->text_hashes[i], 1), *path, *place;
            if (text->last != (int32_t)(j + 1)) {
                sums[j] += text->tokens;
                sums[k + j] += text->prose;
            }
            count(text, (int32_t)(j + 1));
            path = find(&paths, other->path_keys[i], 0);
            if (!path) continue;
            path->others_tokens += other->tokens[i];
            if (text->own && (place = find(&places, placed(other, i), 0))) count(place, (int32_t)(j + 1));
        }
    }
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < others[j].m; i++) {
            struct entry *path = find(&paths, others[j].path_keys[i], 0), *text;
            if (!path) continue;
            text = find(&texts, others[j].text_hashes[i], 1);
            *(text->pages + (text->own > 0) > 1 ? &path->repeated : &path->alone) += others[j].tokens[i];
        }
    }
    for (int64_t i = 0; i < m; i++) {
        if (find(&texts, page->text_hashes[i], 1)->pages) find(&paths, page->path_keys[i], 1)->repeated += page->tokens[i];
    }
    const double among = k ? (double)k : 1;
    for (int64_t i = 0; i < m; i++) {
        const struct entry *text = find(&texts, page->text_hashes[i], 1), *path = find(&paths, page->path_keys[i], 1);
        const int64_t whole = path->tokens + path->others_tokens;
        out[TEXT_SHARE * m + i] = text->pages / among;
        out[PLACED_SHARE * m + i] = find(&places, placed(page, i), 1)->pages / among;
        out[SLOT_SHARE * m + i] = k ? (double)path->repeated / (double)(whole > 1 ? whole : 1) : 0;
        out[TIMES * m + i] = text->own;
        out[OWN_TOKENS * m + i] = (double)path->alone / among;
    }
}
