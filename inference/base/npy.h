/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tensors from and to NumPy's .npy files.
 *
 * Little endian and C order only.  Types that NumPy lacks are stored as others
 * of their size: bf16 as uint16, f8 as uint8, sub-byte types as a flat uint8
 * array in OpenVINO's packing; `infer_npy_read_as` restores them. */

#pragma once

#include "infer/tensor.h"

/* Format versions 1.0 to 3.0.  Errors name the file.  (transfer full) */
InferTensor *infer_npy_read (const char *path, GError **error);

/* The same for a file known to hold @type; @shape (nullable, static) is needed
 * for sub-byte types; for others it is compared with the file's. */
InferTensor *infer_npy_read_as (
    const char *path, InferType type, const InferShape *shape, GError **error);

/* The contents of such a file, e.g. an entry of an .npz archive; @name is the
 * file name in messages.  @type dynamic: as infer_npy_read, else as
 * infer_npy_read_as.  (transfer full) */
InferTensor *infer_npy_from_bytes (const char *name, GBytes *bytes,
    InferType type, const InferShape *shape, GError **error);
GBytes *infer_npy_to_bytes (
    const char *name, const InferTensor *tensor, GError **error);

/* Format version 1.0.  @tensor may be strided. */
gboolean infer_npy_write (
    const char *path, const InferTensor *tensor, GError **error);
