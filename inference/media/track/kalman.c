/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/track/kalman.h"

/* Standard deviations as fractions of the object's height: of a detection, of
 * unpredicted motion and of the change of speed, per frame. */
#define PLACE_NOISE (1.0f / 20)
#define MOVE_NOISE (1.0f / 20)
#define SPEED_NOISE (1.0f / 80)

void
infer_kalman_begin (InferKalman *f, float value, float height)
{
  float place = 2 * PLACE_NOISE * height, speed = 10 * SPEED_NOISE * height;

  *f = (InferKalman){ value, 0, place * place, 0, speed * speed };
}

void
infer_kalman_predict (InferKalman *f, float frames, float height)
{
  float move = MOVE_NOISE * height, speed = SPEED_NOISE * height;

  f->value += f->speed * frames;
  f->vv += frames * (2 * f->vs + frames * f->ss) + frames * move * move;
  f->vs += frames * f->ss;
  f->ss += frames * speed * speed;
}

void
infer_kalman_update (InferKalman *f, float value, float height)
{
  float place = PLACE_NOISE * height;
  float total = f->vv + place * place, off = value - f->value;
  float k_value = total > 0 ? f->vv / total : 1;
  float k_speed = total > 0 ? f->vs / total : 0;

  f->value += k_value * off;
  f->speed += k_speed * off;
  f->ss -= k_speed * f->vs;
  f->vv *= 1 - k_value;
  f->vs *= 1 - k_value;
}
