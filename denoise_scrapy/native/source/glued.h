/* Words that meet where an element starts directly after another's end (`page/glued.py`). */
#ifndef DENOISE_GLUED_H
#define DENOISE_GLUED_H

#include "kernels.h"
#include "marked_text.h"

/* What a character is, by bits of a table of 65,536. */
enum { WORD = 1, UPPER = 2, DIGIT = 4, LOWER = 8, ALPHA = 16, CHARACTERS = 1 << 16 };

/* A start that follows an end: its place, its element, the nearest characters that are no marks, -1 for none. */
struct joint {
    int64_t at, element, left, right;
};

/* Find `left` and `right` of joints in the order of their places; linear in the text. */
void find_neighbours(const struct marked_text *text, struct joint *joints, int64_t count);

/* Whether two words meet here rather than the halves of one. `twins`: a link follows a link of its own shape. */
int words_meet(const struct marked_text *text, const uint8_t *characters, const struct joint *joint, int twins);

/* Put a space at the place of each joint; 0, or -1 where memory has run out. */
int insert_spaces(struct marked_text *text, const struct joint *joints, int64_t count);

#endif
