/* A page as columns: what columns.c derives of its marked text and its path ids, for all that is computed from it.
 *
 * All arrays are read-only to others, and live as long as the Python object that holds the structure
 * (`Blocks.native`, whose `address` points here). Names are those of `Elements` and `Blocks`; -1 stands for none. */
#ifndef DENOISE_COLUMNS_H
#define DENOISE_COLUMNS_H

#include "kernels.h"

enum { ABOVE_LEVELS = 8, CHARACTER_CLASSES = 9 };

/* The columns of the path table, by path id, in the order of `paths.COLUMNS`. */
struct path_columns {
    int64_t paths; /* rows of each; all path ids of the page are below */
    const int32_t *parent, *depth;
    const uint32_t *tag, *class_, *id;
    const uint64_t *token, *key, *shape;
    const int32_t *own_flags, *flags;
    const uint8_t *block;
    const int32_t *block_path;
    const uint8_t *container, *content, *br, *skipped;
    const int32_t *markup;
};

struct page_columns {
    /* The page as it was parsed. */
    const void *codes; /* of the characters, marks included: uint16_t where wide, else uint8_t */
    int64_t wide;
    int64_t characters;
    int64_t n;             /* elements; there are 2n marks */
    const int32_t *paths;  /* path id of each element */
    const struct path_columns *table;

    /* Of the n elements, in document order. */
    int64_t *parent, *end, *depth, *own_chars;
    int64_t *block_element; /* nearest element of block level, the element itself included */
    double *token_sums, *char_sums, *link_char_sums; /* over the blocks of the subtree; set with the blocks */

    /* Of the 2n marks, in document order. */
    int64_t *marks;          /* position in codes */
    int64_t *mark_element;
    int64_t *text_owner;     /* element that owns the text after the mark */
    int64_t *visible_before; /* visible characters before the mark; 2n + 1 values, the last is all */
    int64_t *block_of_text;  /* block of the text after the mark */
    uint8_t *is_start;

    /* Of the m blocks, in document order. */
    int64_t m;
    int64_t *element, *start, *finish; /* finish: `Blocks.end` */
    int64_t *chars, *tokens, *link_chars;
    int64_t *paragraph_tokens;
    int64_t *flags, *own_flags; /* flags: as layout geometry corrects them, where there is some */
    int64_t *counts;            /* [m][CHARACTER_CLASSES] */
    int64_t *above;             /* [ABOVE_LEVELS][m] */
    uint64_t *path_keys, *text_hashes;
    int64_t slot_count; /* different path keys */
    int64_t *slots;     /* number of the block's path key among them, in increasing order of the keys */
    uint8_t *ends_in_stop;
};

#endif
