/* The matrix of features of a page's blocks: what its files share. `body/features/matrix.py` has the twin.
 *
 * All sums are integers, all shares and logarithms are computed in double and stored as float, as numpy does. */
#ifndef DENOISE_FEATURES_H
#define DENOISE_FEATURES_H

#include "columns.h"

#include <math.h>

/* Families in the order of `matrix.FAMILIES`; those of words are filled in by lexical.c. */
enum { OWN_ROWS, FLAG_ROWS, WORD_ROWS, SUBTREE_ROWS, WINDOW_ROWS, NEAR_ROWS, PATH_ROWS, PLACE_ROWS, RECORD_ROWS,
       GOODS_ROWS, SECTION_ROWS, SITE_ROWS, RULE_ROWS, PAGE_ROWS, FAMILIES };
enum { TAGS = 19, FLAGS = 25, FIRST_WORD = 9, HEADING_LEVELS = 6, NODE_TAGS = 6, DECLARED = 6, SPREAD = 6 };
/* Bits of `page/markup.py`: Flag. */
enum { LINK_BIT = 0, HIDDEN_BIT = 1, HEADING_BIT = 2 };
/* Classes of `page/characters.py`. */
enum { COMMA = 3, STOP, DIGIT, UPPER, LETTER, CJK };
/* Bits of `body/features/announcements.py`. */
enum { META_BIT = 4, PRICE_BIT = 16 };

/* Rows of counts of the blocks, as in `body/sums.py`. */
enum { OWN, PROSE, LINKS, TOKENS, CHARS, COPIES, HEADINGS, META, PRICES, CHANNELS };
typedef int64_t counts[CHANNELS];

/* What the modules of `body/features` and the hand rule have as constants, and where families stand. */
struct feature_settings {
    int64_t rows, start[FAMILIES]; /* of the matrix; first row of each family */
    int64_t tags[TAGS], levels[HEADING_LEVELS], nodes[NODE_TAGS], link, image; /* codes of tags */
    int64_t spread[SPREAD], points[FLAGS]; /* numbers of flags; points of flags */
    int64_t prose_points, block_points, outside_points, teaser_points, title_points, slot_points;
    int64_t far, price_tokens, records, record_elements, record_tokens, most_pages;
    double alpha, linked, repeated, template_slot, framed, hidden, teasers, sparse_tokens, sparse;
};

/* What is told of a page's m blocks beside its columns: rows of one array, in this order. */
struct feature_inputs {
    const double *titles; /* 1: headings that name the page */
    const double *bits;   /* what texts announce */
    const double *times;  /* how often the page says the block's text */
    const double *text_share, *placed_share, *slot_share, *path_share, *slot_tokens; /* of the comparison pages */
};
enum { INPUTS = 8 };

/* A page at work. Arrays are of the m blocks unless they say otherwise. */
struct features {
    const struct page_columns *page;
    const struct feature_settings *set;
    struct feature_inputs given;
    float *matrix;
    int64_t n, m, pages; /* pages: comparison pages */
    const int64_t *slots; /* number of each block's path, below m */
    int64_t declared;    /* what the page declares to be, a bit each */
    counts *before;   /* sums over the blocks before each one, [m + 1] */
    counts *sorted;   /* the same with the blocks in the order of their elements, [m + 1] */
    int64_t *first;   /* of the sorted blocks the first of each element, [n + 1] */
    int64_t *images;  /* pictures before each element, [n + 1] */
    double *log_tokens;
    uint8_t *repeated, *hidden, *inside; /* of the hand rule; in the container of all prose */
    uint8_t *in_own;                     /* in the container of the own prose */
    int64_t covered[FLAGS];              /* tokens of the page in elements of each flag */
    int64_t whole;                       /* tokens of the page, 1 at least */
    int64_t kept_tokens;
    double most_listed; /* largest share of the text that a list of records has */
    void *scratch;      /* for one family at a time */
};

/* Bytes of scratch that the families take. */
size_t record_scratch(int64_t n);
size_t path_scratch(int64_t m);

/* The families of feature_rows.c, in the order in which they build upon each other. */
void fill_own(struct features *f);
void fill_subtrees(struct features *f);
void fill_windows(struct features *f);
void fill_near(struct features *f);
void fill_paths(struct features *f);
void fill_place(struct features *f);
void fill_records(struct features *f);
void fill_goods(struct features *f);
void fill_sections(struct features *f);
void fill_site(struct features *f);
void fill_page(struct features *f);

static inline float *row_of(const struct features *f, int family, int64_t row)
{
    return f->matrix + (f->set->start[family] + row) * f->m;
}

static inline int announces(const struct features *f, int64_t block, int bit)
{
    const double bits = f->given.bits[block];
    return bits >= 0 && bits < 256 && (int)bits & bit;
}

static inline double at_least_1(int64_t value) { return (double)(value > 1 ? value : 1); }

/* numpy takes log1p: of counts the sum is exact, of means the float is the same, and the time is half. One function for
 * both, so that a length equal to the mean is no further from it than 0. */
static inline double log_of(double value) { return log(1.0 + value); }

static inline double log_count(int64_t count) { return log_of((double)count); }

/* Sum of a row over the blocks in an element's subtree. */
static inline int64_t under(const struct features *f, int64_t element, int row)
{
    const int64_t end = f->first[f->page->end[element]];
    return f->sorted[end][row] - f->sorted[f->first[element]][row];
}

static inline int64_t total_of(const struct features *f, int row) { return f->before[f->m][row]; }

static inline uint32_t tag_of(const struct features *f, int64_t element)
{
    return f->page->tag[element];
}

#endif
