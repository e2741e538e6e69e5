/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations along the middle of [outer][length][inner].
 *
 * Contiguous rows (inner is 1) are processed by a group of GROUP work-items each,
 * in vectors of 16; others by one work-item each.  Sums have the type SUM_TYPE.
 *
 * reduce (one of SUM, MEAN, PROD, MAX, MIN, L1, L2, AND, OR), softmax (LOG
 * defined: its logarithm), normalize (MVN: mean and variance; or the root of
 * the sum of squares). */

#define SUM COMPUTE (SUM_TYPE)
#define READ(at) ((SUM) LOAD (IN_TYPE, in, at))

/* For every element i of the row, in any order. */
#ifdef GROUP
#define LANE get_local_id (0)
#define LANES GROUP
#else
#define LANE 0
#define LANES 1
#endif
#define EACH(i) for (int i = LANE; i < length; i += LANES)

#ifdef GROUP
#define ROW_PARAMETERS int length, int inner, __local SUM *shared
#define BEGIN_ROW                                                              \
  const int row = get_group_id (0), begin = row * length;                      \
  const int stride = 1
#define STOP_ROW
#else
#define ROW_PARAMETERS int length, int inner, int outer
#define BEGIN_ROW                                                              \
  const int x = get_global_id (0), row = get_global_id (1) * inner + x;        \
  const int begin = get_global_id (1) * length * inner + x;                    \
  const int stride = inner
#define STOP_ROW                                                               \
  if (x >= inner || get_global_id (1) >= outer)                                \
    return
#endif

/* Reduces the numbers of a group's work-items to one, which all of them get. */
#if defined(GROUP) && GROUP > 1
#define FOLD(v, merge)                                                         \
  do {                                                                         \
    barrier (CLK_LOCAL_MEM_FENCE);                                             \
    shared[LANE] = v;                                                          \
    for (int half_ = GROUP / 2; half_ > 0; half_ /= 2) {                       \
      barrier (CLK_LOCAL_MEM_FENCE);                                           \
      if (LANE < half_)                                                        \
        shared[LANE] = merge (shared[LANE], shared[LANE + half_]);             \
    }                                                                          \
    barrier (CLK_LOCAL_MEM_FENCE);                                             \
    v = shared[0];                                                             \
  } while (0)
#else
#define FOLD(v, merge)
#endif

#define ADD(a, b) ((a) + (b))
#define LARGER(a, b) ((b) <= (a) ? (a) : (b))

#ifdef REDUCE
#if defined(PROD)
#define VECTOR_TAKE sums *= v
#elif defined(MAX)
#define VECTOR_TAKE sums = select (v, sums, v <= sums)
#elif defined(MIN)
#define VECTOR_TAKE sums = select (v, sums, v >= sums)
#elif defined(L1)
#define VECTOR_TAKE sums += fabs (v)
#elif defined(L2)
#define VECTOR_TAKE sums += v * v
#else
#define VECTOR_TAKE sums += v
#endif
#if defined(PROD)
#define START 1
#define TAKE(a, v) ((a) * (v))
#define MERGE(a, b) ((a) * (b))
#elif defined(MAX)
#define START LOWEST
#define TAKE(a, v) ((v) <= (a) ? (a) : (v))
#define MERGE TAKE
#elif defined(MIN)
#define START HIGHEST
#define TAKE(a, v) ((v) >= (a) ? (a) : (v))
#define MERGE TAKE
#elif defined(L1)
#define START 0
#define TAKE(a, v) ((a) + ((v) < 0 ? -(v) : (v)))
#define MERGE ADD
#elif defined(L2)
#define START 0
#define TAKE(a, v) ((a) + (v) * (v))
#define MERGE ADD
#elif defined(AND)
#define START 1
#define TAKE(a, v) ((a) && (v))
#define MERGE TAKE
#elif defined(OR)
#define START 0
#define TAKE(a, v) ((a) || (v))
#define MERGE TAKE
#else
#define START 0
#define TAKE ADD
#define MERGE ADD
#endif

