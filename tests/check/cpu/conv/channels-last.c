/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Channels-last layout between convolutions: operands of every broadcastable
 * shape, and small numbers of channels. */

#include "infer/request.h"
#include "tests/check/support/ir.h"

#include <math.h>
#include <string.h>

#define BATCH 2
#define IN 3
#define HEIGHT 5
#define WIDTH 7
#define PIXELS (HEIGHT * WIDTH)
#define MAX_CHANNELS 40

typedef struct
{
  GString *layers, *edges;
  GRand *rand;
  float filters[MAX_CHANNELS * IN * 8];
  guint n;
} Net;

static void
net_init (Net *net, guint32 seed)
{
  net->layers = g_string_new (NULL);
  net->edges = g_string_new (NULL);
  net->rand = g_rand_new_with_seed (seed);
  net->n = 0;
  for (guint i = 0; i < G_N_ELEMENTS (net->filters); i++)
    net->filters[i] = (float) g_rand_double_range (net->rand, -1, 1);
}

static void
net_clear (Net *net)
{
  g_string_free (net->layers, TRUE);
  g_string_free (net->edges, TRUE);
  g_rand_free (net->rand);
}

static guint
add (Net *net, const char *type, const char *data, guint n_in, const guint *in)
{
  guint id = net->n++;

  g_string_append_printf (net->layers,
      "<layer id=\"%u\" name=\"l%u\" type=\"%s\" version=\"opset1\"><data "
      "%s/><input>",
      id, id, type, data);
  for (guint i = 0; i < n_in; i++) {
    g_string_append_printf (net->layers, "<port id=\"%u\"/>", i);
    g_string_append_printf (net->edges,
        "<edge from-layer=\"%u\" from-port=\"9\" to-layer=\"%u\" "
        "to-port=\"%u\"/>",
        in[i], id, i);
  }
  g_string_append_printf (net->layers, "</input><output>%s</output></layer>",
      strcmp (type, "Result") == 0 ? "" : "<port id=\"9\"/>");
  return id;
}

static guint
add_parameter (Net *net, const char *shape)
{
  g_autofree char *data =
      g_strdup_printf ("element_type=\"f32\" shape=\"%s\"", shape);

  return add (net, "Parameter", data, 0, NULL);
}

/* Filters: [first][second][k][k]. */
static guint
add_convolution (
    Net *net, const char *type, guint in, guint first, guint second, guint k)
{
  g_autofree char *filters = g_strdup_printf (
      "element_type=\"f32\" shape=\"%u,%u,%u,%u\" offset=\"0\" size=\"%u\"",
      first, second, k, k, first * second * k * k * 4);
  g_autofree char *data =
      g_strdup_printf ("strides=\"%u,%u\" dilations=\"1,1\" pads_begin=\"0,0\" "
                       "pads_end=\"0,0\"",
          k, k);

  return add (net, type, data, 2,
      (guint[]){ in, add (net, "Const", filters, 0, NULL) });
}

static InferRequest *
request_of (Net *net, guint last)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new ("CPU", "PERF_COUNT=YES", &error);

  add (net, "Result", "", 1, &last);
  g_autofree char *xml = g_strdup_printf (
      "<net name=\"net\" version=\"11\"><layers>%s</layers><edges>%s</edges>"
      "</net>",
      net->layers->str, net->edges->str);
  g_autoptr (InferModel) model =
      ir_load_good (xml, net->filters, sizeof net->filters);
  g_assert_no_error (error);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  InferRequest *request = infer_request_new (executable, &error);
  g_assert_no_error (error);
  return request;
}

static const float *
fill_input (InferRequest *request, guint i, GRand *rand)
{
  g_autoptr (GError) error = NULL;
  InferTensor *input = infer_request_get_input (request, i, &error);
  float *data = input->data;

  g_assert_no_error (error);
  for (gsize k = 0; k < input->size / sizeof (float); k++)
    data[k] = (float) g_rand_double_range (rand, -1, 1);
  return data;
}

static const float *
infer (InferRequest *request)
{
  g_autoptr (GError) error = NULL;

  infer_request_infer (request, &error);
  g_assert_no_error (error);
  return infer_request_get_output (request, 0, NULL)->data;
}

