/* The parser's callbacks that turn a page into path ids and one marked text, called by lxml itself while it parses. The
 * twin of `page/reader.py`: what is common is done here, what is rare is left to functions of Python's.
 *
 * Objects are borrowed from the callback's arguments, but for those a reader owns; an error is Python's exception and
 * NULL or -1, and leaves paths and marks as many as one another. */
#include <stdlib.h>
#include <string.h>

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

/* Levels up that are looked at for tags whose text is exact. */
enum { EXACT_LEVELS = 8 };
/* Characters of an image's attributes that are kept (`page/attributes.py`). */
enum { MAX_SIZE = 32, MAX_ALT = 1000 };

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

static const char READER[] = "denoise_scrapy.reader";

static int is(PyObject *text, const char *ascii) {
    Py_ssize_t size;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &size);
    if (!utf8) PyErr_Clear(); /* lone surrogates */
    return utf8 && (size_t)size == strlen(ascii) && !memcmp(utf8, ascii, (size_t)size);
}

/* Whether a text may hold some lower-case ASCII, in upper or lower case. */
static int may_hold(PyObject *text, const char *ascii) {
    Py_ssize_t size;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &size);
    if (!utf8) {
        PyErr_Clear();
        return 1;
    }
    size_t length = strlen(ascii);
    for (size_t i = 0; i + length <= (size_t)size; i++) {
        size_t j = 0;
        while (j < length && (utf8[i + j] | 0x20) == (ascii[j] | 0x20)) j++;
        if (j == length) return 1;
    }
    return 0;
}

static PyObject *number(long value) { return PyLong_FromLong(value); }

static int append_new(PyObject *list, PyObject *item) {
    int failed = !item || PyList_Append(list, item);
    if (item) Py_DecRef(item);
    return failed ? -1 : 0;
}

static long list_long(PyObject *list, long index) {
    PyObject *item = PyList_GetItem(list, index);
    return item ? PyLong_AsLong(item) : -1;
}

/* ---- The page as it grows ---- */

static int no_memory(void) {
    PyErr_NoMemory();
    return -1;
}

/* Make room for one more of something; what it holds then, NULL where memory has run out. */
static void *grown(void *items, int64_t count, int64_t *room, size_t size) {
    if (count < *room) return items;
    int64_t more = *room ? 2 * *room : 1024;
    void *larger = realloc(items, (size_t)more * size);
    if (larger) *room = more;
    return larger;
}

/* Count an element and put its start; nothing is done where memory has run out. */
static int put_start(struct reader *r, long path, uint8_t next) {
    int32_t *paths = grown(r->paths, r->count, &r->room, sizeof *paths);
    if (paths) r->paths = paths;
    struct joint *joints = grown(r->joints, r->joint_count, &r->joint_room, sizeof *joints);
    if (joints) r->joints = joints;
    if (!paths || !joints || text_reserve(&r->text, 2)) return no_memory();
    if (text_last(&r->text) == END_MARK) joints[r->joint_count++] = (struct joint){r->text.size, r->count, -1, -1};
    paths[r->count++] = (int32_t)path;
    text_put(&r->text, START_MARK);
    if (next) text_put(&r->text, next);
    return 0;
}

static int put_end(struct reader *r) {
    if (text_reserve(&r->text, 1)) return no_memory();
    text_put(&r->text, END_MARK);
    return 0;
}

static int append_text(struct reader *r, PyObject *text) {
    Py_ssize_t size;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &size);
    if (utf8) {
        for (Py_ssize_t i = 0; i < size; i++) r->marks += utf8[i] == START_MARK || utf8[i] == END_MARK;
        return text_append_utf8(&r->text, (const uint8_t *)utf8, size) ? no_memory() : 0;
    }
    PyErr_Clear(); /* lone surrogates, or no text at all */
    PyObject *units = PyUnicode_AsEncodedString(text, "utf-16-le", "surrogatepass");
    char *bytes;
    int failed = !units || PyBytes_AsStringAndSize(units, &bytes, &size);
    if (!failed) {
        for (Py_ssize_t i = 0; i + 1 < size; i += 2) r->marks += !bytes[i + 1] && (bytes[i] == 1 || bytes[i] == 2);
        failed = text_append_utf16(&r->text, (const uint8_t *)bytes, size) && no_memory();
    }
    if (units) Py_DecRef(units);
    return failed ? -1 : 0;
}

