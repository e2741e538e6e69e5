/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models split over several devices: their parts, and that results equal the
 * CPU's bit for bit. */

#include "infer/request.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/net.h"
#include "tests/check/support/part-backend.h"
#include "tests/check/support/session.h"

/* "PART_A:x,y CPU:z": parts and their operations, in order. */
static char *
placement (InferExecutable *executable)
{
  g_autoptr (GArray) list = infer_executable_get_operations (executable);
  GString *text = g_string_new (NULL);
  guint part = G_MAXUINT;

  for (guint i = 0; i < list->len; i++) {
    const InferPlacedOperation *placed =
        &g_array_index (list, InferPlacedOperation, i);

    if (placed->part != part)
      g_string_append_printf (
          text, "%s%s:%s", i > 0 ? " " : "", placed->device, placed->name);
    else
      g_string_append_printf (text, ",%s", placed->name);
    part = placed->part;
  }
  return g_string_free (text, FALSE);
}

static void
assert_placement (InferModel *net, const char *device, const char *want)
{
  g_autoptr (InferExecutable) executable =
      test_compile (net, device, "PERF_COUNT=YES");
  g_autofree char *have = placement (executable);

  g_assert_cmpstr (have, ==, want);
}

/* --- comparison with the CPU --- */

static void
assert_equal (const InferTensor *a, const InferTensor *b)
{
  g_assert_true (infer_shape_equal (&a->shape, &b->shape));
  g_assert_cmpmem (a->data, a->size, b->data, b->size);
}

static void
assert_same_states (InferStateSet *a, InferStateSet *b)
{
  for (guint v = 0; v < infer_state_set_n_states (a); v++) {
    g_autoptr (InferTensor) x =
        infer_state_get_value (infer_state_set_get (a, v), NULL);
    g_autoptr (InferTensor) y =
        infer_state_get_value (infer_state_set_get (b, v), NULL);

    g_assert_true ((x == NULL) == (y == NULL));
    if (x != NULL)
      assert_equal (x, y);
  }
}

/* Several steps, with a reset, and with changing shapes if they are dynamic. */
static void
assert_same (InferModel *net, const char *device)
{
  g_autoptr (InferExecutable) whole =
      test_compile (net, "CPU", "PERF_COUNT=YES");
  g_autoptr (InferExecutable) parts =
      test_compile (net, device, "PERF_COUNT=YES");
  g_autoptr (InferRequest) a = infer_request_new (whole, NULL);
  g_autoptr (InferRequest) b = infer_request_new (parts, NULL);

  for (guint step = 0; step < 6; step++) {
    const gint64 rows = 1 + step % 3;

    if (step == 4 && infer_model_n_variables (net) > 0) {
      infer_state_set_reset (infer_request_get_states (a));
      infer_state_set_reset (infer_request_get_states (b));
    }
    net_run (a, &rows, step * 100);
    net_run (b, &rows, step * 100);
    for (guint k = 0; k < infer_model_n_outputs (net); k++)
      assert_equal (infer_request_get_output (a, k, NULL),
          infer_request_get_output (b, k, NULL));
    if (infer_model_n_variables (net) > 0)
      assert_same_states (
          infer_request_get_states (a), infer_request_get_states (b));
  }
}

/* --- graphs --- */

static void
test_whole (void)
{
  g_autoptr (InferModel) net =
      net_of ("x = Parameter ?,4; t = Tanh x; y = Result t");

  part_reset ();
  assert_placement (net, "PART_A", "PART_A:t");
  assert_placement (net, "HETERO:PART_A,CPU", "PART_A:t");
  assert_placement (net, "hetero:part_b , part_a", "PART_B:t");
  assert_same (net, "PART_A");
}

