/* What all files of the accelerator share. Plain C11 over arrays; Python's stable ABI where objects are read. */
#ifndef DENOISE_KERNELS_H
#define DENOISE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* Everything else stays inside the library. */
#define EXPORTED __attribute__((visibility("default")))

/* Two versions of a hot loop, chosen when the library is loaded: this machine's, and any machine's. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* A copy of its own wherever it is called: what is constant there is constant in it, and WIDE holds for it too. */
#define INLINED static inline __attribute__((always_inline))

#endif
