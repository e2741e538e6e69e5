/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A request converts inputs to the model's types and outputs to the user's:
 * every type to every type, on both sides. */

#include "infer/request.h"
#include "tests/check/support/session.h"

#include <string.h>

#define N 4

static const InferType types[] = { INFER_TYPE_BOOLEAN, INFER_TYPE_F64,
  INFER_TYPE_F32, INFER_TYPE_F16, INFER_TYPE_BF16, INFER_TYPE_I64,
  INFER_TYPE_I32, INFER_TYPE_I16, INFER_TYPE_I8, INFER_TYPE_U64, INFER_TYPE_U32,
  INFER_TYPE_U16, INFER_TYPE_U8 };

/* Representable in all types but booleans. */
static const double values[N] = { 0, 1, 3, 100 };

/* y = x, of @type. */
static InferModel *
make_model (InferType type)
{
  const char *name = infer_type_name (type);
  g_autoptr (GError) error = NULL;
  char *text = g_strdup_printf (
      "<?xml version=\"1.0\"?><net name=\"same\" version=\"11\"><layers>"
      "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\">"
      "<data element_type=\"%s\" shape=\"4\"/><output><port id=\"0\"/>"
      "</output></layer><layer id=\"1\" name=\"y\" type=\"Result\" "
      "version=\"opset1\"><input><port id=\"0\"/></input></layer></layers>"
      "<edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" "
      "to-port=\"0\"/></edges></net>",
      name);
  g_autoptr (GBytes) xml = g_bytes_new_take (text, strlen (text));
  InferModel *model = infer_model_load_bytes (xml, NULL, name, &error);
  g_assert_no_error (error);
  return model;
}

static InferTensor *
make_tensor (InferType type)
{
  InferShape shape = infer_shape_make (1, (gint64) N);
  g_autoptr (GError) error = NULL;
  InferTensor *tensor = infer_tensor_new (type, &shape, &error);

  g_assert_no_error (error);
  return tensor;
}

/* Writes bit patterns, independently of the conversion under test. */
static void
put (InferTensor *tensor, gsize i, double value)
{
  static const guint16 halves[] = { 0, 0x3c00, 0x4200, 0x5640 };
  static const guint16 brains[] = { 0, 0x3f80, 0x4040, 0x42c8 };
  gpointer data = tensor->data;

  switch (tensor->type) {
    case INFER_TYPE_BOOLEAN:
      ((guint8 *) data)[i] = value != 0;
      break;
    case INFER_TYPE_F64:
      ((double *) data)[i] = value;
      break;
    case INFER_TYPE_F32:
      ((float *) data)[i] = (float) value;
      break;
    case INFER_TYPE_F16:
      ((guint16 *) data)[i] = halves[i];
      break;
    case INFER_TYPE_BF16:
      ((guint16 *) data)[i] = brains[i];
      break;
    default: /* integers, little-endian or not */
      for (gsize b = 0; b < infer_type_size (tensor->type); b++) {
        gsize size = infer_type_size (tensor->type);
        gsize at = G_BYTE_ORDER == G_LITTLE_ENDIAN ? b : size - 1 - b;
        ((guint8 *) data)[i * size + at] = b == 0 ? (guint8) value : 0;
      }
  }
}

static gboolean
passes_boolean (InferType in, InferType model, InferType out)
{
  return in == INFER_TYPE_BOOLEAN || model == INFER_TYPE_BOOLEAN
         || out == INFER_TYPE_BOOLEAN;
}

static void
check_pair (InferRequest *request, InferType in, InferType model, InferType out)
{
  g_autoptr (InferTensor) given = make_tensor (in);
  g_autoptr (InferTensor) wanted = make_tensor (out);
  g_autoptr (InferTensor) expected = make_tensor (out);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < N; i++)
    put (given, i, values[i]);
  g_assert_true (infer_request_set_input (request, 0, given, &error));
  g_assert_true (infer_request_set_output (request, 0, wanted, &error));
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < N; i++) {
    gboolean yes = passes_boolean (in, model, out) && values[i] != 0;

    /* For booleans, put() takes the value's position; 1 is at 1. */
    if (yes) {
      g_autoptr (InferTensor) one = make_tensor (out);
      gsize size = infer_type_size (out);

      put (one, 1, 1);
      memcpy (
          (char *) expected->data + i * size, (char *) one->data + size, size);
    } else {
      put (expected, i, values[i]);
    }
  }
  if (wanted->size != expected->size
      || memcmp (wanted->data, expected->data, wanted->size) != 0)
    g_error ("%s, model of %s, %s: wrong values", infer_type_name (in),
        infer_type_name (model), infer_type_name (out));
}

static void
test_pairs (gconstpointer data)
{
  const InferType type = *(const InferType *) data;
  g_autoptr (InferModel) model = make_model (type);
  g_autoptr (InferRequest) request = test_request (model, "CPU", NULL);

  for (guint a = 0; a < G_N_ELEMENTS (types); a++)
    for (guint b = 0; b < G_N_ELEMENTS (types); b++)
      check_pair (request, types[a], type, types[b]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    g_autofree char *path =
        g_strconcat ("/conversion/", infer_type_name (types[i]), NULL);
    g_test_add_data_func (path, &types[i], test_pairs);
  }
  return g_test_run ();
}
