/* One page while it is being read: what the parser's callbacks in C share (`events.c`).
 *
 * Objects are borrowed from the callback's arguments, but for those a reader owns. An error is Python's exception and
 * -1; it leaves as many paths as starts in the text. */
#ifndef DENOISE_READER_H
#define DENOISE_READER_H

#include "glued.h"
#include "kernels.h"
#include "marked_text.h"
#include "python_abi.h"

/* What is done at an element, by its path (`page/tokens.py`). */
enum { PLAIN, LINK, LOOKED_AT, IMAGE, BREAK, META, SKIPPED };

/* What a reader is given: see `native/events.py`. */
enum {
    TRANSITIONS, PARENT, KINDS, TAGS, BLOCK_TAGS, EXACT_TAGS, ROWS, CHARACTER_BITS, URLS, KEPT, DECLARING,
    CHILD, NOTE, LOOK_INTO, ROW_SIZE, BLOCK_OFFSET, HELD
};

struct reader {
    PyObject *held[HELD];
    PyObject *skipped;  /* (tag, attributes) of the skipped element that is looked into, else NULL */
    PyObject *recorded; /* the events inside it */
    struct marked_text text;
    int32_t *paths;
    int64_t count, room;
    struct joint *joints; /* starts that follow an end directly */
    int64_t joint_count, joint_room;
    int64_t marks; /* marks that came with the text, or end nothing */
    long path;
    long level; /* how many elements are open inside a skipped one, itself included */
    int64_t inside; /* how many have started there, on the whole page */
    long text_level; /* in a head: level of the title or script whose text is recorded, 0 for none */
    uint64_t recorded_levels; /* in a head: whether the element open at each level is recorded; from 64 on all are */
    int keeps_noscript, in_head, in_first_head;
    int source_told; /* the last source of a picture may have told an address */
};

/* The attributes that count, NULL for none, and whether there are any of some groups. */
struct attributes {
    PyObject *all; /* NULL where there are none */
    PyObject *class_, *id, *role, *itemprop, *itemtype, *style, *href, *type, *src, *alt, *width, *height;
    PyObject *name, *property;
    int hidden, looked_at, is_lazy;
};

/* ---- reader.c: objects, and the page as it grows ---- */

int text_is(PyObject *text, const char *ascii);
int text_may_hold(PyObject *text, const char *ascii); /* lower-case ASCII, in upper or lower case */
PyObject *new_number(long value);
int append_new(PyObject *list, PyObject *item); /* takes the item over; NULL is an error that it passes on */
long list_long(PyObject *list, long index);
int no_memory(void);
int reader_put_start(struct reader *r, long path, uint8_t next);
int reader_put_end(struct reader *r);
int reader_append_text(struct reader *r, PyObject *text);

/* ---- attributes.c ---- */

/* Read the attributes. `copy` is a new reference where they are no dict, else NULL. */
int read_attributes(PyObject *given, struct attributes *a, PyObject **copy);

/* ---- start_tags.c ---- */

int reader_start(struct reader *r, PyObject *tag, PyObject *given, const struct attributes *a);

/* ---- skipped.c ---- */

int reader_start_skipped(struct reader *r, long child, PyObject *tag, PyObject *given, const struct attributes *a);
int reader_start_inside(struct reader *r, PyObject *tag, PyObject *given, const struct attributes *a);
int reader_end_inside(struct reader *r);
int reader_text_inside(struct reader *r, PyObject *text);
int reader_end_skipped(struct reader *r);
int reader_end_head(struct reader *r, PyObject *tag);

/* ---- joints.c ---- */

int reader_part_glued(struct reader *r);

#endif
