/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whisper's rewritten networks compute what those of the files do. */

#include "tests/check/inference/speech/whisper-session.h"

#include <math.h>
#include <string.h>

#include "infer/request.h"
#include "inference/speech/whisper/decode.h"
#include "tests/check/inference/speech/whisper-networks.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/session.h"

/* --- networks --- */

static float rows[400 * 80]; /* noise: four seconds of up to 80 bands */

/* Opens the networks of @path and encodes the noise, which is 200 positions of
 * the encoder long, with @context positions. */
static void
open_encoded (Networks *n, const char *path, gint64 context)
{
  g_autoptr (GError) error = NULL;

  networks_open (n, path);
  const gsize size = 400 * (gsize) n->model->config.bands;
  g_assert_cmpuint (size, <=, G_N_ELEMENTS (rows));
  test_fill (rows, size, 9);
  whisper_session_encode (&n->session, rows, 400, 0, context, &error);
  g_assert_no_error (error);
}

static InferRequest *
request_of (InferRuntime *runtime, const char *from, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (from, name, NULL);
  g_autoptr (InferModel) model = infer_model_load (path, NULL, &error);

  g_assert_no_error (error);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  return infer_request_new (executable, &error);
}

static InferTensor *
input_of (InferRequest *request, const char *name, int rank, gint64 a, gint64 b)
{
  g_autoptr (GError) error = NULL;
  InferShape shape =
      rank == 1 ? infer_shape_make (1, a) : infer_shape_make (2, a, b);
  int index = infer_model_find_input (
      infer_executable_get_model (infer_request_get_executable (request)), name,
      &error);
  InferTensor *tensor =
      infer_request_set_input_shape (request, (guint) index, &shape, &error);

  g_assert_no_error (error);
  return tensor;
}

/* The rewritten networks of @folder give the same values as those of TINY. */
static void
check_stateful (const char *folder)
{
  g_autoptr (GError) error = NULL;
  Networks n;

  open_encoded (&n, folder, 200);
  g_autoptr (InferRequest) encoder =
      request_of (n.runtime, TINY, "openvino_encoder_model.xml");
  g_autoptr (InferRequest) decoder =
      request_of (n.runtime, TINY, "openvino_decoder_model.xml");
  InferShape shape = infer_shape_make (3, (gint64) 1, (gint64) 8, (gint64) 400);
  InferTensor *in = infer_request_set_input_shape (encoder, 0, &shape, &error);
  for (guint b = 0; b < 8; b++)
    for (guint t = 0; t < 400; t++)
      ((float *) in->data)[b * 400 + t] = rows[t * 8 + b];
  infer_request_infer (encoder, &error);
  g_assert_no_error (error);
  int hidden = infer_model_find_input (
      infer_executable_get_model (infer_request_get_executable (decoder)),
      "encoder_hidden_states", &error);
  infer_request_set_input (decoder, (guint) hidden,
      infer_request_get_output (encoder, 0, NULL), &error);
  g_assert_no_error (error);
  *(gint32 *) input_of (decoder, "beam_idx", 1, 1, 0)->data = 0;
  whisper_session_restart (&n.session);
  for (guint step = 0; step < 5; step++) {
    const gint64 ids[3] = { 54, 7 + step, 20 };
    guint many = step == 0 ? 3 : 1;
    const float *logits;
    gsize stride;

    memcpy (input_of (decoder, "input_ids", 2, 1, many)->data, ids,
        many * sizeof *ids);
    infer_request_infer (decoder, &error);
    g_assert_no_error (error);
    whisper_session_step (
        &n.session, ids, 1, many, NULL, &logits, &stride, &error);
    g_assert_no_error (error);
    const InferTensor *out = infer_request_get_output (decoder, 0, NULL);
    gsize size = (gsize) out->shape.dims[2];
    const float *expected = (const float *) out->data + (many - 1) * size;
    for (gsize i = 0; i < size; i++)
      g_assert_cmpfloat_with_epsilon (
          (double) logits[i], (double) expected[i], 1e-4);
  }
  networks_close (&n);
}

