/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* .npy files, as what they say to be and as any type.  The first byte is the
 * type, the file follows. */

#include "tests/fuzz/support/bytes.h"
#include "tests/fuzz/support/fuzz.h"

#include "inference/base/npy.h"

/* What was read can be written and read again. */
static void
check_again (const InferTensor *tensor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = infer_npy_to_bytes ("again", tensor, &error);

  g_assert_no_error (error);
  g_autoptr (InferTensor) again = infer_npy_from_bytes (
      "again", bytes, tensor->type, &tensor->shape, &error);
  g_assert_no_error (error);
  g_assert_true (again->type == tensor->type && again->size == tensor->size);
  g_assert_true (infer_shape_equal (&again->shape, &tensor->shape));
  g_assert_true (tensor->size == 0
                 || memcmp (again->data, tensor->data, tensor->size) == 0);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes bytes = { data, size };
  const InferType type = (InferType) fuzz_below (&bytes, INFER_N_TYPES);
  g_autoptr (GBytes) file = g_bytes_new (bytes.data, bytes.left);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTensor) tensor =
      infer_npy_from_bytes ("fuzz", file, type, NULL, &error);

  g_assert_true ((tensor == NULL) == (error != NULL));
  if (tensor != NULL)
    check_again (tensor);
  return 0;
}
