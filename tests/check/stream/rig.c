/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/rig.h"

#include "tests/check/stream/models.h"
#include "tests/check/stream/rig-private.h"
#include "tests/check/support/fake-backend.h"

#define PATIENCE_US (5 * G_USEC_PER_SEC)

static void
start_fake (const PlanConfig *c)
{
  FakeSettings *fake = fake_reset ();

  fake->delay_us[INFER_STAGE_START] = c->delay_us;
  fake->jitter_us = c->jitter_us;
  fake->fail_value = ORACLE_FAIL_VALUE;
}

void
rig_open (Rig *rig, const Plan *plan, guint stream)
{
  *rig = (Rig){ .plan = plan, .stream = stream };
  g_mutex_init (&rig->lock);
  g_cond_init (&rig->cond);
  rig->seen = g_ptr_array_new_with_free_func ((GDestroyNotify) log_entry_free);
  rig->bus = gst_bus_new ();
  rig->n_elements = chain_new (&plan->config, rig->elements, &rig->filter);
  for (guint i = 0; i < rig->n_elements; i++) {
    gst_element_set_bus (rig->elements[i], rig->bus);
    if (i > 0)
      gst_element_link_pads_full (rig->elements[i - 1], "src", rig->elements[i],
          "sink", GST_PAD_LINK_CHECK_NOTHING);
  }
  rig_new_source (rig);
  rig_new_sink (rig);
}

gboolean
rig_set_state (Rig *rig, GstState state)
{
  for (guint i = rig->n_elements; i-- > 0;)
    if (gst_element_set_state (rig->elements[i], state)
        == GST_STATE_CHANGE_FAILURE)
      return FALSE;
  return TRUE;
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

/* Keeps the first failure. */
static void
add_failure (char **wrong, char *other)
{
  if (*wrong == NULL)
    *wrong = other;
  else
    g_free (other);
}

void
rig_close (Rig *rig)
{
  gboolean leaks = FALSE;

  rig_block (rig, FALSE);
  rig_set_state (rig, GST_STATE_NULL);
  rig_remove_pad (rig->src, TRUE);
  rig_remove_pad (rig->sink, FALSE);
  for (guint i = 1; i < rig->n_elements; i++)
    gst_element_unlink (rig->elements[i - 1], rig->elements[i]);
  gst_bus_set_flushing (rig->bus, TRUE);
  gst_object_unref (rig->bus);
  for (guint i = 0; i < rig->n_elements; i++)
    leaks |= end_element (rig->elements[i]);
  if (leaks)
    add_failure (&rig->wrong, g_strdup ("an element leaks"));
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
  for (guint i = 0; i < n; i++) {
    rig_open (&rigs[i], plan, i);
    rigs[i].oracle = oracle_new (&plan->config);
  }
  for (guint i = 1; i < n; i++)
    threads[i] = g_thread_new ("stream", run_stream, &rigs[i]);
  run_stream (&rigs[0]);
  for (guint i = 1; i < n; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < n; i++) {
    rig_close (&rigs[i]);
    oracle_free (rigs[i].oracle);
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
