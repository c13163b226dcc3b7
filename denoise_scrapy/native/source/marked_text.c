/* The marked text as it grows while a page is parsed. */
#include "marked_text.h"

#include <stdlib.h>
#include <string.h>

int text_reserve(struct marked_text *text, int64_t more) {
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

void text_put(struct marked_text *text, uint8_t code) {
    if (text->wide)
        ((uint16_t *)text->codes)[text->size++] = code;
    else
        ((uint8_t *)text->codes)[text->size++] = code;
}

uint16_t text_last(const struct marked_text *text) {
    if (!text->size) return 0;
    return text->wide ? ((uint16_t *)text->codes)[text->size - 1] : ((uint8_t *)text->codes)[text->size - 1];
}

void text_move(struct marked_text *text, int64_t start, int64_t end, int64_t by) {
    uint8_t *codes = text->codes;
    memmove(codes + ((start + by) << text->wide), codes + (start << text->wide), (size_t)(end - start) << text->wide);
}

void text_free(struct marked_text *text) {
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

int text_append_utf8(struct marked_text *text, const uint8_t *utf8, int64_t size) {
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

int text_append_utf16(struct marked_text *text, const uint8_t *units, int64_t bytes) {
    if (text_reserve(text, bytes / 2)) return -1;
    if (!text->wide && widen(text)) return -1;
    uint16_t *codes = (uint16_t *)text->codes + text->size;
    for (int64_t i = 0; i < bytes / 2; i++) codes[i] = (uint16_t)(units[2 * i] | units[2 * i + 1] << 8);
    text->size += bytes / 2;
    return 0;
}
