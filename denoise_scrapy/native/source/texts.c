/* Texts of blocks: what short ones may announce, and how much of them stands in the title.
 *
 * Literals and titles come in lower case, as codes of 16 bits.
 *
 * What a text announces is told by regular expressions, which are Python's, and remembered by a hash of the text. New
 * texts are searched for hints, literals of which each match has one: most have none, and announce nothing, or are dates
 * and times, which are told here where their surroundings are ASCII. */
#include <string.h>

#include "texts.h"

/* What is left to do for a block. */
enum { UNSEEN = 1, TITLE = 2, CONSENT = 4, TOLD = 8 };
enum { PAIRS = 4096, MAX_TITLE = 512, MAX_TEXT = 4096 };

/* Short texts that are known, by a hash that nobody outside of the process can prepare. */
struct known_texts {
    int64_t mask; /* slots - 1, a power of two - 1 */
    uint64_t seed;
    uint64_t *keys; /* 0: free */
    uint8_t *bits;
};

/* Where a hint counts: anywhere, before all letters, without letters beside it; letters are a to z. And what is certain:
 * a hint that is enough by itself, a whole word, a year of which it begins, a time of day around it. */
enum { ANYWHERE, START, APART, PLAIN, WORD, YEAR, TIME };
enum { NO, MAYBE, SURE };
enum { ALL = 31 }; /* bits of what a text may announce */

struct hints {
    const uint8_t *single; /* [65536]: what hints of one code may tell of */
    const uint8_t *first;  /* [PAIRS]: 1 + the number of the first longer hint that begins with a pair of a kind, or 0 */
    const uint8_t *next;   /* [count]: the same of the next one */
    const uint8_t *bits;   /* [count]: what each tells of */
    const uint8_t *place;
    const uint16_t *text;
    const int64_t *edges; /* [count + 1]: of each in the text; at least two codes */
    int64_t colon;        /* what a time of day tells of */
};

struct question {
    const uint16_t *lower;              /* [65536] */
    const struct hints *all, *consents; /* those for new texts, and those for longer ones */
    int64_t short_tokens, known_tokens, consent_tokens; /* blocks of fewer are asked for the title, all bits, consent */
};

/* A title in lower case, and where its pairs of codes stand. */
struct title {
    const uint16_t *codes;
    int64_t length;
    uint16_t first[PAIRS]; /* 1 + the position of the first pair of a kind, 0 for none */
    uint16_t next[MAX_TITLE]; /* the same of the next one */
};

static uint64_t hash_of(const struct page_columns *page, int64_t block, uint64_t seed) {
    const uint64_t odd = (seed << 1) | 1;
    uint64_t h = seed ^ (page->flags[block] & PREFORMATTED ? 0x9e3779b97f4a7c15u : 0);
    int64_t i, stop;
    bounds(page, block, &i, &stop);
    for (; i < stop; i++) h = (((h << 23) | (h >> 41)) ^ code_at(page, i)) * odd;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
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
        int64_t slot = slot_of(known, keys[i]);
        known->keys[slot] = keys[i];
        known->bits[slot] = bits[i];
    }
}

/* The block's text in lower case, without marks, runs of white space as one SPACE. Returns its length, -1 where it is
 * longer than MAX_TEXT. */
