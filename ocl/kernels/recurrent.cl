/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A whole sequence of LSTM, GRU or RNN cells (CELL_…): one group per sequence and
 * direction, one work-item per 16 hidden units.  The products of the inputs are
 * given as gates[direction][batch · time][GATES · hidden].  r lies in panels [direction · GATES + gate][panel][hidden][16].
 * ACTIVATION_n and CLIP come from the host. */

#define SUM(g, from)                                                           \
  for (int k = 0; k < hidden; k++)                                             \
    sum##g = MAD ((float16) (from[k]),                                         \
        vload16 (k, panel + (g) * panels * hidden * 16), sum##g)

static inline float16
load_units (__global uchar *x, int at, int n)
{
  float units[16];

  for (int i = 0; i < 16; i++)
    units[i] = i < n ? LOAD (TYPE, x, at + i) : 0;
  return vload16 (0, units);
}

static inline float16
load_floats (__global const any_float *x, int n)
{
  float units[16];

  for (int i = 0; i < 16; i++)
    units[i] = i < n ? x[i] : 0;
  return vload16 (0, units);
}

static inline void
store_units (float16 v, __global uchar *x, int at, int n)
{
  float units[16];

  vstore16 (v, 0, units);
  for (int i = 0; i < n; i++)
    STORE (TYPE, x, at + i, units[i]);
}

static inline void
share_units (float16 v, __local float *x)
{
  vstore16 (v, 0, x);
}

__kernel void
recurrent (BUFFER (gates), BUFFER (h0), BUFFER (r), BUFFER (ho),
    __local float *state, int time, int batch, int hidden, int directions,
    int reverse
#ifdef HAS_BIAS
    , BUFFER (bias)
#endif
#ifdef HAS_LENGTHS
    , BUFFER (lengths)
#endif
#ifdef HAS_Y
    , BUFFER (y)
#endif
#ifdef CELL_LSTM
    , BUFFER (c0), BUFFER (co)
#endif
)
{
  const int sequence = get_group_id (0), lane = get_local_id (0);
  const int b = sequence / directions, direction = sequence % directions;
  const int panels = get_local_size (0);
  const int first = lane * 16, n = min (16, hidden - first);
  BIND (gates);
  BIND (h0);
  BIND (r);
  BIND (ho);
#ifdef HAS_Y
  BIND (y);
#endif
#ifdef CELL_LSTM
  BIND (c0);
  BIND (co);
  float16 c = load_units (c0, sequence * hidden + first, n);
#endif
  int length = time;
#ifdef HAS_LENGTHS
  BIND (lengths);
  length = clamp ((int) LOAD (LENGTH_TYPE, lengths, b), 0, time);
#endif

  float16 h = load_units (h0, sequence * hidden + first, n);
  float16 bias0 = 0, bias1 = 0, bias2 = 0, bias3 = 0;
#ifdef HAS_BIAS
  BIND (bias);
  const int from = direction * BIASES * hidden + first;

  bias0 = load_units (bias, from, n);
#if BIASES > 1
  bias1 = load_units (bias, from + hidden, n);
  bias2 = load_units (bias, from + 2 * hidden, n);
#endif
#if BIASES > 3
  bias3 = load_units (bias, from + 3 * hidden, n);
#endif
#endif
  __global const any_float *panel =
      (__global const any_float *) r
      + (direction * GATES * panels + lane) * hidden * 16;

  for (int i = 0; i < length; i++) {
    const int backwards = reverse || direction == 1;
    const int t = backwards ? length - 1 - i : i;
    __global const any_float *x = (__global const any_float *) gates
                              + ((direction * batch + b) * time + t) * GATES
                                    * hidden
                              + first;

    barrier (CLK_LOCAL_MEM_FENCE);
    share_units (h, state + first);
    barrier (CLK_LOCAL_MEM_FENCE);
#if defined(CELL_LSTM)
    float16 sum0 = load_floats (x, n) + bias0;
    float16 sum1 = load_floats (x + hidden, n) + bias1;
    float16 sum2 = load_floats (x + 2 * hidden, n) + bias2;
    float16 sum3 = load_floats (x + 3 * hidden, n) + bias3;

    for (int k = 0; k < hidden; k++) {
      const float16 v = state[k];
      const int step = panels * hidden * 16;

      sum0 = MAD (v, vload16 (k, panel), sum0);
      sum1 = MAD (v, vload16 (k, panel + step), sum1);
      sum2 = MAD (v, vload16 (k, panel + 2 * step), sum2);
      sum3 = MAD (v, vload16 (k, panel + 3 * step), sum3);
    }
    c = ACTIVATION_0 (CLIP (sum0)) * c
        + ACTIVATION_0 (CLIP (sum1)) * ACTIVATION_1 (CLIP (sum2));
    h = ACTIVATION_0 (CLIP (sum3)) * ACTIVATION_2 (c);
#elif defined(CELL_GRU)
    float16 sum0 = load_floats (x, n) + bias0;
    float16 sum1 = load_floats (x + hidden, n) + bias1;
    float16 sum2 = load_floats (x + 2 * hidden, n) + bias2;

    SUM (0, state);
    SUM (1, state);
    sum0 = ACTIVATION_0 (CLIP (sum0));
    sum1 = ACTIVATION_0 (CLIP (sum1));
#ifdef LINEAR_BEFORE_RESET
    const float16 given = sum2;

    sum2 = bias3;
    SUM (2, state);
    sum2 = given + sum1 * sum2;
#else
    barrier (CLK_LOCAL_MEM_FENCE);
    share_units (sum1 * h, state + first);
    barrier (CLK_LOCAL_MEM_FENCE);
    SUM (2, state);
#endif
    h = (1 - sum0) * ACTIVATION_1 (CLIP (sum2)) + sum0 * h;
#else
    float16 sum0 = load_floats (x, n) + bias0;

    SUM (0, state);
    h = ACTIVATION_0 (CLIP (sum0));
#endif
#ifdef HAS_Y
    store_units (h, y, (sequence * time + t) * hidden + first, n);
#endif
  }
#ifdef HAS_Y
  for (int i = length; i < time; i++)
    store_units (0, y, (sequence * time + i) * hidden + first, n);
#endif
  store_units (h, ho, sequence * hidden + first, n);
#ifdef CELL_LSTM
  store_units (c, co, sequence * hidden + first, n);
#endif
}
