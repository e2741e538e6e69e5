/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of ExtractImagePatches and Col2Im. */

#pragma once

#include "inference/graph/ops/window.h"

/* The window's dilations are the rates, its kernel the sizes. */
typedef struct
{
  InferWindow window;
} InferPatches;

/* Rows and columns of patches; 0 if none fits. */
gboolean infer_patches_resolve (const InferPatches *attrs,
    const InferShape *data, InferWindowDim *dims, GError **error);

/* Blocks along one axis of the image; FALSE if none fits. */
gboolean infer_col2im_blocks (const InferWindow *window, guint i, gint64 size,
    gint64 kernel, gint64 *blocks);