static void
test_same_logits (void)
{
  g_autofree char *folder = whisper_test_folder (WHISPER_STATEFUL, NULL);

  check_stateful (TINY);
  /* The same decoder, but for an input of positions. */
  whisper_test_copy (POSITIONS, folder, "openvino_decoder_model.xml");
  check_stateful (folder);
  test_remove_folder (folder);
}

/* --- decoders without variables --- */

static void
run (InferRequest *request)
{
  g_autoptr (GError) error = NULL;

  infer_request_infer (request, &error);
  g_assert_no_error (error);
}

/* Output @from of @request becomes input @to of @next. */
static void
pass (
    InferRequest *request, const char *from, InferRequest *next, const char *to)
{
  g_autoptr (GError) error = NULL;
  const InferModel *a =
      infer_executable_get_model (infer_request_get_executable (request));
  const InferModel *b =
      infer_executable_get_model (infer_request_get_executable (next));
  int output = infer_model_find_output (a, from, &error);
  int input = infer_model_find_input (b, to, &error);
  g_assert_no_error (error);
  const InferTensor *value =
      infer_request_get_output (request, (guint) output, &error);
  InferTensor *in = infer_request_set_input_shape (
      next, (guint) input, &value->shape, &error);

  g_assert_no_error (error);
  infer_tensor_copy (in, value, &error);
  g_assert_no_error (error);
}

static void
pass_caches (InferRequest *request, InferRequest *next, const char *of)
{
  for (guint i = 0; i < 4; i++) {
    const char *kind = i % 2 == 0 ? "key" : "value";
    g_autofree char *from =
        g_strdup_printf ("present.%u.%s.%s", i / 2, of, kind);
    g_autofree char *to =
        g_strdup_printf ("past_key_values.%u.%s.%s", i / 2, of, kind);

    pass (request, from, next, to);
  }
}

static void
run_encoder (InferRequest *encoder)
{
  g_autoptr (GError) error = NULL;
  InferShape shape = infer_shape_make (3, (gint64) 1, (gint64) 8, (gint64) 400);
  InferTensor *in = infer_request_set_input_shape (encoder, 0, &shape, &error);

  for (guint b = 0; b < 8; b++)
    for (guint t = 0; t < 400; t++)
      ((float *) in->data)[b * 400 + t] = rows[t * 8 + b];
  run (encoder);
}

static void
check_logits (InferRequest *request, const float *logits)
{
  const InferTensor *out = infer_request_get_output (request, 0, NULL);
  gsize size = (gsize) out->shape.dims[2];
  const float *expected =
      (const float *) out->data + ((gsize) out->shape.dims[1] - 1) * size;

  for (gsize i = 0; i < size; i++)
    g_assert_cmpfloat_with_epsilon (
        (double) logits[i], (double) expected[i], 1e-4);
}

/* The files' networks one after the other, as ONNX Runtime's users run them. */
static void
check_form (const char *folder)
{
  static const gint64 ids[] = { 54, 7, 20, 9, 31, 15, 2 };
  const guint first = 3;
  g_autoptr (GError) error = NULL;
  const float *logits;
  gsize stride;
  Networks n;

  open_encoded (&n, folder, 200);
  g_autoptr (InferRequest) encoder =
      request_of (n.runtime, ONNX, "encoder_model.onnx");
  g_autoptr (InferRequest) before =
      request_of (n.runtime, ONNX, "decoder_model.onnx");
  g_autoptr (InferRequest) later =
      request_of (n.runtime, ONNX, "decoder_with_past_model.onnx");

  run_encoder (encoder);
  pass (encoder, "last_hidden_state", before, "encoder_hidden_states");
  memcpy (input_of (before, "input_ids", 2, 1, first)->data, ids,
      first * sizeof *ids);
  run (before);
  whisper_session_restart (&n.session);
  whisper_session_step (
      &n.session, ids, 1, first, NULL, &logits, &stride, &error);
  g_assert_no_error (error);
  check_logits (before, logits);
  pass_caches (before, later, "encoder");
  pass_caches (before, later, "decoder");
  for (guint i = first; i < G_N_ELEMENTS (ids); i++) {
    *(gint64 *) input_of (later, "input_ids", 2, 1, 1)->data = ids[i];
    run (later);
    whisper_session_step (
        &n.session, ids + i, 1, 1, NULL, &logits, &stride, &error);
    g_assert_no_error (error);
    check_logits (later, logits);
    pass_caches (later, later, "decoder");
  }
  /* Several tokens at once are those one after the other. */
  whisper_session_restart (&n.session);
  whisper_session_step (&n.session, ids, 1, 1, NULL, &logits, &stride, &error);
  whisper_session_step (&n.session, ids + 1, 1, G_N_ELEMENTS (ids) - 1, NULL,
      &logits, &stride, &error);
  g_assert_no_error (error);
  check_logits (later, logits);
  networks_close (&n);
}

