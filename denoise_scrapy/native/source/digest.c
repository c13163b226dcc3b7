/* Tells of which sources the library was made. */
#include "kernels.h"

EXPORTED const char *denoise_digest(void) { return DENOISE_DIGEST; }
