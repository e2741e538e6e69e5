/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* INLINE: parts of a kernel, compiled anew for every constant that they are
 * called with.  With sanitizers they are functions: their speed does not count,
 * and compiling one file took two minutes. */

#pragma once

#ifdef __has_feature
#define HAS_SANITIZER                                                          \
  (__has_feature (address_sanitizer) || __has_feature (thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

#if HAS_SANITIZER
#define INLINE static inline
#else
#define INLINE static inline __attribute__ ((always_inline))
#endif

#undef HAS_SANITIZER
