/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CPU time of infermotion for the luma of a frame of 1920 × 1080.
 *
 *   bench/motion [FRAMES] */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gst/motion/grid.h"

#define WIDTH 1920
#define HEIGHT 1080
#define PICTURES 4

static double
cpu_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

int
main (int argc, char **argv)
{
  const guint frames = argc > 1 ? (guint) atoi (argv[1]) : 2000;
  const gsize size = (gsize) WIDTH * HEIGHT;
  guint8 *pictures = g_malloc (PICTURES * size);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  GstInferMotionGrid *grid = gst_infer_motion_grid_new (WIDTH, HEIGHT);
  guint open = 0;

  for (gsize i = 0; i < PICTURES * size; i++)
    pictures[i] = (guint8) (100 + i % WIDTH / 20
                            + (gsize) g_rand_int_range (random, 0, 8));
  const double begin = cpu_seconds ();
  for (guint f = 0; f < frames; f++)
    if (gst_infer_motion_grid_look (
            grid, pictures + f % PICTURES * size, WIDTH, 1, 1)) {
      gst_infer_motion_grid_keep (
          grid, pictures + f % PICTURES * size, WIDTH, 1);
      open++;
    }
  const double seconds = cpu_seconds () - begin;
  printf ("%u frames of %d x %d, %u let through: %.3f ms a frame\n", frames,
      WIDTH, HEIGHT, open, seconds / frames * 1e3);
  gst_infer_motion_grid_free (grid);
  g_free (pictures);
  return 0;
}