static void
test_past_logits (void)
{
  static const WhisperForm forms[] = { WHISPER_PAST, WHISPER_MERGED,
    WHISPER_IR_PAST };

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++) {
    g_autofree char *folder = whisper_test_folder (forms[i], NULL);

    check_form (folder);
    if (forms[i] == WHISPER_PAST) {
      whisper_test_copy (POSITIONS, folder, "decoder_with_past_model.onnx");
      check_form (folder);
    }
    test_remove_folder (folder);
  }
}

/* --- beams --- */

/* The probabilities of what a beam search finds are those that its tokens have
 * one after the other. */
static void
check_beams (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_auto (WhisperHypothesis) found = { 0 };
  g_autoptr (GArray) scratch = g_array_new (FALSE, FALSE, sizeof (float));
  Networks n;

  for (gint64 context = 100; context <= 200; context += 50) {
    open_encoded (&n, folder, context);
    const gint64 start = n.model->config.start;
    WhisperDecoding d = { .session = &n.session,
      .config = &n.model->config,
      .prompt = &start,
      .n_prompt = 1,
      .most = 9,
      .beams = 4,
      .length_penalty = NAN,
      .scratch = scratch };
    const guint size = (guint) n.model->config.vocabulary;
    double sum = 0;
    const float *logits;
    gsize stride;

    whisper_hypothesis_clear (&found);
    whisper_hypothesis_init (&found);
    whisper_decode (&d, &found, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (found.tokens->len, >, 0);
    whisper_session_restart (&n.session);
    whisper_session_step (
        &n.session, &start, 1, 1, NULL, &logits, &stride, &error);
    for (guint i = 0; i < found.tokens->len; i++) {
      guint token = g_array_index (found.tokens, guint, i);
      gint64 next = token;
      const float *allowed = whisper_decode_allowed (
          &d, logits, (const guint *) (gpointer) found.tokens->data, i);
      double total = 0;

      for (guint k = 0; k < size; k++)
        total += exp ((double) allowed[k]);
      double p = (double) allowed[token] - log (total);
      g_assert_cmpfloat_with_epsilon (
          p, (double) g_array_index (found.log_probabilities, float, i), 1e-3);
      sum += p;
      whisper_session_step (
          &n.session, &next, 1, 1, NULL, &logits, &stride, &error);
      g_assert_no_error (error);
    }
    g_assert_cmpfloat (found.sum, <=, sum + 1e-3);
    networks_close (&n);
  }
}

static void
test_beams (void)
{
  g_autofree char *past = whisper_test_folder (WHISPER_PAST, NULL);

  check_beams (TINY);
  check_beams (past);
  check_beams (STACKED);
  test_remove_folder (past);
}

/* --- drafts --- */

static void
decode (Networks *n, const GArray *draft, WhisperHypothesis *found)
{
  g_autoptr (GArray) scratch = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (GError) error = NULL;
  const gint64 start = n->model->config.start;
  const WhisperDecoding d = { .session = &n->session,
    .config = &n->model->config,
    .prompt = &start,
    .n_prompt = 1,
    .most = 40,
    .deadline = G_MAXINT64,
    .scratch = scratch,
    .draft = draft };

  whisper_hypothesis_clear (found);
  whisper_hypothesis_init (found);
  whisper_decode (&d, found, &error);
  g_assert_no_error (error);
}

/* Decodes with @draft: the same tokens as without.  Returns how many steps the
 * decoder took. */
static guint64
check_draft (
    Networks *n, const GArray *draft, const WhisperHypothesis *expected)
{
  g_auto (WhisperHypothesis) found = { 0 };
  guint64 before, steps, runs;

  infer_joint_count (n->model->networks.joint, &before, &runs);
  decode (n, draft, &found);
  infer_joint_count (n->model->networks.joint, &steps, &runs);
  g_assert_cmpmem (found.tokens->data, found.tokens->len * sizeof (guint),
      expected->tokens->data, expected->tokens->len * sizeof (guint));
  for (guint i = 0; i < found.tokens->len; i++)
    g_assert_cmpfloat_with_epsilon (
        (double) g_array_index (found.log_probabilities, float, i),
        (double) g_array_index (expected->log_probabilities, float, i), 1e-4);
  g_assert_cmpfloat_with_epsilon (found.sum, expected->sum, 1e-3);
  g_assert_cmpint (found.looping, ==, expected->looping);
  return steps - before;
}

/* Right drafts, shorter and longer ones, and those that are wrong from any
 * token on. */
static void
check_drafts (const char *path, gboolean verifies)
{
  g_auto (WhisperHypothesis) expected = { 0 };
  Networks n;

  open_encoded (&n, path, 200);
  decode (&n, NULL, &expected);
  const guint length = expected.tokens->len;
  g_assert_cmpuint (length, >, 3);
  for (guint wrong = 0; wrong <= length; wrong++) {
    g_autoptr (GArray) draft = g_array_copy (expected.tokens);

    if (wrong < length)
      g_array_index (draft, guint, wrong) ^= 1;
    check_draft (&n, draft, &expected);
    g_array_set_size (draft, wrong);
    guint64 steps = check_draft (&n, draft, &expected);
    if (verifies)
      g_assert_cmpuint (steps, <=, 1 + length - wrong);
    g_array_append_vals (draft, expected.tokens->data, length);
    check_draft (&n, draft, &expected);
  }
  networks_close (&n);
}

static void
test_drafts (void)
{
  g_autofree char *past = whisper_test_folder (WHISPER_PAST, NULL);

  check_drafts (TINY, TRUE);
  check_drafts (past, FALSE);
  test_remove_folder (past);
}

/* Between two pieces of audio an encoder gives its working memory back; nothing
 * of it is missed. */
static void
test_rested_encoder (void)
{
  const gint64 contexts[] = { 200, 120, 200 };
  g_autoptr (GError) error = NULL;
  Networks n;

  open_encoded (&n, TINY, 200);
  const InferTensor *keys = n.session.cross->pdata[0];
  const gsize size = keys->size;
  g_autofree float *first = g_memdup2 (keys->data, size);
  for (guint i = 0; i < G_N_ELEMENTS (contexts); i++) {
    g_assert_true (
        whisper_session_encode (&n.session, rows, 400, 0, contexts[i], &error));
    g_assert_no_error (error);
    g_assert_cmpint (n.session.context, ==, contexts[i]);
    if (contexts[i] == 200)
      g_assert_cmpmem (keys->data, keys->size, first, size);
    else
      g_assert_cmpuint (keys->size, <, size);
  }
  networks_close (&n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/whisper/same-logits", test_same_logits);
  g_test_add_func ("/whisper/past-logits", test_past_logits);
  g_test_add_func ("/whisper/beams", test_beams);
  g_test_add_func ("/whisper/drafts", test_drafts);
  g_test_add_func ("/whisper/rested-encoder", test_rested_encoder);
  return g_test_run ();
}
