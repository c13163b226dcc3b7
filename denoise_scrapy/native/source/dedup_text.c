/* A text for the duplicate index: its units and its MinHash bands. The twin of what `dedup/tokens.py` and
 * `dedup/prefilter.py` do in numpy; they say what it is. Values are stored, so each is the same to the bit. */
#include <string.h>

#include "kernels.h"

/* What a code point is: between units, a part of a word, a digit in one, a unit by itself, an ideograph. */
enum { APART, WITHIN, DIGIT, ALONE, IDEOGRAPH };
/* What a unit is. */
enum { OTHER_UNIT, IDEOGRAPH_UNIT, NUMBER_UNIT };

/* The code point at `place` of UTF-8 bytes, and its length; whatever is malformed counts as one byte between units. */
static uint32_t code_point(const uint8_t *text, int64_t place, int64_t size, int64_t *length) {
    uint32_t first = text[place];
    int64_t more = first < 0x80 ? 0 : first < 0xC0 ? -1 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF8 ? 3 : -1;
    *length = 1;
    if (more <= 0) return more ? UINT32_MAX : first;
    if (place + more >= size) return UINT32_MAX;
    uint32_t point = first & (0x3Fu >> more);
    for (int64_t i = 1; i <= more; i++) point = point << 6 | (text[place + i] & 0x3Fu);
    *length = more + 1;
    return point;
}

/* Cut UTF-8 into units. `classes` has `points` code points, `crc` the 256 entries of CRC-32. Gives the units' hashes and
 * kinds (room for `size` each) and the units joined by line feeds (room for 2 * size); returns how many, and their joined
 * size. */
EXPORTED int64_t denoise_dedup_units(const uint8_t *text, int64_t size, const uint8_t *classes, int64_t points,
                                     const uint32_t *crc, uint32_t *hashes, uint8_t *kinds, uint8_t *joined,
                                     int64_t *joined_size) {
    int64_t count = 0, end = 0, length = 1;
    uint32_t hash = 0;
    int inside = 0;
    for (int64_t place = 0; place < size; place += length) {
        uint32_t point = code_point(text, place, size, &length);
        uint8_t class = (int64_t)point < points ? classes[point] : APART;
        int within = class == WITHIN || class == DIGIT;
        if (inside && !within) {
            hashes[count++] = ~hash;
            inside = 0;
        }
        if (class == APART) continue;
        if (!inside) {
            if (count) joined[end++] = '\n';
            hash = UINT32_MAX;
            kinds[count] = class == IDEOGRAPH ? IDEOGRAPH_UNIT : OTHER_UNIT;
        }
        if (class == DIGIT) kinds[count] = NUMBER_UNIT;
        for (int64_t i = 0; i < length; i++) {
            uint8_t byte = text[place + i];
            joined[end++] = byte;
            hash = hash >> 8 ^ crc[(hash ^ byte) & 0xFF];
        }
        inside = within;
        if (!inside) hashes[count++] = ~hash;
    }
    if (inside) hashes[count++] = ~hash;
    *joined_size = end;
    return count;
}

static uint32_t fmix32(uint32_t key) {
    key = (key ^ key >> 16) * 0x85EBCA6Bu;
    key = (key ^ key >> 13) * 0xC2B2AE35u;
    return key ^ key >> 16;
}

enum { VALUES = 64 };

/* MinHash over runs of three units. `permutations` are 64 factors and 64 summands; gives 64 values, then the hashes of
 * their 32 bands. n is 3 or more. */
WIDE
EXPORTED void denoise_dedup_bands(const uint32_t *hashes, int64_t n, const uint32_t *permutations, uint32_t *made) {
    uint32_t values[VALUES];
    memset(values, 0xFF, sizeof values);
    for (int64_t i = 0; i + 2 < n; i++) {
        uint64_t mixed = hashes[i] * 0x9E3779B97F4A7C15u + hashes[i + 1] * 0xC2B2AE3D27D4EB4Fu +
                         hashes[i + 2] * 0x165667B19E3779F9u;
        uint32_t shingle = fmix32((uint32_t)(mixed >> 32));
        for (int k = 0; k < VALUES; k++) {
            uint32_t value = permutations[k] * shingle + permutations[VALUES + k];
            values[k] = value < values[k] ? value : values[k];
        }
    }
    memcpy(made, values, sizeof values);
    for (int band = 0; band < VALUES / 2; band++) {
        uint64_t key = ((uint64_t)values[2 * band] << 32 | values[2 * band + 1]) * 0x9E3779B97F4A7C15u;
        made[VALUES + band] = (uint32_t)((key ^ key >> 32) * 0xFF51AFD7ED558CCDu >> 32);
    }
}
