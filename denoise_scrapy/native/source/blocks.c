/* Lays out what columns.c noted of a page's blocks as arrays, and what follows from them. Twin of `page/blocks.py`. */
#include "page_scan.h"

#include <string.h>

/* `Blocks.paragraph_tokens`: shorter blocks, or blocks of more links, are none. */
static const int64_t PARAGRAPH_TOKENS = 12;
static const double PARAGRAPH_LINK_DENSITY = .34;

struct numbered_key {
    uint64_t key;
    int64_t number;
};

/* Merges the sorted halves of `from`, which meet at `half`, into `to`. */
static void merge(const struct numbered_key *from, struct numbered_key *to, int64_t half, int64_t size) {
    int64_t left = 0, right = half;
    for (int64_t i = 0; i < size; i++) {
        const int take_left = right >= size || (left < half && from[left].key <= from[right].key);
        to[i] = take_left ? from[left++] : from[right++];
    }
}

/* Sorts by key; returns whichever of the two arrays holds the result. */
static const struct numbered_key *sort_keys(struct numbered_key *keys, struct numbered_key *spare, int64_t size) {
    for (int64_t width = 1; width < size; width *= 2) {
        for (int64_t i = 0; i < size; i += 2 * width) {
            const int64_t left = size - i;
            merge(keys + i, spare + i, left < width ? left : width, left < 2 * width ? left : 2 * width);
        }
        struct numbered_key *sorted = spare;
        spare = keys;
        keys = sorted;
    }
    return keys;
}

/* Numbers the blocks' path keys in increasing order. `room`: for 2m pairs. */
static void number_slots(struct page_columns *p, struct numbered_key *room) {
    const int64_t m = p->m;
    for (int64_t b = 0; b < m; b++)
        room[b] = (struct numbered_key){p->path_keys[b], b};
    const struct numbered_key *sorted = sort_keys(room, room + m, m);
    int64_t slot = -1;
    for (int64_t i = 0; i < m; i++) {
        slot += !i || sorted[i].key != sorted[i - 1].key;
        p->slots[sorted[i].number] = slot;
    }
    p->slot_count = slot + 1;
}

static void climb(const struct page_columns *p) {
    const int64_t m = p->m;
    memcpy(p->above, p->element, (size_t)m * sizeof *p->above);
    for (int64_t i = m; i < ABOVE_LEVELS * m; i++) {
        const int64_t below = p->above[i - m], up = p->parent[below];
        p->above[i] = up < 0 ? below : up;
    }
}

/* Lays out the arrays of blocks, as `_OF_BLOCKS` of native/columns.py does. */
static void lay_out(struct page_columns *p, int64_t *space) {
    const int64_t m = padded(p->m, 8);
    p->element = carve(&space, m);
    p->first = carve(&space, m);
    p->after = carve(&space, m);
    p->start = carve(&space, m);
    p->stop = carve(&space, m);
    p->chars = carve(&space, m);
    p->tokens = carve(&space, m);
    p->link_chars = carve(&space, m);
    p->paragraph_tokens = carve(&space, m);
    p->flags = carve(&space, m);
    p->own_flags = carve(&space, m);
    p->slots = carve(&space, m);
    p->path_keys = carve(&space, m);
    p->text_hashes = carve(&space, m);
    p->above = carve(&space, ABOVE_LEVELS * m);
    p->counts = carve(&space, CHARACTER_CLASSES * m);
    p->ends_in_stop = carve(&space, m / 8);
}

static void copy_block(const struct page_columns *p, int64_t b, const struct block_record *r) {
    const int prose = r->tokens >= PARAGRAPH_TOKENS &&
                      (double)r->link_chars / (double)(r->chars ? r->chars : 1) < PARAGRAPH_LINK_DENSITY;
    p->element[b] = r->element;
    p->first[b] = r->first;
    p->after[b] = r->after;
    p->start[b] = r->start;
    p->stop[b] = r->stop;
    p->chars[b] = r->chars;
    p->tokens[b] = r->tokens;
    p->link_chars[b] = r->link_chars;
    p->paragraph_tokens[b] = prose ? r->tokens : 0;
    p->flags[b] = p->element_flags[r->element];
    p->own_flags[b] = p->element_own_flags[r->element];
    memcpy(p->counts + CHARACTER_CLASSES * b, r->counts, sizeof r->counts);
    p->path_keys[b] = r->path_key;
    p->text_hashes[b] = r->hash;
    p->ends_in_stop[b] = (uint8_t)r->ends_in_stop;
}

/* Lays out the blocks of a page that `denoise_read_page` has read without an error.
 *
 * space: for the arrays of blocks.
 * records: what it noted, `page->m` of them.
 * room: for 4m words, to sort in. */
EXPORTED void denoise_lay_out_blocks(struct page_columns *page, int64_t *space, const struct block_record *records,
                                     int64_t *room) {
    lay_out(page, space);
    for (int64_t b = 0; b < page->m; b++)
        copy_block(page, b, records + b);
    number_slots(page, (struct numbered_key *)room);
    climb(page);
}
