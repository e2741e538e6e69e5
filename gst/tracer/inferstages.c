/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:tracer-inferstages
 * @short_description: when buffers enter and leave inferfilter and
 * infertranscriber
 *
 * Writes a span for each buffer that an inferfilter or infertranscriber
 * receives
 * (`<element>_Req<n>_Chain`) and pushes (`…_Push`) to the file to which the
 * runtime writes the stages of its requests; chrome://tracing and Perfetto open
 * it.
 *
 * |[
 * GST_TRACERS="inferstages(file=trace.json)" gst-launch-1.0 \
 *     filesrc location=call.wav ! wavparse ! audioconvert ! audioresample ! \
 *     inferfilter model=digits-wave.xml ! inferdecoder ! fdsink
 * ]|
 *
 * Where INFER_TRACE names a file, that one is used.
 */

/* Tracers are not yet stable API. */
#define GST_USE_UNSTABLE_API
#include "gst/tracer/inferstages.h"

#include <gst/gsttracer.h>
#include <stdlib.h>

#include "gst/filter/gstinferfilter.h"
#include "gst/speech/gstinfertranscriber.h"
#include "infer/trace.h"

#define DEFAULT_FILE "inferstages.json"
#define MAX_DEPTH 64

GST_DEBUG_CATEGORY_STATIC (infer_stages_debug);
#define GST_CAT_DEFAULT infer_stages_debug

typedef struct
{
  GstTracer parent;
} GstInferStages;

typedef struct
{
  GstTracerClass parent_class;
} GstInferStagesClass;

static GType gst_infer_stages_get_type (void);
G_DEFINE_TYPE (GstInferStages, gst_infer_stages, GST_TYPE_TRACER)

/* The pushes that a thread is in, one inside the other. */
typedef struct
{
  guint depth;
  guint64 begin[MAX_DEPTH]; /* ns */
} Pushes;

static GPrivate pushes_key = G_PRIVATE_INIT (g_free);

static Pushes *
get_pushes (void)
{
  Pushes *pushes = g_private_get (&pushes_key);

  if (pushes == NULL) {
    pushes = g_new0 (Pushes, 1);
    g_private_set (&pushes_key, pushes);
  }
  return pushes;
}

/* Returns the element that @pad belongs to if it is one that is watched, or
 * NULL.  (transfer full) */
static GstElement *
find_element (GstPad *pad)
{
  g_autoptr (GstElement) parent =
      pad != NULL ? gst_pad_get_parent_element (pad) : NULL;

  return parent != NULL
                 && (G_TYPE_CHECK_INSTANCE_TYPE (parent, GST_TYPE_INFER_FILTER)
                     || G_TYPE_CHECK_INSTANCE_TYPE (
                         parent, GST_TYPE_INFER_TRANSCRIBER))
             ? g_steal_pointer (&parent)
             : NULL;
}

/* From @begin until now; numbered in the process. */
static void
write_span (GstElement *element, const char *name, guint64 begin)
{
  static gint number;
  const char *label = g_intern_string (GST_OBJECT_NAME (element));

  infer_trace_add (label, (guint) g_atomic_int_add (&number, 1), name, begin,
      gst_util_get_timestamp ());
}

static void
push_pre (GObject *self, GstClockTime ts, GstPad *pad)
{
  Pushes *pushes = get_pushes ();

  if (pushes->depth < MAX_DEPTH)
    pushes->begin[pushes->depth] = gst_util_get_timestamp ();
  pushes->depth++;
}

static void
push_post (GObject *self, GstClockTime ts, GstPad *pad)
{
  Pushes *pushes = get_pushes ();
  /* The pad may have been unlinked meanwhile. */
  g_autoptr (GstPad) peer = gst_pad_get_peer (pad);
  g_autoptr (GstElement) receiver = find_element (peer);
  g_autoptr (GstElement) sender = find_element (pad);

  if (pushes->depth == 0 || --pushes->depth >= MAX_DEPTH)
    return;
  if (receiver != NULL)
    write_span (receiver, "Chain", pushes->begin[pushes->depth]);
  if (sender != NULL)
    write_span (sender, "Push", pushes->begin[pushes->depth]);
}

static void
start (GstInferStages *self)
{
  g_autofree char *params = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GstStructure) s = NULL;
  g_autoptr (GError) error = NULL;
  const char *file = NULL;

  g_object_get (self, "params", &params, NULL);
  if (params != NULL) {
    text = g_strdup_printf ("inferstages,%s", params);
    s = gst_structure_from_string (text, NULL);
  }
  if (s != NULL)
    file = gst_structure_get_string (s, "file");
  if (infer_trace_acquire (file != NULL ? file : DEFAULT_FILE, &error))
    atexit (infer_trace_release);
  else
    GST_ERROR_OBJECT (self, "%s", error->message);
}

static void
constructed (GObject *object)
{
  GstTracer *tracer = GST_TRACER (object);

  G_OBJECT_CLASS (gst_infer_stages_parent_class)->constructed (object);
  start ((GstInferStages *) object);
  gst_tracing_register_hook (tracer, "pad-push-pre", G_CALLBACK (push_pre));
  gst_tracing_register_hook (tracer, "pad-push-post", G_CALLBACK (push_post));
  gst_tracing_register_hook (
      tracer, "pad-push-list-pre", G_CALLBACK (push_pre));
  gst_tracing_register_hook (
      tracer, "pad-push-list-post", G_CALLBACK (push_post));
}

static void
gst_infer_stages_class_init (GstInferStagesClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = constructed;
}

static void
gst_infer_stages_init (GstInferStages *self)
{
}

gboolean
gst_infer_stages_register (GstPlugin *plugin)
{
  GST_DEBUG_CATEGORY_INIT (
      infer_stages_debug, "inferstages", 0, "inferstages tracer");
  return gst_tracer_register (
      plugin, "inferstages", gst_infer_stages_get_type ());
}