/* ---- Attributes ---- */

static void sort_in(struct attributes *a, PyObject *name, PyObject *value) {
    Py_ssize_t size;
    const char *s = PyUnicode_AsUTF8AndSize(name, &size);
    if (!s) {
        PyErr_Clear();
        return;
    }
#define NAMED(text) (size == sizeof(text) - 1 && !memcmp(s, text, sizeof(text) - 1))
    if (NAMED("class")) a->class_ = value;
    else if (NAMED("href")) a->href = value;
    else if (NAMED("id")) a->id = value;
    else if (NAMED("style")) a->style = value;
    else if (NAMED("role")) a->role = value;
    else if (NAMED("type")) a->type = value;
    else if (NAMED("hidden")) a->hidden = 1;
    else if (NAMED("itemprop")) a->itemprop = value;
    else if (NAMED("itemtype")) a->itemtype = value;
    else if (NAMED("src")) a->src = value;
    else if (NAMED("alt")) a->alt = value;
    else if (NAMED("name")) a->name = value;
    else if (NAMED("property")) a->property = value;
    else if (NAMED("data-src") || NAMED("data-original")) a->is_lazy = 1;
    else if (NAMED("width")) a->width = value;
    else if (NAMED("height")) a->height = value;
    else if (NAMED("dir") || NAMED("start") || NAMED("scope") || NAMED("colspan") ||
             NAMED("rowspan") || NAMED("srcset") || NAMED("data-srcset"))
        a->looked_at = 1;
#undef NAMED
}

/* Read the attributes. `copy` is a new reference where they are no dict, else NULL. */
static int read_attributes(PyObject *given, struct attributes *a, PyObject **copy) {
    *a = (struct attributes){0};
    *copy = NULL;
    PyObject *type = PyObject_Type(given);
    if (!type) return -1;
    Py_DecRef(type);
    if (type != &PyDict_Type) {
        Py_ssize_t size = PyObject_Size(given);
        if (size <= 0) return (int)size;
        *copy = PyDict_New();
        if (!*copy || PyDict_Update(*copy, given)) return -1;
        given = *copy;
    }
    Py_ssize_t place = 0;
    PyObject *name, *value;
    while (PyDict_Next(given, &place, &name, &value)) {
        a->all = given;
        sort_in(a, name, value);
    }
    return 0;
}

/* ---- Paths ---- */

