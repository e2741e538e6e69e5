/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An OpenCL driver with one device that computes nothing useful and fails on
 * request.  Without compiler and GPU a run takes microseconds, and valgrind and
 * sanitizers see everything.
 *
 * The loader opens it through OCL_ICD_VENDORS=fake-icd.so.  Queues are in
 * order, each with its own thread.  A kernel reads the start offset of each of
 * its buffers (BUFFER of common.cl) and fills its first buffer from there with
 * bytes computed from that one's content and its other arguments: outputs
 * depend on inputs, variables and every launch, and equal runs give equal
 * bytes.  Command buffers (cl_khr_command_buffer) may run once at a time; the
 * device with its own memory has none. */

#pragma once

#include <glib.h>

#define FAKE_ICD __attribute__ ((visibility ("default")))

/* Call it first.  The memory that host and device share: "usm", "svm-fine",
 * "svm-coarse", "pinned", or "discrete" (pinned, and the device has its own
 * memory).  A static string. */
FAKE_ICD void fake_icd_announce (const char *memory);

/* The @at-th call from now fails (1 is the next), and if @all every later one,
 * as when a device is lost; 0: none.  Restarts the counts. */
FAKE_ICD void fake_icd_fail (guint at, gboolean all);
/* The @at-th command and all later ones in its queue fail on the device, not
 * when enqueued; 0: none. */
FAKE_ICD void fake_icd_fail_command (guint at);
FAKE_ICD guint fake_icd_n_calls (void);    /* since then */
FAKE_ICD guint fake_icd_n_commands (void); /* since then */
/* Name of the function that failed last since then, or NULL. */
FAKE_ICD const char *fake_icd_failed (void);

/* Number of living objects, memory included. */
FAKE_ICD int fake_icd_n_alive (void);
/* Name of a function that has not failed yet in this process or its forks;
 * NULL: all have. */
FAKE_ICD const char *fake_icd_never_failed (void);
