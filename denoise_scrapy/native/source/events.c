/* The parser's callbacks that turn a page into path ids and one marked text, called by lxml itself while it parses. The
 * twin of `page/reader.py`: what is common is done here, what is rare is left to functions of Python's. */
#include "reader.h"

#include <stdlib.h>

static const char READER[] = "denoise_scrapy.reader";

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
    if (!failed && r->level == 1 && r->in_first_head) failed = reader_end_head(r, arguments[0]);
    if (!failed) failed = (r->level ? reader_start_inside : reader_start)(r, arguments[0], arguments[1], &a);
    if (copy) Py_DecRef(copy);
    return done(failed);
}

static int end(struct reader *r) {
    if (r->level > 1) return reader_end_inside(r);
    if (r->level) return reader_end_skipped(r);
    long above = list_long(r->held[PARENT], r->path);
    if (above < 0 || reader_put_end(r)) return -1;
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
    if (r->level) return done(reader_text_inside(r, arguments[0]));
    return done(reader_append_text(r, arguments[0]));
}

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

/* How far a reader is: (elements that have started, path id of the open one, how many are open inside a skipped one). */
EXPORTED PyObject *denoise_reader_place(PyObject *capsule) {
    struct reader *r = reader_of(capsule, 0, 0);
    if (!r) return NULL;
    PyObject *count = new_number((long)(r->count + r->inside)), *path = new_number(r->path);
    PyObject *level = new_number(r->level), *all = NULL;
    if (count && path && level) all = PyTuple_Pack(3, count, path, level);
    if (count) Py_DecRef(count);
    if (path) Py_DecRef(path);
    if (level) Py_DecRef(level);
    return all;
}

/* What a reader has read, and is rid of then: (path ids as int32, to be written to; codes of the marked text, bytes of
 * each code, marks that came with the text). */
EXPORTED PyObject *denoise_reader_finish(PyObject *capsule) {
    struct reader *r = reader_of(capsule, 0, 0);
    if (!r) return NULL;
    PyObject *all = NULL, *paths = NULL, *codes = NULL, *width = NULL, *marks = NULL;
    if (!close_all(r) && (r->marks || !reader_part_glued(r))) {
        Py_ssize_t size = (Py_ssize_t)(r->count * (int64_t)sizeof *r->paths);
        paths = PyByteArray_FromStringAndSize((const char *)r->paths, size);
        codes = PyBytes_FromStringAndSize(r->text.codes, (Py_ssize_t)(r->text.size << r->text.wide));
        width = new_number(1 + r->text.wide);
        marks = new_number((long)r->marks);
        if (paths && codes && width && marks) all = PyTuple_Pack(4, paths, codes, width, marks);
    }
    if (paths) Py_DecRef(paths);
    if (codes) Py_DecRef(codes);
    if (width) Py_DecRef(width);
    if (marks) Py_DecRef(marks);
    let_go(r);
    return all;
}