static int64_t fold(const struct page_columns *page, int64_t block, const uint16_t *lower, uint16_t *out) {
    int64_t i, stop, n = 0;
    bounds(page, block, &i, &stop);
    for (; i < stop; i++) {
        uint16_t code = lower[code_at(page, i)];
        if (code == MARK || (code == SPACE && (!n || out[n - 1] == SPACE))) continue;
        if (n == MAX_TEXT) return -1;
        out[n++] = code;
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

/* Share of the words of a text that stand in the title; -1 where lower case is not told by single codes. */
static double share_of(const struct title *title, const uint16_t *text, int64_t n) {
    int64_t words = 0, found = 0;
    if (n < 0) return -1;
    for (int64_t i = 0; i < n; i++) {
        int64_t first = i;
        for (; i < n && text[i] != SPACE; i++)
            if (text[i] == FOLDED || text[i] == SURROGATE) return -1;
        if (i == first) continue;
        words++;
        found += in_title(title, text + first, i - first);
    }
    return words ? (double)found / (double)words : 0;
}

static inline int is_letter(uint16_t code) { return code >= 'a' && code <= 'z'; }
static inline int is_digit(uint16_t code) { return code >= '0' && code <= '9'; }

static inline int is_other(uint16_t code) { return code > 127 || code == SURROGATE; }

/* Whether a position is a digit, and whether none of a word: NO outside of the text for a digit, SURE for none. */
static int digit_at(const uint16_t *text, int64_t n, int64_t i) {
    if (i < 0 || i >= n) return NO;
    return is_other(text[i]) ? MAYBE : is_digit(text[i]) ? SURE : NO;
}

static int edge_at(const uint16_t *text, int64_t n, int64_t i) {
    if (i < 0 || i >= n) return SURE;
    return is_other(text[i]) ? MAYBE : is_letter(text[i]) || is_digit(text[i]) || text[i] == '_' ? NO : SURE;
}

static inline int both(int a, int b) { return a < b ? a : b; }

/* Two digits from a position on, and a word's end. What is beyond another character cannot be told: it may be half. */
static int two_digits(const uint16_t *text, int64_t n, int64_t i) {
    int found = digit_at(text, n, i);
    if (found == SURE) found = digit_at(text, n, i + 1);
    return found == SURE ? edge_at(text, n, i + 2) : found;
}

/* One or two digits that begin a word, a colon, two digits that end one. */
static int time_at(const uint16_t *text, int64_t n, int64_t colon) {
    int before = digit_at(text, n, colon - 1);
    if (before == SURE)
        before = edge_at(text, n, colon - (digit_at(text, n, colon - 2) == SURE ? 3 : 2));
    return both(before, two_digits(text, n, colon + 1));
}

static int hint_at(const struct hints *hints, int64_t hint, const uint16_t *text, int64_t n, int64_t i, int after_letters) {
    const int64_t length = hints->edges[hint + 1] - hints->edges[hint], end = i + length;
    if (end > n || memcmp(hints->text + hints->edges[hint], text + i, (size_t)length * sizeof *text)) return NO;
    switch (hints->place[hint]) {
    case START: return after_letters ? NO : MAYBE;
    case APART: return (i && is_letter(text[i - 1])) || (end < n && is_letter(text[end])) ? NO : MAYBE;
    case PLAIN: return SURE;
    case WORD: return both(edge_at(text, n, i - 1), edge_at(text, n, end));
    case YEAR: return both(edge_at(text, n, i - 1), two_digits(text, n, end));
    default: return MAYBE;
    }
}

/* What the hints in a text may tell of, and are not sure of; `sure` gets what they are. */
static int hinted(const struct hints *hints, const uint16_t *text, int64_t n, uint8_t *sure) {
    int bits[] = {0, 0, 0}, after_letters = 0;
    *sure = 0;
    if (n < 0) return ALL;
    for (int64_t i = 0; i < n; i++) {
        if (text[i] == FOLDED) return ALL;
        bits[MAYBE] |= hints->single[text[i]];
        if (text[i] == ':') bits[time_at(text, n, i)] |= (int)hints->colon;
        if (i + 1 == n) break;
        for (int64_t hint = hints->first[pair(text[i], text[i + 1])]; hint; hint = hints->next[hint - 1])
            bits[hint_at(hints, hint - 1, text, n, i, after_letters)] |= hints->bits[hint - 1];
        after_letters |= is_letter(text[i]);
    }
    *sure = (uint8_t)bits[SURE];
    return bits[MAYBE] & ~bits[SURE];
}

/* What is known of the blocks. Writes, for each block: its key (of those that are looked up), its bits, its share of words in the
 * title, what is left to do; `out` has room for two words of 64 bits and two bytes a block. Returns how many blocks have
 * something left. */
EXPORTED int64_t denoise_texts_ask(const struct page_columns *page, const struct known_texts *known,
                                   const struct question *ask, const uint16_t *title_codes, int64_t title_length,
                                   void *out) {
    uint64_t *keys = out;
    double *share = (double *)(keys + page->m);
    uint8_t *bits = (uint8_t *)(share + page->m), *left = bits + page->m;
    uint16_t text[MAX_TEXT];
    const int titled = title_length > 0 && title_length <= MAX_TITLE;
    struct title title = {.codes = title_codes, .length = titled ? title_length : 0};
    int64_t waiting = 0;
    read_title(&title);
    for (int64_t block = 0; block < page->m; block++) {
        const int64_t tokens = page->tokens[block];
        bits[block] = left[block] = 0;
        share[block] = 0;
        if (tokens >= ask->consent_tokens) continue;
        if (tokens < ask->known_tokens) {
            keys[block] = hash_of(page, block, known->seed);
            int64_t slot = slot_of(known, keys[block]);
            if (known->keys[slot] == keys[block])
                bits[block] = known->bits[slot];
            else
                left[block] |= hinted(ask->all, text, fold(page, block, ask->lower, text), &bits[block]) ? UNSEEN : TOLD;
        } else {
            uint8_t sure;
            if (hinted(ask->consents, text, fold(page, block, ask->lower, text), &sure) | sure) left[block] |= CONSENT;
        }
        if (tokens < ask->short_tokens && title_length > 0) {
            share[block] = titled ? share_of(&title, text, fold(page, block, ask->lower, text)) : -1;
            if (share[block] < 0) left[block] |= TITLE;
        }
        waiting += left[block] != 0;
    }
    return waiting;
}

/* Whether a block's text is part of a title, white space aside; -1 where lower case is not told by single codes. */
static int part_of(const struct page_columns *page, int64_t block, const uint16_t *lower, const uint16_t *title,
                   int64_t length) {
    uint16_t text[MAX_TITLE];
    int64_t i, stop, n = 0;
    bounds(page, block, &i, &stop);
    for (; i < stop; i++) {
        uint16_t code = lower[code_at(page, i)];
        if (code == FOLDED || code == SURROGATE) return -1;
        if (code == MARK || code == SPACE) continue;
        if (n == length) return 0;
        text[n++] = code;
    }
    for (i = 0; i + n <= length; i++)
        if (!memcmp(title + i, text, (size_t)n * sizeof *text)) return 1;
    return 0;
}

/* Which headings of at most so many characters are part of a title in lower case without white space: 1, 0, or 2 where
 * that is left to do. Returns how many these are. */
EXPORTED int64_t denoise_texts_titles(const struct page_columns *page, const uint16_t *lower, const uint16_t *title,
                                      int64_t length, int64_t most, uint8_t *out) {
    int64_t waiting = 0;
    for (int64_t block = 0; block < page->m; block++) {
        out[block] = 0;
        if (!(page->own_flags[block] & HEADING) || page->chars[block] > most) continue;
        int found = length > MAX_TITLE ? -1 : part_of(page, block, lower, title, length);
        out[block] = found < 0 ? 2 : (uint8_t)found;
        waiting += found < 0;
    }
    return waiting;
}
