/* Reads a page's marked text once: nesting of its elements, runs of text, counts and hashes of its blocks.
 *
 * Twin of what `Elements` and `Blocks` compute in numpy. Linear in characters and elements. What the caller
 * hands over is checked: a text whose marks are not balanced, or a path id beyond the table, gives -1. */
#include "kernels.h"

#include <string.h>

/* Classes of characters, as in `page/marked_text.py`; counts of a class are at its number. */
enum { MARK, SPACE, OTHER, COMMA, STOP, DIGIT, UPPER, LETTER, CJK, CHARACTER_CLASSES };

enum { LINK = 1 }; /* `Flag.LINK` */

/* A page as columns. Names are those of `Elements`; -1 stands for none. */
struct page_columns {
    /* The page as it was parsed. */
    const void *codes; /* of the characters, marks included: uint16_t where wide, else uint8_t */
    int64_t wide;
    int64_t characters;
    int64_t n;            /* elements; there are 2n marks */
    const int32_t *paths; /* path id of each element */

    /* Of the n elements and the 2n marks, in document order: as `_OF_ELEMENTS` of native/reading.py lists them. */
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
};

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

enum { CLASS_BITS = 15, IS_WORD = 16 };

struct block_record {
    int64_t element, first, after, start, stop;
    int64_t chars, link_chars, tokens;
    int64_t counts[CHARACTER_CLASSES];
    uint64_t hash;
    uint64_t path_key;
    int64_t ends_in_stop;
};

/* What native/reading.py allocates for these, and takes them for. */
_Static_assert(sizeof(struct page_columns) == 20 * 8, "_PAGE_WORDS of native/reading.py");
_Static_assert(sizeof(struct block_record) == 20 * 8, "_RECORD_WORDS of native/reading.py");
_Static_assert(sizeof(struct path_row) == 65, "`ROW` of page/paths.py");

/* `segment_hashes`: a character's value times this to the power of its place among the block's visible ones. */
#define BASE 0x9E3779B97F4A7C15u

/* Counts of the visible classes, of all of them, and of tokens stand in one word, 7 bits each. */
enum { FIELD = 7, FULL = 127, ALL_VISIBLE = 7 * FIELD, TOKENS = 8 * FIELD };
#define ONE(class) (1ull << (class - OTHER) * FIELD | 1ull << ALL_VISIBLE)
#define TOKEN (1ull << TOKENS)

/* What a character adds to these, by its kind and, from 32 on, after a character of a word. */
static const uint64_t COUNTED[64] = {
    [OTHER] = ONE(OTHER), [COMMA] = ONE(COMMA), [STOP] = ONE(STOP), [CJK] = ONE(CJK) | TOKEN,
    [IS_WORD | DIGIT] = ONE(DIGIT) | TOKEN,
    [IS_WORD | UPPER] = ONE(UPPER) | TOKEN,
    [IS_WORD | LETTER] = ONE(LETTER) | TOKEN,
    [32 | OTHER] = ONE(OTHER), [32 | COMMA] = ONE(COMMA), [32 | STOP] = ONE(STOP), [32 | CJK] = ONE(CJK) | TOKEN,
    [32 | IS_WORD | DIGIT] = ONE(DIGIT),
    [32 | IS_WORD | UPPER] = ONE(UPPER),
    [32 | IS_WORD | LETTER] = ONE(LETTER),
};

/* What the power of BASE is multiplied by, by kind: only visible characters have a place. */
static const uint64_t STEP[32] = {
    1, 1, BASE, BASE, BASE, BASE, BASE, BASE, BASE, 1, 1, 1, 1, 1, 1, 1,
    1, 1, BASE, BASE, BASE, BASE, BASE, BASE, BASE, 1, 1, 1, 1, 1, 1, 1,
};

/* The runs of text since the last mark that ended a block. */
struct group {
    int64_t first; /* mark before it */
    int64_t owner; /* of the first text that shows, -1 before there is one */
    int64_t link_chars, tokens, chars;
    int64_t counts[CHARACTER_CLASSES];
    uint64_t counted; /* of the last `pending` characters: not yet in the counts above */
    int64_t pending;
    uint64_t hash, power;
    unsigned after_word; /* 32 where the last character was a word's */
};

