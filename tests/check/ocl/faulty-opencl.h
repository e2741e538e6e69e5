/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* OpenCL calls that fail on demand: linked into a test, they interpose the
 * loader's functions. */

#pragma once

#include <glib.h>

/* The @at-th call from now on fails (1 is the next), and with @all every call
 * after it, as when a device is lost; 0: none.  Resets the counts. */
void faulty_opencl_set (guint at, gboolean all);
/* Calls since then that could have failed. */
guint faulty_opencl_n_calls (void);
/* Among them, reads and writes of buffers, and programs built from source. */
guint faulty_opencl_n_transfers (void);
guint faulty_opencl_n_sources (void);
/* Maps to the host, of buffers and of shared memory. */
guint faulty_opencl_n_maps (void);
/* To be called first: the shared memory that devices report: "usm", "svm-fine",
 * "svm-coarse", "pinned" (none of these), or "discrete": pinned, and the device
 * has memory of its own.  "": as it is.  All work if the driver has
 * fine-grained shared virtual memory.  A static string. */
void faulty_opencl_announce (const char *memory);
/* Kernels enqueued one by one; command buffers recorded, and enqueued. */
guint faulty_opencl_n_launches (void);
guint faulty_opencl_n_recordings (void);
guint faulty_opencl_n_replays (void);
/* To be called first: devices report to be GPUs, whose command buffers need
 * queues with @properties. */
void faulty_opencl_announce_gpu (guint64 properties);
/* Objects and memory that were not released. */
int faulty_opencl_n_alive (void);
