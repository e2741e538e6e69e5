/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Allocations whose failure is handled fail above a small size, so that a model
 * that asks for gigabytes costs nothing.  The linker's --wrap replaces the
 * functions in the program's own objects. */

#include <glib.h>

#include <errno.h>
#include <stdlib.h>

#define MAX_BYTES ((gsize) 8 << 20)

#define WRAP(type, name, parameters, size, arguments)                          \
  type __real_##name parameters;                                               \
  type __wrap_##name parameters;                                               \
  type __wrap_##name parameters                                                \
  {                                                                            \
    return size > MAX_BYTES ? NULL : __real_##name arguments;                  \
  }

#define PRODUCT(n, each)                                                       \
  (each > 0 && n > MAX_BYTES / each ? MAX_BYTES + 1 : n * each)

WRAP (gpointer, g_try_malloc, (gsize n), n, (n))
WRAP (gpointer, g_try_malloc0, (gsize n), n, (n))
WRAP (gpointer, g_try_realloc, (gpointer old, gsize n), n, (old, n))
WRAP (gpointer, g_try_malloc_n, (gsize n, gsize each), PRODUCT (n, each),
    (n, each))
WRAP (gpointer, g_try_malloc0_n, (gsize n, gsize each), PRODUCT (n, each),
    (n, each))
WRAP (gpointer, calloc, (size_t n, size_t each), PRODUCT (n, each), (n, each))
WRAP (gpointer, aligned_alloc, (size_t alignment, size_t n), n, (alignment, n))

int __real_posix_memalign (gpointer *block, size_t alignment, size_t n);
int __wrap_posix_memalign (gpointer *block, size_t alignment, size_t n);

int
__wrap_posix_memalign (gpointer *block, size_t alignment, size_t n)
{
  return n > MAX_BYTES ? ENOMEM : __real_posix_memalign (block, alignment, n);
}