/* What the table knows of a key; 0 for nothing, -1 for an error. Takes the key over. */
static long known(struct reader *r, PyObject *key) {
    if (!key) return -1;
    PyObject *found = PyDict_GetItemWithError(r->held[TRANSITIONS], key);
    Py_DecRef(key);
    if (found) return PyLong_AsLong(found);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *or_none(PyObject *value) { return value ? value : NONE; }

/* Key of `PathTable.transitions`, a new reference. */
static PyObject *key_of(long path, PyObject *tag, const struct attributes *a) {
    PyObject *above = number(path), *key;
    if (!above) return NULL;
    if (a->id || a->role || a->itemprop || a->itemtype || a->style)
        key = PyTuple_Pack(7, above, tag, or_none(a->class_), or_none(a->id), or_none(a->role), or_none(a->itemprop),
                           &_Py_FalseStruct);
    else
        key = a->class_ ? PyTuple_Pack(3, above, tag, a->class_) : PyTuple_Pack(2, above, tag);
    Py_DecRef(above);
    return key;
}

/* The same from the table itself, which takes in what is new. */
static long new_child(struct reader *r, PyObject *tag, PyObject *attributes) {
    PyObject *above = number(r->path);
    PyObject *child = above ? PyObject_CallFunctionObjArgs(r->held[CHILD], above, tag, attributes, NULL) : NULL;
    long path = child ? PyLong_AsLong(child) : -1;
    if (above) Py_DecRef(above);
    if (child) Py_DecRef(child);
    return path;
}

/* Path of the element that starts, -1 for an error. */
static long child_of(struct reader *r, PyObject *tag, PyObject *given, const struct attributes *a) {
    int may_hide = a->hidden || (a->style && (may_hold(a->style, "none") || may_hold(a->style, "hidden")));
    long child = may_hide ? 0 : known(r, key_of(r->path, tag, a));
    if (!child) child = new_child(r, tag, given);
    if (child >= 0 && (child <= r->path || child > INT32_MAX)) {
        PyErr_SetString(PyExc_ValueError, "a path table must number children after their parents");
        return -1;
    }
    return child;
}

/* ---- Starts ---- */

/* Have Python note what an image, a frame or a cell tells. */
static int note(struct reader *r, PyObject *tag, PyObject *given) {
    PyObject *element = number((long)r->count), *path = number(r->path), *done = NULL;
    if (element && path) done = PyObject_CallFunctionObjArgs(r->held[NOTE], element, path, tag, given, NULL);
    if (element) Py_DecRef(element);
    if (path) Py_DecRef(path);
    if (done) Py_DecRef(done);
    return done ? 0 : -1;
}

static int is_some(PyObject *text) { return text && PyUnicode_GetLength(text) > 0; }

static int note_url(struct reader *r, PyObject *url) {
    if (!is_some(url)) return PyErr_Occurred() ? -1 : 0;
    PyObject *element = number((long)r->count);
    if (!element) return -1;
    int failed = append_new(r->held[URLS], PyTuple_Pack(2, element, url));
    Py_DecRef(element);
    return failed;
}

/* Keep an attribute of the element that starts, cut to a length, where it is not empty. */
static int keep(struct reader *r, const char *name, PyObject *value, Py_ssize_t most) {
    if (!is_some(value)) return PyErr_Occurred() ? -1 : 0;
    PyObject *element = number((long)r->count), *key = PyUnicode_InternFromString(name);
    PyObject *cut = PyUnicode_Substring(value, 0, most);
    int failed = !element || !key || !cut || append_new(r->held[KEPT], PyTuple_Pack(3, element, key, cut));
    if (element) Py_DecRef(element);
    if (key) Py_DecRef(key);
    if (cut) Py_DecRef(cut);
    return failed ? -1 : 0;
}

/* Whether an image's source is its address: neither empty nor a data: URI, nothing that a script replaces. */
static int is_plain_image(const struct reader *r, const struct attributes *a) {
    Py_ssize_t size;
    if (r->source_told || a->is_lazy || a->style || !a->src) return 0;
    const char *src = PyUnicode_AsUTF8AndSize(a->src, &size);
    if (!src) PyErr_Clear();
    /* white space, also beyond ASCII, is left to Python */
    return src && size && src[0] > ' ' && src[0] < 0x7F && !(size >= 5 && !memcmp(src, "data:", 5));
}

static int note_image(struct reader *r, PyObject *tag, PyObject *given, const struct attributes *a) {
    if (!is_plain_image(r, a)) {
        r->source_told = 0;
        return note(r, tag, given);
    }
    return note_url(r, a->src) || keep(r, "alt", a->alt, MAX_ALT) || keep(r, "width", a->width, MAX_SIZE) ||
                   keep(r, "height", a->height, MAX_SIZE)
               ? -1
               : 0;
}

/* Note what an element tells that is no link. */
static int note_told(struct reader *r, long kind, PyObject *tag, PyObject *given, const struct attributes *a) {
    if (kind == META) return append_new(r->held[DECLARING], PyTuple_Pack(2, tag, given));
    if (!a->all || (kind != IMAGE && kind != LOOKED_AT)) return 0;
    if (kind == IMAGE) return note_image(r, tag, given, a);
    int looked_at = a->looked_at || a->width || a->height ||
                    (a->style && (may_hold(a->style, "width") || may_hold(a->style, "height")));
    if (looked_at && is(tag, "source")) r->source_told = 1;
    return looked_at ? note(r, tag, given) : 0;
}

/* Whether this head is the page's first element, but for html. */
static int is_first_head(struct reader *r) {
    for (int64_t i = 0; i < r->count; i++) {
        PyObject *tag = PyList_GetItem(r->held[TAGS], r->paths[i]);
        if (!tag) return -1;
        if (!is(tag, "html")) return 0;
    }
    return 1;
}

/* Start an element whose inside is no text of the page. */
static int start_skipped(struct reader *r, long child, PyObject *tag, PyObject *given, const struct attributes *a) {
    int first = 0, head = is(tag, "head");
    if (head && (first = is_first_head(r)) < 0) return -1;
    if (head || is(tag, "noscript") || (a->type && is(tag, "script") && may_hold(a->type, "ld+json"))) {
        PyObject *recorded = PyList_New(0), *skipped = recorded ? PyTuple_Pack(2, tag, given) : NULL;
        if (recorded && !skipped) Py_DecRef(recorded);
        if (!skipped) return -1;
        r->recorded = recorded;
        r->skipped = skipped;
    }
    r->in_head = head;
    r->in_first_head = first;
    r->text_level = 0;
    if (put_start(r, child, END_MARK)) return -1;
    r->level = 1;
    return 0;
}

/* Start an element of the page. */
static int start(struct reader *r, PyObject *tag, PyObject *given, const struct attributes *a) {
    long child = child_of(r, tag, given, a);
    if (child < 0) return -1;
    if (a->itemtype && append_new(r->held[DECLARING], PyTuple_Pack(2, tag, given))) return -1;
    long kind = list_long(r->held[KINDS], child);
    if (kind < 0) return -1;
    if (kind == LINK ? note_url(r, a->href) : note_told(r, kind, tag, given, a)) return -1;
    if (kind == SKIPPED && !(r->keeps_noscript && is(tag, "noscript"))) return start_skipped(r, child, tag, given, a);
    if (put_start(r, child, kind == BREAK ? LINE_BREAK : 0)) return -1;
    r->path = child;
    return 0;
}

/* ---- Inside skipped elements ---- */

/* Whether an element of a head may tell something: title, base, type, generator, JSON-LD. */
static int tells(PyObject *tag, const struct attributes *a) {
    if (is(tag, "meta"))
        return (a->name && (may_hold(a->name, "og:type") || may_hold(a->name, "generator"))) ||
               (a->property && (may_hold(a->property, "og:type") || may_hold(a->property, "generator")));
    return is(tag, "title") || is(tag, "base") || (a->type && is(tag, "script") && may_hold(a->type, "ld+json"));
}

/* Whether the element that starts is recorded. In a head few are: others would cost more than the rest of the page. */
static int is_recorded(struct reader *r, PyObject *tag, const struct attributes *a) {
    if (!r->recorded || !r->in_head) return r->recorded != NULL;
    long level = r->level + 1;
    int recorded = level >= 64 || tells(tag, a);
    if (level < 64) r->recorded_levels = (r->recorded_levels & ~(1ull << level)) | (uint64_t)recorded << level;
    if (recorded && !r->text_level && (is(tag, "title") || is(tag, "script"))) r->text_level = level;
    return recorded;
}

static int start_inside(struct reader *r, PyObject *tag, PyObject *given, const struct attributes *a) {
    if (is_recorded(r, tag, a) && append_new(r->recorded, PyTuple_Pack(2, tag, given))) return -1;
    if ((a->itemtype || (!r->in_head && is(tag, "meta"))) && append_new(r->held[DECLARING], PyTuple_Pack(2, tag, given)))
        return -1;
    r->level++;
    return 0;
}

static int end_inside(struct reader *r) {
    long level = r->level--;
    if (r->text_level == level) r->text_level = 0;
    if (!r->recorded || (r->in_head && level < 64 && !(r->recorded_levels >> level & 1))) return 0;
    return PyList_Append(r->recorded, NONE);
}

static int text_inside(struct reader *r, PyObject *text) {
    return r->recorded && (!r->in_head || r->text_level) ? PyList_Append(r->recorded, text) : 0;
}

static int end_skipped(struct reader *r) {
    PyObject *skipped = r->skipped, *recorded = r->recorded;
    r->level = 0;
    r->in_head = r->in_first_head = 0;
    r->skipped = r->recorded = NULL;
    PyObject *done = NULL;
    if (skipped && recorded) {
        PyObject *tag = PyTuple_GetItem(skipped, 0), *attributes = PyTuple_GetItem(skipped, 1);
        if (tag && attributes) done = PyObject_CallFunctionObjArgs(r->held[LOOK_INTO], tag, attributes, recorded, NULL);
        if (done) Py_DecRef(done);
    }
    int failed = skipped && recorded && !done;
    if (skipped) Py_DecRef(skipped);
    if (recorded) Py_DecRef(recorded);
    return failed ? -1 : 0;
}

/* Where the body begins, in a page that says neither: the parser knows it of the tags of HTML 4. What is the head's end
 * for the parser is the body's then. */
static int end_head(struct reader *r, PyObject *tag) {
    int ends = PySet_Contains(r->held[BLOCK_TAGS], tag);
    if (ends <= 0) return ends;
    if (end_skipped(r)) return -1;
    PyObject *body = PyUnicode_FromString("body"), *empty = PyDict_New();
    struct attributes none = {0};
    int failed = !body || !empty || start(r, body, empty, &none);
    if (body) Py_DecRef(body);
    if (empty) Py_DecRef(empty);
    return failed ? -1 : 0;
}

/* ---- Callbacks ---- */

static PyObject *done(int failed) {
    if (failed) return NULL;
    Py_IncRef(NONE);
    return NONE;
}

static struct reader *reader_of(PyObject *capsule, Py_ssize_t given, Py_ssize_t expected) {
    struct reader *r = PyCapsule_GetPointer(capsule, READER);
    if (r && given == expected && r->held[TRANSITIONS]) return r;
    if (r) PyErr_SetString(PyExc_TypeError, "wrong number of arguments, or the page is finished");
    return NULL;
}

static PyObject *on_start(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    struct reader *r = reader_of(self, count, 2);
    struct attributes a;
    PyObject *copy = NULL;
    if (!r) return NULL;
    int failed = read_attributes(arguments[1], &a, &copy);
    if (!failed && r->level == 1 && r->in_first_head) failed = end_head(r, arguments[0]);
    if (!failed) failed = (r->level ? start_inside : start)(r, arguments[0], arguments[1], &a);
    if (copy) Py_DecRef(copy);
    return done(failed);
}

static int end(struct reader *r) {
    if (r->level > 1) return end_inside(r);
    if (r->level) return end_skipped(r);
    long above = list_long(r->held[PARENT], r->path);
    if (above < 0 || put_end(r)) return -1;
    r->marks += !r->path; /* nothing is open: one mark too many */
    r->path = above < r->path ? above : 0;
    return 0;
}

static PyObject *on_end(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)arguments;
    struct reader *r = reader_of(self, count, 1);
    return r ? done(end(r)) : NULL;
}

