/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/bindings.h"

/* --- callbacks in a main context --- */

typedef struct
{
  gatomicrefcount refs;       /* of the request and of each source */
  GMutex lock;                /* guards the next */
  InferAsyncRequest *request; /* NULL: it does not call any more */
  GMainContext *context;
  InferDoneFunc done;
  gpointer data;
  GDestroyNotify destroy;
} Watch;

typedef struct
{
  Watch *watch;
  GError *error;
} Told;

static void
watch_unref (Watch *watch)
{
  if (!g_atomic_ref_count_dec (&watch->refs))
    return;
  if (watch->destroy != NULL)
    watch->destroy (watch->data);
  g_main_context_unref (watch->context);
  g_mutex_clear (&watch->lock);
  g_free (watch);
}

static void
end_watch (gpointer data)
{
  Watch *watch = data;

  g_mutex_lock (&watch->lock);
  watch->request = NULL;
  g_mutex_unlock (&watch->lock);
  watch_unref (watch);
}

static void
told_free (gpointer data)
{
  Told *told = data;

  watch_unref (told->watch);
  g_clear_error (&told->error);
  g_free (told);
}

static gboolean
call (gpointer data)
{
  const Told *told = data;
  Watch *watch = told->watch;

  /* The executor's thread may not have left tell yet: @done can start the
   * request again only then. */
  g_mutex_lock (&watch->lock);
  gboolean calls = watch->request != NULL;
  if (calls)
    infer_async_request_wait (watch->request, -1, NULL);
  g_mutex_unlock (&watch->lock);
  if (calls)
    watch->done (told->error, watch->data);
  return G_SOURCE_REMOVE;
}

/* On an executor's thread. */
static void
tell (InferAsyncRequest *request, const GError *error, gpointer data)
{
  Watch *watch = data;
  Told *told = g_new (Told, 1);
  GSource *source = g_idle_source_new ();

  g_atomic_ref_count_inc (&watch->refs);
  *told = (Told){ watch, error != NULL ? g_error_copy (error) : NULL };
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, call, told, told_free);
  g_source_attach (source, watch->context);
  g_source_unref (source);
}

void
infer_async_request_watch (InferAsyncRequest *request, InferDoneFunc done,
    gpointer data, GDestroyNotify destroy)
{
  if (done == NULL) {
    infer_async_request_set_callback (request, NULL, NULL);
    if (destroy != NULL)
      destroy (data);
    return;
  }
  Watch *watch = g_new0 (Watch, 1);
  g_atomic_ref_count_init (&watch->refs);
  g_mutex_init (&watch->lock);
  watch->request = request;
  watch->context = g_main_context_ref_thread_default ();
  watch->done = done;
  watch->data = data;
  watch->destroy = destroy;
  infer_async_request_set_callback_full (request, tell, watch, end_watch);
}

/* --- timings --- */

static GVariant *
text (const char *s)
{
  return g_variant_new_string (s != NULL ? s : "");
}

GVariant *
infer_request_list_op_timings (InferRequest *request)
{
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sssts)"));
  for (guint i = 0; i < timings->len; i++) {
    const InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);

    g_variant_builder_add (&builder, "(@s@s@st@s)", text (timing->name),
        text (timing->type), text (timing->kernel), timing->ns,
        text (timing->device));
  }
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}
