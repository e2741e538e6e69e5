/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "remote/http/exchange.h"

/* Of all clients of the process. */
static struct
{
  GMainContext *context; /* of the thread */
  GSource *timer;
  GMutex lock;
  GQueue running; /* HttpExchange */
  gint64 due;     /* when the timer fires; -1: never */
  guint64 last;   /* number of an exchange */
} module;

/* --- the thread --- */

static void
begin (HttpExchange *x)
{
  x->begin = 0;
  if (!remote_http_connection_send (x, TRUE))
    remote_http_connection_open (x);
}

/* With the lock held. */
static void
set_timer (gint64 due)
{
  module.due = due;
  g_source_set_ready_time (module.timer, due);
}

/* One whose time has come; NULL: none has. */
static HttpExchange *
find_due (gint64 now)
{
  HttpExchange *due = NULL;
  gint64 next = -1;

  g_mutex_lock (&module.lock);
  for (GList *at = module.running.head; at != NULL && due == NULL;
       at = at->next) {
    HttpExchange *x = at->data;
    const gint64 time = x->begin > 0 ? x->begin : x->deadline;

    if (!x->ends && time <= now)
      due = x;
    else if (!x->ends && (next < 0 || time < next))
      next = time;
  }
  if (due == NULL)
    set_timer (next);
  g_mutex_unlock (&module.lock);
  return due;
}

static void
end_early (HttpExchange *x)
{
  x->ends = TRUE;
  if (x->connecting != NULL)
    g_cancellable_cancel (x->connecting); /* its callback finishes it */
  else if (x->connection != NULL)
    remote_http_connection_abort (x);
  else
    remote_http_exchange_fail (
        x, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled"));
}

static gboolean
on_timer (gpointer unused)
{
  const gint64 now = g_get_monotonic_time ();
  HttpExchange *x;

  while ((x = find_due (now)) != NULL) {
    if (x->begin > 0) {
      begin (x);
      continue;
    }
    x->late = TRUE;
    end_early (x);
  }
  return G_SOURCE_CONTINUE;
}

static gboolean
dispatch_timer (GSource *source, GSourceFunc callback, gpointer data)
{
  return callback (data);
}

static gpointer
run_context (gpointer unused)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (module.context, FALSE);

  g_main_context_push_thread_default (module.context);
  g_main_loop_run (loop);
  return NULL;
}

/* The thread stays: a client may be closed on it. */
GMainContext *
remote_http_context (void)
{
  static gsize made;
  static GSourceFuncs funcs = { .dispatch = dispatch_timer };

  if (g_once_init_enter (&made)) {
    module.context = g_main_context_new ();
    module.timer = g_source_new (&funcs, sizeof (GSource));
    module.due = -1;
    g_source_set_callback (module.timer, on_timer, NULL, NULL);
    g_source_attach (module.timer, module.context);
    g_thread_unref (g_thread_new ("infer-http", run_context, NULL));
    g_once_init_leave (&made, 1);
  }
  return module.context;
}

/* --- exchanges --- */

void
remote_http_exchange_init (HttpExchange *x, RemoteClient *client)
{
  *x = (HttpExchange){ .client = client, .json_size = -1 };
  protocol_http_message_init (&x->message);
  x->link.data = x;
}

void
remote_http_exchange_clear (HttpExchange *x)
{
  protocol_http_message_clear (&x->message);
  if (x->release != NULL)
    x->release (x->keep);
  x->release = NULL;
  g_clear_pointer (&x->body, g_bytes_unref);
  g_clear_error (&x->cause);
}

void
remote_http_exchange_finish (HttpExchange *x)
{
  g_mutex_lock (&module.lock);
  g_queue_unlink (&module.running, &x->link);
  g_mutex_unlock (&module.lock);
  if (x->release != NULL)
    x->release (x->keep);
  x->release = NULL;
  x->done (x->data);
}

void
remote_http_exchange_fail (HttpExchange *x, GError *cause)
{
  if (x->late) {
    g_clear_error (&cause);
    cause = g_error_new_literal (
        G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "no answer in time");
  }
  x->cause = cause;
  remote_http_exchange_finish (x);
}

void
remote_http_exchange_list (HttpExchange *x)
{
  const gint64 time = x->begin > 0 ? x->begin : x->deadline;

  g_mutex_lock (&module.lock);
  g_queue_push_tail_link (&module.running, &x->link);
  if (module.due < 0 || time < module.due)
    set_timer (time);
  g_mutex_unlock (&module.lock);
}

static HttpExchange *
find_number (guint64 number)
{
  HttpExchange *found = NULL;

  g_mutex_lock (&module.lock);
  for (GList *at = module.running.head; at != NULL && found == NULL;
       at = at->next)
    if (((HttpExchange *) at->data)->number == number)
      found = at->data;
  g_mutex_unlock (&module.lock);
  return found;
}

static gboolean
cancel_now (gpointer number)
{
  HttpExchange *x = find_number (*(guint64 *) number);

  if (x != NULL && !x->ends)
    end_early (x);
  return G_SOURCE_REMOVE;
}

void
remote_http_exchange_start (HttpExchange *x, guint64 *number)
{
  const gint64 now = g_get_monotonic_time ();

  remote_http_context ();
  x->number = __atomic_add_fetch (&module.last, 1, __ATOMIC_RELAXED);
  if (number != NULL)
    *number = x->number;
  x->deadline = now + x->delay_us + x->timeout_us;
  x->ends = x->late = FALSE;
  /* From here on it may be over at any time. */
  if (x->delay_us == 0 && remote_http_connection_send (x, FALSE))
    return;
  x->begin = now + x->delay_us;
  remote_http_exchange_list (x);
}

void
remote_http_exchange_cancel (guint64 number)
{
  g_main_context_invoke_full (remote_http_context (), G_PRIORITY_DEFAULT,
      cancel_now, g_memdup2 (&number, sizeof number), g_free);
}