static PyObject *on_data(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    struct reader *r = reader_of(self, count, 1);
    if (!r) return NULL;
    if (r->level) return done(text_inside(r, arguments[0]));
    return done(append_text(r, arguments[0]));
}

/* ---- A reader ---- */

static void let_go(struct reader *r) {
    for (int i = 0; i < HELD; i++) {
        if (r->held[i]) Py_DecRef(r->held[i]);
        r->held[i] = NULL;
    }
    if (r->skipped) Py_DecRef(r->skipped);
    if (r->recorded) Py_DecRef(r->recorded);
    r->skipped = r->recorded = NULL;
    text_free(&r->text);
    free(r->paths);
    free(r->joints);
    r->paths = NULL;
    r->joints = NULL;
    r->count = r->room = r->joint_count = r->joint_room = 0;
}

static void destroy(PyObject *capsule) {
    struct reader *r = PyCapsule_GetPointer(capsule, READER);
    if (r) let_go(r);
    free(r);
}

static MethodDef METHODS[] = {
    {"start", on_start, FASTCALL, NULL},
    {"end", on_end, FASTCALL, NULL},
    {"data", on_data, FASTCALL, NULL},
};

static struct reader *new_reader(PyObject *given, int keeps_noscript) {
    struct reader *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->keeps_noscript = keeps_noscript;
    for (int i = 0; i < HELD; i++) {
        r->held[i] = PyTuple_GetItem(given, i);
        if (!r->held[i]) {
            let_go(r);
            free(r);
            return NULL;
        }
        Py_IncRef(r->held[i]);
    }
    return r;
}

