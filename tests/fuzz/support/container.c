/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/fuzz/support/container.h"

#include <math.h>
#include <string.h>

void
fuzz_input_init (FuzzInput *input, const guint8 *data, gsize size)
{
  const guint8 *end = size > 0 ? memchr (data, 0, size) : NULL;

  memset (input, 0, sizeof *input);
  input->xml = (const char *) data;
  input->xml_size = end != NULL ? (gsize) (end - data) : size;
  if (end == NULL)
    return;
  gsize left = size - input->xml_size - 1;
  const gsize n = MIN (left, FUZZ_CONTROL);
  memcpy (input->control, end + 1, n);
  input->actions = input->control[0];
  input->weights = end + 1 + n;
  input->n_weights = left - n;
}

/* Choices come round again, each time other ones. */
static guint
choose (FuzzInput *input)
{
  const guint n = FUZZ_CONTROL - 2, round = input->n_taken / n;
  const guint choice = input->control[2 + input->n_taken % n];

  input->n_taken++;
  return choice + round * 37;
}

guint
fuzz_input_below (FuzzInput *input, guint n)
{
  return choose (input) % n;
}

InferShape
fuzz_input_shape (FuzzInput *input, const InferShape *pattern)
{
  static const gint64 dims[] = { 1, 2, 3, 4, 0, 5, 8, 7, 16, 17, 33, 64 };
  InferShape shape = *pattern;

  if (shape.rank < 0)
    shape = infer_shape_of_rank ((int) fuzz_input_below (input, 6));
  for (int d = 0; d < shape.rank; d++)
    if (shape.dims[d] < 0)
      shape.dims[d] = dims[fuzz_input_below (input, G_N_ELEMENTS (dims))];
  return shape;
}

/* --- values --- */

static double
edge (guint i)
{
  static const double edges[] = { 0, -1, 1, 2147483647, -2147483648.0, 255,
    -128, 65535, 4294967296.0, 4611686018427387904.0, -9223372036854775808.0,
    1e30, -1e-30, 0.5, -0.0, 1e300 };

  switch (i % 20) {
    case 16:
      return (double) NAN;
    case 17:
      return (double) INFINITY;
    case 18:
      return (double) -INFINITY;
    case 19:
      return 3e38;
    default:
      return edges[i % 20];
  }
}

static double
number (guint kind, guint salt, gsize i)
{
  const guint at = (guint) i + salt;

  switch (kind) {
    case 0:
      return (double) (at % 5);
    case 1:
      return (double) (at * 2654435761u >> 20) / 1024 - 2;
    case 2:
      return edge (at * 7);
    case 3:
      return (double) (int) (at * 2654435761u >> 24) - 128;
    default:
      return at % 4 == 0 ? edge (at / 4) : (double) (at % 3);
  }
}

void
fuzz_input_fill (FuzzInput *input, InferTensor *tensor)
{
  const guint kind = fuzz_input_below (input, 7);
  const guint salt = fuzz_input_below (input, 256);
  const gsize n = infer_shape_count (&tensor->shape);
  guint8 *bytes = tensor->data;

  if (kind < 5) {
    for (gsize i = 0; i < n; i++) {
      const double value = number (kind, salt, i);

      infer_convert (bytes + i * infer_type_size (tensor->type), tensor->type,
          &value, INFER_TYPE_F64, 1);
    }
    return;
  }
  for (gsize i = 0; i < tensor->size; i++)
    bytes[i] = kind == 5 && input->n_weights > 0
                   ? input->weights[(i + salt) % input->n_weights]
                   : (guint8) ((i + salt) * 2654435761u >> 13);
  /* A boolean is 0 or 1. */
  for (gsize i = 0; tensor->type == INFER_TYPE_BOOLEAN && i < n; i++)
    bytes[i] &= 1;
}
