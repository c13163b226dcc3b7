/* Turns a page into path ids and one marked text: the callbacks that lxml calls while it parses. The twin of
 * `page/reader.py`: what is common is done here, what is rare is left to functions of Python's.
 *
 * Objects are borrowed from the callback's arguments, but for those a reader owns. An error is Python's exception and
 * -1; it leaves as many paths as starts in the text. */
#include "kernels.h"
#include "python_abi.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the marked text as it grows: latin-1 while every character fits, else UTF-16 ---- */

enum { START_MARK = 1, END_MARK = 2, LINE_BREAK = 11 };

struct marked_text {
    void *codes; /* uint16_t where wide, else uint8_t */
    int64_t size, room;
    int wide;
};

/* This and what appends return 0, or -1 where memory has run out; the text is what it was then. */
static int text_reserve(struct marked_text *text, int64_t more) {
    if (more > INT64_MAX / 8 - text->size) return -1;
    int64_t need = text->size + more;
    if (need <= text->room) return 0;
    int64_t room = need < 4096 ? 8192 : 2 * need;
    void *codes = realloc(text->codes, (size_t)room << text->wide);
    if (!codes) return -1;
    text->codes = codes;
    text->room = room;
    return 0;
}

/* Append a character of ASCII for which room is reserved. */
static void text_put(struct marked_text *text, uint8_t code) {
    if (text->wide)
        ((uint16_t *)text->codes)[text->size++] = code;
    else
        ((uint8_t *)text->codes)[text->size++] = code;
}

static void text_free(struct marked_text *text) {
    free(text->codes);
    *text = (struct marked_text){0};
}

/* From now on a character takes two bytes. */
static int widen(struct marked_text *text) {
    uint16_t *codes = malloc((size_t)text->room * 2 + 2);
    if (!codes) return -1;
    const uint8_t *narrow = text->codes;
    for (int64_t i = 0; i < text->size; i++) codes[i] = narrow[i];
    free(text->codes);
    text->codes = codes;
    text->wide = 1;
    return 0;
}

static int is_ascii(const uint8_t *utf8, int64_t size) {
    uint8_t any = 0;
    for (int64_t i = 0; i < size; i++) any |= utf8[i];
    return any < 0x80;
}

/* The code point at `place` of valid UTF-8; the next one's place. What is cut short ends with the text. */
static int64_t next_point(const uint8_t *utf8, int64_t place, int64_t size, uint32_t *point) {
    uint32_t first = utf8[place++];
    int more = first < 0xC0 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    *point = more ? first & (0x3Fu >> more) : first;
    for (; more && place < size; more--) *point = *point << 6 | (utf8[place++] & 0x3Fu);
    return place;
}

/* At most as many units as bytes: room for these is reserved. */
static int append_points(struct marked_text *text, const uint8_t *utf8, int64_t size) {
    for (int64_t place = 0; place < size;) {
        uint32_t point;
        place = next_point(utf8, place, size, &point);
        if (!text->wide && point > 0xFF && widen(text)) return -1;
        if (!text->wide) {
            ((uint8_t *)text->codes)[text->size++] = (uint8_t)point;
            continue;
        }
        uint16_t *codes = text->codes;
        if (point >= 0x10000) {
            codes[text->size++] = (uint16_t)(0xD7C0 + (point >> 10));
            point = 0xDC00 | (point & 0x3FF);
        }
        codes[text->size++] = (uint16_t)point;
    }
    return 0;
}

static int text_append_utf8(struct marked_text *text, const uint8_t *utf8, int64_t size) {
    if (text_reserve(text, size)) return -1;
    if (!is_ascii(utf8, size)) {
        int64_t before = text->size;
        if (!append_points(text, utf8, size)) return 0;
        text->size = before;
        return -1;
    }
    if (text->wide) {
        uint16_t *codes = (uint16_t *)text->codes + text->size;
        for (int64_t i = 0; i < size; i++) codes[i] = utf8[i];
    } else if (size) {
        memcpy((uint8_t *)text->codes + text->size, utf8, (size_t)size);
    }
    text->size += size;
    return 0;
}

