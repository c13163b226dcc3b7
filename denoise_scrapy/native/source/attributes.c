/* The attributes of a start tag, sorted by what they are needed for: one pass over a dict, no look-up for each. */
#include "reader.h"

#include <string.h>

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
int read_attributes(PyObject *given, struct attributes *a, PyObject **copy) {
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
