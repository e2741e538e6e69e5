/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Another thread acts while the stream flows.  Where several outcomes are
 * valid (how much was computed before a flush, lost while nothing was linked,
 * or seen by the old model), the oracle knows them all or goes on from a mark
 * that resets the states (rig_resync): what came before is then not compared.
 */

#include "tests/check/stream/rig-private.h"

#define MAX_PUSHES 200 /* until the element notices that it is not linked */

typedef struct
{
  Rig *rig;
  const PlanOp *op;
  void (*act) (Rig *rig, const PlanOp *op);
  gint ready, go; /* atomic */
} Interruption;

/* Sleeping takes longer than what is to be interrupted. */
static void
spin (guint us)
{
  gint64 until = g_get_monotonic_time () + us;

  while (g_get_monotonic_time () < until)
    ;
}

static gpointer
interrupt (gpointer data)
{
  Interruption *i = data;

  g_atomic_int_set (&i->ready, TRUE);
  while (!g_atomic_int_get (&i->go))
    g_thread_yield ();
  spin (i->op->b);
  i->act (i->rig, i->op);
  return NULL;
}

static GThread *
interruption_begin (Interruption *i)
{
  GThread *thread = g_thread_new ("interrupt", interrupt, i);

  while (!g_atomic_int_get (&i->ready))
    g_thread_yield ();
  g_atomic_int_set (&i->go, TRUE);
  return thread;
}

/* --- what the other thread does --- */

static void
flush (Rig *rig, const PlanOp *op)
{
  gst_pad_push_event (rig->src, gst_event_new_flush_start ());
}

/* As a bin does it, the sink comes first: an element that is stopped while it
 * sends its sticky events to a new sink, which takes buffers still, would push
 * a buffer without a segment (GStreamer clears the events meanwhile). */
static void
stop (Rig *rig, const PlanOp *op)
{
  rig_block (rig, FALSE);
  gst_pad_set_active (rig->sink, FALSE);
  rig_set_state (rig, op->c % 2 ? GST_STATE_NULL : GST_STATE_READY);
  gst_pad_set_active (rig->sink, TRUE);
}

static void
unblock (Rig *rig, const PlanOp *op)
{
  rig_block (rig, FALSE);
}

static void
pause_and_play (Rig *rig, const PlanOp *op)
{
  for (guint i = 0; i <= op->c % 4; i++) {
    gst_element_set_state (rig->filter, GST_STATE_PAUSED);
    gst_element_set_state (rig->filter, GST_STATE_PLAYING);
  }
}

/* Settings that count from the next start on, and are set back until then;
 * values that are read while others write them. */
static void
set_properties (Rig *rig, const PlanOp *op)
{
  const PlanConfig *c = &rig->plan->config;
  GObject *filter = G_OBJECT (rig->filter);

  for (guint i = 0; i <= op->c % 8; i++) {
    g_autoptr (GstStructure) stats = NULL;
    g_auto (GStrv) names = NULL;
    g_autofree char *model = NULL;
    guint64 delay;

    g_object_set (filter, "nireq", c->nireq + 1, "window", c->window_ms + 1,
        "hop", c->hop_ms + 1, "tail", (c->tail + 1) % 3, "state-reset", 0,
        "max-gap", G_GUINT64_CONSTANT (1), "qos", TRUE, NULL);
    g_object_get (filter, "stats", &stats, "state-names", &names, "model",
        &model, "max-observed-delay", &delay, NULL);
    g_object_set (filter, "nireq", c->nireq, "window", c->window_ms, "hop",
        c->hop_ms, "tail", c->tail, "state-reset", c->reset, "max-gap",
        c->max_gap, "qos", FALSE, NULL);
  }
}

static void
set_model (Rig *rig, const PlanOp *op)
{
  rig_set_model_again (rig);
  if (op->c % 2)
    gst_pad_push_event (rig->src, gst_event_new_flush_start ());
}

/* --- buffers meanwhile --- */

static GstFlowReturn
push_some (Rig *rig, const PlanOp *op)
{
  GstFlowReturn flow = GST_FLOW_OK;
  PlanOp part = *op;

  for (guint k = 0; k < op->a && flow == GST_FLOW_OK; k++) {
    part.seed++;
    flow =
        rig_push (rig, &part, part.seed % (2 * rig->plan->config.length), 0, 0);
  }
  return flow;
}

static char *
push_while (
    Rig *rig, const PlanOp *op, void (*act) (Rig *rig, const PlanOp *op))
{
  Interruption i = { .rig = rig, .op = op, .act = act };
  GThread *thread = interruption_begin (&i);
  GstFlowReturn flow = push_some (rig, op);

  g_thread_join (thread);
  rig->n_events++;
  /* An event that meets an element whose source pad is inactive already, and
   * its sink pad not yet, is refused: GStreamer makes that an error. */
  if (flow == GST_FLOW_ERROR && rig->plan->config.chained && act == stop)
    flow = GST_FLOW_FLUSHING;
  if (flow != GST_FLOW_OK && flow != GST_FLOW_FLUSHING)
    return g_strdup_printf ("push: %s", gst_flow_get_name (flow));
  return NULL;
}

/* Of two failures, the first. */
static char *
first (char *wrong, char *more)
{
  if (wrong == NULL)
    return more;
  g_free (more);
  return wrong;
}

/* --- operations --- */

