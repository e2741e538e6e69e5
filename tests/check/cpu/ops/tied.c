/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Variables that grow, shrink or keep their length, along every axis and of
 * every kind of type: a model with a variable gives, bit for bit, the results
 * of the same model with its state carried by hand. */

#include "infer/request.h"
#include "tests/check/support/session.h"

#include <string.h>

#define N_STEPS 14
#define RESET_AT 8

typedef struct
{
  const char *type;
  guint axis;
  const char *order; /* of the Concat: s the state, x the input */
  gboolean slides;   /* only the last four are kept */
  gboolean watched;  /* the state has another reader */
} Net;

static const gint64 sides[4] = { 2, 3, 2, 2 };

static void
add_layer (GString *xml, guint id, const char *name, const char *type,
    guint opset, const char *data, guint n_in, guint n_out)
{
  g_string_append_printf (xml,
      "<layer id=\"%u\" name=\"%s\" type=\"%s\" version=\"opset%u\">%s<input>",
      id, name, type, opset, data);
  for (guint i = 0; i < n_in; i++)
    g_string_append_printf (xml, "<port id=\"%u\"/>", i);
  g_string_append (xml, "</input><output>");
  for (guint k = 0; k < n_out; k++)
    g_string_append_printf (
        xml, "<port id=\"%u\" names=\"%s\"/>", n_in + k, name);
  g_string_append (xml, "</output></layer>");
}

static void
add_edge (GString *edges, guint from, guint port, guint to, guint input)
{
  g_string_append_printf (edges,
      "<edge from-layer=\"%u\" from-port=\"%u\" to-layer=\"%u\" "
      "to-port=\"%u\"/>",
      from, port, to, input);
}

/* For both models; all dimensions but the axis are static. */
static char *
parameter_data (const Net *net)
{
  GString *shape = g_string_new (NULL);

  for (guint d = 0; d < 4; d++) {
    g_string_append (shape, d > 0 ? "," : "");
    if (d == net->axis)
      g_string_append_c (shape, '?');
    else
      g_string_append_printf (shape, "%d", (int) sides[d]);
  }
  char *data = g_strdup_printf (
      "<data element_type=\"%s\" shape=\"%s\"/>", net->type, shape->str);
  g_string_free (shape, TRUE);
  return data;
}

/* s' = cat, or its last four; y = cat; z = s. */
static InferModel *
make_model (const Net *net)
{
  gint64 numbers[4] = { -4, G_MAXINT64, 1, net->axis };
  guint n = (guint) strlen (net->order), last = net->slides ? 7 : 2;
  g_autoptr (GString) xml = g_string_new (
      "<?xml version=\"1.0\"?><net name=\"tied\" version=\"11\"><layers>");
  g_autoptr (GString) edges = g_string_new (NULL);
  g_autofree char *parameter = parameter_data (net);
  g_autofree char *axis = g_strdup_printf ("<data axis=\"%u\"/>", net->axis);
  g_autoptr (GError) error = NULL;

  add_layer (xml, 0, "x", "Parameter", 1, parameter, 0, 1);
  add_layer (xml, 1, "s", "Parameter", 1, parameter, 0, 1);
  add_layer (xml, 2, "cat", "Concat", 1, axis, n, 1);
  for (guint i = 0; i < n; i++)
    add_edge (edges, net->order[i] == 's', 0, 2, i);
  for (guint i = 0; i < 4 && net->slides; i++) {
    g_autofree char *data = g_strdup_printf (
        "<data element_type=\"i64\" shape=\"1\" offset=\"%u\" size=\"8\"/>",
        8 * i);
    g_autofree char *name = g_strdup_printf ("n%u", i);

    add_layer (xml, 3 + i, name, "Const", 1, data, 0, 1);
    add_edge (edges, 3 + i, 0, 7, 1 + i);
  }
  if (net->slides) {
    add_layer (xml, 7, "tail", "Slice", 8, "", 5, 1);
    add_edge (edges, 2, n, 7, 0);
  }
  add_layer (xml, 8, "y", "Result", 1, "", 1, 0);
  add_edge (edges, 2, n, 8, 0);
  add_layer (xml, 9, "next", "Result", 1, "", 1, 0);
  add_edge (edges, last, net->slides ? 5 : n, 9, 0);
  if (net->watched) {
    add_layer (xml, 10, "z", "Result", 1, "", 1, 0);
    add_edge (edges, 1, 0, 10, 0);
  }
  g_string_append_printf (xml, "</layers><edges>%s</edges></net>", edges->str);
  g_autoptr (GBytes) text = g_bytes_new (xml->str, xml->len);
  g_autoptr (GBytes) weights = g_bytes_new (numbers, sizeof numbers);
  InferModel *model = infer_model_load_bytes (text, weights, "tied", &error);
  g_assert_no_error (error);
  return model;
}

