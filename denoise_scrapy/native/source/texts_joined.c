/* Texts of blocks as they are rendered: without marks, white space as a browser shows it, a line a block. */
#include "texts.h"

struct writer {
    void *out;
    int64_t wide, n;
};

static inline void put(struct writer *to, uint16_t code) {
    if (to->wide)
        ((uint16_t *)to->out)[to->n++] = code;
    else
        ((uint8_t *)to->out)[to->n++] = (uint8_t)code;
}

static inline uint16_t get(const struct writer *to, int64_t i) {
    return to->wide ? ((uint16_t *)to->out)[i] : ((uint8_t *)to->out)[i];
}

/* The code, or REPLACEMENT for half a character whose other half is not beside it. */
static uint16_t whole(const struct page_columns *page, int64_t i, int64_t start, int64_t stop) {
    uint16_t code = code_at(page, i);
    if ((code & 0xfc00) == 0xd800) return i + 1 < stop && (code_at(page, i + 1) & 0xfc00) == 0xdc00 ? code : REPLACEMENT;
    if ((code & 0xfc00) == 0xdc00) return i > start && (code_at(page, i - 1) & 0xfc00) == 0xd800 ? code : REPLACEMENT;
    return code;
}

static void write_as_it_is(const struct page_columns *page, int64_t block, const uint16_t *lower, struct writer *to) {
    int64_t i, stop;
    bounds(page, block, &i, &stop);
    const int64_t start = i, begin = to->n;
    for (; i < stop; i++) {
        uint16_t code = whole(page, i, start, stop);
        if (lower[code] == MARK) continue;
        if (code == LINE_BREAK) code = '\n';
        if (to->n > begin || (code != '\n' && code != '\r')) put(to, code);
    }
    while (to->n > begin && lower[get(to, to->n - 1)] == SPACE) to->n--;
}

static void write_collapsed(const struct page_columns *page, int64_t block, const uint16_t *lower, struct writer *to) {
    int64_t i, stop;
    bounds(page, block, &i, &stop);
    const int64_t start = i, begin = to->n;
    uint16_t between = 0;
    for (; i < stop; i++) {
        uint16_t code = code_at(page, i), kind = lower[code];
        if (kind == MARK) continue;
        if (kind == SPACE) {
            if (between != '\n') between = code == LINE_BREAK ? '\n' : ' ';
            continue;
        }
        if (between && to->n > begin) put(to, between);
        between = 0;
        put(to, kind == SURROGATE ? whole(page, i, start, stop) : code);
    }
}

/* The texts of some blocks, a line each, in codes as wide as the page's. `out` has room for all characters of the page
 * and one a block: each block once, in order. Returns how many codes were written. */
EXPORTED int64_t denoise_texts_join(const struct page_columns *page, const uint16_t *lower, const uint8_t *wanted,
                                    void *out) {
    struct writer to = {out, page->wide, 0};
    int64_t after = 0, any = 0;
    for (int64_t block = 0; block < page->m; block++) {
        if (!wanted[block]) continue;
        if (page->start[block] < after || page->stop[block] < page->start[block]) return -1; /* would not fit */
        after = page->stop[block];
        if (any++) put(&to, '\n');
        if (page->flags[block] & PREFORMATTED)
            write_as_it_is(page, block, lower, &to);
        else
            write_collapsed(page, block, lower, &to);
    }
    return to.n;
}
