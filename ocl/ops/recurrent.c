/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* LSTM, GRU and RNN, cells and sequences: one matrix product for the inputs of
 * all time steps, then one launch for the whole sequence. */

#include "inference/graph/ops/recurrent.h"
#include "ocl/ops/gemm.h"

#define PANEL 16

typedef struct
{
  const InferRecurrent *attrs;
  gint64 batch, time, input, hidden, directions;
  guint gates, biases; /* parts of W and R, of B */
  guint w;             /* index of input W */
} Dims;

static Dims
get_dims (const OclStep *step)
{
  const InferRecurrent *attrs = step->op->attrs;
  const gint64 *x = ocl_in_shape (step, 0)->dims;

  return (Dims){ .attrs = attrs,
    .batch = x[0],
    .time = attrs->sequence ? x[1] : 1,
    .input = x[attrs->sequence ? 2 : 1],
    .hidden = attrs->hidden_size,
    .directions = attrs->direction == INFER_DIRECTION_BIDIRECTIONAL ? 2 : 1,
    .gates = infer_recurrent_gates (attrs),
    .biases = infer_recurrent_biases (attrs),
    .w = infer_recurrent_w (attrs) };
}

/* gates[direction][batch · time][gates · hidden], all of f32. */
static OclValue *
add_input_part (OclStep *step, const Dims *d, GError **error)
{
  const gint64 rows = d->batch * d->time, columns = d->gates * d->hidden;
  OclGemm gemm = { .m = rows,
    .n = columns,
    .k = d->input,
    .rank = 1,
    .dims = { d->directions },
    .scale = 1 };

  gemm.out = ocl_step_scratch (
      step, INFER_TYPE_F32, (gsize) (d->directions * rows * columns));
  gemm.a = (OclMatrix){ step->in[0], 0, d->input, 1, { 0 } };
  gemm.b =
      (OclMatrix){ step->in[d->w], 0, 1, d->input, { columns * d->input } };
  return ocl_gemm (step, &gemm, error) ? gemm.out : NULL;
}

static OclPanels
make_panels (const OclStep *step, const Dims *d)
{
  return (OclPanels){ .value = step->in[d->w + 1],
    .lanes = PANEL,
    .n = d->hidden,
    .stride = d->hidden,
    .k = { d->hidden, 1 },
    .strides_k = { 1, 0 },
    .rank = 1,
    .dims = { d->directions * d->gates },
    .strides = { d->hidden * d->hidden } };
}

/* NULL: there is no kernel. */
static const char *
activation_text (InferGate kind)
{
  switch (kind) {
    case INFER_GATE_SIGMOID:
      return "(1 / (1 + exp (-(v))))";
    case INFER_GATE_TANH:
      return "tanh (v)";
    case INFER_GATE_RELU:
      return "fmax (v, (float16) (0))";
    case INFER_GATE_SOFTSIGN:
      return "((v) / (1 + fabs (v)))";
    default:
      return NULL;
  }
}

static char *
make_text (const InferRecurrent *attrs)
{
  GString *text = g_string_new (NULL);
  char clip[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < attrs->n_activations; i++)
    g_string_append_printf (text, "#define ACTIVATION_%u(v) %s\n", i,
        activation_text (attrs->activations[i].kind));
  g_ascii_formatd (clip, sizeof clip, "%.9e", attrs->clip);
  if (attrs->clip > 0)
    g_string_append_printf (
        text, "#define CLIP(v) clamp (v, -%sf, %sf)\n", clip, clip);
  else
    g_string_append (text, "#define CLIP(v) (v)\n");
  return g_string_free (text, FALSE);
}

static GString *
make_options (const OclStep *step, const Dims *d)
{
  static const char *const cells[] = { "LSTM", "GRU", "RNN" };
  GString *options = g_string_new (NULL);

  g_string_append_printf (options, "-DCELL_%s -DGATES=%u -DBIASES=%u",
      cells[d->attrs->cell], d->gates, d->biases);
  ocl_option_type (options, "TYPE", step->in[0]->desc.type);
  if (d->attrs->linear_before_reset)
    g_string_append (options, " -DLINEAR_BEFORE_RESET");
  if (ocl_has_in (step, d->w + 2))
    g_string_append (options, " -DHAS_BIAS");
  if (d->attrs->sequence) {
    g_string_append (options, " -DHAS_Y -DHAS_LENGTHS");
    ocl_option_type (options, "LENGTH_TYPE", step->in[d->w - 1]->desc.type);
  }
  return options;
}

