/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tracker of infertrack on detections in MOTChallenge's text, one to a
 * line, frames in order:
 *
 *   frame,-1,left,top,width,height,score[,…]
 *
 * Writes the same with identities.  A line that is not so ends it with
 * status 1.
 *
 *   mot-track DETECTIONS RESULTS [INTERVAL [DISTANCE]]
 *
 * INTERVAL: only each such frame has detections for the tracker; it predicts
 * the boxes of the others, as behind inferfilter's inference-interval.
 * DISTANCE: numbers after the tenth are the detection's appearance; objects are
 * known again by it up to this cosine distance. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inference/media/track/track.h"

typedef struct
{
  FILE *out;
  InferTracker *tracker;
  GArray *found;    /* (element-type InferDetection) of @frame */
  GPtrArray *looks; /* (element-type float) of @found; entries may be NULL */
  guint look_size;
  guint frame, interval;
} Run;

/* The numbers after the tenth, of length 1; NULL: there are none. */
static float *
read_look (Run *run, const char *line)
{
  g_autoptr (GArray) look = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint i = 0; i < 10 && line != NULL; i++) {
    line = strchr (line, ',');
    line = line != NULL ? line + 1 : NULL;
  }
  while (line != NULL && *line != '\0') {
    char *end;
    const float value = (float) g_ascii_strtod (line, &end);

    if (end == line)
      break;
    g_array_append_val (look, value);
    line = *end == ',' ? end + 1 : NULL;
  }
  if (run->look_size == 0)
    run->look_size = look->len;
  if (look->len == 0 || look->len != run->look_size
      || !infer_look_normalize ((float *) (gpointer) look->data, look->len))
    return NULL;
  return (float *) (gpointer) g_array_free (g_steal_pointer (&look), FALSE);
}

static void
write_box (Run *run, int id, const InferDetection *box)
{
  fprintf (run->out, "%u,%d,%.3f,%.3f,%.3f,%.3f,%.4f,-1,-1,-1\n", run->frame,
      id, box->x0, box->y0, box->x1 - box->x0, box->y1 - box->y0, box->score);
}

static void
write_predicted (Run *run)
{
  const GArray *tracks = infer_tracker_list (run->tracker);

  for (guint i = 0; i < tracks->len; i++) {
    const InferTrack *track = &g_array_index (tracks, InferTrack, i);

    if (track->missed > 0 && track->missed < (float) run->interval)
      write_box (run, track->id, &track->box);
  }
}

/* The frame is complete. */
static void
end_frame (Run *run)
{
  const guint n = run->found->len;
  g_autofree const InferTrack **tracks = g_new0 (const InferTrack *, n + 1);

  if (run->frame == 0)
    return;
  if ((run->frame - 1) % run->interval != 0) {
    infer_tracker_skip (run->tracker, 1);
    write_predicted (run);
  } else {
    infer_tracker_set_looks (
        run->tracker, (const float *const *) run->looks->pdata, run->look_size);
    infer_tracker_update (run->tracker, 1, run->frame,
        (const InferDetection *) (gpointer) run->found->data, n, tracks);
    for (guint i = 0; i < n; i++)
      if (tracks[i] != NULL)
        write_box (
            run, tracks[i]->id, &g_array_index (run->found, InferDetection, i));
  }
  g_array_set_size (run->found, 0);
  g_ptr_array_set_size (run->looks, 0);
}

static gboolean
take_line (Run *run, const char *line)
{
  unsigned frame;
  float id, x, y, w, h, score;

  if (sscanf (line, "%u,%f,%f,%f,%f,%f,%f", &frame, &id, &x, &y, &w, &h, &score)
          != 7
      || frame < MAX (run->frame, 1) || frame > run->frame + 1000000
      || !isfinite (x) || !isfinite (y) || !(w > 0) || !(h > 0) || !isfinite (w)
      || !isfinite (h) || !isfinite (score))
    return FALSE;
  for (; run->frame < frame; run->frame++)
    end_frame (run);
  const InferDetection found = { x, y, x + w, y + h, score, 0, 0 };
  g_array_append_val (run->found, found);
  g_ptr_array_add (run->looks, read_look (run, line));
  return TRUE;
}

int
main (int argc, char **argv)
{
  const InferTrackSettings settings = INFER_TRACK_DEFAULTS;
  static char line[1 << 16];
  guint number = 0;

  if (argc < 3) {
    fprintf (
        stderr, "usage: mot-track DETECTIONS RESULTS [INTERVAL [DISTANCE]]\n");
    return 2;
  }
  FILE *in = fopen (argv[1], "r");
  Run run = { fopen (argv[2], "w"), infer_tracker_new (&settings),
    g_array_new (FALSE, FALSE, sizeof (InferDetection)),
    g_ptr_array_new_with_free_func (g_free), 0, 0,
    argc > 3 ? (guint) MAX (atoi (argv[3]), 1) : 1 };
  if (argc > 4)
    infer_tracker_set_gallery (run.tracker, infer_gallery_new (NULL),
        (float) g_ascii_strtod (argv[4], NULL), G_MAXUINT64);
  if (in == NULL || run.out == NULL) {
    perror (in == NULL ? argv[1] : argv[2]);
    return 1;
  }
  while (fgets (line, sizeof line, in) != NULL) {
    number++;
    if (take_line (&run, line))
      continue;
    fprintf (stderr,
        "%s:%u: frame,id,left,top,width,height,score were expected, with "
        "frames in order\n",
        argv[1], number);
    return 1;
  }
  end_frame (&run);
  infer_tracker_free (run.tracker);
  g_array_unref (run.found);
  fclose (in);
  return fclose (run.out) == 0 ? 0 : 1;
}