__kernel void
reduce (BUFFER (out), BUFFER (in), ROW_PARAMETERS)
{
  BEGIN_ROW;
  BIND (out);
  BIND (in);
  STOP_ROW;

  SUM sum = START;

#ifdef VECTORS
  /* Several sums: a single one would wait for each addition. */
  const int whole = length / 16 * 16;

  if (LANES == 1 && whole > 0) {
    float16 sums = START;
    float parts[16];

    for (int i = 0; i < whole; i += 16) {
      const float16 v = vload16 (0, (__global const any_float *) in + begin + i);

      VECTOR_TAKE;
    }
    vstore16 (sums, 0, parts);
    for (int i = 0; i < 16; i++)
      sum = MERGE (sum, parts[i]);
    for (int i = whole; i < length; i++)
      sum = TAKE (sum, READ (begin + i));
  } else
#endif
    EACH (i)
      sum = TAKE (sum, READ (begin + i * stride));
  FOLD (sum, MERGE);
#if defined(MEAN)
  sum = length > 0 || IS_REAL ? sum / (SUM) length : 0;
#elif defined(L2)
#if IS_REAL
  sum = sqrt (sum);
#else
  sum = (SUM) sqrt ((float) sum);
#endif
#elif (defined(MAX) || defined(MIN)) && IS_REAL
  sum = length > 0 ? sum : (SUM) (START > 0 ? MAXFLOAT : -MAXFLOAT);
#endif
  if (LANE == 0)
    STORE (OUT_TYPE, out, row, sum);
}
#endif

#ifdef SOFTMAX
__kernel void
softmax (BUFFER (out), BUFFER (in), ROW_PARAMETERS)
{
  BEGIN_ROW;
  BIND (out);
  BIND (in);
  STOP_ROW;

  SUM most = -INFINITY, sum = 0;

  EACH (i)
    most = LARGER (most, READ (begin + i * stride));
  FOLD (most, LARGER);
#ifdef LOG
  EACH (i)
    sum += exp (READ (begin + i * stride) - most);
  FOLD (sum, ADD);
  sum = log (sum);
  EACH (i)
    STORE (OUT_TYPE, out, begin + i * stride,
        READ (begin + i * stride) - most - sum);
#else
  EACH (i) {
    const SUM e = exp (READ (begin + i * stride) - most);

    sum += e;
    STORE (OUT_TYPE, out, begin + i * stride, e);
  }
  FOLD (sum, ADD);
  sum = 1 / sum;
  EACH (i)
    STORE (OUT_TYPE, out, begin + i * stride,
        ((SUM) LOAD (OUT_TYPE, out, begin + i * stride)) * sum);
#endif
}
#endif

#ifdef NORMALIZE
/* scale · (x - mean) of each row, then POST with i the element and c its index
 * in the row.  GROUPS: rows are groups of `per_group` channels of `volume`
 * elements; each channel has a factor and a term. */
__kernel void
norm_rows (BUFFER (out), BUFFER (in), ROW_PARAMETERS,
    float eps
#ifdef GROUPS
    , BUFFER (gamma), BUFFER (beta), int per_group, int volume, int groups
#endif
    POST_PARAMETERS)
{
  BEGIN_ROW;
  BIND (out);
  BIND (in);
#ifdef GROUPS
  BIND (gamma);
  BIND (beta);
#endif
  POST_BIND;
  STOP_ROW;

  SUM mean = 0, squares = 0;

#ifdef MVN
  EACH (i)
    mean += READ (begin + i * stride);
  FOLD (mean, ADD);
  mean /= length;
#endif
  EACH (i) {
    const SUM v = READ (begin + i * stride) - mean;

    squares += v * v;
  }
  FOLD (squares, ADD);
#if defined(MVN) && !defined(VARIANCE)
  const SUM scale = 1;
#elif defined(MVN) && defined(OUTSIDE)
  const SUM scale = 1 / (sqrt (squares / length) + (SUM) eps);
#elif defined(MVN)
  const SUM scale = 1 / sqrt (squares / length + (SUM) eps);
#elif defined(EPS_MAX)
  const SUM scale = 1 / sqrt (fmax (squares, (SUM) eps));
#else
  const SUM scale = 1 / sqrt (squares + (SUM) eps);
#endif
  EACH (i) {
    const int at = begin + i * stride;
    SUM v = (READ (at) - mean) * scale;

#ifdef GROUPS
    const int channel = row % groups * per_group + i / volume;

    v = v * (SUM) LOAD (IN_TYPE, gamma, channel)
        + (SUM) LOAD (IN_TYPE, beta, channel);
#endif
    POST_CHANNEL (i);

    STORE (OUT_TYPE, out, at, POST (v, at));
  }
}
#endif
