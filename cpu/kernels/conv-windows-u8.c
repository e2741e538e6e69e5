/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/conv-u8-c.h"
#include "cpu/kernels/kernels.h"

static int32_t
sum_window (const CpuConvWindowsU8 *w, size_t line, size_t p, size_t c)
{
  const size_t vectors = (w->channels + CPU_U8_LANES - 1) / CPU_U8_LANES;
  const int8_t *weights = w->weights
                          + ((line * vectors + c / CPU_U8_LANES) * CPU_U8_WINDOW
                                    * w->planes * CPU_U8_LANES
                                + c % CPU_U8_LANES)
                                * 4;
  int32_t sum = w->end.start[c];

  for (size_t t = 0; t < CPU_U8_WINDOW; t++) {
    const ptrdiff_t x = w->first + (ptrdiff_t) (p * w->advance + t);
    const bool inside = x >= 0 && (size_t) x < w->columns;

    for (size_t k = 0; k < w->planes; k++, weights += CPU_U8_LANES * 4)
      for (size_t j = 0; j < 4; j++)
        sum += weights[j]
               * (inside ? w->rows[j][(size_t) x * w->column + c] : w->zero);
  }
  return sum;
}

void
cpu_conv_windows_u8_c (const CpuConvWindowsU8 *w)
{
  for (size_t line = 0; line < w->lines; line++)
    for (size_t p = 0; p < w->pixels; p++)
      for (size_t c = 0; c < w->channels; c++)
        finish (&w->end, w->out, line * w->out_line + p * w->out_step + c,
            (float) sum_window (w, line, p, c), c);
}
