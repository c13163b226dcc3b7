/* Parts words that would run into one. The twin of `page/glued.py`, which says why. */
#include "glued.h"

static uint16_t code_at(const struct marked_text *text, int64_t place) {
    return text->wide ? ((const uint16_t *)text->codes)[place] : ((const uint8_t *)text->codes)[place];
}

void find_neighbours(const struct marked_text *text, struct joint *joints, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        /* what is between this joint and the one before was not looked at yet; beyond, the one before knows */
        int64_t known = i ? joints[i - 1].at : 0, place = joints[i].at - 1;
        while (place >= known && code_at(text, place) <= END_MARK) place--;
        joints[i].left = place >= known ? place : i ? joints[i - 1].left : -1;
    }
    for (int64_t i = count - 1; i >= 0; i--) {
        int64_t known = i + 1 < count ? joints[i + 1].at : text->size, place = joints[i].at;
        while (place < known && code_at(text, place) <= END_MARK) place++;
        joints[i].right = place < known ? place : i + 1 < count ? joints[i + 1].right : -1;
    }
}

int words_meet(const struct marked_text *text, const uint8_t *characters, const struct joint *joint, int twins) {
    if (joint->left < 0 || joint->right < 0) return 0;
    uint16_t code = code_at(text, joint->left);
    uint8_t before = characters[code], after = characters[code_at(text, joint->right)];
    if (!(before & after & WORD)) return 0;
    if (twins) return !(after & LOWER);
    /* single letters in elements of their own are one word, drawn out */
    if (before & ALPHA && joint->left > 0 && code_at(text, joint->left - 1) <= END_MARK) return 0;
    return after & UPPER || (after & DIGIT && code < 0x80);
}

int insert_spaces(struct marked_text *text, const struct joint *joints, int64_t count) {
    if (text_reserve(text, count)) return -1;
    int64_t from = text->size;
    for (int64_t i = count - 1; i >= 0; i--) {
        text_move(text, joints[i].at, from, i + 1);
        from = joints[i].at;
        if (text->wide)
            ((uint16_t *)text->codes)[from + i] = ' ';
        else
            ((uint8_t *)text->codes)[from + i] = ' ';
    }
    text->size += count;
    return 0;
}
