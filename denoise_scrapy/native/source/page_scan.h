/* What columns.c notes of each block while it reads a page once, for blocks.c to lay out. */
#ifndef DENOISE_PAGE_SCAN_H
#define DENOISE_PAGE_SCAN_H

#include "columns.h"

/* Classes of characters, as in `page/characters.py`; counts of a class are at its number. */
enum { MARK, SPACE, OTHER, COMMA, STOP, DIGIT, UPPER, LETTER, CJK };

enum { LINK = 1 }; /* `Flag.LINK` */

/* A row of the path table: `paths.ROW`, which is packed. */
struct __attribute__((packed)) path_row {
    int32_t parent, depth;
    uint64_t key, shape;
    int32_t flags, block_path;
    uint32_t tag, class_, id;
    uint64_t token;
    int32_t own_flags, markup;
    uint8_t block, container, content, is_break, skipped;
};

struct path_table {
    int64_t paths;
    const struct path_row *rows;
};

/* By character code, 65,536 of each. */
struct character_tables {
    const uint8_t *kinds;   /* class, plus IS_WORD where it is a word's, from DIGIT to LETTER */
    const uint64_t *values; /* what a character adds to a hash: 0 where it does not show */
};

enum { CLASS_BITS = 15, IS_WORD = 16 };

/* A copy of its own wherever it is called, so that what is constant there is constant in it. */
#define SPECIALISED static inline __attribute__((always_inline))

struct block_record {
    int64_t element, first, after, start, stop;
    int64_t chars, link_chars, tokens;
    int64_t counts[CHARACTER_CLASSES];
    uint64_t hash;
    uint64_t path_key;
    int64_t ends_in_stop;
};

/* The next multiple of a power of two above `size`: of so many values of 64 bits each part of a workspace is. */
static inline int64_t padded(int64_t size, int64_t unit) { return (size + unit) & -unit; }

/* Carves the next `words` words off a workspace. */
static inline void *carve(int64_t **space, int64_t words) {
    void *part = *space;
    *space += words;
    return part;
}

#endif