static InferRequest *
open_request (InferRuntime *runtime, InferModel *model)
{
  return test_request_on (runtime, model);
}

static InferTensor *
make_input (const Net *net, gint64 length, GRand *rand)
{
  InferShape shape =
      infer_shape_make (4, sides[0], sides[1], sides[2], sides[3]);
  InferType type;

  shape.dims[net->axis] = length;
  g_assert_true (infer_type_from_name (net->type, &type));
  InferTensor *tensor = infer_tensor_new (type, &shape, NULL);
  g_autofree float *values = g_new (float, infer_shape_count (&shape) + 1);
  for (gsize i = 0; i < infer_shape_count (&shape); i++)
    values[i] = (float) g_rand_int_range (rand, 0, 100);
  infer_convert (
      tensor->data, type, values, INFER_TYPE_F32, infer_shape_count (&shape));
  return tensor;
}

static void
infer (InferRequest *request)
{
  g_autoptr (GError) error = NULL;

  infer_request_infer (request, &error);
  g_assert_no_error (error);
}

static void
assert_equal (const InferTensor *a, const InferTensor *b)
{
  g_assert_true (a->type == b->type);
  g_assert_true (infer_shape_equal (&a->shape, &b->shape));
  g_assert_cmpmem (a->data, a->size, b->data, b->size);
}

/* Results of the model with the variable: all except s'. */
static void
assert_outputs (InferRequest *by_hand, InferRequest *tied, gboolean watched)
{
  assert_equal (infer_request_get_output (tied, 0, NULL),
      infer_request_get_output (by_hand, 0, NULL));
  if (watched)
    assert_equal (infer_request_get_output (tied, 1, NULL),
        infer_request_get_output (by_hand, 2, NULL));
}

static void
check (InferRuntime *runtime, const Net *net, GRand *rand)
{
  static const char *const pairs[] = { "s=next", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = make_model (net);
  g_autoptr (InferModel) stateful =
      infer_model_tie_states (model, pairs, &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) by_hand = open_request (runtime, model);
  g_autoptr (InferRequest) tied = open_request (runtime, stateful);
  InferStateSet *states = infer_request_get_states (tied);
  g_autoptr (InferTensor) state = make_input (net, 0, rand);

  for (guint t = 0; t < N_STEPS; t++) {
    g_autoptr (InferTensor) x =
        make_input (net, g_rand_int_range (rand, 0, 4), rand);

    if (t == RESET_AT) {
      infer_state_set_reset (states);
      infer_tensor_unref (state);
      state = make_input (net, 0, rand);
    }
    g_assert_true (infer_request_set_input (by_hand, 0, x, NULL));
    g_assert_true (infer_request_set_input (by_hand, 1, state, NULL));
    g_assert_true (infer_request_set_input (tied, 0, x, NULL));
    infer (by_hand);
    infer (tied);
    assert_outputs (by_hand, tied, net->watched);
    g_autoptr (InferTensor) value =
        infer_state_get_value (infer_state_set_get (states, 0), NULL);
    const InferTensor *next = infer_request_get_output (by_hand, 1, NULL);
    assert_equal (value, next);
    infer_tensor_unref (state);
    state = g_steal_pointer (&value);
    if (infer_shape_count (&state->shape) > 4000)
      infer_state_set_reset (states);
    if (infer_shape_count (&state->shape) > 4000) {
      infer_tensor_unref (state);
      state = make_input (net, 0, rand);
    }
  }
}

static void
test_tied (void)
{
  static const char *const types[] = { "f32", "f16", "i64", "u8", "boolean" };
  static const char *const orders[] = { "sx", "xs", "sxx", "ssx", "sxs" };
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) g_test_rand_int ());
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    for (guint k = 0; k < G_N_ELEMENTS (orders); k++)
      for (guint axis = 0; axis < 4; axis++)
        for (guint way = 0; way < 4; way++) {
          Net net = { types[i], axis, orders[k], way % 2 == 1, way >= 2 };

          check (runtime, &net, rand);
        }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tied/by-hand", test_tied);
  return g_test_run ();
}
