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
/* Objects made and not released. */
int faulty_opencl_n_alive (void);