static guint
count_type (InferRequest *request, const char *type)
{
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  guint n = 0;

  for (guint i = 0; i < timings->len; i++)
    n += strcmp (g_array_index (timings, InferOpTiming, i).type, type) == 0;
  return n;
}

/* One pixel of a convolution with filters [o][i]. */
static float
convolve (const Net *net, const float *x, guint n, guint o, guint p)
{
  float sum = 0;

  for (guint i = 0; i < IN; i++)
    sum += net->filters[o * IN + i] * x[(n * IN + i) * PIXELS + p];
  return sum;
}

/* max (conv (x) * y - y, conv (x)), with y of @dims. */
static void
check_operand (guint channels, const guint dims[4], gboolean first)
{
  g_autofree char *shape =
      g_strdup_printf ("%u,%u,%u,%u", dims[0], dims[1], dims[2], dims[3]);
  guint in[2], conv, last;
  Net net;

  net_init (&net, channels);
  in[0] = add_parameter (&net, "2,3,5,7");
  in[1] = add_parameter (&net, shape);
  conv = add_convolution (&net, "Convolution", in[0], channels, IN, 1);
  last = add (&net, "Multiply", "auto_broadcast=\"numpy\"", 2,
      first ? (guint[]){ in[1], conv } : (guint[]){ conv, in[1] });
  last = add (&net, "Subtract", "auto_broadcast=\"numpy\"", 2,
      (guint[]){ last, in[1] });
  last = add (
      &net, "Maximum", "auto_broadcast=\"numpy\"", 2, (guint[]){ last, conv });
  g_autoptr (InferRequest) request = request_of (&net, last);
  const float *x = fill_input (request, 0, net.rand);
  const float *y = fill_input (request, 1, net.rand);
  const float *got = infer (request);
  for (guint n = 0; n < BATCH; n++)
    for (guint c = 0; c < channels; c++)
      for (guint p = 0; p < PIXELS; p++, got++) {
        const guint at[4] = { n, c, p / WIDTH, p % WIDTH };
        float v = convolve (&net, x, n, c, p), other;
        guint index = 0;

        for (guint d = 0; d < 4; d++)
          index = index * dims[d] + at[d] % dims[d];
        other = y[index];
        g_assert_cmpfloat_with_epsilon (
            *got, MAX (v * other - other, v), 1e-5f);
      }
  /* One for the result, one for the operand. */
  g_assert_cmpuint (count_type (request, "Reorder"), <=,
      dims[1] > 1 && dims[2] * dims[3] > 1 ? 3 : 2);
  net_clear (&net);
}

static void
test_operands (void)
{
  static const guint channels[] = { 1, 2, 5, 16, 24, 40 };

  for (guint i = 0; i < G_N_ELEMENTS (channels); i++)
    for (guint which = 0; which < 16; which++) {
      const guint dims[4] = { which & 1 ? BATCH : 1,
        which & 2 ? channels[i] : 1, which & 4 ? HEIGHT : 1,
        which & 8 ? WIDTH : 1 };

      check_operand (channels[i], dims, FALSE);
      check_operand (channels[i], dims, TRUE);
    }
}

/* An activation after a convolution that doubles the size. */
static void
check_activation (guint channels, const char *act, float (*function) (float))
{
  const gsize bias_at = MAX_CHANNELS * IN;
  g_autofree char *bias = g_strdup_printf (
      "element_type=\"f32\" shape=\"1,%u,1,1\" offset=\"%zu\" size=\"%u\"",
      channels, bias_at * sizeof (float), channels * 4);
  Net net;

  net_init (&net, channels);
  guint in = add_parameter (&net, "2,3,5,7");
  guint last =
      add_convolution (&net, "ConvolutionBackpropData", in, IN, channels, 2);
  last = add (&net, "Add", "auto_broadcast=\"numpy\"", 2,
      (guint[]){ last, add (&net, "Const", bias, 0, NULL) });
  last = add (&net, act, "", 1, &last);
  g_autoptr (InferRequest) request = request_of (&net, last);
  const float *x = fill_input (request, 0, net.rand);
  const float *got = infer (request);
  for (guint n = 0; n < BATCH; n++)
    for (guint c = 0; c < channels; c++)
      for (guint p = 0; p < 4 * PIXELS; p++, got++) {
        guint h = p / (2 * WIDTH), w = p % (2 * WIDTH);
        float sum = net.filters[bias_at + c];

        for (guint i = 0; i < IN; i++)
          sum += net.filters[((i * channels + c) * 2 + h % 2) * 2 + w % 2]
                 * x[(n * IN + i) * PIXELS + h / 2 * WIDTH + w / 2];
        g_assert_cmpfloat_with_epsilon (*got, function (sum), 1e-5f);
      }
  net_clear (&net);
}

