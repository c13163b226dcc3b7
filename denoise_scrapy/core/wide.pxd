"""Functions compiled for wider registers, which nearly all machines have but no portable build may assume."""

cdef extern from *:
    """
    /* GCC compiles these functions three times, and the loader chooses. The results are the same, and so is the source;
       other compilers do without. */
    #if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && defined(__x86_64__) && defined(__GLIBC__)
    #define DENOISE_WIDE __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
    #else
    #define DENOISE_WIDE
    #endif
    """
    ctypedef void wide_void "DENOISE_WIDE void"
    ctypedef size_t wide_size "DENOISE_WIDE size_t"
