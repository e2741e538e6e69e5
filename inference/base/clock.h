/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>
#include <time.h>

/* Monotonic nanoseconds. */
static inline guint64
infer_clock_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (guint64) now.tv_sec * G_GUINT64_CONSTANT (1000000000)
         + (guint64) now.tv_nsec;
}

/* Inside a loop that spins until another thread acts. */
static inline void
infer_spin_pause (void)
{
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause ();
#endif
}
