/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The variables of a sequence as files: in a folder, VARIABLE.npy each, where
 * what a file name cannot hold is %XX; or in one .npz archive, as NumPy's savez
 * writes and load reads it.  What is reset has no file. */

#pragma once

#include "infer/state.h"

G_BEGIN_DECLS

/* @path: an existing folder, or an archive.  Variables without a file are left
 * as they are; a file of no variable is INFER_ERROR_NOT_FOUND. */
gboolean tool_read_states (const char *path, const InferModel *model,
    InferStateSet *states, GError **error);
/* @path: an archive if it ends in ".npz", else a folder, made if need be. */
gboolean tool_write_states (
    const char *path, InferStateSet *states, GError **error);

G_END_DECLS
