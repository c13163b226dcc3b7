/* Texts of short blocks: what is remembered of each, and how much of it stands in the page's title.
 *
 * What a text announces is told by regular expressions, which are Python's (`body/words.py`), and remembered
 * by a hash of the text. */
#include "columns.h"

#include <string.h>

/* What a code is worth, in a table of 65,536: its lower case, SPACE for all white space, MARK for the marks of elements,
 * OTHER where lower case depends on more than the code. */
enum { MARK = 0, OTHER = 1, SPACE = 0x20 };
enum { PREFORMATTED = 1 << 12 }; /* of the flags in page/markup.py */
enum { PAIRS = 4096, MAX_TITLE = 512, MAX_TEXT = 4096 };
/* What is left to do for a block. */
enum { UNSEEN = 1, TITLE = 2 };

/* Short texts that are known, by a hash that nobody outside of the process can prepare. */
struct known_texts {
    int64_t mask; /* slots - 1, a power of two - 1 */
    uint64_t seed;
    uint64_t *keys; /* 0: free */
    uint8_t *bits;
    int64_t short_tokens; /* blocks of fewer are looked up, and compared with the title */
};

/* A title in lower case, and where its pairs of codes stand: 1 + the position of the first of a kind, of the next. */
struct title {
    const uint16_t *codes;
    int64_t length;
    uint16_t first[PAIRS], next[MAX_TITLE];
};

static inline uint16_t code_at(const struct page_columns *page, int64_t i) {
    return page->wide ? ((const uint16_t *)page->codes)[i] : ((const uint8_t *)page->codes)[i];
}

static uint64_t hash_of(const struct page_columns *page, int64_t block, uint64_t seed) {
    const uint64_t odd = (seed << 1) | 1;
    uint64_t h = seed ^ (page->flags[block] & PREFORMATTED ? 0x9e3779b97f4a7c15u : 0);
    for (int64_t i = page->start[block]; i < page->stop[block]; i++)
        h = (((h << 23) | (h >> 41)) ^ code_at(page, i)) * odd;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    h ^= h >> 32;
    return h ? h : 1;
}

/* The slot of a key, or the free one where it belongs; the table is never full. */
static int64_t slot_of(const struct known_texts *known, uint64_t key) {
    int64_t slot = (int64_t)(key & (uint64_t)known->mask), left = known->mask;
    while (known->keys[slot] && known->keys[slot] != key && left--) slot = (slot + 1) & known->mask;
    return slot;
}

/* Remember what some texts announce. The caller keeps the table half empty. */
EXPORTED void denoise_texts_learn(struct known_texts *known, int64_t n, const uint64_t *keys, const uint8_t *bits) {
    for (int64_t i = 0; i < n; i++) {
        const int64_t slot = slot_of(known, keys[i]);
        known->keys[slot] = keys[i];
        known->bits[slot] = bits[i];
    }
}

/* The block's text in lower case, without marks, runs of white space as one SPACE. Returns its length, -1 where it is
 * longer than MAX_TEXT, or lower case is not told by single codes. */
static int64_t fold(const struct page_columns *page, int64_t block, const uint16_t *lower, uint16_t *out) {
    int64_t n = 0;
    for (int64_t i = page->start[block]; i < page->stop[block]; i++) {
        const uint16_t code = lower[code_at(page, i)];
        if (code == OTHER || n == MAX_TEXT) return -1;
        if (code != MARK && (code != SPACE || (n && out[n - 1] != SPACE))) out[n++] = code;
    }
    return n;
}

static inline unsigned pair(uint16_t a, uint16_t b) { return (a * 31u + b) % PAIRS; }

static void read_title(struct title *title) {
    memset(title->first, 0, sizeof title->first);
    for (int64_t i = title->length - 2; i >= 0; i--) {
        uint16_t *first = &title->first[pair(title->codes[i], title->codes[i + 1])];
        title->next[i] = *first;
        *first = (uint16_t)(i + 1);
    }
}

static int in_title(const struct title *title, const uint16_t *word, int64_t length) {
    if (length < 2) return 0;
    for (int64_t at = title->first[pair(word[0], word[1])]; at; at = title->next[at - 1]) {
        if (at - 1 + length > title->length) return 0;
        if (!memcmp(title->codes + at - 1, word, (size_t)length * sizeof *word)) return 1;
    }
    return 0;
}

/* Share of the words of a text that stand in the title. */
static double share_of(const struct title *title, const uint16_t *text, int64_t n) {
    int64_t words = 0, found = 0;
    for (int64_t i = 0, first; i < n; i++) {
        for (first = i; i < n && text[i] != SPACE;) i++;
        if (i == first) continue;
        words++;
        found += in_title(title, text + first, i - first);
    }
    return words ? (double)found / (double)words : 0;
}

/* What is known of the blocks. Writes of each its key (of those that are looked up), its share of words in the title,
 * its bits, what is left to do: `out` has room for two words of 64 bits and two bytes a block. Returns for how many
 * blocks something is left. */
EXPORTED int64_t denoise_texts_ask(const struct page_columns *page, const struct known_texts *known,
                                   const uint16_t *lower, const uint16_t *title_codes, int64_t length, void *out) {
    uint64_t *keys = out;
    double *share = (double *)(keys + page->m);
    uint8_t *bits = (uint8_t *)(share + page->m), *left = bits + page->m;
    uint16_t text[MAX_TEXT];
    struct title title = {.codes = title_codes, .length = length <= MAX_TITLE ? length : 0};
    int64_t waiting = 0;
    read_title(&title);
    for (int64_t block = 0; block < page->m; block++) {
        bits[block] = left[block] = 0;
        share[block] = 0;
        if (page->tokens[block] >= known->short_tokens) continue;
        keys[block] = hash_of(page, block, known->seed);
        const int64_t slot = slot_of(known, keys[block]);
        if (known->keys[slot] == keys[block])
            bits[block] = known->bits[slot];
        else
            left[block] = UNSEEN;
        if (length) {
            const int64_t n = title.length ? fold(page, block, lower, text) : -1;
            if (n < 0)
                left[block] |= TITLE;
            else
                share[block] = share_of(&title, text, n);
        }
        waiting += left[block] != 0;
    }
    return waiting;
}