static int text_append_utf16(struct marked_text *text, const uint8_t *units, int64_t bytes) {
    if (text_reserve(text, bytes / 2)) return -1;
    if (!text->wide && widen(text)) return -1;
    uint16_t *codes = (uint16_t *)text->codes + text->size;
    for (int64_t i = 0; i < bytes / 2; i++) codes[i] = (uint16_t)(units[2 * i] | units[2 * i + 1] << 8);
    text->size += bytes / 2;
    return 0;
}

/* ---- one page while it is being read ---- */

/* What is done at an element, by its path (`page/paths.py`). */
enum { PLAIN, LINK, LOOKED_AT, IMAGE, BREAK, META, SKIPPED };

/* What a reader is given: see `NativeReader`. CHILD gets a path, a tag and attributes; NOTE the number of an element, its
 * parent's path, tag and attributes; LOOK_INTO a skipped element and the events inside it that tell something. */
enum {
    TRANSITIONS, PARENT, KINDS, TAGS, HEAD_TAGS, URLS, KEPT, DECLARING, CHILD, NOTE, LOOK_INTO, HELD
};

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

static int text_is(PyObject *text, const char *ascii) {
    Py_ssize_t size;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &size);
    if (!utf8) PyErr_Clear(); /* lone surrogates */
    return utf8 && (size_t)size == strlen(ascii) && !memcmp(utf8, ascii, (size_t)size);
}

