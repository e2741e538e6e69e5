/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "inference/graph/op.h"

/* RGBtoNV12, BGRtoNV12 */
typedef struct
{
  gboolean single_plane; /* luma and chroma in one output */
} InferToNv12;