/* Both branches of a diamond on different devices; the constant on both. */
static void
test_diamond (void)
{
  g_autoptr (InferModel) net = net_of (
      "x = Parameter ?,4; c = f32 1 2 3 4; top = Add x c; left = Tanh top; "
      "right = Sigmoid top; scaled = Multiply right c; "
      "sum = Add left scaled; y = Result sum");
  PartSettings *settings = part_reset ();

  settings[0].runs = "Add Tanh";
  assert_placement (
      net, "PART_A", "PART_A:top CPU:right,scaled PART_A:left,sum");
  assert_placement (net, "HETERO:CPU,PART_A", "CPU:top,left,right,scaled,sum");
  assert_same (net, "PART_A");
  settings[1].runs = "Sigmoid Multiply";
  assert_placement (net, "HETERO:PART_A,PART_B",
      "PART_A:top PART_B:right,scaled PART_A:left,sum");
  assert_same (net, "HETERO:PART_A,PART_B");
}

/* Outputs that are an input, a constant, one of several outputs of an
 * operation, or also read by another part. */
static void
test_ports (void)
{
  g_autoptr (InferModel) net = net_of (
      "x = Parameter 3,4; unused = Parameter 1; z = Parameter 3,2; "
      "c = f32 1 2; axis = i64 1; axis0 = Squeeze axis; "
      "split*2 = Split x axis0 num_splits=2; t = Tanh split:1; "
      "s = Sigmoid t; a = Add s split:0; b = Add a z; r0 = Result b; "
      "r1 = Result split:1; r2 = Result x; r3 = Result c; r4 = Result t");
  PartSettings *settings = part_reset ();

  settings[0].runs = "Split Sigmoid";
  assert_placement (net, "PART_A", "PART_A:split CPU:t PART_A:s CPU:a,b");
  assert_same (net, "PART_A");
}

/* The target of a Reshape, computed from a shape, is copied into the part. */
static void
test_shapes (void)
{
  g_autoptr (InferModel) net = net_of (
      "x = Parameter ?,4; two = i64 2; minus = i64 -1; zero = i64 0; "
      "t = Tanh x; shape = ShapeOf x output_type=i64; "
      "rows = Gather shape zero zero batch_dims=0; more = Multiply rows two; "
      "target = Concat more minus axis=0; "
      "r1 = Reshape t target special_zero=false; s = Sigmoid r1; "
      "r2 = Reshape s target special_zero=false; y = Result r2; "
      "n = Result more");
  PartSettings *settings = part_reset ();

  settings[0].runs = "Tanh Reshape ShapeOf Gather Multiply Concat";
  assert_placement (net, "PART_A",
      "PART_A:t,shape,rows,more,target,r1 CPU:shape,rows,more,s "
      "PART_A:shape,rows,more,target,r2");
  assert_same (net, "PART_A");
}

/* An operation that a device supports only together with its target. */
static void
test_parted (void)
{
  g_autoptr (InferModel) net =
      net_of ("x = Parameter ?,4; zero = i64 0; minus = i64 -1; t = Tanh x; "
              "max = ReduceMax t zero keep_dims=false; "
              "most = ReduceMax max zero keep_dims=true; up = Ceiling most; "
              "abs = Abs up; one = Convert abs destination_type=i64; "
              "less = Subtract one one; left = Subtract minus less; "
              "flat = Reshape t left special_zero=false; s = Sigmoid flat; "
              "y = Result s");
  PartSettings *settings = part_reset ();
  g_autoptr (GError) error = NULL;

  settings[0].runs = "Tanh Reshape Sigmoid";
  assert_placement (net, "PART_A",
      "PART_A:t CPU:max,most,up,abs,one,less,left PART_A:flat,s");
  settings[0].known_targets = TRUE;
  assert_placement (net, "PART_A",
      "PART_A:t CPU:max,most,up,abs,one,less,left,flat PART_A:s");
  assert_same (net, "PART_A");
  settings[1].runs = "ReduceMax Ceiling Abs Convert Subtract";
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new ("HETERO:PART_A,PART_B", NULL, NULL);
  g_assert_null (infer_executable_new (net, runtime, &error));
  g_assert_cmpstr (error->message, ==,
      "net.xml: operation 'flat' (Reshape opset1): no device can run it "
      "separately from its inputs");
}

