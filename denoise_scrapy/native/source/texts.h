/* A block's text: its slice of the page's marked text, code by code.
 *
 * One table tells of each code what it is worth: its lower case, SPACE for all white space, MARK for the marks of
 * elements, FOLDED for what lower case depends on more than the code, SURROGATE for a half of a character. */
#ifndef DENOISE_TEXTS_H
#define DENOISE_TEXTS_H

#include "columns.h"

enum { MARK = 0, FOLDED = 1, SURROGATE = 2, SPACE = 0x20, LINE_BREAK = 0x0b, REPLACEMENT = 0xfffd };
enum { HEADING = 1 << 2, PREFORMATTED = 1 << 12 }; /* of the flags in page/markup.py */

static inline uint16_t code_at(const struct page_columns *page, int64_t i) {
    return page->wide ? ((const uint16_t *)page->codes)[i] : ((const uint8_t *)page->codes)[i];
}

static inline void bounds(const struct page_columns *page, int64_t block, int64_t *start, int64_t *stop) {
    int64_t first = page->start[block], after = page->stop[block];
    if (first < 0) first = 0;
    if (after > page->characters) after = page->characters;
    *start = first;
    *stop = after;
}

#endif
