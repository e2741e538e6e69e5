/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The variables of a sequence as files: VARIABLE.npy in a folder, with %XX for
 * characters that file names cannot hold; or an .npz archive, as NumPy's savez
 * writes it.  A variable that is reset has no file. */

#pragma once

#include "infer/state.h"

/* @path: an existing folder, or an archive.  Variables without a file keep
 * their values; a file without a variable is INFER_ERROR_NOT_FOUND. */
gboolean tool_read_states (const char *path, const InferModel *model,
    InferStateSet *states, GError **error);
/* @path: an archive if it ends in ".npz", else a folder, created if missing. */
gboolean tool_write_states (
    const char *path, InferStateSet *states, GError **error);