/* Whether a text may hold some lower-case ASCII, in upper or lower case. */
static int text_may_hold(PyObject *text, const char *ascii) {
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

static int append_new(PyObject *list, PyObject *item) {
    int failed = !item || PyList_Append(list, item);
    if (item) Py_DecRef(item);
    return failed ? -1 : 0;
}

static long list_long(PyObject *list, long index) {
    PyObject *item = PyList_GetItem(list, index);
    return item ? PyLong_AsLong(item) : -1;
}

static int no_memory(void) {
    PyErr_NoMemory();
    return -1;
}

/* Count an element and put its start; nothing is done where memory has run out. */
static int reader_put_start(struct reader *r, long path, uint8_t next) {
    if (r->count == r->room) {
        int64_t room = r->room ? 2 * r->room : 1024;
        int32_t *paths = realloc(r->paths, (size_t)room * sizeof *paths);
        if (!paths) return no_memory();
        r->paths = paths;
        r->room = room;
    }
    if (text_reserve(&r->text, 2)) return no_memory();
    r->paths[r->count++] = (int32_t)path;
    text_put(&r->text, START_MARK);
    if (next) text_put(&r->text, next);
    return 0;
}

static int reader_put_end(struct reader *r) {
    if (text_reserve(&r->text, 1)) return no_memory();
    text_put(&r->text, END_MARK);
    return 0;
}

static int reader_append_text(struct reader *r, PyObject *text) {
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

/* ---- attributes ---- */

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

/* ---- elements whose inside is no text of the page; of what some hold Python is told when they end ---- */

static int reader_start(struct reader *r, PyObject *tag, PyObject *given, const struct attributes *a);

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
static int reader_start_skipped(struct reader *r, long child, PyObject *tag, PyObject *given, const struct attributes *a) {
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

static int reader_start_inside(struct reader *r, PyObject *tag, PyObject *given, const struct attributes *a) {
    if (is_recorded(r, tag, a) && append_new(r->recorded, PyTuple_Pack(2, tag, given))) return -1;
    int declares = a->itemtype || (!r->in_head && text_is(tag, "meta"));
    if (declares && append_new(r->held[DECLARING], PyTuple_Pack(2, tag, given))) return -1;
    r->level++;
    r->inside++;
    return 0;
}

static int reader_end_inside(struct reader *r) {
    long level = r->level--;
    if (r->text_level == level) r->text_level = 0;
    if (!r->recorded || (r->in_head && level < 64 && !(r->recorded_levels >> level & 1))) return 0;
    return PyList_Append(r->recorded, NONE);
}

static int reader_text_inside(struct reader *r, PyObject *text) {
    return r->recorded && (!r->in_head || r->text_level) ? PyList_Append(r->recorded, text) : 0;
}

static int reader_end_skipped(struct reader *r) {
    PyObject *skipped = r->skipped, *recorded = r->recorded;
    r->level = 0;
    r->in_head = r->in_first_head = 0;
    r->skipped = r->recorded = NULL;
    PyObject *done = NULL;
    if (!skipped) return 0;
    done = PyObject_CallFunctionObjArgs(r->held[LOOK_INTO], skipped, recorded, NULL);
    if (done) Py_DecRef(done);
    Py_DecRef(skipped);
    Py_DecRef(recorded);
    return done ? 0 : -1;
}

/* Where the body begins, in a page that says neither: the parser knows it of the tags of HTML 4. What is the head's end
 * for the parser is the body's then. */
static int reader_end_head(struct reader *r, PyObject *tag) {
    int stays = PySet_Contains(r->held[HEAD_TAGS], tag);
    if (stays) return stays < 0 ? -1 : 0;
    if (reader_end_skipped(r)) return -1;
    PyObject *body = PyUnicode_FromString("body"), *empty = PyDict_New();
    struct attributes none = {0};
    int failed = !body || !empty || reader_start(r, body, empty, &none);
    if (body) Py_DecRef(body);
    if (empty) Py_DecRef(empty);
    return failed ? -1 : 0;
}

/* ---- elements of the page: the path is looked up, what they tell is noted ---- */

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
    PyObject *above = PyLong_FromLong(path), *key;
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
    PyObject *child = PyObject_CallFunction(r->held[CHILD], "lOO", r->path, tag, attributes);
    long path = child ? PyLong_AsLong(child) : -1;
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
    PyObject *done = PyObject_CallFunction(r->held[NOTE], "LlOO", (long long)r->count, r->path, tag, given);
    if (done) Py_DecRef(done);
    return done ? 0 : -1;
}

static int is_some(PyObject *text) { return text && PyUnicode_GetLength(text) > 0; }

static int note_url(struct reader *r, PyObject *url) {
    if (!is_some(url)) return PyErr_Occurred() ? -1 : 0;
    return append_new(r->held[URLS], Py_BuildValue("LO", (long long)r->count, url));
}

/* Keep an attribute of the element that starts, cut to a length, where it is not empty. */
static int keep(struct reader *r, const char *name, PyObject *value, Py_ssize_t most) {
    if (!is_some(value)) return PyErr_Occurred() ? -1 : 0;
    PyObject *key = PyUnicode_InternFromString(name), *cut = PyUnicode_Substring(value, 0, most);
    int failed = !key || !cut || append_new(r->held[KEPT], Py_BuildValue("LOO", (long long)r->count, key, cut));
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
static int reader_start(struct reader *r, PyObject *tag, PyObject *given, const struct attributes *a) {
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

/* ---- what the parser and Python call ---- */

static int is_control(uint32_t point) {
    if (point < 0x20) return point != '\t' && point != '\n' && point != '\r';
    return (point >= 0x7F && point < 0xA0) || (point >= 0xFDD0 && point < 0xFDF0) || (point & 0xFFFE) == 0xFFFE;
}

/* Whether what stands behind "&#" is the number of a control character, or of a carriage return. */
static int names_control(const char *at, const char *end) {
    uint32_t point = 0, base = 10;
    if (at < end && (*at | 0x20) == 'x') base = 16, at++;
    const char *first = at;
    for (; at < end && point <= 0x10FFFF; at++) {
        uint32_t digit = (uint8_t)*at - (uint32_t)'0', letter = ((uint8_t)*at | 0x20u) - (uint32_t)'a';
        if (digit > 9) digit = letter < 6 ? letter + 10 : base;
        if (digit >= base) break;
        point = point * base + digit;
    }
    return at > first && point <= 0x10FFFF && (point == '\r' || is_control(point));
}

/* Whether there is a control character or what is no character, as UTF-8 or as a reference. */
static int holds_controls(const char *html, int64_t size) {
    const uint8_t *u = (const uint8_t *)html;
    const char *at = html, *end = html + size;
    uint8_t low = 0, wide = 0; /* of a byte, so that many are looked at at once */
    for (int64_t i = 0; i < size; i++)
        low |= (uint8_t)((u[i] < 0x20) & (u[i] != '\t') & (u[i] != '\n') & (u[i] != '\r')) | (u[i] == 0x7F);
    for (int64_t i = 0; i + 1 < size; i++) wide |= (u[i] == 0xC2) & ((u[i + 1] & 0xE0) == 0x80);
    for (int64_t i = 0; i + 2 < size; i++)
        wide |= (u[i] == 0xEF) & (((u[i + 1] == 0xBF) & ((u[i + 2] & 0xFE) == 0xBE)) |
                                  ((u[i + 1] == 0xB7) & (u[i + 2] >= 0x90) & (u[i + 2] < 0xB0)));
    for (int64_t i = 0; i + 3 < size; i++)
        wide |= (u[i] >= 0xF0) & ((u[i + 1] & 0xCF) == 0x8F) & (u[i + 2] == 0xBF) & ((u[i + 3] & 0xFE) == 0xBE);
    int found = low | wide;
    for (; !found && (at = memchr(at, '&', (size_t)(end - at))); at++)
        found = end - at > 2 && at[1] == '#' && names_control(at + 2, end);
    return found;
}

/* Tell by bits whether a page's bytes hold control characters, and whether body or html ends more than once: documents
 * in a document. */
EXPORTED int denoise_html_look(const char *html, int64_t size) {
    const char *at = html, *end = html + size;
    int bodies = 0, roots = 0;
    for (; (at = memchr(at, '<', (size_t)(end - at))); at++) {
        if (end - at < 6 || at[1] != '/') continue;
        bodies += !strncasecmp(at + 2, "body", 4);
        roots += !strncasecmp(at + 2, "html", 4);
    }
    return holds_controls(html, size) | (bodies > 1 || roots > 1) << 1;
}

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

/* How far a reader is: (elements that have started, path id of the open one, how many are open inside a skipped one). */
EXPORTED PyObject *denoise_reader_place(PyObject *capsule) {
    struct reader *r = reader_of(capsule, 0, 0);
    if (!r) return NULL;
    return Py_BuildValue("Lll", (long long)(r->count + r->inside), r->path, r->level);
}

/* What a reader has read, and is rid of then: (path ids as int32, to be written to; codes of the marked text, bytes of
 * each code, marks that came with the text). */
EXPORTED PyObject *denoise_reader_finish(PyObject *capsule) {
    struct reader *r = reader_of(capsule, 0, 0);
    if (!r) return NULL;
    Py_ssize_t size = (Py_ssize_t)(r->count * (int64_t)sizeof *r->paths);
    PyObject *paths = PyByteArray_FromStringAndSize((const char *)r->paths, size);
    PyObject *codes = PyBytes_FromStringAndSize(r->text.codes, (Py_ssize_t)(r->text.size << r->text.wide));
    PyObject *all = paths && codes ? Py_BuildValue("OOiL", paths, codes, 1 + r->text.wide, (long long)r->marks) : NULL;
    if (paths) Py_DecRef(paths);
    if (codes) Py_DecRef(codes);
    let_go(r);
    return all;
}
