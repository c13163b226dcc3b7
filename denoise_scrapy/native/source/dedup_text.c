/* A text for the duplicate index: its units, its different runs, its MinHash bands. The twin of what
 * `dedup/tokens.py`, `dedup/features.py` and `dedup/prefilter.py` do in numpy; they say what it is. Values are stored,
 * so each is the same to the bit. Sorting is by digits: linear for any text, also one made to collide. */
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

/* Sort n keys by their upper 32 bits, stably; `spare` has room for them. */
static void sort_upper(uint64_t *keys, uint64_t *spare, int64_t n) {
    int64_t counts[4][256];
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < n; i++)
        for (int digit = 0; digit < 4; digit++) counts[digit][keys[i] >> (32 + 8 * digit) & 0xFF]++;
    for (int digit = 0; digit < 4; digit++) { /* an even number of passes: the result is where the keys were */
        int64_t start = 0;
        for (int value = 0; value < 256; value++) {
            int64_t here = counts[digit][value];
            counts[digit][value] = start;
            start += here;
        }
        for (int64_t i = 0; i < n; i++) spare[counts[digit][keys[i] >> (32 + 8 * digit) & 0xFF]++] = keys[i];
        uint64_t *other = keys;
        keys = spare;
        spare = other;
    }
}

static uint64_t fmix64(uint64_t key) {
    key = (key ^ key >> 33) * 0xFF51AFD7ED558CCDu;
    key = (key ^ key >> 33) * 0xC4CEB9FE1A85EC53u;
    return key ^ key >> 33;
}

enum { RUN = 5, RUN_OF_IDEOGRAPHS = 3 };

/* The different runs of a text and the frequencies of its units. `work` is 10 * n words: n pairs of run hash and first
 * unit in order of the text, 0 where no run begins; 4 * n of scratch; then n each of run hashes (ascending), units
 * (ascending), of how many runs each is the first, and n bytes: which units are among the ascending `stop`. Gives how
 * many runs and how many units there are. */
EXPORTED void denoise_dedup_runs(const uint32_t *hashes, const uint8_t *kinds, int64_t n, const uint32_t *stop,
                                 int64_t stops, uint32_t *work, int64_t *sizes) {
    static const uint64_t factors[RUN] = {0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu, 0x165667B19E3779F9u,
                                          0x85EBCA77C2B2AE63u, 0x27D4EB2F165667C5u};
    uint64_t *run_at = (uint64_t *)work, *keys = run_at + n, *spare = keys + n;
    uint32_t *runs = work + 6 * n, *units = work + 7 * n, *counts = work + 8 * n;
    uint8_t *is_stop = (uint8_t *)(work + 9 * n);
    int64_t begun = 0, distinct = 0, left = 0, different = 0, next_stop = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t length = kinds[i] == IDEOGRAPH_UNIT ? RUN_OF_IDEOGRAPHS : RUN;
        uint64_t mixed = 0;
        run_at[i] = 0;
        if (i + length > n) continue;
        for (int64_t step = 0; step < length; step++) mixed += hashes[i + step] * factors[step];
        run_at[i] = (fmix64(mixed) >> 32) << 32 | hashes[i];
        if (run_at[i]) keys[begun++] = run_at[i];
    }
    sort_upper(keys, spare, begun);
    for (int64_t i = 0; i < begun; i++) {
        uint32_t run = (uint32_t)(keys[i] >> 32);
        if (distinct && run == runs[distinct - 1]) continue;
        runs[distinct++] = run;
        keys[left++] = keys[i] << 32; /* its first unit */
    }
    for (int64_t i = 0; i < n; i++)
        if (!run_at[i]) keys[left++] = (uint64_t)hashes[i] << 32;
    sort_upper(keys, spare, left);
    for (int64_t i = 0; i < left; i++) {
        uint32_t unit = (uint32_t)(keys[i] >> 32);
        if (!different || unit != units[different - 1]) {
            while (next_stop < stops && stop[next_stop] < unit) next_stop++;
            is_stop[different] = next_stop < stops && stop[next_stop] == unit;
            units[different] = unit;
            counts[different++] = 0;
        }
        counts[different - 1]++;
    }
    sizes[0] = distinct;
    sizes[1] = different;
}

/* The lower halves of the values below a limit, ascending, each once, from `n` values of which these are the first. The
 * limit is halved until there are `most` at most, and told; `found` has room for n. Returns how many. */
EXPORTED int64_t denoise_dedup_sample(const uint32_t *values, int64_t n, int64_t limit, int64_t most, uint16_t *found,
                                      int64_t *last_limit) {
    uint64_t seen[1024];
    int64_t count = 0;
    for (;; limit >>= 1) {
        memset(seen, 0, sizeof seen);
        while (n > 0 && values[n - 1] >= limit) n--;
        count = 0;
        for (int64_t i = 0; i < n; i++) {
            uint64_t bit = (uint64_t)1 << (values[i] & 63), *word = seen + ((values[i] & 0xFFFF) >> 6);
            count += !(*word & bit);
            *word |= bit;
        }
        if (count <= most || limit <= 0) break;
    }
    *last_limit = limit;
    count = 0;
    for (int64_t word = 0; word < 1024; word++)
        for (uint64_t left = seen[word]; left; left &= left - 1)
            found[count++] = (uint16_t)(word << 6 | __builtin_ctzll(left));
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
