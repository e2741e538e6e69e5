/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tripwires.  A step across the line is counted at once, but said only when the
 * object is away from the line by the margin, and on the side that the count
 * says: what trembles on the line, or turns round, is no crossing. */

#include "gst/scene/rules.h"

static void
cross (const GstInferSceneCase *c, int direction)
{
  if (direction > 0)
    c->watch->in++;
  else
    c->watch->out++;
  gst_infer_scene_say (c, GST_INFER_SCENE_CROSS)->direction = direction;
  if (c->watch->item->allowed == -direction)
    gst_infer_scene_say (c, GST_INFER_SCENE_WRONG_WAY)->direction = direction;
}

void
gst_infer_scene_tripwire_update (const GstInferSceneCase *c)
{
  const GstInferSceneWatch *w = c->watch;
  const GstInferGridPoint *line = w->points;
  const GstInferGridPoint place = gst_infer_scene_place (c);
  GstInferSceneStay *stay = c->stay;

  if (!c->track->is_new)
    stay->crossed += gst_infer_grid_crossing (
        line[0], line[1], c->track->before[w->item->anchor], place);
  if (stay->crossed == 0
      || !gst_infer_grid_is_far (line, 2, FALSE, place, w->margin))
    return;
  const int side = gst_infer_grid_side (line[0], line[1], place) >= 0 ? 1 : -1;
  if ((stay->crossed > 0) == (side > 0))
    cross (c, side);
  stay->crossed = 0;
}