static float
sigmoid (float x)
{
  return 1 / (1 + expf (-x));
}

static void
test_activation (void)
{
  for (guint channels = 1; channels <= 20; channels++) {
    check_activation (channels, "Sigmoid", sigmoid);
    check_activation (channels, "Tanh", tanhf);
  }
}

/* An element of conv (x) enlarged twofold. */
static float
enlarged (const Net *net, const float *x, guint n, guint c, guint h, guint w,
    gboolean linear)
{
  const guint h0 = h / 2, w0 = w / 2;
  const guint h1 = MIN (h0 + 1, HEIGHT - 1), w1 = MIN (w0 + 1, WIDTH - 1);
  const float v = linear && h % 2 ? 0.5f : 0, u = linear && w % 2 ? 0.5f : 0;

  return (convolve (net, x, n, c, h0 * WIDTH + w0) * (1 - u)
             + convolve (net, x, n, c, h0 * WIDTH + w1) * u)
             * (1 - v)
         + (convolve (net, x, n, c, h1 * WIDTH + w0) * (1 - u)
               + convolve (net, x, n, c, h1 * WIDTH + w1) * u)
               * v;
}

/* Where it is in copy @copy of two along @axis. */
static gsize
place_joined (guint channels, int axis, guint copy, guint n, guint c, guint p)
{
  const guint h = p / (2 * WIDTH), w = p % (2 * WIDTH);
  gsize at = axis == 0   ? (copy * BATCH + n) * channels + c
             : axis == 1 ? (n * 2 + copy) * channels + c
                         : n * channels + c;

  return axis < 2    ? at * 4 * PIXELS + p
         : axis == 2 ? (at * 2 + copy) * 4 * PIXELS + p
                     : (at * 2 * HEIGHT + h) * 4 * WIDTH + copy * 2 * WIDTH + w;
}

/* conv (x) enlarged twofold with @mode, twice along @axis. */
static void
check_joined (guint channels, const char *mode, int axis)
{
  g_autofree char *data =
      g_strdup_printf ("mode=\"%s\" axes=\"2,3\" align_corners=\"0\"", mode);
  g_autofree char *joined = g_strdup_printf ("axis=\"%d\"", axis);
  g_autofree char *constant = g_strdup_printf (
      "element_type=\"i64\" shape=\"2\" offset=\"%zu\" size=\"16\"",
      MAX_CHANNELS * IN * sizeof (float));
  const gboolean linear = strcmp (mode, "linear") == 0;
  const gint64 sizes[2] = { 2 * HEIGHT, 2 * WIDTH };
  Net net;

  net_init (&net, channels);
  memcpy (net.filters + MAX_CHANNELS * IN, sizes, sizeof sizes);
  guint in = add_parameter (&net, "2,3,5,7");
  guint conv = add_convolution (&net, "Convolution", in, channels, IN, 1);
  guint size = add (&net, "Const", constant, 0, NULL);
  guint last = add (&net, "Interpolate", data, 2, (guint[]){ conv, size });
  last = add (&net, "Concat", joined, 2, (guint[]){ last, last });
  g_autoptr (InferRequest) request = request_of (&net, last);
  const float *x = fill_input (request, 0, net.rand);
  const float *got = infer (request);
  for (guint copy = 0; copy < 2; copy++)
    for (guint n = 0; n < BATCH; n++)
      for (guint c = 0; c < channels; c++)
        for (guint p = 0; p < 4 * PIXELS; p++)
          g_assert_cmpfloat_with_epsilon (
              got[place_joined (channels, axis, copy, n, c, p)],
              enlarged (
                  &net, x, n, c, p / (2 * WIDTH), p % (2 * WIDTH), linear),
              1e-5f);
  /* One for the input, one for the result. */
  g_assert_cmpuint (count_type (request, "Reorder"), <=, 2);
  net_clear (&net);
}

