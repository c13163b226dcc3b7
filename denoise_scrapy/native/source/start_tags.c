/* An element of the page starts: its path is looked up, and what it tells is noted. */
#include "reader.h"

#include <string.h>

/* Characters of an image's attributes that are kept (`page/attributes.py`). */
enum { MAX_SIZE = 32, MAX_ALT = 1000 };

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
    PyObject *above = new_number(path), *key;
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
    PyObject *above = new_number(r->path);
    PyObject *child = above ? PyObject_CallFunctionObjArgs(r->held[CHILD], above, tag, attributes, NULL) : NULL;
    long path = child ? PyLong_AsLong(child) : -1;
    if (above) Py_DecRef(above);
    if (child) Py_DecRef(child);
    return path;
}

/* Path of the element that starts, -1 for an error. */
static long child_of(struct reader *r, PyObject *tag, PyObject *given, const struct attributes *a) {
    int may_hide = a->hidden || (a->style && (text_may_hold(a->style, "none") || text_may_hold(a->style, "hidden")));
    long child = may_hide ? 0 : known(r, key_of(r->path, tag, a));
    if (!child) child = new_child(r, tag, given);
    if (child >= 0 && (child <= r->path || child > INT32_MAX)) {
        PyErr_SetString(PyExc_ValueError, "a path table must number children after their parents");
        return -1;
    }
    return child;
}

/* Have Python note what an image, a frame or a cell tells. */
static int note(struct reader *r, PyObject *tag, PyObject *given) {
    PyObject *element = new_number((long)r->count), *path = new_number(r->path), *done = NULL;
    if (element && path) done = PyObject_CallFunctionObjArgs(r->held[NOTE], element, path, tag, given, NULL);
    if (element) Py_DecRef(element);
    if (path) Py_DecRef(path);
    if (done) Py_DecRef(done);
    return done ? 0 : -1;
}

static int is_some(PyObject *text) { return text && PyUnicode_GetLength(text) > 0; }

static int note_url(struct reader *r, PyObject *url) {
    if (!is_some(url)) return PyErr_Occurred() ? -1 : 0;
    PyObject *element = new_number((long)r->count);
    if (!element) return -1;
    int failed = append_new(r->held[URLS], PyTuple_Pack(2, element, url));
    Py_DecRef(element);
    return failed;
}

/* Keep an attribute of the element that starts, cut to a length, where it is not empty. */
static int keep(struct reader *r, const char *name, PyObject *value, Py_ssize_t most) {
    if (!is_some(value)) return PyErr_Occurred() ? -1 : 0;
    PyObject *element = new_number((long)r->count), *key = PyUnicode_InternFromString(name);
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
                    (a->style && (text_may_hold(a->style, "width") || text_may_hold(a->style, "height")));
    if (looked_at && text_is(tag, "source")) r->source_told = 1;
    return looked_at ? note(r, tag, given) : 0;
}

/* Start an element of the page. */
int reader_start(struct reader *r, PyObject *tag, PyObject *given, const struct attributes *a) {
    long child = child_of(r, tag, given, a);
    if (child < 0) return -1;
    if (a->itemtype && append_new(r->held[DECLARING], PyTuple_Pack(2, tag, given))) return -1;
    long kind = list_long(r->held[KINDS], child);
    if (kind < 0) return -1;
    if (kind == LINK ? note_url(r, a->href) : note_told(r, kind, tag, given, a)) return -1;
    if (kind == SKIPPED && !(r->keeps_noscript && text_is(tag, "noscript")))
        return reader_start_skipped(r, child, tag, given, a);
    if (reader_put_start(r, child, kind == BREAK ? LINE_BREAK : 0)) return -1;
    r->path = child;
    return 0;
}
