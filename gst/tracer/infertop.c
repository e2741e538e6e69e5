/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:tracer-infertop
 * @short_description: lets infer-top see a pipeline
 *
 * Tells the program infer-top what the elements of a process do: frames,
 * times of stages, queues, drops, states.
 *
 * |[
 * GST_TRACERS=infertop gst-launch-1.0 \
 *     filesrc location=call.wav ! wavparse ! audioconvert ! audioresample ! \
 *     inferfilter model=digits-wave.xml ! inferdecoder ! fdsink
 * infer-top
 * ]|
 *
 * It answers on a socket in $XDG_RUNTIME_DIR/infer-top that only the same user
 * can open, and reads properties of elements when it is asked: it hooks the
 * creation of elements, nothing that buffers pass.
 */

/* Tracers are not yet stable API. */
#define GST_USE_UNSTABLE_API
#include "gst/tracer/infertop.h"

#include <gst/gsttracer.h>

#include "gst/tracer/feed.h"
#include "gst/tracer/snapshot.h"

GST_DEBUG_CATEGORY_STATIC (infer_top_debug);
#define GST_CAT_DEFAULT infer_top_debug

/* Elements that are gone are forgotten when as many more were made. */
#define SLACK 64

typedef struct
{
  GstTracer parent;
  GMutex lock;
  GPtrArray *elements; /* (element-type GWeakRef) guarded by the lock */
  guint limit;         /* … of elements until the next look for dead ones */
  gboolean opened;     /* … the feed was, or has failed */
  GstInferFeed *feed;
} GstInferTop;

typedef struct
{
  GstTracerClass parent_class;
} GstInferTopClass;

static GType gst_infer_top_get_type (void);
G_DEFINE_TYPE (GstInferTop, gst_infer_top, GST_TYPE_TRACER)

static void
free_weak (gpointer weak)
{
  g_weak_ref_clear (weak);
  g_free (weak);
}

/* Those that live.  (transfer full) (element-type GstElement) */
static GPtrArray *
take_elements (GstInferTop *self)
{
  GPtrArray *living = g_ptr_array_new_with_free_func (gst_object_unref);

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->elements->len;) {
    GstElement *element = g_weak_ref_get (self->elements->pdata[i]);

    if (element == NULL) {
      g_ptr_array_remove_index (self->elements, i);
      continue;
    }
    g_ptr_array_add (living, element);
    i++;
  }
  self->limit = self->elements->len + SLACK;
  g_mutex_unlock (&self->lock);
  return living;
}

static char *
make_line (gpointer data)
{
  g_autoptr (GPtrArray) elements = take_elements (data);

  return gst_infer_snapshot (elements);
}

/* Not before there is an element: GStreamer's plugin scanner loads tracers,
 * too. */
static void
open_feed (GstInferTop *self)
{
  static gint opened;
  g_autoptr (GError) error = NULL;

  if (!g_atomic_int_compare_and_exchange (&opened, 0, 1))
    return; /* by another tracer of this kind */
  self->feed = gst_infer_feed_new (make_line, self, &error);
  if (self->feed == NULL)
    GST_ERROR_OBJECT (
        self, "infer-top will not see this process: %s", error->message);
}

static void
element_new (GObject *object, GstClockTime ts, GstElement *element)
{
  GstInferTop *self = (GstInferTop *) object;
  GWeakRef *weak = g_new (GWeakRef, 1);

  g_weak_ref_init (weak, element);
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->elements, weak);
  gboolean many = self->elements->len > self->limit;
  gboolean first = !self->opened;
  self->opened = TRUE;
  g_mutex_unlock (&self->lock);
  if (many)
    g_ptr_array_unref (take_elements (self));
  if (first)
    open_feed (self);
}

static void
finalize (GObject *object)
{
  GstInferTop *self = (GstInferTop *) object;

  gst_infer_feed_free (self->feed);
  g_ptr_array_unref (self->elements);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_infer_top_parent_class)->finalize (object);
}

static void
gst_infer_top_class_init (GstInferTopClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
gst_infer_top_init (GstInferTop *self)
{
  g_mutex_init (&self->lock);
  self->elements = g_ptr_array_new_with_free_func (free_weak);
  self->limit = SLACK;
  gst_tracing_register_hook (
      GST_TRACER (self), "element-new", G_CALLBACK (element_new));
}

gboolean
gst_infer_top_register (GstPlugin *plugin)
{
  GST_DEBUG_CATEGORY_INIT (infer_top_debug, "infertop", 0, "infertop tracer");
  return gst_tracer_register (plugin, "infertop", gst_infer_top_get_type ());
}