static void
test_joined (void)
{
  static const guint channels[] = { 2, 5, 16, 24, 40 };

  for (guint i = 0; i < G_N_ELEMENTS (channels); i++)
    for (int axis = 0; axis < 4; axis++) {
      check_joined (channels[i], "nearest", axis);
      check_joined (channels[i], "linear", axis);
    }
}

/* The mean of conv (x) over the axes given by the bits of @which. */
static void
check_mean (guint channels, guint which)
{
  const guint dims[4] = { BATCH, channels, HEIGHT, WIDTH };
  gsize size = (gsize) BATCH * channels * PIXELS, count = 1;
  g_autofree double *sums = g_new0 (double, size);
  gint64 axes[4];
  guint n_axes = 0, in, last;
  Net net;

  for (guint d = 0; d < 4; d++)
    if (which >> d & 1) {
      axes[n_axes++] = d;
      count *= dims[d];
    }
  net_init (&net, channels);
  memcpy (net.filters + MAX_CHANNELS * IN, axes, n_axes * sizeof *axes);
  g_autofree char *constant = g_strdup_printf (
      "element_type=\"i64\" shape=\"%u\" offset=\"%zu\" size=\"%u\"", n_axes,
      MAX_CHANNELS * IN * sizeof (float), 8 * n_axes);
  in = add_parameter (&net, "2,3,5,7");
  last = add_convolution (&net, "Convolution", in, channels, IN, 1);
  last = add (&net, "ReduceMean", "keep_dims=\"true\"", 2,
      (guint[]){ last, add (&net, "Const", constant, 0, NULL) });
  g_autoptr (InferRequest) request = request_of (&net, last);
  const float *x = fill_input (request, 0, net.rand);
  const float *got = infer (request);
  for (guint fill = 0; fill < 2; fill++)
    for (guint n = 0; n < BATCH; n++)
      for (guint c = 0; c < channels; c++)
        for (guint p = 0; p < PIXELS; p++) {
          const guint at[4] = { n, c, p / WIDTH, p % WIDTH };
          gsize to = 0;

          for (guint d = 0; d < 4; d++)
            if ((which >> d & 1) == 0)
              to = to * dims[d] + at[d];
          if (fill == 0)
            sums[to] += (double) convolve (&net, x, n, c, p);
          else
            g_assert_cmpfloat_with_epsilon (
                got[to], (float) (sums[to] / (double) count), 1e-5f);
        }
  g_assert_cmpuint (count_type (request, "Reorder"), <=, 2);
  net_clear (&net);
}

static void
test_mean (void)
{
  static const guint channels[] = { 2, 5, 16, 40 };

  for (guint i = 0; i < G_N_ELEMENTS (channels); i++)
    for (guint which = 1; which < 16; which++)
      check_mean (channels[i], which);
}

