/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names as the exporters of speech and language models give them: Optimum, ONNX
 * Runtime, sherpa-onnx, WeNet, FunASR, NeMo, silero, RobustVideoMatting. */

#include "inference/passes/state-names.h"

#include <string.h>

/* Without these prefixes and suffixes, the names of a pair are equal. */
static const struct
{
  const char *in_prefix, *in_suffix, *out_prefix, *out_suffix;
  InferStateMatch match;
} rules[] = {
  { "past_key_values", "", "present", "", INFER_STATE_SURE },
  { "past", "", "present", "", INFER_STATE_SURE },
  { "prev_", "", "next_", "", INFER_STATE_SURE },
  { "old_", "", "new_", "", INFER_STATE_SURE },
  { "", "", "new_", "", INFER_STATE_SURE },
  { "", "", "next_", "", INFER_STATE_SURE },
  { "", "", "updated_", "", INFER_STATE_SURE },
  { "", "", "", "_new", INFER_STATE_SURE },
  { "", "", "", "_next", INFER_STATE_SURE },
  { "in_", "", "out_", "", INFER_STATE_LIKELY },
  { "input_", "", "output_", "", INFER_STATE_LIKELY },
  { "prev_", "", "", "_out", INFER_STATE_LIKELY },
  { "", "_in", "", "_out", INFER_STATE_LIKELY },
  { "", "_input", "", "_output", INFER_STATE_LIKELY },
  { "", "", "", "_out", INFER_STATE_LIKELY },
  { "", "", "", "_output", INFER_STATE_LIKELY },
  { "", "", "out_", "", INFER_STATE_LIKELY },
  { "", "", "r_", "", INFER_STATE_LIKELY },
  { "", "", "", "n", INFER_STATE_LIKELY },
  { "", "", "", "N", INFER_STATE_LIKELY },
  { "", "", "", "_n", INFER_STATE_LIKELY },
  { "", "0", "", "n", INFER_STATE_LIKELY },
  { "", "i", "", "o", INFER_STATE_LIKELY },
};

static const char *const state_words[] = { "state", "cache", "hidden", "mem",
  "past", "lstm", "gru", "rnn", "attn", "buf", "context", "carry", "history",
  "_h_", "_c_" };

/* Words in the names of inputs and outputs that are not states. */
static const char *const other_words[] = { "token", "ids", "logits", "prob",
  "image", "audio", "frame" };

static gboolean
has_word (const char *text, const char *const *words, guint n)
{
  for (guint i = 0; i < n; i++)
    if (strstr (text, words[i]) != NULL)
      return TRUE;
  return FALSE;
}

/* "h", "c", "h0", "r1". */
static gboolean
is_short (const char *stem)
{
  return *stem != '\0' && strchr ("hcskvr", *stem) != NULL
         && strspn (stem + 1, "0123456789") == strlen (stem + 1);
}

/* @name without @prefix and @suffix; NULL: it has not both. */
static char *
stem_of (const char *name, const char *prefix, const char *suffix)
{
  const gsize n = strlen (name), p = strlen (prefix), s = strlen (suffix);

  if (n < p + s || !g_str_has_prefix (name, prefix)
      || !g_str_has_suffix (name, suffix))
    return NULL;
  return g_strndup (name + p, n - p - s);
}

/* "cache_len" and "cache_next_len" (NeMo). */
static gboolean
is_next_inside (const char *input, const char *output)
{
  const char *next = strstr (output, "_next");
  const gsize before = next != NULL ? (gsize) (next - output) : 0;

  return next != NULL && strncmp (input, output, before) == 0
         && strcmp (input + before, next + strlen ("_next")) == 0;
}

static InferStateMatch
match_rule (guint rule, const char *input, const char *output)
{
  g_autofree char *in =
      stem_of (input, rules[rule].in_prefix, rules[rule].in_suffix);
  g_autofree char *out =
      stem_of (output, rules[rule].out_prefix, rules[rule].out_suffix);

  if (in == NULL || out == NULL || strcmp (in, out) != 0
      || has_word (in, other_words, G_N_ELEMENTS (other_words)))
    return INFER_STATE_NO;
  if (rules[rule].match == INFER_STATE_SURE || is_short (in)
      || has_word (in, state_words, G_N_ELEMENTS (state_words)))
    return rules[rule].match;
  return INFER_STATE_NO;
}

InferStateMatch
infer_state_names_match (const char *input, const char *output)
{
  InferStateMatch best = INFER_STATE_NO;

  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    best = MAX (best, match_rule (i, input, output));
  return is_next_inside (input, output) ? INFER_STATE_SURE : best;
}
