/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counts the allocations of the whole process.  Included by one file of a
 * program, which it gives malloc, calloc and realloc. */

#pragma once

#include <glib.h>

#include <stdlib.h>

/* FALSE: a sanitizer has its own malloc, nothing is counted. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_COUNTS_ALLOCATIONS FALSE
#else
#define TEST_COUNTS_ALLOCATIONS TRUE
#endif

static gint test_n_allocations;

#if TEST_COUNTS_ALLOCATIONS
void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *old, size_t size);

void *
malloc (size_t size)
{
  g_atomic_int_inc (&test_n_allocations);
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  g_atomic_int_inc (&test_n_allocations);
  return __libc_calloc (n, size);
}

void *
realloc (void *old, size_t size)
{
  g_atomic_int_inc (&test_n_allocations);
  return __libc_realloc (old, size);
}
#endif
