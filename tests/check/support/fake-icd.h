/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A driver of OpenCL with one device that computes nothing of use and fails
 * when told to: no compiler, no GPU, so that a run takes microseconds and
 * valgrind and sanitizers see all there is.
 *
 * The loader opens it as the test has it, through OCL_ICD_VENDORS=fake-icd.so.
 * Queues are in order, each in a thread of its own.  A kernel reads where each
 * of its buffers begins (BUFFER of common.cl) and fills its first from there on
 * with what follows from that and its other arguments: so outputs depend on
 * inputs, on variables and on every launch, and equal runs give equal bytes. */

#pragma once

#include <glib.h>

#define FAKE_ICD __attribute__ ((visibility ("default")))

/* Before anything else: what memory host and device share: "usm", "svm-fine",
 * "svm-coarse", "pinned", or "discrete": pinned, and the device has memory of
 * its own.  A static string. */
FAKE_ICD void fake_icd_announce (const char *memory);

/* The @at-th call from now on fails (1 is the next), and where @all every one
 * after it, as when a device is gone; 0: none.  Counts begin anew. */
FAKE_ICD void fake_icd_fail (guint at, gboolean all);
/* The @at-th command fails, and all after it in its queue, not when they are
 * enqueued, but on the device; 0: none. */
FAKE_ICD void fake_icd_fail_command (guint at);
FAKE_ICD guint fake_icd_n_calls (void);    /* since then */
FAKE_ICD guint fake_icd_n_commands (void); /* since then */
/* What failed last, by name; NULL: nothing since then. */
FAKE_ICD const char *fake_icd_failed (void);

/* Objects that are there, memory included. */
FAKE_ICD int fake_icd_n_alive (void);
/* Of a function that has not failed yet in this process, or one that it forked:
 * its name; NULL: all have. */
FAKE_ICD const char *fake_icd_never_failed (void);
