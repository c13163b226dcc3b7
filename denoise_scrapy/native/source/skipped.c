/* Elements whose inside is no text of the page. Of what some hold Python is told when they end. */
#include "reader.h"

/* Whether this head is the page's first element, but for html. */
static int is_first_head(struct reader *r) {
    for (int64_t i = 0; i < r->count; i++) {
        PyObject *tag = PyList_GetItem(r->held[TAGS], r->paths[i]);
        if (!tag) return -1;
        if (!text_is(tag, "html")) return 0;
    }
    return 1;
}

static int is_json_ld(PyObject *tag, const struct attributes *a) {
    return a->type && text_is(tag, "script") && text_may_hold(a->type, "ld+json");
}

/* Start an element whose inside is no text of the page. */
int reader_start_skipped(struct reader *r, long child, PyObject *tag, PyObject *given, const struct attributes *a) {
    int first = 0, head = text_is(tag, "head");
    if (head && (first = is_first_head(r)) < 0) return -1;
    if (head || text_is(tag, "noscript") || is_json_ld(tag, a)) {
        PyObject *recorded = PyList_New(0), *skipped = recorded ? PyTuple_Pack(2, tag, given) : NULL;
        if (recorded && !skipped) Py_DecRef(recorded);
        if (!skipped) return -1;
        r->recorded = recorded;
        r->skipped = skipped;
    }
    r->in_head = head;
    r->in_first_head = first;
    r->text_level = 0;
    if (reader_put_start(r, child, END_MARK)) return -1;
    r->level = 1;
    return 0;
}

/* Whether it may be one of the names of `meta` that count. */
static int names_type(PyObject *name) {
    return name && (text_may_hold(name, "og:type") || text_may_hold(name, "generator"));
}

/* Whether an element of a head may tell something: title, base, type, generator, JSON-LD. */
static int tells(PyObject *tag, const struct attributes *a) {
    if (text_is(tag, "meta")) return names_type(a->property) || names_type(a->name);
    return text_is(tag, "title") || text_is(tag, "base") || is_json_ld(tag, a);
}

/* Whether the element that starts is recorded. In a head few are: others would cost more than the rest of the page. */
static int is_recorded(struct reader *r, PyObject *tag, const struct attributes *a) {
    if (!r->recorded || !r->in_head) return r->recorded != NULL;
    long level = r->level + 1;
    int recorded = level >= 64 || tells(tag, a);
    if (level < 64) r->recorded_levels = (r->recorded_levels & ~(1ull << level)) | (uint64_t)recorded << level;
    if (recorded && !r->text_level && (text_is(tag, "title") || text_is(tag, "script"))) r->text_level = level;
    return recorded;
}

int reader_start_inside(struct reader *r, PyObject *tag, PyObject *given, const struct attributes *a) {
    if (is_recorded(r, tag, a) && append_new(r->recorded, PyTuple_Pack(2, tag, given))) return -1;
    int declares = a->itemtype || (!r->in_head && text_is(tag, "meta"));
    if (declares && append_new(r->held[DECLARING], PyTuple_Pack(2, tag, given))) return -1;
    r->level++;
    r->inside++;
    return 0;
}

int reader_end_inside(struct reader *r) {
    long level = r->level--;
    if (r->text_level == level) r->text_level = 0;
    if (!r->recorded || (r->in_head && level < 64 && !(r->recorded_levels >> level & 1))) return 0;
    return PyList_Append(r->recorded, NONE);
}

int reader_text_inside(struct reader *r, PyObject *text) {
    return r->recorded && (!r->in_head || r->text_level) ? PyList_Append(r->recorded, text) : 0;
}

int reader_end_skipped(struct reader *r) {
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
int reader_end_head(struct reader *r, PyObject *tag) {
    int ends = PySet_Contains(r->held[BLOCK_TAGS], tag);
    if (ends <= 0) return ends;
    if (reader_end_skipped(r)) return -1;
    PyObject *body = PyUnicode_FromString("body"), *empty = PyDict_New();
    struct attributes none = {0};
    int failed = !body || !empty || reader_start(r, body, empty, &none);
    if (body) Py_DecRef(body);
    if (empty) Py_DecRef(empty);
    return failed ? -1 : 0;
}
