/* A page as columns: what columns.c derives of its marked text and its path ids, for all that is computed from it.
 *
 * All arrays are read-only to others, and live as long as the Python object that holds the structure
 * (`Blocks.native`, whose `address` points here). Names are those of `Elements` and `Blocks`; -1 stands for none. */
#ifndef DENOISE_COLUMNS_H
#define DENOISE_COLUMNS_H

#include "kernels.h"

enum { ABOVE_LEVELS = 8, CHARACTER_CLASSES = 9 };

struct page_columns {
    /* The page as it was parsed. */
    const void *codes; /* of the characters, marks included: uint16_t where wide, else uint8_t */
    int64_t wide;
    int64_t characters;
    int64_t n;            /* elements; there are 2n marks */
    const int32_t *paths; /* path id of each element */

    /* Of the n elements and the 2n marks, in document order: as `OF_ELEMENTS` of native/reading.py lists them. */
    int64_t *parent, *end, *depth, *own_chars;
    int64_t *block_element;  /* nearest element of block level, the element itself included */
    uint64_t *token;         /* this, the tag and the flags are columns of the path table */
    int64_t *mark_element;
    int64_t *text_owner;     /* element that owns the text after the mark */
    int64_t *block_of_text;  /* block of the text after the mark */
    int64_t *marks;          /* position in codes; 2n + 1 values, the last is the number of characters */
    int64_t *visible_before; /* visible characters before the mark; 2n + 1 values, the last is all */
    uint32_t *tag;
    int32_t *element_flags, *element_own_flags;
    uint8_t *is_start;

    /* Of the m blocks, in document order: as `OF_BLOCKS` lists them. */
    int64_t m;
    int64_t *element;
    int64_t *first, *after; /* numbers of the mark before its text, and of the mark after it */
    int64_t *start, *stop;  /* positions in codes: `Blocks.start` and `Blocks.end` */
    int64_t *chars, *tokens, *link_chars, *paragraph_tokens;
    int64_t *flags, *own_flags; /* flags: as layout geometry corrects them, where there is some */
    uint64_t *path_keys, *text_hashes;
    int64_t *above;  /* [ABOVE_LEVELS][m] */
    int64_t *counts; /* [m][CHARACTER_CLASSES] */
    uint8_t *ends_in_stop;
};

#endif
