/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/plan.h"

#include <string.h>

#include "tests/check/stream/chain/chain.h"

#define MAX_OPS 30

static const char *const op_names[] = {
#define X(name, weight) #name,
  PLAN_OPS
#undef X
};

static const guint op_weights[] = {
#define X(name, weight) weight,
  PLAN_OPS
#undef X
};

static guint
pick (GRand *random, guint n)
{
  return (guint) g_rand_int_range (random, 0, (gint32) n);
}

/* --- settings --- */

static void
fit_length (PlanConfig *c)
{
  guint wanted = c->window_ms + c->context;

  if (c->kind == PLAN_DYNAMIC)
    c->length =
        MAX ((wanted * 2 + c->multiple) / (2 * c->multiple), 1) * c->multiple;
}

static void
pick_window (PlanConfig *c, GRand *random)
{
  static const guint rates[] = { 1000, 3000, 16000 };
  static const guint lengths[] = { 3, 10, 16, 100 };

  c->rate = rates[pick (random, G_N_ELEMENTS (rates))];
  c->length = lengths[pick (random, G_N_ELEMENTS (lengths))];
  c->multiple = c->length;
  c->window_ms = 100;
  if (c->kind == PLAN_DYNAMIC) {
    c->rate = 1000;
    c->multiple = 1 + pick (random, 5);
    c->window_ms = 5 + pick (random, 30);
  } else if (c->kind != PLAN_TENSORS && pick (random, 3) == 0) {
    c->context = pick (random, c->length);
  }
  if (c->kind == PLAN_DYNAMIC && pick (random, 3) == 0)
    c->context = pick (random, c->window_ms);
  fit_length (c);
  guint longest = (c->length - c->context) * 1000 / c->rate;
  c->hop_ms = pick (random, 2) * pick (random, longest + 1);
  if (c->kind == PLAN_TENSORS)
    c->length = c->multiple = 3;
}

/* Samples leave one for one only if windows follow each other. */
static void
pick_media (PlanConfig *c, GRand *random)
{
  if (c->kind > PLAN_DYNAMIC || pick (random, 3) > 0)
    return;
  c->media = TRUE;
  c->row = FALSE;
  c->hop_ms = 0;
  c->latency = pick (random, 2) ? 0 : pick (random, 2 * c->length);
}

static void
pick_chain (PlanConfig *c, GRand *random)
{
  if (c->kind > PLAN_DYNAMIC || pick (random, 4) > 0)
    return;
  c->chained = TRUE;
  c->chain = pick (random, chain_n_kinds ());
  c->row = FALSE;
  c->media = chain_gives_audio (c->chain);
  if (c->media)
    c->hop_ms = 0;
  else
    c->latency = 0;
  /* A state that survived a flush would depend on how much was computed. */
  c->reset |= 2;
}

static void
pick_config (PlanConfig *c, GRand *random)
{
  static const char *const devices[] = { "CPU", "FAKECPU", "FAKE" };
  static const GstClockTime gaps[] = { GST_SECOND, 0, 50 * GST_MSECOND };

  *c = (PlanConfig){ .kind = pick (random, PLAN_N_KINDS) };
  c->device = devices[pick (random, 3)];
  if (c->kind == PLAN_DYNAMIC && c->device[0] == 'C')
    c->device = "FAKE";
  c->stateful = pick (random, 4) > 0;
  pick_window (c, random);
  c->nireq = pick (random, 2) ? 0 : 1 + pick (random, 6);
  c->tail = pick (random, 3);
  c->reset = pick (random, 2) ? 0x1f : pick (random, 0x20);
  c->max_gap = gaps[pick (random, G_N_ELEMENTS (gaps))];
  c->delay_us = pick (random, 3) ? 0 : pick (random, 150);
  c->jitter_us = pick (random, 2) ? 0 : 1 + pick (random, 300);
  c->sink_us = pick (random, 3) ? 0 : pick (random, 200);
  c->batch_size = pick (random, 3) ? 1 : 1 + pick (random, 4);
  c->batch_timeout = pick (random, 2) ? 1 : -1;
  c->n_streams = pick (random, 4) ? 1 : 2 + pick (random, 2);
  c->row = c->kind != PLAN_ROWS && pick (random, 5) == 0;
  pick_media (c, random);
  pick_chain (c, random);
}

/* --- operations --- */

