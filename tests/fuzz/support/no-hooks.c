/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* libFuzzer collects what strcmp () and the like compare, for its own mutator:
 * a tenth of the time of targets that have their own.  The linker's --wrap
 * calls these instead. */

#include <stddef.h>

#define HOOK(name, ...)                                                        \
  void __wrap___sanitizer_weak_hook_##name (                                   \
      void *caller, const void *a, const void *b, __VA_ARGS__);                \
  void __wrap___sanitizer_weak_hook_##name (                                   \
      void *caller, const void *a, const void *b, __VA_ARGS__)                 \
  {                                                                            \
  }

HOOK (memcmp, size_t n, int result)
HOOK (strcmp, int result)
HOOK (strncmp, size_t n, int result)
HOOK (strcasecmp, int result)
HOOK (strncasecmp, size_t n, int result)
HOOK (strstr, char *result)
HOOK (strcasestr, char *result)

void __wrap___sanitizer_weak_hook_memmem (void *caller, const void *in,
    size_t n_in, const void *what, size_t n_what, void *result);
void
__wrap___sanitizer_weak_hook_memmem (void *caller, const void *in, size_t n_in,
    const void *what, size_t n_what, void *result)
{
}
