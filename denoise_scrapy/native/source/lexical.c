/* Features of what short blocks announce; `body/features/lexical.py` has the twin in numpy. */
#include "kernels.h"

enum { COMMENTS = 1, RELATED = 2, META = 4, CONSENT = 8 };
enum { AFTER_COMMENTS, SINCE_COMMENTS, IS_COMMENTS, SINCE_RELATED, IS_RELATED, IS_META, META_AROUND, SHARE_OF_CONSENT, ROWS };

struct lexical_limits {
    int64_t announcing_tokens; /* longer blocks announce nothing */
    int64_t far;               /* distances in blocks are cut here */
    int64_t meta_width, consent_width;
    double late; /* share of the long blocks' tokens before which a heading of comments is a link */
};

/* Sums of the weights of a row of blocks, each with as many before and after it. */
static void meta_around(const uint8_t *bits, int64_t m, int64_t width, float *out) {
    int64_t sum = 0;
    for (int64_t i = 0; i < width && i < m; i++) sum += (bits[i] & META) != 0;
    for (int64_t i = 0; i < m; i++) {
        if (i + width < m) sum += (bits[i + width] & META) != 0;
        if (i - width > 0) sum -= (bits[i - width - 1] & META) != 0;
        out[i] = (float)sum;
    }
}

static void share_of_consent(const uint8_t *bits, const int64_t *tokens, int64_t m, int64_t width, float *out) {
    int64_t part = 0, whole = 0;
    for (int64_t i = 0; i < width && i < m; i++) {
        whole += tokens[i];
        part += bits[i] & CONSENT ? tokens[i] : 0;
    }
    for (int64_t i = 0; i < m; i++) {
        if (i + width < m) {
            whole += tokens[i + width];
            part += bits[i + width] & CONSENT ? tokens[i + width] : 0;
        }
        if (i - width > 0) {
            whole -= tokens[i - width - 1];
            part -= bits[i - width - 1] & CONSENT ? tokens[i - width - 1] : 0;
        }
        out[i] = (float)((double)part / (double)(whole > 1 ? whole : 1));
    }
}

/* Blocks since the last hit, cut at far; far before any. */
static inline float since(int64_t i, int64_t last, int64_t far) {
    return (float)(last < 0 || i - last > far ? far : i - last);
}

/* Fills in ROWS rows of m values. */
EXPORTED void denoise_lexical(const uint8_t *bits, const int64_t *tokens, int64_t m, const struct lexical_limits *limits,
                              float *out) {
    int64_t total = 0, before = 0, last_comments = -1, last_related = -1;
    for (int64_t i = 0; i < m; i++) total += tokens[i] >= limits->announcing_tokens ? tokens[i] : 0;
    const double late = limits->late * (double)(total > 1 ? total : 1);
    for (int64_t i = 0; i < m; i++) {
        before += tokens[i] >= limits->announcing_tokens ? tokens[i] : 0;
        if (bits[i] & COMMENTS && (double)before > late) last_comments = i;
        if (bits[i] & RELATED) last_related = i;
        out[AFTER_COMMENTS * m + i] = last_comments >= 0;
        out[SINCE_COMMENTS * m + i] = since(i, last_comments, limits->far);
        out[IS_COMMENTS * m + i] = (bits[i] & COMMENTS) != 0;
        out[SINCE_RELATED * m + i] = since(i, last_related, limits->far);
        out[IS_RELATED * m + i] = (bits[i] & RELATED) != 0;
        out[IS_META * m + i] = (bits[i] & META) != 0;
    }
    meta_around(bits, m, limits->meta_width, out + META_AROUND * m);
    share_of_consent(bits, tokens, m, limits->consent_width, out + SHARE_OF_CONSENT * m);
}