static PlanOpKind
pick_kind (GRand *random)
{
  guint sum = 0, at;

  for (guint i = 0; i < PLAN_N_OPS; i++)
    sum += op_weights[i];
  at = pick (random, sum);
  for (guint i = 0; i < PLAN_N_OPS; i++) {
    if (at < op_weights[i])
      return i;
    at -= op_weights[i];
  }
  g_assert_not_reached ();
}

static void
pick_op (PlanOp *op, const PlanConfig *config, GRand *random)
{
  op->kind = pick_kind (random);
  op->stream = pick (random, config->n_streams);
  op->a = pick (random, 64);
  op->b = pick (random, 64);
  op->c = pick (random, 64);
  op->seed = g_rand_int (random);
  switch (op->kind) {
    case PLAN_BUFFER: /* rows, flags, timestamp error */
      op->a = pick (random, 3 * config->length + 2);
      op->b = pick (random, 5) ? 0 : 1u << pick (random, PLAN_N_FLAGS);
      op->c = pick (random, 8) ? 0 : 1 + pick (random, 4);
      break;
    case PLAN_FLUSH_DURING: /* buffers, delay in µs */
      op->a = 1 + pick (random, 20);
      op->b = pick (random, 2) ? pick (random, 60) : pick (random, 400);
      break;
    case PLAN_STATE_DURING:
    case PLAN_BLOCKED:
    case PLAN_PAUSE_DURING:
    case PLAN_SET_DURING:
    case PLAN_SWAP_DURING: /* buffers, delay in µs */
      op->a = 1 + pick (random, 20);
      op->b = pick (random, 2) ? pick (random, 60) : pick (random, 400);
      break;
    case PLAN_CAPS_DURING:
      op->b = pick (random, 60);
      break;
    case PLAN_RESET:
    case PLAN_SAVE_RESTORE:
    case PLAN_FAIL:
      /* Their time is that of inferfilter's input, which is not the stream's.
       */
      if (config->chained)
        op->kind = PLAN_CUSTOM;
      break;
    default:
      break;
  }
}

Plan *
plan_new (guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  Plan *plan = g_new0 (Plan, 1);

  pick_config (&plan->config, random);
  plan->n_ops = 1 + pick (random, MAX_OPS);
  plan->ops = g_new0 (PlanOp, plan->n_ops);
  for (guint i = 0; i < plan->n_ops; i++) {
    pick_op (&plan->ops[i], &plan->config, random);
    plan->ops[i].number = i;
  }
  return plan;
}

Plan *
plan_copy (const Plan *plan)
{
  Plan *copy = g_new (Plan, 1);

  *copy = *plan;
  copy->ops = g_new0 (PlanOp, plan->n_ops + 1);
  for (guint i = 0; i < plan->n_ops; i++)
    copy->ops[i] = plan->ops[i];
  return copy;
}

void
plan_free (Plan *plan)
{
  if (plan == NULL)
    return;
  g_free (plan->ops);
  g_free (plan);
}

void
plan_keep (Plan *plan, const char *numbers)
{
  g_auto (GStrv) wanted = g_strsplit (numbers, ",", -1);
  guint n = 0;

  for (guint i = 0; i < plan->n_ops; i++) {
    g_autofree char *number = g_strdup_printf ("%u", plan->ops[i].number);

    if (g_strv_contains ((const char *const *) wanted, number))
      plan->ops[n++] = plan->ops[i];
  }
  plan->n_ops = n;
}

void
plan_drop (Plan *plan, const char *names)
{
  g_auto (GStrv) dropped = g_strsplit (names, ",", -1);
  guint n = 0;

  for (guint i = 0; i < plan->n_ops; i++)
    if (!g_strv_contains (
            (const char *const *) dropped, op_names[plan->ops[i].kind]))
      plan->ops[n++] = plan->ops[i];
  plan->n_ops = n;
}

char *
plan_numbers (const Plan *plan)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < plan->n_ops; i++)
    g_string_append_printf (
        text, "%s%u", i > 0 ? "," : "", plan->ops[i].number);
  return g_string_free (text, FALSE);
}

/* --- simpler settings --- */

static void
one_stream (PlanConfig *c)
{
  c->n_streams = 1;
}

static void
one_element (PlanConfig *c)
{
  c->row = FALSE;
}

static void
no_batch (PlanConfig *c)
{
  c->batch_size = 1;
}