struct scan {
    struct page_columns *page;
    const struct path_row *rows;
    int64_t paths; /* rows */
    const uint8_t *kinds;   /* by character code: class, plus IS_WORD where it is a word's, from DIGIT to LETTER */
    const uint64_t *values; /* what a character adds to a hash: 0 where it does not show */
    struct block_record *records;
    int64_t most; /* room for so many */
    int64_t blocks, visible;
    struct group group;
};

INLINED unsigned code_at(const void *codes, int wide, int64_t i) {
    return wide ? ((const uint16_t *)codes)[i] : ((const uint8_t *)codes)[i];
}

/* `mix` of page/marked_text.py. */
static uint64_t mix(uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

static void unpack_counts(struct group *g) {
    uint64_t counted = g->counted;
    for (int class = OTHER; class < CHARACTER_CLASSES; class ++, counted >>= FIELD)
        g->counts[class] += counted & FULL;
    g->chars += counted & FULL;
    g->tokens += counted >> FIELD;
    g->counted = 0;
    g->pending = 0;
}

/* Reads text from i on, up to a mark or the end; returns where it stopped. No branch depends on a character. */
INLINED int64_t read_text(struct scan *s, const void *codes, int wide, int64_t i) {
    const uint8_t *kinds = s->kinds;
    const uint64_t *values = s->values;
    struct group *g = &s->group;
    const int64_t end = s->page->characters;
    uint64_t hash = g->hash, power = g->power;
    unsigned after_word = g->after_word;
    for (;;) {
        const int64_t begin = i, room = FULL - g->pending, stop = end - i > room ? i + room : end;
        uint64_t counted = g->counted;
        for (; i < stop; i++) {
            const unsigned code = code_at(codes, wide, i);
            if (code - 1u < 2u)
                break;
            const unsigned kind = kinds[code];
            counted += COUNTED[kind | after_word];
            after_word = (kind & IS_WORD) << 1;
            hash += values[code] * power;
            power *= STEP[kind];
        }
        s->visible += (counted - g->counted) >> ALL_VISIBLE & FULL;
        g->counted = counted;
        g->pending += i - begin;
        if (i < stop || i >= end)
            break;
        unpack_counts(g);
    }
    g->hash = hash;
    g->power = power;
    g->after_word = after_word;
    return i;
}

static void open_group(struct scan *s, int64_t mark) {
    memset(&s->group, 0, sizeof s->group);
    s->group.first = mark;
    s->group.owner = -1;
    s->group.power = 1;
}

/* The block's text has a visible character, so this finds one. */
static int ends_in_stop(const struct scan *s, int64_t stop) {
    for (int64_t i = stop - 1; i >= 0; i--) {
        const unsigned class = s->kinds[code_at(s->page->codes, s->page->wide != 0, i)] & CLASS_BITS;
        if (class > SPACE)
            return class == STOP;
    }
    return 0;
}

/* Ends the group before mark `after`, which is at `stop`: it is a block if anything of it shows. */
static int close_group(struct scan *s, int64_t after, int64_t stop) {
    const struct page_columns *p = s->page;
    struct group *g = &s->group;
    int64_t number = -1;
    if (g->owner >= 0) {
        unpack_counts(g);
        const int64_t element = p->block_element[g->owner];
        if (element < 0 || s->blocks >= s->most)
            return -1;
        number = s->blocks++;
        struct block_record *r = s->records + number;
        r->element = element;
        r->first = g->first;
        r->after = after;
        r->start = p->marks[g->first] + 1;
        r->stop = stop;
        r->link_chars = g->link_chars;
        r->tokens = g->tokens;
        r->chars = g->chars;
        memcpy(r->counts, g->counts, sizeof r->counts);
        r->counts[SPACE] = (stop - r->start) - (after - g->first - 1) - g->chars; /* neither shown nor marks */
        r->hash = g->hash + mix((uint64_t)r->chars);
        r->path_key = s->rows[p->paths[element]].key;
        r->ends_in_stop = ends_in_stop(s, stop);
    }
    for (int64_t mark = g->first; mark < after; mark++)
        p->block_of_text[mark] = number;
    return 0;
}

/* Notes the visible characters since the last mark, whose number is `mark`. */
static inline void end_run(struct scan *s, int64_t mark) {
    const struct page_columns *p = s->page;
    struct group *g = &s->group;
    const int64_t owner = p->text_owner[mark], shown = s->visible - p->visible_before[mark];
    if (owner < 0)
        return;
    p->own_chars[owner] += shown;
    g->owner = g->owner < 0 && shown ? owner : g->owner;
    g->link_chars += p->element_flags[owner] & LINK ? shown : 0;
}

/* The columns of element e, which starts inside of `parent`. */
static inline void add_element(const struct page_columns *p, const struct path_row *row, int64_t e, int64_t parent) {
    p->parent[e] = parent;
    p->depth[e] = parent < 0 ? 1 : p->depth[parent] + 1;
    p->block_element[e] = row->block ? e : parent < 0 ? -1 : p->block_element[parent];
    p->own_chars[e] = 0;
    p->token[e] = row->token;
    p->tag[e] = row->tag;
    p->element_flags[e] = row->flags;
    p->element_own_flags[e] = row->own_flags;
}

INLINED int64_t read_page(struct scan *s, const void *codes, int wide) {
    struct page_columns *p = s->page;
    const int64_t n = p->n;
    int64_t mark = 0, elements = 0, open = -1, break_seen = -1;
    open_group(s, 0);
    int64_t i = read_text(s, codes, wide, 0);
    for (; i < p->characters; mark++) {
        if (mark >= 2 * n)
            return -1;
        const int is_start = code_at(codes, wide, i) == 1;
        if (is_start ? elements >= n : open < 0)
            return -1;
        const int64_t element = is_start ? elements++ : open;
        const int64_t path = p->paths[element];
        if (path < 0 || path >= s->paths)
            return -1;
        const struct path_row *row = s->rows + path;
        int ends = row->block;
        if (is_start) {
            add_element(p, row, element, open);
            if (row->is_break) { /* a second one with nothing between ends a block */
                ends |= break_seen == s->visible;
                break_seen = s->visible;
            }
        }
        if (mark)
            end_run(s, mark - 1);
        if (mark && ends && close_group(s, mark, i))
            return -1;
        if (!mark || ends)
            open_group(s, mark);
        open = is_start ? element : p->parent[element];
        if (!is_start)
            p->end[element] = elements;
        p->marks[mark] = i;
        p->mark_element[mark] = element;
        p->is_start[mark] = (uint8_t)is_start;
        p->text_owner[mark] = open;
        p->visible_before[mark] = s->visible;
        i = read_text(s, codes, wide, i + 1);
    }
    if (mark != 2 * n || elements != n || open >= 0)
        return -1;
    p->marks[mark] = p->characters;
    p->visible_before[mark] = s->visible;
    if (mark)
        end_run(s, mark - 1);
    if (mark && close_group(s, mark, p->characters))
        return -1;
    return s->blocks;
}

/* Reads a page.
 *
 * page: as it was parsed, with arrays of elements and marks, which are filled.
 * rows: so many of the path table; kinds, values: of 65,536 character codes.
 * records: room for `most` blocks, 2n at least where none may be lost.
 * Returns the number of blocks, or -1 where the page is none. */
EXPORTED int64_t denoise_read_page(struct page_columns *page, const struct path_row *rows, int64_t paths,
                                   const uint8_t *kinds, const uint64_t *values, struct block_record *records,
                                   int64_t most) {
    if (page->n < 0 || page->characters < 0)
        return -1;
    struct scan s = {.page = page, .rows = rows, .paths = paths, .kinds = kinds, .values = values, .records = records, .most = most};
    return page->wide ? read_page(&s, page->codes, 1) : read_page(&s, page->codes, 0);
}

/* Tells of which sources the library was made. */
EXPORTED const char *denoise_digest(void) { return DENOISE_DIGEST; }
