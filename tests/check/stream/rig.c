/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/rig.h"

#include "gst/filter/gstinferfilter.h"
#include "tests/check/stream/models.h"
#include "tests/check/stream/rig-private.h"
#include "tests/check/support/fake-backend.h"

#define PATIENCE_US (5 * G_USEC_PER_SEC)

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
start_fake (const PlanConfig *c)
{
  FakeSettings *fake = fake_reset ();

  fake->delay_us[INFER_STAGE_START] = c->delay_us;
  fake->jitter_us = c->jitter_us;
  fake->fail_value = ORACLE_FAIL_VALUE;
}

static GstElement *
new_filter (const PlanConfig *c)
{
  g_autofree char *path = model_path (c);
  GstElement *filter = g_object_ref_sink (
      g_object_new (GST_TYPE_INFER_FILTER, "model", path, "device", c->device,
          "nireq", c->nireq, "window", c->window_ms, "hop", c->hop_ms, "tail",
          c->tail, "state-reset", c->reset, "max-gap", c->max_gap, "batch-size",
          c->batch_size, "batch-timeout", c->batch_timeout, NULL));

  gst_util_set_object_arg (G_OBJECT (filter), "output", "tensors");
  return filter;
}

/* Its output is its input, tensor for tensor. */
static GstElement *
new_second (const PlanConfig *c)
{
  g_autofree char *path =
      test_model_path (c->kind == PLAN_TENSORS ? "1,3" : "1,?", FALSE, 0, 1);
  GstElement *filter =
      g_object_ref_sink (g_object_new (GST_TYPE_INFER_FILTER, "model", path,
          "device", c->device, "nireq", c->nireq, "window", 1, NULL));

  gst_util_set_object_arg (G_OBJECT (filter), "output", "tensors");
  return filter;
}

static void
rig_start (Rig *rig, const Plan *plan, guint stream)
{
  const PlanConfig *c = &plan->config;

  *rig = (Rig){ .plan = plan, .stream = stream };
  g_mutex_init (&rig->lock);
  g_cond_init (&rig->cond);
  rig->seen = g_ptr_array_new_with_free_func ((GDestroyNotify) log_entry_free);
  rig->oracle = oracle_new (c);
  rig->bus = gst_bus_new ();
  rig->filter = new_filter (c);
  gst_element_set_bus (rig->filter, rig->bus);
  if (c->row) {
    rig->second = new_second (c);
    gst_element_set_bus (rig->second, rig->bus);
    gst_element_link_pads_full (
        rig->filter, "src", rig->second, "sink", GST_PAD_LINK_CHECK_NOTHING);
  }
  rig_new_source (rig);
  rig_new_sink (rig);
}

gboolean
rig_set_state (Rig *rig, GstState state)
{
  return (rig->second == NULL
             || gst_element_set_state (rig->second, state)
                    != GST_STATE_CHANGE_FAILURE)
         && gst_element_set_state (rig->filter, state)
                != GST_STATE_CHANGE_FAILURE;
}

static void
note_gone (gpointer gone, GObject *object)
{
  g_atomic_int_set ((gint *) gone, TRUE);
}

/* TRUE: it had a reference too many.  The thread that loads another model may
 * be the last to have one. */
static gboolean
end_element (GstElement *element)
{
  gint64 until = g_get_monotonic_time () + PATIENCE_US;
  gint gone;

  if (element == NULL)
    return FALSE;
  g_atomic_int_set (&gone, FALSE);
  g_object_weak_ref (G_OBJECT (element), note_gone, &gone);
  gst_object_unref (element);
  while (!g_atomic_int_get (&gone)) {
    if (g_get_monotonic_time () > until) {
      g_object_weak_unref (G_OBJECT (element), note_gone, &gone);
      return TRUE;
    }
    g_usleep (100);
  }
  return FALSE;
}

