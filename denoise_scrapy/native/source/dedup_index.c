/* The duplicate index: finding keys in the look-up table, putting them there, and what sets have in common. The twin of
 * what `dedup/lookup.py` and `dedup/decision.py` do in numpy; they say what it is. */
#include <string.h>

#include "kernels.h"

/* Entries of a bucket, a cache line; keys looked up at a time; keys ahead whose buckets are fetched. */
enum { SLOTS = 16, TOGETHER = 64, AHEAD = 16 };

static int64_t home_of(uint64_t key, int64_t buckets) { return (int64_t)((key >> 32) * (uint64_t)buckets >> 32); }

static int64_t next_to(int64_t bucket, int64_t buckets) { return bucket + 1 < buckets ? bucket + 1 : 0; }

/* Finds so far: two columns of `room`, a key's place and a row. Those beyond the room are counted only. */
struct finds {
    int64_t *which, *rows, room, count;
};

/* The entries of a bucket that have a key's mark: upper halves are equal. */
static void search(const uint32_t *bucket, uint32_t mark, int64_t which, int64_t first, struct finds *finds) {
    uint32_t any = 0;
    for (int i = 0; i < SLOTS; i++) any |= !((bucket[i] ^ mark) >> 16);
    if (!any) return;
    for (int i = 0; i < SLOTS; i++) {
        if ((bucket[i] ^ mark) > 0xFFFF || !(bucket[i] & 0xFFFF)) continue;
        if (finds->count < finds->room) {
            finds->which[finds->count] = which;
            finds->rows[finds->count] = first + (bucket[i] & 0xFFFF) - 1;
        }
        finds->count++;
    }
}

/* Find up to 64 keys in all segments. The buckets of the next segment are on their way while one is searched: all of
 * them are in memory far away, and waiting for each in turn is what a look-up costs. */
WIDE
static void find_some(const uint32_t *const *segments, int64_t count, int64_t size, int64_t buckets,
                      const uint64_t *keys, int64_t n, int64_t place, struct finds *finds) {
    int64_t homes[TOGETHER];
    for (int64_t i = 0; i < n; i++) homes[i] = home_of(keys[i], buckets);
    for (int64_t segment = -1; segment < count; segment++) {
        if (segment + 1 < count)
            for (int64_t i = 0; i < n; i++) __builtin_prefetch(segments[segment + 1] + homes[i] * SLOTS);
        if (segment < 0) continue;
        for (int64_t i = 0; i < n; i++) {
            if (!keys[i]) continue;
            const uint32_t *bucket = segments[segment] + homes[i] * SLOTS;
            uint32_t mark = (uint32_t)(keys[i] & 0xFFFF) << 16;
            search(bucket, mark, place + i, segment * size, finds);
            if (bucket[SLOTS - 1]) /* full: what found no room is in the next */
                search(segments[segment] + next_to(homes[i], buckets) * SLOTS, mark, place + i, segment * size, finds);
        }
    }
}

/* Find n keys (0: none) in `count` segments of `size` rows and `buckets` buckets each. Returns the number of finds;
 * where it is above `room`, the rest is not told. */
EXPORTED int64_t denoise_dedup_find(const uint32_t *const *segments, int64_t count, int64_t size, int64_t buckets,
                                    const uint64_t *keys, int64_t n, int64_t room, int64_t *found) {
    struct finds finds = {found, found + room, room, 0};
    for (int64_t place = 0; place < n; place += TOGETHER) {
        int64_t some = n - place < TOGETHER ? n - place : TOGETHER;
        find_some(segments, count, size, buckets, keys + place, some, place, &finds);
    }
    return finds.count;
}

static int put(uint32_t *bucket, uint32_t entry) {
    for (int i = 0; i < SLOTS; i++)
        if (!bucket[i]) {
            bucket[i] = entry;
            return 1;
        }
    return 0;
}

/* Put n rows of `width` keys into a segment; its rows are numbered from `used`. Gives the places among the keys of those
 * that found their bucket and the next one full (room for n * width); returns how many. */
EXPORTED int64_t denoise_dedup_put(uint32_t *segment, int64_t buckets, const uint64_t *keys, int64_t n, int64_t width,
                                   int64_t used, int64_t *crowded) {
    int64_t count = 0, all = n * width;
    for (int64_t i = 0; i < all; i++) {
        if (i + AHEAD < all) __builtin_prefetch(segment + home_of(keys[i + AHEAD], buckets) * SLOTS, 1);
        if (!keys[i]) continue;
        uint32_t entry = (uint32_t)(keys[i] & 0xFFFF) << 16 | ((uint32_t)(used + i / width + 1) & 0xFFFF);
        int64_t home = home_of(keys[i], buckets);
        if (!put(segment + home * SLOTS, entry) && !put(segment + next_to(home, buckets) * SLOTS, entry))
            crowded[count++] = i;
    }
    return count;
}

/* Set the bits of the elements from one place to another of a list of `size`; places outside count as its ends. */
static void note(uint64_t *has, const uint16_t *list, int64_t from, int64_t to, int64_t size) {
    memset(has, 0, 1024 * sizeof *has);
    for (int64_t i = from > 0 ? from : 0; i < to && i < size; i++) has[list[i] >> 6] |= (uint64_t)1 << (list[i] & 63);
}

/* How much each of k sets has in common with one of m others. Both lie one after another in lists whose sizes are given,
 * each element once; `ends` are where the others end, `their_ends` where the k do, `owner` which of the others each of
 * the k is held against. */
EXPORTED void denoise_dedup_common(const uint16_t *mine, int64_t size, const int64_t *ends, int64_t m,
                                   const uint16_t *theirs, int64_t their_size, const int64_t *their_ends,
                                   const int64_t *owner, int64_t k, int64_t *common) {
    uint64_t has[1024] = {0};
    int64_t held = -1, from = 0;
    for (int64_t set = 0; set < k; set++) {
        if (owner[set] != held && owner[set] >= 0 && owner[set] < m) {
            held = owner[set];
            note(has, mine, held ? ends[held - 1] : 0, ends[held], size);
        }
        int64_t count = 0, end = their_ends[set] < their_size ? their_ends[set] : their_size;
        for (; from < end; from++) count += (int64_t)(has[theirs[from] >> 6] >> (theirs[from] & 63) & 1);
        common[set] = count;
    }
}

/* Signatures of k sets, one after another in a list of `size`: each element sets the bit that its highest `bits_log2` bits
 * (6 to 16) name. `signatures` are k rows of 2^bits_log2 bits, zero before. */
EXPORTED void denoise_dedup_sign(const uint16_t *list, int64_t size, const int64_t *sizes, int64_t k, int64_t bits_log2,
                                 uint64_t *signatures) {
    if (bits_log2 < 6 || bits_log2 > 16) return;
    int64_t place = 0, words = (int64_t)1 << (bits_log2 - 6);
    for (int64_t set = 0; set < k; set++, signatures += words)
        for (int64_t left = sizes[set]; left > 0 && place < size; left--) {
            uint32_t bit = (uint32_t)list[place++] >> (16 - bits_log2);
            signatures[bit >> 6] |= (uint64_t)1 << (bit & 63);
        }
}
