/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/plan.h"

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
    c->length = MAX ((c->window_ms * 2 + c->multiple) / (2 * c->multiple), 1)
                * c->multiple;
  }
  c->hop_ms = pick (random, 2) * pick (random, c->length * 1000 / c->rate + 1);
  if (c->kind == PLAN_TENSORS)
    c->length = c->multiple = 3;
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
  op->a = pick (random, 64);
  op->b = pick (random, 64);
  op->c = pick (random, 64);
  op->seed = g_rand_int (random);
  switch (op->kind) {
    case PLAN_BUFFER: /* rows, flags, timestamp error */
      op->a = pick (random, 3 * config->length + 2);
      op->b = pick (random, 5) ? 0 : 1u << pick (random, 3);
      op->c = pick (random, 8) ? 0 : 1 + pick (random, 4);
      break;
    case PLAN_FLUSH_DURING:
    case PLAN_STATE_DURING: /* buffers, delay in µs */
      op->a = 1 + pick (random, 20);
      op->b = pick (random, 400);
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

char *
plan_to_string (const Plan *plan)
{
  static const char *const kinds[] = { "audio", "dynamic", "rows", "tensors" };
  static const char *const tails[] = { "pad", "drop", "run" };
  const PlanConfig *c = &plan->config;
  GString *text = g_string_new (NULL);

  g_string_append_printf (text,
      "%s on %s, %s, rate %u, length %u of %u, window %u ms, hop %u ms, "
      "nireq %u, tail %s, reset 0x%x, max-gap %" G_GUINT64_FORMAT
      ", device %u+%u us, downstream %u us, batch %u\n",
      kinds[c->kind], c->device, c->stateful ? "stateful" : "stateless",
      c->rate, c->length, c->multiple, c->window_ms, c->hop_ms, c->nireq,
      tails[c->tail], c->reset, c->max_gap, c->delay_us, c->jitter_us,
      c->sink_us, c->batch_size);
  for (guint i = 0; i < plan->n_ops; i++)
    g_string_append_printf (text, "  %u %s (%u, %u, %u) values %u\n",
        plan->ops[i].number, op_names[plan->ops[i].kind], plan->ops[i].a,
        plan->ops[i].b, plan->ops[i].c, plan->ops[i].seed);
  return g_string_free (text, FALSE);
}
