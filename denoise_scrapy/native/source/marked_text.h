/* A marked text that grows: latin-1 while every character fits, else UTF-16. */
#ifndef DENOISE_MARKED_TEXT_H
#define DENOISE_MARKED_TEXT_H

#include "kernels.h"

enum { START_MARK = 1, END_MARK = 2, LINE_BREAK = 11 };

struct marked_text {
    void *codes; /* uint16_t where wide, else uint8_t */
    int64_t size, room;
    int wide;
};

/* Both return 0, or -1 where memory has run out; the text is what it was then. */
int text_reserve(struct marked_text *text, int64_t more);
int text_append_utf8(struct marked_text *text, const uint8_t *utf8, int64_t size);
int text_append_utf16(struct marked_text *text, const uint8_t *units, int64_t bytes);

/* Append a character of ASCII for which room is reserved. */
void text_put(struct marked_text *text, uint8_t code);

/* The last code, 0 for none. */
uint16_t text_last(const struct marked_text *text);

/* Move the codes from one place to another so many to the right; room for them is reserved. */
void text_move(struct marked_text *text, int64_t start, int64_t end, int64_t by);

void text_free(struct marked_text *text);

#endif
