/* The parser's callbacks that turn a page into path ids and one marked text, called by lxml itself while it parses. The
 * twin of `page/reader.py`: what is common is done here, what is rare is left to functions of Python's.
 *
 * Objects are borrowed from the callback's arguments, but for those a reader owns; an error is Python's exception and
 * NULL or -1, and leaves paths and marks as many as one another. */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "marked_text.h"
#include "python_abi.h"

/* What is done at an element, by its path (`page/tokens.py`). */
enum { PLAIN, LINK, LOOKED_AT, IMAGE, BREAK, META, SKIPPED };

/* What a reader is given: see `native/events.py`. */
enum { TRANSITIONS, PARENT, KINDS, TAGS, BLOCK_TAGS, URLS, DECLARING, CHILD, NOTE, LOOK_INTO, HELD };

struct reader {
    PyObject *held[HELD];
    PyObject *skipped;  /* (tag, attributes) of the skipped element that is looked into, else NULL */
    PyObject *recorded; /* the events inside it */
    struct marked_text text;
    int32_t *paths;
    int64_t count, room;
    int64_t marks; /* marks that came with the text, or end nothing */
    long path;
    long level; /* how many elements are open inside a skipped one, itself included */
    int keeps_noscript, in_head, in_first_head;
};

/* The attributes that count, NULL for none, and whether there are any of some groups. */
struct attributes {
    PyObject *all; /* NULL where there are none */
    PyObject *class_, *id, *role, *itemprop, *itemtype, *style, *href, *type;
    int hidden, looked_at;
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

static int reserve(struct reader *r) {
    if (text_reserve(&r->text, 3)) return no_memory();
    if (r->count < r->room) return 0;
    int64_t room = r->room ? 2 * r->room : 2048;
    int32_t *paths = realloc(r->paths, (size_t)room * sizeof *paths);
    if (!paths) return no_memory();
    r->paths = paths;
    r->room = room;
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
    else if (NAMED("width") || NAMED("height") || NAMED("dir") || NAMED("start") || NAMED("scope") || NAMED("colspan") ||
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

static int note_link(struct reader *r, PyObject *url) {
    if (!url || PyUnicode_GetLength(url) <= 0) return PyErr_Occurred() ? -1 : 0;
    PyObject *element = number((long)r->count);
    if (!element) return -1;
    int failed = append_new(r->held[URLS], PyTuple_Pack(2, element, url));
    Py_DecRef(element);
    return failed;
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
    if ((head && (first = is_first_head(r)) < 0) || reserve(r)) return -1;
    if (head || is(tag, "noscript") || (a->type && is(tag, "script") && may_hold(a->type, "ld+json"))) {
        PyObject *recorded = PyList_New(0), *skipped = recorded ? PyTuple_Pack(2, tag, given) : NULL;
        if (recorded && !skipped) Py_DecRef(recorded);
        if (!skipped) return -1;
        r->recorded = recorded;
        r->skipped = skipped;
    }
    r->in_head = head;
    r->in_first_head = first;
    r->paths[r->count++] = (int32_t)child;
    text_put(&r->text, START_MARK);
    text_put(&r->text, END_MARK);
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
    int looked_at = a->looked_at || (a->style && (may_hold(a->style, "width") || may_hold(a->style, "height")));
    if (kind == LINK && note_link(r, a->href)) return -1;
    if (a->all && (kind == IMAGE || (kind == LOOKED_AT && looked_at)) && note(r, tag, given)) return -1;
    if (kind == META && append_new(r->held[DECLARING], PyTuple_Pack(2, tag, given))) return -1;
    if (kind == SKIPPED && !(r->keeps_noscript && is(tag, "noscript"))) return start_skipped(r, child, tag, given, a);
    if (reserve(r)) return -1;
    r->paths[r->count++] = (int32_t)child;
    text_put(&r->text, START_MARK);
    if (kind == BREAK) text_put(&r->text, LINE_BREAK);
    r->path = child;
    return 0;
}

/* ---- Inside skipped elements ---- */

static int start_inside(struct reader *r, PyObject *tag, PyObject *given, const struct attributes *a) {
    if (r->recorded && append_new(r->recorded, PyTuple_Pack(2, tag, given))) return -1;
    if ((a->itemtype || (!r->in_head && is(tag, "meta"))) && append_new(r->held[DECLARING], PyTuple_Pack(2, tag, given)))
        return -1;
    r->level++;
    return 0;
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
    if (r->level > 1) {
        r->level--;
        return r->recorded ? PyList_Append(r->recorded, NONE) : 0;
    }
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
    if (r->level) return done(r->recorded ? PyList_Append(r->recorded, arguments[0]) : 0);
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
    r->paths = NULL;
    r->count = r->room = 0;
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

/* What a reader has read, and is rid of then: (path ids as int32, to be written to; codes of the marked text, bytes of
 * each code, marks that came with the text). */
EXPORTED PyObject *denoise_reader_finish(PyObject *capsule) {
    struct reader *r = reader_of(capsule, 0, 0);
    if (!r) return NULL;
    PyObject *all = NULL, *paths = NULL, *codes = NULL, *width = NULL, *marks = NULL;
    if (!close_all(r)) {
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
