/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/passes/trace.h"

struct _CpuTrace
{
  GPtrArray *ids;    /* (element-type guint) in the order of the steps */
  GHashTable *steps; /* id of a step → its text */
  guint n_values;
};

/* --- text --- */

static void
append_value (GString *text, const CpuPlanValue *value)
{
  static const char *const places[] = { " constant", "", " input", " result",
    " state", " set at run time", " own memory" };
  const CpuValue *v = &value->v;
  g_autofree char *shape = infer_shape_to_string (&v->desc.shape);

  g_string_append_printf (text, "%s%s", infer_type_name (v->desc.type), shape);
  if (v->form.layout == CPU_LAYOUT_NSPC)
    g_string_append (text, " nspc");
  if (v->form.quant != NULL)
    g_string_append (text, " quantised");
  if (v->form.f16 != NULL)
    g_string_append (text, v->form.f16->bf16 ? " as bf16" : " as f16");
  g_string_append (text, places[value->root->place]);
  if (value->root->offset + value->at > 0)
    g_string_append_printf (
        text, " +%" G_GSIZE_FORMAT, value->root->offset + value->at);
}

static void
append_values (GString *text, CpuValue *const *values, guint n)
{
  for (guint i = 0; i < n; i++) {
    if (i > 0)
      g_string_append (text, ", ");
    if (values[i] != NULL)
      append_value (text, cpu_plan_value (values[i]));
    else
      g_string_append_c (text, '-');
  }
}

static char *
describe (const CpuPlanStep *step)
{
  const CpuStep *s = &step->s;
  GString *text = g_string_new (NULL);

  if (s->op != NULL)
    g_string_append_printf (text, "%s %s", s->op->klass->type, s->op->name);
  else
    g_string_append (text, "conversion");
  for (guint i = 0; i < s->n_posts; i++)
    g_string_append_printf (text, " + %s", s->posts[i].op->klass->type);
  if (s->quantizer != NULL)
    g_string_append_printf (text, " + %s", s->quantizer->klass->type);
  for (guint i = 0; step->fused != NULL && i < step->fused->len; i++) {
    const CpuPlanStep *producer = step->fused->pdata[i];

    g_string_append_printf (text, " runs %s", producer->s.op->name);
  }
  g_string_append_printf (
      text, " (%s): ", s->lazy ? "when it runs" : s->kernel);
  append_values (text, s->in, s->n_in);
  g_string_append (text, " -> ");
  append_values (text, s->out, s->n_out);
  if (s->n_out == 1 && s->n_in > 0 && s->in[0] != NULL
      && cpu_plan_step_out (step, 0)->root == cpu_plan_step_in (step, 0)->root
      && cpu_plan_step_out (step, 0)->at == cpu_plan_step_in (step, 0)->at)
    g_string_append (text, " in place");
  return g_string_free (text, FALSE);
}

/* --- comparing --- */

static void
take (CpuTrace *trace, const CpuPlan *plan)
{
  trace->ids = g_ptr_array_new ();
  trace->steps = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  trace->n_values = 0;
  for (const CpuPlanStep *step = plan->first; step != NULL; step = step->next) {
    gpointer id = GUINT_TO_POINTER (step->id);

    g_ptr_array_add (trace->ids, id);
    g_hash_table_insert (trace->steps, id, describe (step));
  }
  for (guint i = 0; i < plan->values->len; i++) {
    const CpuPlanValue *value = plan->values->pdata[i];

    trace->n_values += value->maker != NULL || value->n_uses > 0;
  }
}

static void
drop (CpuTrace *trace)
{
  g_ptr_array_unref (trace->ids);
  g_hash_table_unref (trace->steps);
}

CpuTrace *
cpu_trace_new (const CpuPlan *plan)
{
  CpuTrace *trace = g_new0 (CpuTrace, 1);

  take (trace, plan);
  return trace;
}

void
cpu_trace_free (CpuTrace *trace)
{
  if (trace == NULL)
    return;
  drop (trace);
  g_free (trace);
}

char *
cpu_trace_changes (CpuTrace *trace, const CpuPlan *plan, const char *name)
{
  CpuTrace before = *trace;
  GString *text = g_string_new (NULL);

  take (trace, plan);
  g_string_append_printf (text, "%-22s %4u -> %4u steps %4u -> %4u values\n",
      name, before.ids->len, trace->ids->len, before.n_values, trace->n_values);
  for (guint i = 0; i < before.ids->len; i++)
    if (!g_hash_table_contains (trace->steps, before.ids->pdata[i]))
      g_string_append_printf (text, "  - %s\n",
          (char *) g_hash_table_lookup (before.steps, before.ids->pdata[i]));
  for (guint i = 0; i < trace->ids->len; i++) {
    const char *now = g_hash_table_lookup (trace->steps, trace->ids->pdata[i]);
    const char *was = g_hash_table_lookup (before.steps, trace->ids->pdata[i]);

    if (was == NULL)
      g_string_append_printf (text, "  + %s\n", now);
    else if (g_strcmp0 (was, now) != 0)
      g_string_append_printf (text, "  ~ %s\n", now);
  }
  drop (&before);
  return g_string_free (text, FALSE);
}
