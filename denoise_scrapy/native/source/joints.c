/* Words that would run into one are parted, when all is read. The twin of `page/glued.py`. */
#include "reader.h"

/* Levels up that are looked at for tags whose text is exact. */
enum { EXACT_LEVELS = 8 };

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
    return tag ? text_is(tag, "a") : -1;
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
int reader_part_glued(struct reader *r) {
    char *characters;
    Py_ssize_t size;
    int64_t kept = 0;
    if (PyBytes_AsStringAndSize(r->held[CHARACTER_BITS], &characters, &size) || keep_inline(r)) return -1;
    if (size != CHARACTERS) {
        PyErr_SetString(PyExc_ValueError, "bits of 65,536 characters are needed");
        return -1;
    }
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
