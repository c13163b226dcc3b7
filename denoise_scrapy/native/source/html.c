/* What the bytes of a page hold that confuses the parser, or us. The twin of `_look` in `page/utf8.py`. */
#include <string.h>

#include "kernels.h"

enum { MARKS = 1, EMBEDDED = 2 };
enum { BLOCK = 4096, CLOSING = 6 };

/* Whether some of n bytes are marks of ours or zeros. */
WIDE static uint8_t any_marks(const uint8_t *html, int64_t n) {
    uint8_t any = 0;
    for (int64_t i = 0; i < n; i++) any |= html[i] <= 2;
    return any;
}

/* Whether some of n places may begin with `</body` or `</html`; three bytes after the last are read too. */
WIDE static uint8_t may_close(const uint8_t *html, int64_t n) {
    uint8_t any = 0;
    for (int64_t i = 0; i < n; i++) {
        uint8_t third = html[i + 2] | 0x20, fourth = html[i + 3] | 0x20;
        uint8_t begins = ((third == 'b') & (fourth == 'o')) | ((third == 'h') & (fourth == 't'));
        any |= (html[i] == '<') & (html[i + 1] == '/') & begins;
    }
    return any;
}

static int is_closing(const uint8_t *html, const char *tag) {
    for (int i = 0; i < 4; i++)
        if ((html[2 + i] | 0x20) != tag[i]) return 0;
    return html[0] == '<' && html[1] == '/';
}

/* Tell by bits whether there are marks, and whether body or html ends more than once: documents in a document. */
EXPORTED int denoise_html_look(const uint8_t *html, int64_t size) {
    int64_t bodies = 0, roots = 0, places = size - CLOSING + 1;
    for (int64_t start = 0; start < places; start += BLOCK) {
        int64_t end = places - start < BLOCK ? places : start + BLOCK;
        if (!may_close(html + start, end - start)) continue;
        for (int64_t i = start; i < end; i++) {
            bodies += is_closing(html + i, "body");
            roots += is_closing(html + i, "html");
        }
    }
    return (any_marks(html, size) ? MARKS : 0) | (bodies > 1 || roots > 1 ? EMBEDDED : 0);
}