/* An initialiser in its variable's part, or in a part that runs only after
 * resets. */
static void
test_initialiser (void)
{
  g_autoptr (InferModel) net = net_new ();
  const gint64 rows = 2;
  PartSettings *settings = part_reset ();

  net_build (net, "x = Parameter 2,4; i = Abs x");
  net_read (net, "v", "2,4", "i");
  net_build (net, "t = Tanh x; a = Add t v; assign-v = Assign a variable_id=v; "
                  "y = Result a");
  net_settle (net);
  settings[0].runs = "Tanh";
  assert_placement (net, "PART_A", "PART_A:t CPU:i,v,a,assign-v");
  assert_same (net, "PART_A");
  part_reset ();
  settings[0].runs = "Abs";
  assert_placement (net, "PART_A", "PART_A:i CPU:v,t,a,assign-v");
  assert_same (net, "PART_A");
  part_reset ();
  settings[0].runs = "Abs";
  g_autoptr (InferExecutable) executable =
      test_compile (net, "PART_A", "PERF_COUNT=YES");
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
  for (guint step = 0; step < 5; step++) {
    if (step == 3)
      infer_state_set_reset (infer_request_get_states (request));
    net_run (request, &rows, step);
  }
  g_assert_cmpuint (part_n_starts (0), ==, 2);
}

/* --- bodies --- */

static InferGraph *
take_graph (InferModel *body)
{
  InferGraph *graph = g_steal_pointer (&body->graph);

  body->graph = infer_graph_new ();
  return graph;
}

/* h = tanh (h) + slice of x, over the rows of x. */
static void
add_iterator (InferModel *net, const char *name, const char *inputs)
{
  g_autoptr (InferModel) inner = net_new ();
  InferOperation *op = net_add (net, "TensorIterator", name, inputs, 1, NULL);
  InferBody *body = op->bodies = g_new0 (InferBody, 1);
  const InferBodyPort ports[] = {
    { .external = 0,
        .internal = 0,
        .sliced = TRUE,
        .end = -1,
        .stride = 1,
        .part_size = 1 },
    { .external = 1, .internal = 1 },
    { .external = 0, .internal = 0 },
  };
  const InferBackEdge edge = { 0, 1 };

  net_parameter (inner, "part", "1,4");
  net_parameter (inner, "h", "1,4");
  net_add (inner, "Tanh", "body-tanh", "h", 1, NULL);
  net_add (inner, "Add", "body-add", "body-tanh part", 1, NULL);
  net_result (inner, "next", "body-add");
  net_settle (inner);
  op->n_bodies = 1;
  body->graph = take_graph (inner);
  body->inputs = g_array_new (FALSE, FALSE, sizeof (InferBodyPort));
  body->outputs = g_array_new (FALSE, FALSE, sizeof (InferBodyPort));
  body->back_edges = g_array_new (FALSE, FALSE, sizeof (InferBackEdge));
  g_array_append_vals (body->inputs, ports, 2);
  g_array_append_vals (body->outputs, ports + 2, 1);
  g_array_append_vals (body->back_edges, &edge, 1);
  body->iteration_parameter = body->condition_result = -1;
}