static void
no_delay (PlanConfig *c)
{
  c->delay_us = c->jitter_us = 0;
}

static void
fast_sink (PlanConfig *c)
{
  c->sink_us = 0;
}

static void
one_request (PlanConfig *c)
{
  c->nireq = 1;
}

static void
no_overlap (PlanConfig *c)
{
  c->hop_ms = 0;
}

static void
no_context (PlanConfig *c)
{
  c->context = 0;
  fit_length (c);
}

/* Simpler, if it is inferfilter alone that fails. */
static void
no_chain (PlanConfig *c)
{
  c->chained = FALSE;
}

static void
no_media (PlanConfig *c)
{
  if (c->chained)
    return;
  c->media = FALSE;
  c->latency = 0;
}

static void
no_state (PlanConfig *c)
{
  c->stateful = FALSE;
}

static void
no_tail (PlanConfig *c)
{
  c->tail = 1;
}

static void
every_reset (PlanConfig *c)
{
  c->reset = 0x1f;
}

static const struct
{
  const char *name;
  void (*apply) (PlanConfig *config);
} simplers[] = {
  { "streams", one_stream },
  { "row", one_element },
  { "batch", no_batch },
  { "delay", no_delay },
  { "sink", fast_sink },
  { "nireq", one_request },
  { "hop", no_overlap },
  { "chain", no_chain },
  { "context", no_context },
  { "media", no_media },
  { "state", no_state },
  { "tail", no_tail },
  { "reset", every_reset },
};
G_STATIC_ASSERT (G_N_ELEMENTS (simplers) == PLAN_N_SIMPLER);

gboolean
plan_simplify (Plan *plan, guint which)
{
  PlanConfig before = plan->config;

  simplers[which].apply (&plan->config);
  plan->simplified |= 1u << which;
  for (guint i = 0; i < plan->n_ops; i++)
    plan->ops[i].stream %= plan->config.n_streams;
  return memcmp (&before, &plan->config, sizeof before) != 0;
}

void
plan_simplify_all (Plan *plan, const char *names)
{
  g_auto (GStrv) wanted = g_strsplit (names, ",", -1);

  for (guint i = 0; i < PLAN_N_SIMPLER; i++)
    if (g_strv_contains ((const char *const *) wanted, simplers[i].name))
      plan_simplify (plan, i);
}

char *
plan_simplified (const Plan *plan)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < PLAN_N_SIMPLER; i++)
    if ((plan->simplified & 1u << i) != 0)
      g_string_append_printf (
          text, "%s%s", text->len > 0 ? "," : "", simplers[i].name);
  return g_string_free (text, FALSE);
}

const char *
plan_op_name (const PlanOp *op)
{
  return op_names[op->kind];
}

char *
plan_to_string (const Plan *plan)
{
  static const char *const kinds[] = { "audio", "dynamic", "rows", "tensors" };
  static const char *const tails[] = { "pad", "drop", "run" };
  const PlanConfig *c = &plan->config;
  GString *text = g_string_new (NULL);

  g_string_append_printf (text,
      "%s%s on %s, %s, rate %u, length %u of %u, window %u ms, hop %u ms, "
      "context %u, latency %u, "
      "nireq %u, tail %s, reset 0x%x, max-gap %" G_GUINT64_FORMAT
      ", device %u+%u us, downstream %u us, batch %u for %d ms, "
      "%u streams%s%s\n",
      kinds[c->kind], c->media ? " to audio" : "", c->device,
      c->stateful ? "stateful" : "stateless", c->rate, c->length, c->multiple,
      c->window_ms, c->hop_ms, c->context, c->latency, c->nireq, tails[c->tail],
      c->reset, c->max_gap, c->delay_us, c->jitter_us, c->sink_us,
      c->batch_size, c->batch_timeout, c->n_streams,
      c->row       ? ", two elements"
      : c->chained ? ", in a row: "
                   : "",
      c->chained ? chain_name (c->chain) : "");
  for (guint i = 0; i < plan->n_ops; i++)
    g_string_append_printf (text, "  %u %s (%u, %u, %u) values %u stream %u\n",
        plan->ops[i].number, plan_op_name (&plan->ops[i]), plan->ops[i].a,
        plan->ops[i].b, plan->ops[i].c, plan->ops[i].seed, plan->ops[i].stream);
  return g_string_free (text, FALSE);
}
