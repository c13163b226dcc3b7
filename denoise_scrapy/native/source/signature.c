/* What a page's template is recognised by: the paths of its layout containers. Twin of `page/signature.py`. */
#include "page_scan.h"

/* Paths that were met last, by their lowest bits: most repeat soon, and each needs telling once. */
enum { MET = 256 };

/* Writes the shape of each element's path that is a container, to `shapes`, which has room for n; leaves out most that
 * it has written before. Returns how many it wrote. Path ids beyond the table are passed over. */
EXPORTED int64_t denoise_container_shapes(const int32_t *paths, int64_t n, const struct path_table *table,
                                          uint64_t *shapes) {
    int32_t met[MET] = {0}; /* 0 is the path of no element */
    int64_t count = 0;
    for (int64_t e = 0; e < n; e++) {
        const int32_t path = paths[e];
        if (path <= 0 || path >= table->paths || met[path % MET] == path)
            continue;
        met[path % MET] = path;
        if (table->rows[path].container)
            shapes[count++] = table->rows[path].shape;
    }
    return count;
}