/* conv (x) padded by @more zero channels and one pixel on each side. */
static void
check_pad (guint channels, guint more)
{
  const gint64 pads[8] = { 0, 0, 1, 1, 0, more, 1, 1 };
  const gsize at = MAX_CHANNELS * IN * sizeof (float);
  g_autofree char *begin = g_strdup_printf (
      "element_type=\"i64\" shape=\"4\" offset=\"%zu\" size=\"32\"", at);
  g_autofree char *end = g_strdup_printf (
      "element_type=\"i64\" shape=\"4\" offset=\"%zu\" size=\"32\"", at + 32);
  Net net;

  net_init (&net, channels);
  memcpy (net.filters + MAX_CHANNELS * IN, pads, sizeof pads);
  guint in = add_parameter (&net, "2,3,5,7");
  guint last = add_convolution (&net, "Convolution", in, channels, IN, 1);
  last = add (&net, "Pad", "pad_mode=\"constant\"", 3,
      (guint[]){ last, add (&net, "Const", begin, 0, NULL),
          add (&net, "Const", end, 0, NULL) });
  g_autoptr (InferRequest) request = request_of (&net, last);
  const float *x = fill_input (request, 0, net.rand);
  const float *got = infer (request);
  for (guint n = 0; n < BATCH; n++)
    for (guint c = 0; c < channels + more; c++)
      for (guint h = 0; h < HEIGHT + 2; h++)
        for (guint w = 0; w < WIDTH + 2; w++, got++) {
          gboolean inside =
              c < channels && h > 0 && h <= HEIGHT && w > 0 && w <= WIDTH;

          g_assert_cmpfloat_with_epsilon (*got,
              inside ? convolve (&net, x, n, c, (h - 1) * WIDTH + w - 1) : 0,
              1e-5f);
        }
  net_clear (&net);
}

/* Rows of every length up to that of a kernel call. */
static void
test_pad (void)
{
  for (guint channels = 1; channels <= MAX_CHANNELS; channels++)
    check_pad (channels, channels % 5);
}

static gboolean
has_kernel (InferRequest *request, const char *kernel)
{
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  gboolean found = FALSE;

  for (guint i = 0; i < timings->len; i++)
    found |=
        g_str_equal (g_array_index (timings, InferOpTiming, i).kernel, kernel);
  return found;
}

/* Pooling of a model's input, which is in the caller's layout. */
static void
test_pool (void)
{
  static const char *const types[] = { "AvgPool", "MaxPool" };

  for (guint t = 0; t < 2; t++) {
    Net net;

    net_init (&net, t);
    guint in = add_parameter (&net, "2,3,5,7");
    g_autoptr (InferRequest) request = request_of (&net,
        add (&net, types[t],
            "kernel=\"3,3\" strides=\"1,1\" pads_begin=\"1,1\" "
            "pads_end=\"1,1\" exclude-pad=\"true\" rounding_type=\"floor\" "
            "auto_pad=\"explicit\"",
            1, &in));
    const float *x = fill_input (request, 0, net.rand);
    const float *got = infer (request);
    g_assert_true (has_kernel (request, "nspc_f32"));
    for (guint plane = 0; plane < BATCH * IN; plane++, x += PIXELS)
      for (guint i = 0; i < PIXELS; i++, got++) {
        double sum = 0, most = -G_MAXDOUBLE;
        guint n = 0;

        for (guint p = 0; p < PIXELS; p++)
          if (p / WIDTH + 1 >= i / WIDTH && p / WIDTH <= i / WIDTH + 1
              && p % WIDTH + 1 >= i % WIDTH && p % WIDTH <= i % WIDTH + 1) {
            sum += (double) x[p];
            most = MAX (most, (double) x[p]);
            n++;
          }
        g_assert_cmpfloat_with_epsilon (
            *got, (float) (t == 0 ? sum / n : most), 1e-6f);
      }
    net_clear (&net);
  }
}

/* The channel in [@channels][2][2] or, if @first, [2][2][@channels]. */
static guint
block_channel (guint channels, gboolean first, guint c, guint block)
{
  return first ? block * channels + c : c * 4 + block;
}

/* DepthToSpace and SpaceToDepth: conv (x) with four channels as a square, and
 * back. */