static char *
do_flush_during (Rig *rig, const PlanOp *op)
{
  char *wrong = push_while (rig, op, flush);

  return first (wrong, rig_after_flush (rig, op));
}

static char *
do_state_during (Rig *rig, const PlanOp *op)
{
  char *wrong = push_while (rig, op, stop);

  return first (wrong, rig_again (rig));
}

/* Other caps, segments and buffers while a flush comes. */
static char *
do_caps_during (Rig *rig, const PlanOp *op)
{
  Interruption i = { .rig = rig, .op = op, .act = flush };
  PlanOp part = *op;

  part.a = op->c % 4;
  if (op->a % 4 > 0)
    rig->other_format = !rig->other_format;
  GThread *thread = interruption_begin (&i);
  /* Where the flush comes first, these drain no unit of reverse playback. */
  oracle_refused (rig->oracle);
  rig_send_caps (rig);
  if (op->a % 3 > 0)
    rig_send_segment (rig);
  push_some (rig, &part);
  g_thread_join (thread);
  gst_pad_push_event (rig->src, gst_event_new_flush_stop (op->c % 2));
  char *wrong = rig_check_seen (rig, TRUE);
  oracle_cut (rig->oracle, FALSE);
  /* The element may see the caps after the flush. */
  oracle_allow_reset (rig->oracle);
  rig_resend_caps (rig);
  rig_new_segment (rig, op->seed % 3 * GST_SECOND);
  rig_limit_states (rig);
  return wrong;
}

/* Downstream takes nothing for a while, or until a flush or stop. */
static char *
do_blocked (Rig *rig, const PlanOp *op)
{
  rig_block (rig, TRUE);
  switch (op->c % 8) {
    case 0:
    case 1:
      return do_flush_during (rig, op);
    case 2:
    case 3:
      return do_state_during (rig, op);
    default:
      return push_while (rig, op, unblock);
  }
}

static char *
do_pause_during (Rig *rig, const PlanOp *op)
{
  return push_while (rig, op, pause_and_play);
}

static char *
do_set_during (Rig *rig, const PlanOp *op)
{
  return push_while (rig, op, set_properties);
}

/* FALSE: the element does not notice that nothing is linked. */
static gboolean
push_until_unlinked (Rig *rig, const PlanOp *op)
{
  PlanOp part = *op;
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < MAX_PUSHES && flow == GST_FLOW_OK; i++) {
    part.seed++;
    flow = rig_push (rig, &part, rig->plan->config.length, 0, 0);
    if (flow == GST_FLOW_OK)
      g_thread_yield ();
  }
  return flow == GST_FLOW_NOT_LINKED;
}

/* Events of a source whose peer is unlinked. */
static void
change_unlinked (Rig *rig, const PlanOp *op)
{
  if (op->c & 1) {
    rig->other_format = !rig->other_format;
    rig_send_caps (rig);
  }
  if (op->c & 2)
    rig_new_segment (rig, op->b * GST_SECOND);
  if (op->c & 4) {
    g_autofree char *title = g_strdup_printf ("%u", ++rig->n_tags);

    rig->tagged = TRUE;
    rig_send (
        rig, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, title, NULL)));
  }
}

static char *
do_unlinked (Rig *rig, const PlanOp *op)
{
  rig_push (rig, op, 1, 0, 0); /* another model that waits is used now */
  char *wrong = rig_drain (rig);

  /* In reverse, the element collects buffers before it runs them. */
  if (wrong != NULL || oracle_has_failed (rig->oracle)
      || !oracle_has_inferred (rig->oracle) || rig->segment.rate < 0)
    return wrong;
  rig_remove_pad (rig->sink, FALSE);
  if (op->c & 8)
    change_unlinked (rig, op);
  /* GAP events in place of buffers do not tell. */
  if (!push_until_unlinked (rig, op) && !rig->plan->config.chained)
    wrong = g_strdup ("no NOT_LINKED came back");
  if (!(op->c & 8))
    change_unlinked (rig, op);
  rig_new_sink (rig);
  return first (wrong, rig_resync (rig));
}

/* `model` is set while buffers come, perhaps with a flush behind it. */
static char *
do_swap_during (Rig *rig, const PlanOp *op)
{
  char *wrong = rig_drain (rig);

  if (wrong != NULL || oracle_has_failed (rig->oracle)
      || !oracle_has_inferred (rig->oracle))
    return wrong;
  rig_forget_progress (rig);
  wrong = push_while (rig, op, set_model);
  if (op->c % 2) {
    gst_pad_push_event (rig->src, gst_event_new_flush_stop (TRUE));
    rig_send_segment (rig);
  }
  wrong = first (wrong, rig_await_loaded (rig));
  rig_push (rig, op, 1, 0, 0); /* the model changes before it */

  return first (wrong, rig_resync (rig));
}

RigOperation
rig_race (PlanOpKind kind)
{
  switch (kind) {
    case PLAN_FLUSH_DURING:
      return do_flush_during;
    case PLAN_STATE_DURING:
      return do_state_during;
    case PLAN_CAPS_DURING:
      return do_caps_during;
    case PLAN_BLOCKED:
      return do_blocked;
    case PLAN_UNLINKED:
      return do_unlinked;
    case PLAN_PAUSE_DURING:
      return do_pause_during;
    case PLAN_SET_DURING:
      return do_set_during;
    case PLAN_SWAP_DURING:
      return do_swap_during;
    default:
      return NULL;
  }
}