/* A reader of one page: (reader, start, end, data), the last three functions for the parser. `given` is a tuple of what
 * `HELD` stands behind. */
EXPORTED PyObject *denoise_reader(PyObject *given, int keeps_noscript) {
    struct reader *r = new_reader(given, keeps_noscript);
    if (!r) return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(r, READER, destroy), *made[3] = {NULL}, *all = NULL;
    if (!capsule) {
        let_go(r);
        free(r);
        return NULL;
    }
    int failed = 0;
    for (int i = 0; i < 3; i++) failed |= !(made[i] = PyCFunction_NewEx(&METHODS[i], capsule, NULL));
    if (!failed) all = PyTuple_Pack(4, capsule, made[0], made[1], made[2]);
    for (int i = 0; i < 3; i++)
        if (made[i]) Py_DecRef(made[i]);
    Py_DecRef(capsule);
    return all;
}

/* End what is open: a parser that gave up half-way leaves elements so. */
static int close_all(struct reader *r) {
    while (r->level || r->path)
        if (end(r)) return -1;
    return 0;
}

/* ---- Words that meet ---- */

/* Whether the path, or one a few levels above it, is of text that is exact; -1 for an error. */
static int is_exact(struct reader *r, long path) {
    for (int level = 0; level < EXACT_LEVELS && path >= 0; level++) {
        PyObject *tag = PyList_GetItem(r->held[TAGS], path);
        int found = tag ? PySet_Contains(r->held[EXACT_TAGS], tag) : -1;
        if (found) return found;
        path = list_long(r->held[PARENT], path);
    }
    return path < 0 ? -1 : 0;
}