static void
unlink_elements (Rig *rig)
{
  if (rig->second != NULL)
    gst_element_unlink (rig->filter, rig->second);
}

/* Keeps the first failure. */
static void
add_failure (char **wrong, char *other)
{
  if (*wrong == NULL)
    *wrong = other;
  else
    g_free (other);
}

static void
rig_stop (Rig *rig)
{
  rig_block (rig, FALSE);
  rig_set_state (rig, GST_STATE_NULL);
  rig_remove_pad (rig->src, TRUE);
  rig_remove_pad (rig->sink, FALSE);
  unlink_elements (rig);
  gst_bus_set_flushing (rig->bus, TRUE);
  gst_object_unref (rig->bus);
  gboolean leaks = end_element (rig->second);
  leaks |= end_element (rig->filter);
  if (leaks)
    add_failure (&rig->wrong, g_strdup ("the element leaks"));
  oracle_free (rig->oracle);
  g_ptr_array_unref (rig->seen);
  g_mutex_clear (&rig->lock);
  g_cond_clear (&rig->cond);
}

static char *
run_operations (Rig *rig)
{
  const Plan *plan = rig->plan;
  char *wrong = NULL;
  guint i;

  rig_begin (rig);
  for (i = 0; i < plan->n_ops && wrong == NULL; i++) {
    if (plan->ops[i].stream != rig->stream)
      continue;
    wrong = rig_do (rig, &plan->ops[i]);
    if (wrong == NULL && oracle_has_failed (rig->oracle))
      wrong = rig_recover (rig);
  }
  if (wrong == NULL) {
    rig_send (rig, gst_event_new_eos ());
    oracle_eos (rig->oracle);
    wrong = rig_await_eos (rig);
    if (wrong == NULL && !oracle_has_failed (rig->oracle))
      wrong = rig_check_messages (rig, FALSE);
    i++;
  }
  if (wrong != NULL) {
    g_autofree char *inner = wrong;
    const char *at =
        i <= plan->n_ops ? plan_op_name (&plan->ops[i - 1]) : "end";

    wrong = g_strdup_printf (
        "stream %u, operation %u (%s): %s", rig->stream, i, at, inner);
  }
  return wrong;
}

static gpointer
run_stream (gpointer data)
{
  Rig *rig = data;

  if (rig_set_state (rig, GST_STATE_PLAYING)) {
    rig->wrong = run_operations (rig);
  } else {
    g_autofree char *why = rig_check_messages (rig, FALSE);

    rig->wrong = g_strdup_printf ("does not start: %s", why);
  }
  return NULL;
}

char *
rig_run (const Plan *plan, guint64 *events)
{
  guint n = plan->config.n_streams;
  Rig rigs[PLAN_MAX_STREAMS];
  GThread *threads[PLAN_MAX_STREAMS] = { NULL };
  char *wrong = NULL;

  start_fake (&plan->config);
  for (guint i = 0; i < n; i++)
    rig_start (&rigs[i], plan, i);
  for (guint i = 1; i < n; i++)
    threads[i] = g_thread_new ("stream", run_stream, &rigs[i]);
  run_stream (&rigs[0]);
  for (guint i = 1; i < n; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < n; i++) {
    rig_stop (&rigs[i]);
    *events += rigs[i].n_events;
    if (rigs[i].wrong != NULL)
      add_failure (&wrong, rigs[i].wrong);
  }
  gint64 until = g_get_monotonic_time () + PATIENCE_US;
  while (fake_n_objects () != 0 && g_get_monotonic_time () < until)
    g_usleep (100);
  if (fake_n_objects () != 0)
    add_failure (&wrong,
        g_strdup_printf ("%d objects of the device leak", fake_n_objects ()));
  return wrong;
}

void
rig_init (void)
{
  infer_backend_add (&fake_cpu);
  infer_backend_add (&fake_device);
  fake_reset ();
  test_models_begin ();
}

void
rig_deinit (void)
{
  test_models_remove ();
}
