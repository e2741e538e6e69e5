/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Caps other/tensors, as text. */

#include "tests/fuzz/support/bytes.h"
#include "tests/fuzz/support/fuzz.h"

#include "gst/common/tensor-caps.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes bytes = { data, size };
  g_autofree char *text = fuzz_text (&bytes, size);
  GstInferTensors tensors, again;
  g_autoptr (GError) error = NULL;

  if (!gst_is_initialized ())
    gst_init (NULL, NULL);
  g_autoptr (GstCaps) caps =
      g_utf8_validate (text, -1, NULL) ? gst_caps_from_string (text) : NULL;
  if (caps == NULL || !gst_caps_is_fixed (caps))
    return 0;
  const gboolean ok = gst_infer_tensors_from_caps (caps, &tensors, &error);
  g_assert_true (ok == (error == NULL));
  if (!ok)
    return 0;
  /* What was understood can be said, and means the same. */
  g_autoptr (GstCaps) said = gst_infer_tensors_to_caps (&tensors);
  g_assert_true (gst_infer_tensors_from_caps (said, &again, &error));
  g_assert_cmpuint (again.n, ==, tensors.n);
  for (guint i = 0; i < tensors.n; i++)
    g_assert_true (
        again.descs[i].type == tensors.descs[i].type
        && infer_shape_equal (&again.descs[i].shape, &tensors.descs[i].shape));
  return 0;
}
