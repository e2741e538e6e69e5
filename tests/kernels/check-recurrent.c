/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#include <math.h>

/* Sigmoid and tanh are within 4e-7 of the reference, and enter a few products
 * and sums. */
#define TOLERANCE 3e-6f

/* Gates of up to STRIDE units; a unit's gates are STRIDE apart. */
#define STRIDE 224

static const size_t units[] = { 1, 4, 15, 16, 17, 31, 33, 64, 100, 128, 224,
  0 };
static const float clips[] = { INFINITY, 0.75f };

static size_t
padded (size_t n)
{
  return (n + CPU_GEMM_PANEL - 1) / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
}

typedef struct
{
  float *x, *r, *state, *z;
  float *want[2], *got[2];
} Data;

static void
fill (Data *d)
{
  d->x = kc_buffer (0);
  d->r = kc_buffer (4);
  d->state = kc_buffer (0);
  d->z = kc_buffer (4);
  for (int i = 0; i < 2; i++) {
    d->want[i] = kc_buffer (0);
    d->got[i] = kc_buffer (4);
  }
  kc_fill (d->x, KC_MAX, -6, 6);
  kc_fill (d->r, KC_MAX, -6, 6);
  kc_fill (d->state, KC_MAX, -2, 2);
  kc_fill (d->z, KC_MAX, 0, 1);
}

static void
check (const Data *d, size_t n, int outputs)
{
  for (int i = 0; i < outputs; i++) {
    kc_check_beyond (d->got[i], padded (n) * sizeof (float));
    kc_check_f32 (d->got[i], d->want[i], n, TOLERANCE, TOLERANCE);
  }
}

/* @REF and @OPT: calls that write d.want and d.got. */
#define CHECK_GATES(name, outputs, REF, OPT)                                   \
  void check_##name (const CpuKernels *ref, const CpuKernels *opt)             \
  {                                                                            \
    Data d;                                                                    \
                                                                               \
    fill (&d);                                                                 \
    for (size_t c = 0; c < sizeof clips / sizeof *clips; c++)                  \
      for (const size_t *n = units; *n != 0; n++) {                            \
        CpuGates g = { *n, STRIDE, d.x, d.r, clips[c] };                       \
                                                                               \
        kc_poison (d.got[0]);                                                  \
        kc_poison (d.got[1]);                                                  \
        REF;                                                                   \
        OPT;                                                                   \
        check (&d, *n, outputs);                                               \
      }                                                                        \
    {                                                                          \
      CpuGates g = { 128, STRIDE, d.x, d.r, INFINITY };                        \
                                                                               \
      KC_BENCH (OPT);                                                          \
    }                                                                          \
  }

/* clang-format off */
CHECK_GATES (lstm_f32, 2,
    ref->lstm_f32 (&g, d.state, d.want[0], d.want[1]),
    opt->lstm_f32 (&g, d.state, d.got[0], d.got[1]))
CHECK_GATES (gru_linear_f32, 1,
    ref->gru_linear_f32 (&g, d.state, d.want[0]),
    opt->gru_linear_f32 (&g, d.state, d.got[0]))
CHECK_GATES (gru_gates_f32, 2,
    ref->gru_gates_f32 (&g, d.state, d.want[0], d.want[1]),
    opt->gru_gates_f32 (&g, d.state, d.got[0], d.got[1]))
CHECK_GATES (gru_state_f32, 1,
    ref->gru_state_f32 (&g, d.z, d.state, d.want[0]),
    opt->gru_state_f32 (&g, d.z, d.state, d.got[0]))
CHECK_GATES (rnn_f32, 1,
    ref->rnn_f32 (&g, d.want[0]),
    opt->rnn_f32 (&g, d.got[0]))
/* clang-format on */
