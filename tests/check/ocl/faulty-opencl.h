/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An OpenCL that fails when told to: linked into a test it stands before the
 * loader's functions. */

#pragma once

#include <glib.h>

/* The @at-th call from now on fails (1 is the next), and where @all every one
 * after it, as when a device is gone; 0: none.  Counts begin anew. */
void faulty_opencl_set (guint at, gboolean all);
/* Calls that could have failed, since then. */
guint faulty_opencl_n_calls (void);
/* Of those, reads and writes of buffers, and programs made from source. */
guint faulty_opencl_n_transfers (void);
guint faulty_opencl_n_sources (void);
/* Maps to the host, of buffers and of shared memory. */
guint faulty_opencl_n_maps (void);
/* Before anything else: what memory devices say that host and device share:
 * "usm", "svm-fine", "svm-coarse", "pinned" (none of these), or "discrete":
 * pinned, and the device has memory of its own.  "": what is true.  Each works
 * where the driver has shared virtual memory of a fine grain.  A static string.
 */
void faulty_opencl_announce (const char *memory);
/* Objects made and not released, memory included. */
int faulty_opencl_n_alive (void);
