/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/stream/position.h"

void
gst_infer_position_init (GstInferPosition *position)
{
  gst_segment_init (&position->segment, GST_FORMAT_UNDEFINED);
  position->lost = FALSE;
  gst_infer_position_begin_sequence (position);
}

void
gst_infer_position_begin_sequence (GstInferPosition *position)
{
  position->next_pts = GST_CLOCK_TIME_NONE;
  position->first_row = 0;
  position->since_inferred = 0;
  position->has_inferred = FALSE;
  position->discont = TRUE;
}

void
gst_infer_position_advance (GstInferPosition *position, GstClockTime pts,
    GstClockTime duration, int fps_n, int fps_d)
{
  if (!GST_CLOCK_TIME_IS_VALID (duration) && fps_n > 0)
    duration = gst_util_uint64_scale_int (GST_SECOND, fps_d, fps_n);
  position->next_pts = pts;
  if (GST_CLOCK_TIME_IS_VALID (pts) && GST_CLOCK_TIME_IS_VALID (duration))
    position->next_pts += duration;
}

gboolean
gst_infer_position_is_turn (GstInferPosition *position, guint interval)
{
  guint since = position->since_inferred;

  position->since_inferred = interval > 1 ? (since + 1) % interval : 0;
  position->has_inferred |= interval <= 1 || since == 0;
  return interval <= 1 || since == 0;
}

gboolean
gst_infer_position_rest (GstInferPosition *position)
{
  position->since_inferred = 0;
  return position->has_inferred;
}
