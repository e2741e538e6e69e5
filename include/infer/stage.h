/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stages of a request, and the names of its five timings. */

#pragma once

#include <glib.h>

#include "infer/api.h"

G_BEGIN_DECLS

typedef enum
{
  INFER_STAGE_PREPROCESS,
  INFER_STAGE_UPLOAD,
  INFER_STAGE_START,
  INFER_STAGE_WAIT,
  INFER_STAGE_DOWNLOAD,
  INFER_STAGE_POSTPROCESS,
  INFER_STAGE_CALLBACK,
  INFER_N_STAGES
} InferStage;

/* "Preprocess", "Upload", … as in span names. */
INFER_API const char *infer_stage_name (InferStage stage);

/* The five standard performance counts. */
typedef enum
{
  INFER_COUNT_PREPROCESS,
  INFER_COUNT_UPLOAD,
  INFER_COUNT_EXECUTE,
  INFER_COUNT_DOWNLOAD,
  INFER_COUNT_POSTPROCESS,
  INFER_N_COUNTS
} InferCount;

/* "1. input preprocessing" … "5. output postprocessing". */
INFER_API const char *infer_count_name (InferCount count);
/* From per-stage nanoseconds. */
INFER_API guint64 infer_count_from_stages (
    InferCount count, const guint64 *stage_ns);

G_END_DECLS
