/* What all callbacks need: Python's objects read, the page's paths and text as they grow. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

int text_is(PyObject *text, const char *ascii) {
    Py_ssize_t size;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &size);
    if (!utf8) PyErr_Clear(); /* lone surrogates */
    return utf8 && (size_t)size == strlen(ascii) && !memcmp(utf8, ascii, (size_t)size);
}

/* Whether a text may hold some lower-case ASCII, in upper or lower case. */
int text_may_hold(PyObject *text, const char *ascii) {
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

PyObject *new_number(long value) { return PyLong_FromLong(value); }

int append_new(PyObject *list, PyObject *item) {
    int failed = !item || PyList_Append(list, item);
    if (item) Py_DecRef(item);
    return failed ? -1 : 0;
}

long list_long(PyObject *list, long index) {
    PyObject *item = PyList_GetItem(list, index);
    return item ? PyLong_AsLong(item) : -1;
}

int no_memory(void) {
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
int reader_put_start(struct reader *r, long path, uint8_t next) {
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

int reader_put_end(struct reader *r) {
    if (text_reserve(&r->text, 1)) return no_memory();
    text_put(&r->text, END_MARK);
    return 0;
}

int reader_append_text(struct reader *r, PyObject *text) {
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