/* A body is placed as a whole. */
static void
test_bodies (void)
{
  g_autoptr (InferModel) net = net_new ();
  PartSettings *settings = part_reset ();
  g_autoptr (GError) error = NULL;

  net_build (net, "x = Parameter 5,4; h0 = Parameter 1,4; s = Sigmoid x");
  add_iterator (net, "loop", "s h0");
  net_build (net, "t = Tanh loop; y = Result t");
  net_settle (net);
  settings[0].runs = "Sigmoid TensorIterator Tanh Add";
  assert_placement (net, "PART_A", "PART_A:s,loop,t");
  settings[0].runs = "Sigmoid TensorIterator Tanh";
  assert_placement (net, "PART_A", "PART_A:s CPU:loop PART_A:t");
  assert_same (net, "PART_A");
  settings[1].runs = "TensorIterator Add";
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new ("HETERO:PART_A,PART_B", NULL, NULL);
  g_assert_null (infer_executable_new (net, runtime, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_UNSUPPORTED);
  g_assert_cmpstr (error->message, ==,
      "net.xml: 1 operation cannot run on PART_A, PART_B: TensorIterator "
      "opset1 (no device runs all operations of its body)");
}

/* --- variables --- */

/* Read and assigned on one device, with an operation on the other between. */
static void
test_state_between (void)
{
  g_autoptr (InferModel) net = net_new ();
  PartSettings *settings = part_reset ();

  net_parameter (net, "x", "2,4");
  net_read (net, "v", "2,4", NULL);
  net_build (net, "a = Add x v; t = Tanh a; b = Add t v; "
                  "assign-v = Assign b variable_id=v; y = Result b");
  net_settle (net);
  settings[0].runs = "Add ReadValue Assign";
  assert_placement (net, "PART_A", "PART_A:v,a CPU:t PART_A:b,assign-v");
  assert_same (net, "PART_A");
  /* The device supports only one of the two: both go to the CPU. */
  settings[0].runs = "Add ReadValue";
  assert_placement (
      net, "PART_A", "CPU:v PART_A:a CPU:t PART_A:b CPU:assign-v");
  assert_same (net, "PART_A");
  /* No device supports both. */
  settings[1].runs = "Tanh Assign";
  assert_placement (net, "HETERO:PART_A,PART_B",
      "PART_A:v,a PART_B:t PART_A:b PART_B:assign-v");
  assert_same (net, "HETERO:PART_A,PART_B");
}

/* An initialiser on another device, and a variable that is read again long
 * after it could be assigned. */
static void
test_state_initial (void)
{
  g_autoptr (InferModel) net = net_new ();
  PartSettings *settings = part_reset ();

  net_build (net, "x = Parameter 2,4; i = Sigmoid x; i2 = Tanh i");
  net_read (net, "v", "2,4", "i2");
  net_build (net,
      "a = Add x v; assign-v = Assign a variable_id=v; t1 = Tanh a; "
      "s = Sigmoid t1; t2 = Tanh s; b = Add t2 v");
  net_read (net, "w", "2,4", NULL);
  net_build (
      net, "c = Add b w; assign-w = Assign c variable_id=w; y = Result c");
  net_settle (net);
  settings[0].runs = "Tanh";
  assert_same (net, "PART_A");
  settings[0].runs = "Add ReadValue Assign Sigmoid";
  assert_same (net, "PART_A");
  settings[1].runs = "Tanh";
  assert_same (net, "HETERO:PART_A,PART_B");
}

/* If a later part fails, earlier parts leave the variables unchanged. */
static void
test_state_failure (void)
{
  g_autoptr (InferModel) net = net_new ();
  PartSettings *settings = part_reset ();
  g_autoptr (GError) error = NULL;

  net_parameter (net, "x", "1");
  net_read (net, "v", "1", NULL);
  net_build (net, "a = Add x v; assign-v = Assign a variable_id=v; t = Tanh a; "
                  "y = Result t; sum = Result a");
  net_settle (net);
  settings[0].runs = "Tanh";
  g_autoptr (InferExecutable) executable =
      test_compile (net, "PART_A", "PERF_COUNT=YES");
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
  float *x = infer_request_get_input (request, 0, NULL)->data;

  for (int i = 1; i <= 4; i++) {
    settings[0].fail_stage = i == 3 ? INFER_STAGE_WAIT : -1;
    *x = (float) i;
    g_assert_true (infer_request_infer (request, &error) == (i != 3));
    if (i == 3) {
      g_assert_error (error, INFER_ERROR, INFER_ERROR_DEVICE);
      g_assert_cmpstr (error->message, ==,
          "net.xml: part 1, on PART_A: the device was lost");
      g_clear_error (&error);
    }
  }
  g_assert_cmpfloat (
      *(float *) infer_request_get_output (request, 1, NULL)->data, ==,
      1 + 2 + 4);
}

/* --- random graphs --- */

static const char *const unary[] = { "Tanh", "Sigmoid", "ReLU", "Abs" };
static const char *const binary[] = { "Add", "Subtract", "Multiply",
  "Maximum" };

#define N_VALUES 40

static void
add_random (InferModel *net, GRand *rand, guint n, guint index)
{
  g_autofree char *name = g_strdup_printf ("n%u", index);
  const int type = g_rand_int_range (rand, 0, 8);
  g_autofree char *inputs =
      type < 4
          ? g_strdup_printf ("n%d", g_rand_int_range (rand, 0, (int) n))
          : g_strdup_printf ("n%d n%d", g_rand_int_range (rand, 0, (int) n),
              g_rand_int_range (rand, (int) n / 2, (int) n));

  net_add (
      net, type < 4 ? unary[type] : binary[type - 4], name, inputs, 1, NULL);
}

static InferModel *
random_net (GRand *rand)
{
  InferModel *net = net_new ();
  const guint n_inputs = 1 + g_rand_int (rand) % 3;
  const guint n_states = g_rand_int (rand) % 4;
  guint n = 0;

  for (; n < n_inputs; n++) {
    g_autofree char *name = g_strdup_printf ("n%u", n);
    net_parameter (net, name, n_states > 0 ? "2,4" : "?,4");
  }
  for (guint v = 0; v < n_states; v++, n++) {
    g_autofree char *name = g_strdup_printf ("n%u", n);
    g_autofree char *initial =
        g_strdup_printf ("n%d", g_rand_int_range (rand, 0, (int) n));
    net_read (net, name, "2,4", g_rand_boolean (rand) ? initial : NULL);
  }
  for (; n < N_VALUES; n++)
    add_random (net, rand, n, n);
  for (guint v = 0; v < n_states; v++) {
    g_autofree char *name = g_strdup_printf ("n%u", n_inputs + v);
    g_autofree char *value =
        g_strdup_printf ("n%d", g_rand_int_range (rand, 0, N_VALUES));
    net_assign (net, name, value);
  }
  for (guint k = 0; k < 3; k++) {
    g_autofree char *name = g_strdup_printf ("r%u", k);
    g_autofree char *value =
        g_strdup_printf ("n%d", g_rand_int_range (rand, 0, N_VALUES));
    net_result (net, name, value);
  }
  net_settle (net);
  return net;
}

static char *
random_types (GRand *rand)
{
  GString *types = g_string_new ("");

  for (guint i = 0; i < 4; i++) {
    if (g_rand_boolean (rand))
      g_string_append_printf (types, "%s ", unary[i]);
    if (g_rand_boolean (rand))
      g_string_append_printf (types, "%s ", binary[i]);
  }
  if (g_rand_boolean (rand))
    g_string_append (types, "ReadValue ");
  if (g_rand_boolean (rand))
    g_string_append (types, "Assign ");
  return g_string_free (types, FALSE);
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  PartSettings *settings = part_reset ();

  for (guint i = 0; i < 150; i++) {
    g_autoptr (InferModel) net = random_net (rand);
    g_autofree char *a = random_types (rand), *b = random_types (rand);

    settings[0].runs = a;
    settings[1].runs = b;
    assert_same (net, "PART_A");
    assert_same (net, "HETERO:PART_A,PART_B,CPU");
  }
  g_assert_cmpint (part_n_objects (), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/split/whole", test_whole);
  g_test_add_func ("/split/diamond", test_diamond);
  g_test_add_func ("/split/ports", test_ports);
  g_test_add_func ("/split/shapes", test_shapes);
  g_test_add_func ("/split/parted", test_parted);
  g_test_add_func ("/split/initialiser", test_initialiser);
  g_test_add_func ("/split/bodies", test_bodies);
  g_test_add_func ("/split/state-between", test_state_between);
  g_test_add_func ("/split/state-initial", test_state_initial);
  g_test_add_func ("/split/state-failure", test_state_failure);
  g_test_add_func ("/split/random", test_random);
  return g_test_run ();
}
