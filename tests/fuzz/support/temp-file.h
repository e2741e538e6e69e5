/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A folder of this process, for parsers that take a path. */

#pragma once

#include <glib.h>

/* It is removed at exit, with its files. */
const char *fuzz_folder (void);
/* Writes a file of it.  (transfer full) */
char *fuzz_file (const char *name, gconstpointer data, gsize size);
