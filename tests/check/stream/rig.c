/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/rig.h"

#include "gst/filter/gstinferfilter.h"
#include "tests/check/stream/models.h"
#include "tests/check/stream/rig-private.h"
#include "tests/check/support/fake-backend.h"

static char *
model_path (const PlanConfig *c)
{
  g_autofree char *shape = NULL;
  guint rate = c->kind <= PLAN_DYNAMIC ? c->rate : 0;

  if (c->kind == PLAN_TENSORS)
    shape = g_strdup ("1,3");
  else if (c->kind == PLAN_DYNAMIC)
    shape = g_strdup ("1,?");
  else
    shape =
        g_strdup_printf (c->kind == PLAN_ROWS ? "1,%u,2" : "1,%u", c->length);
  return test_model_path (shape, c->stateful, rate, c->multiple);
}

static void
rig_start (Rig *rig)
{
  const PlanConfig *c = &rig->plan->config;
  g_autofree char *path = model_path (c);
  FakeSettings *fake = fake_reset ();

  fake->delay_us[INFER_STAGE_START] = c->delay_us;
  fake->jitter_us = c->jitter_us;
  fake->fail_value = ORACLE_FAIL_VALUE;
  g_mutex_init (&rig->lock);
  g_cond_init (&rig->cond);
  rig->seen = g_ptr_array_new_with_free_func ((GDestroyNotify) log_entry_free);
  rig->oracle = oracle_new (c);
  rig->bus = gst_bus_new ();
  rig->filter = g_object_ref_sink (
      g_object_new (GST_TYPE_INFER_FILTER, "model", path, "device", c->device,
          "nireq", c->nireq, "window", c->window_ms, "hop", c->hop_ms, "tail",
          c->tail, "state-reset", c->reset, "max-gap", c->max_gap, "batch-size",
          c->batch_size, "batch-timeout", c->batch_size % 2 ? 1 : -1, NULL));
  gst_element_set_bus (rig->filter, rig->bus);
  rig_new_source (rig);
  rig_new_sink (rig);
}

static char *
rig_stop (Rig *rig)
{
  gpointer gone = rig->filter;

  gst_element_set_state (rig->filter, GST_STATE_NULL);
  rig_remove_pad (rig->src, TRUE);
  rig_remove_pad (rig->sink, FALSE);
  gst_bus_set_flushing (rig->bus, TRUE);
  gst_object_unref (rig->bus);
  g_object_add_weak_pointer (G_OBJECT (rig->filter), &gone);
  gst_object_unref (rig->filter);
  oracle_free (rig->oracle);
  g_ptr_array_unref (rig->seen);
  g_mutex_clear (&rig->lock);
  g_cond_clear (&rig->cond);
  if (gone != NULL)
    return g_strdup ("the element leaks");
  if (fake_n_objects () != 0)
    return g_strdup_printf ("%d objects of the device leak", fake_n_objects ());
  return NULL;
}

static char *
run_operations (Rig *rig)
{
  const Plan *plan = rig->plan;
  char *wrong = NULL;
  guint i;

  rig_begin (rig);
  for (i = 0; i < plan->n_ops && wrong == NULL; i++) {
    wrong = rig_do (rig, &plan->ops[i]);
    if (wrong == NULL && oracle_has_failed (rig->oracle))
      wrong = rig_recover (rig);
  }
  if (wrong == NULL) {
    gst_pad_push_event (rig->src, gst_event_new_eos ());
    oracle_eos (rig->oracle);
    wrong = rig_await_eos (rig);
    if (wrong == NULL && !oracle_has_failed (rig->oracle))
      wrong = rig_check_messages (rig, FALSE);
    i++;
  }
  if (wrong != NULL) {
    g_autofree char *inner = wrong;

    wrong = g_strdup_printf ("operation %u: %s", i, inner);
  }
  return wrong;
}

char *
rig_run (const Plan *plan)
{
  Rig rig = { .plan = plan };
  char *wrong = NULL, *leak;

  rig_start (&rig);
  if (gst_element_set_state (rig.filter, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_SUCCESS) {
    wrong = run_operations (&rig);
  } else {
    g_autofree char *why = rig_check_messages (&rig, FALSE);

    wrong = g_strdup_printf ("does not start: %s", why);
  }
  leak = rig_stop (&rig);
  if (wrong == NULL)
    return leak;
  g_free (leak);
  return wrong;
}

void
rig_init (void)
{
  infer_backend_add (&fake_cpu);
  infer_backend_add (&fake_device);
  fake_reset ();
}

void
rig_deinit (void)
{
  test_models_remove ();
}
