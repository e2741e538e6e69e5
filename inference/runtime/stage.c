/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/stage.h"

const char *
infer_stage_name (InferStage stage)
{
  static const char *const names[INFER_N_STAGES] = {
    [INFER_STAGE_PREPROCESS] = "Preprocess",
    [INFER_STAGE_UPLOAD] = "Upload",
    [INFER_STAGE_START] = "Start",
    [INFER_STAGE_WAIT] = "Wait",
    [INFER_STAGE_DOWNLOAD] = "Download",
    [INFER_STAGE_POSTPROCESS] = "Postprocess",
    [INFER_STAGE_CALLBACK] = "Callback",
  };
  g_return_val_if_fail (stage < INFER_N_STAGES, NULL);
  return names[stage];
}

const char *
infer_count_name (InferCount count)
{
  static const char *const names[INFER_N_COUNTS] = {
    [INFER_COUNT_PREPROCESS] = "1. input preprocessing",
    [INFER_COUNT_UPLOAD] = "2. input transfer to a device",
    [INFER_COUNT_EXECUTE] = "3. execution time",
    [INFER_COUNT_DOWNLOAD] = "4. output transfer from a device",
    [INFER_COUNT_POSTPROCESS] = "5. output postprocessing",
  };
  g_return_val_if_fail (count < INFER_N_COUNTS, NULL);
  return names[count];
}

guint64
infer_count_from_stages (InferCount count, const guint64 *stage_ns)
{
  switch (count) {
    case INFER_COUNT_PREPROCESS:
      return stage_ns[INFER_STAGE_PREPROCESS];
    case INFER_COUNT_UPLOAD:
      return stage_ns[INFER_STAGE_UPLOAD];
    case INFER_COUNT_EXECUTE:
      return stage_ns[INFER_STAGE_START] + stage_ns[INFER_STAGE_WAIT];
    case INFER_COUNT_DOWNLOAD:
      return stage_ns[INFER_STAGE_DOWNLOAD];
    case INFER_COUNT_POSTPROCESS:
      return stage_ns[INFER_STAGE_POSTPROCESS];
    case INFER_N_COUNTS:
      break;
  }
  g_return_val_if_reached (0);
}
