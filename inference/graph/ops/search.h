/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of search and sort operations. */

#pragma once

#include "inference/graph/op.h"

typedef struct
{
  InferType index_type, count_type;
  gboolean right;  /* Bucketize: with_right_bound; SearchSorted: right_mode */
  gboolean sorted; /* Unique */
  /* TopK */
  gint64 axis;
  gboolean min;
  int sort; /* InferTopKSort */
} InferSearch;

typedef enum
{
  INFER_TOP_K_NONE,
  INFER_TOP_K_VALUE,
  INFER_TOP_K_INDEX,
} InferTopKSort;