static void
check_blocks (guint channels, gboolean first, gboolean back)
{
  const char *data = first ? "block_size=\"2\" mode=\"blocks_first\""
                           : "block_size=\"2\" mode=\"depth_first\"";
  Net net;

  net_init (&net, channels);
  guint in = add_parameter (&net, "2,3,5,7");
  guint last = add_convolution (&net, "Convolution", in, 4 * channels, IN, 1);
  last = add (&net, "DepthToSpace", data, 1, &last);
  if (back)
    last = add (&net, "SpaceToDepth", data, 1, &last);
  g_autoptr (InferRequest) request = request_of (&net, last);
  const float *x = fill_input (request, 0, net.rand);
  const float *got = infer (request);
  for (guint n = 0; n < BATCH; n++)
    for (guint c = 0; c < channels; c++)
      for (guint b = 0; b < 4; b++)
        for (guint p = 0; p < PIXELS; p++) {
          const guint from = block_channel (channels, first, c, b);
          const guint h = p / WIDTH * 2 + b / 2, w = p % WIDTH * 2 + b % 2;
          const gsize at =
              back ? (n * 4 * channels + from) * PIXELS + p
                   : (n * channels + c) * 4 * PIXELS + h * 2 * WIDTH + w;

          g_assert_cmpfloat_with_epsilon (
              got[at], convolve (&net, x, n, from, p), 1e-5f);
        }
  /* One for the input, one for the result. */
  g_assert_cmpuint (count_type (request, "Reorder"), <=, 2);
  net_clear (&net);
}

static void
test_blocks (void)
{
  for (guint channels = 1; channels <= 10; channels++)
    for (guint which = 0; which < 4; which++)
      check_blocks (channels, (which & 1) != 0, (which & 2) != 0);
}

/* f4e2m1 convolved with itself; @wide: as f32. */
static InferRequest *
convolution_of_f4 (Net *net, gboolean wide)
{
  static const char data[] = "strides=\"1,1\" dilations=\"1,1\" "
                             "pads_begin=\"1,1\" pads_end=\"1,8\"",
                    f32[] = "destination_type=\"f32\"";
  guint x = add (
      net, "Parameter", "element_type=\"f4e2m1\" shape=\"2,3,6,8\"", 0, NULL);

  if (wide)
    x = add (net, "Convert", f32, 1, &x);
  return request_of (net, add (net, "Convolution", data, 2, (guint[]){ x, x }));
}

/* @code stands for the value that is next to @value. */
static void
check_f4 (guint code, float value)
{
  static const float values[] = { 0, 0.5f, 1, 1.5f, 2, 3, 4, 6 };
  const float got = code > 7 ? -values[code - 8] : values[code];

  for (guint i = 0; i < 16; i++) {
    const float other = i > 7 ? -values[i - 8] : values[i];
    g_assert_cmpfloat (fabsf (value - got), <=, fabsf (value - other) + 1e-5f);
  }
}

/* Elements of half a byte are not reordered. */
static void
test_half_bytes (void)
{
  const gsize n_out = 2 * 2 * 3 * 10;
  InferRequest *requests[2];
  Net nets[2];

  for (guint i = 0; i < 2; i++) {
    net_init (&nets[i], 11);
    requests[i] = convolution_of_f4 (&nets[i], i == 0);
    InferTensor *input = infer_request_get_input (requests[i], 0, NULL);
    /* Mostly zeros, so that the sums are among the values. */
    for (gsize k = 0; k < input->size; k++)
      ((guint8 *) input->data)[k] =
          (guint8) (g_rand_int_range (nets[i].rand, 0, 8) == 0
                        ? g_rand_int_range (nets[i].rand, 0, 256)
                        : 0);
  }
  const float *expected = infer (requests[0]);
  const guint8 *got = (const guint8 *) infer (requests[1]);
  g_assert_cmpuint (
      infer_request_get_output (requests[1], 0, NULL)->size, ==, n_out / 2);
  for (gsize i = 0; i < n_out; i++)
    check_f4 (got[i / 2] >> i % 2 * 4 & 15, expected[i]);
  for (guint i = 0; i < 2; i++) {
    infer_request_free (requests[i]);
    net_clear (&nets[i]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/channels-last/operands", test_operands);
  g_test_add_func ("/cpu/channels-last/activation", test_activation);
  g_test_add_func ("/cpu/channels-last/joined", test_joined);
  g_test_add_func ("/cpu/channels-last/mean", test_mean);
  g_test_add_func ("/cpu/channels-last/pad", test_pad);
  g_test_add_func ("/cpu/channels-last/pool", test_pool);
  g_test_add_func ("/cpu/channels-last/blocks", test_blocks);
  g_test_add_func ("/cpu/channels-last/half-bytes", test_half_bytes);
  return g_test_run ();
}