static void
add_sequence (OclStep *step, const Dims *d, OclValue *gates)
{
  g_autoptr (GString) options = make_options (step, d);
  g_autofree char *text = make_text (d->attrs);
  const OclPanels panels = make_panels (step, d);
  OclValue *prepared = ocl_panels_prepare (step, &panels);
  const gsize group = (gsize) (d->hidden + PANEL - 1) / PANEL;
  const guint ho = d->attrs->sequence ? 1 : 0;
  OclLaunch *launch =
      ocl_step_launch (step, "recurrent", "recurrent", options->str, text);

  ocl_launch_value (launch, gates);
  ocl_launch_value (launch, step->in[1]);
  ocl_panels_argument (launch, &panels, prepared);
  ocl_launch_value (launch, step->out[ho]);
  ocl_launch_local (launch, group * PANEL * sizeof (float));
  ocl_launch_int (launch, d->time);
  ocl_launch_int (launch, d->batch);
  ocl_launch_int (launch, d->hidden);
  ocl_launch_int (launch, d->directions);
  ocl_launch_int (launch, d->attrs->direction == INFER_DIRECTION_REVERSE);
  if (ocl_has_in (step, d->w + 2))
    ocl_launch_value (launch, step->in[d->w + 2]);
  if (d->attrs->sequence) {
    ocl_launch_value (launch, step->in[d->w - 1]);
    ocl_launch_value (launch, step->out[0]);
  }
  if (d->attrs->cell == INFER_CELL_LSTM) {
    ocl_launch_value (launch, step->in[2]);
    ocl_launch_value (launch, step->out[ho + 1]);
  }
  ocl_launch_work (launch, (gint64) step->out[0]->n * d->hidden * 4);
  ocl_launch_groups (launch, (gsize) (d->batch * d->directions), group);
  step->kernel = "recurrent";
}

static gboolean
prepare (OclStep *step, GError **error)
{
  const Dims d = get_dims (step);
  const gsize group = (gsize) (d.hidden + PANEL - 1) / PANEL;

  if (d.hidden == 0 || d.batch == 0)
    return TRUE;
  if (group > step->scope->device->max_group)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%" G_GINT64_FORMAT " hidden units are too many for the device",
        d.hidden);
  OclValue *gates = add_input_part (step, &d, error);
  if (gates == NULL)
    return FALSE;
  add_sequence (step, &d, gates);
  return TRUE;
}

static gboolean
supports (const InferOperation *op, GError **error)
{
  const InferRecurrent *attrs = op->attrs;
  const InferType type = op->outputs[0].desc.type;

  if (!infer_type_is_real (type) || type == INFER_TYPE_F64)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "no OpenCL kernel for elements of type %s", infer_type_name (type));
  if (attrs->input_forget || op->n_inputs > infer_recurrent_w (attrs) + 3)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "no OpenCL kernel for peepholes and coupled gates");
  if (infer_recurrent_is_reordered (attrs))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "no OpenCL kernel for gates in another order");
  for (guint i = 0; i < attrs->n_activations; i++)
    if (activation_text (attrs->activations[i].kind) == NULL)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "no OpenCL kernel with this activation");
  return TRUE;
}

/* clang-format off */
#define RECURRENT(name)                                                 \
  const OclOp ocl_op_##name = {                                                \
    .supports = supports,                                                      \
    .prepare = prepare,                                                        \
  };

RECURRENT (gru_cell)
RECURRENT (gru_sequence)
RECURRENT (lstm_cell)
RECURRENT (lstm_sequence)
RECURRENT (rnn_cell)
RECURRENT (rnn_sequence)
/* clang-format on */
