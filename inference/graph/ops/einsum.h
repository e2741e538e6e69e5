/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of Einsum. */

#pragma once

#include "infer/error.h"
#include "infer/shape.h"

#define INFER_EINSUM_MAX_INPUTS 26

/* Subscripts are strings of letters; '.' stands for the ellipsis. */
typedef struct
{
  guint n_inputs;
  char *inputs[INFER_EINSUM_MAX_INPUTS];
  char *output;
} InferEinsum;

/* Dims of all labels: of letters (index: the character) and the broadcast dims
 * under the ellipsis. */
typedef struct
{
  gint64 letters[128];
  gboolean used[128];
  InferShape ellipsis; /* rank INFER_DYNAMIC: not known */
} InferEinsumDims;

/* Returns FALSE if the shapes do not fit the equation. */
gboolean infer_einsum_dims (const InferEinsum *attrs,
    const InferShape *const *shapes, InferEinsumDims *dims, GError **error);