/* Whether a link follows a link of its own shape: two entries, in any script; -1 for an error. */
static int are_twins(struct reader *r, int64_t element) {
    if (element < 1 || r->paths[element] != r->paths[element - 1]) return 0;
    PyObject *tag = PyList_GetItem(r->held[TAGS], r->paths[element]);
    return tag ? is(tag, "a") : -1;
}

/* Keep the joints of inline elements. */
static int keep_inline(struct reader *r) {
    char *rows = PyByteArray_AsString(r->held[ROWS]);
    Py_ssize_t size = rows ? PyByteArray_Size(r->held[ROWS]) : 0;
    long row = PyLong_AsLong(r->held[ROW_SIZE]), offset = PyLong_AsLong(r->held[BLOCK_OFFSET]);
    if (!rows || row <= 0 || offset < 0 || offset >= row) return -1;
    int64_t kept = 0;
    for (int64_t i = 0; i < r->joint_count; i++) {
        int64_t path = r->paths[r->joints[i].element];
        if (path < size / row && !rows[path * row + offset]) r->joints[kept++] = r->joints[i];
    }
    r->joint_count = kept;
    return 0;
}

/* Part words that would run into one. */
static int part_glued(struct reader *r) {
    char *characters;
    Py_ssize_t size;
    int64_t kept = 0;
    if (PyBytes_AsStringAndSize(r->held[CHARACTER_BITS], &characters, &size) || keep_inline(r)) return -1;
    if (size != CHARACTERS) return no_memory();
    find_neighbours(&r->text, r->joints, r->joint_count);
    for (int64_t i = 0; i < r->joint_count; i++) {
        const struct joint joint = r->joints[i];
        int twins = are_twins(r, joint.element);
        if (twins < 0) return -1;
        if (!words_meet(&r->text, (const uint8_t *)characters, &joint, twins)) continue;
        int exact = is_exact(r, r->paths[joint.element]);
        if (exact < 0) return -1;
        if (!exact) r->joints[kept++] = joint;
    }
    return insert_spaces(&r->text, r->joints, kept) ? no_memory() : 0;
}

/* What a reader has read, and is rid of then: (path ids as int32, to be written to; codes of the marked text, bytes of
 * each code, marks that came with the text). */
EXPORTED PyObject *denoise_reader_finish(PyObject *capsule) {
    struct reader *r = reader_of(capsule, 0, 0);
    if (!r) return NULL;
    PyObject *all = NULL, *paths = NULL, *codes = NULL, *width = NULL, *marks = NULL;
    if (!close_all(r) && (r->marks || !part_glued(r))) {
        paths = PyByteArray_FromStringAndSize((const char *)r->paths, (Py_ssize_t)(r->count * (int64_t)sizeof *r->paths));
        codes = PyBytes_FromStringAndSize(r->text.codes, (Py_ssize_t)(r->text.size << r->text.wide));
        width = number(1 + r->text.wide);
        marks = number((long)r->marks);
        if (paths && codes && width && marks) all = PyTuple_Pack(4, paths, codes, width, marks);
    }
    if (paths) Py_DecRef(paths);
    if (codes) Py_DecRef(codes);
    if (width) Py_DecRef(width);
    if (marks) Py_DecRef(marks);
    let_go(r);
    return all;
}
