/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define _GNU_SOURCE
#include "inference/base/trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "infer/error.h"

#define N_SPANS 1024

typedef struct
{
  const char *label, *name;
  guint id;
  guint64 begin, end;
} Span;

/* Only its thread fills it; the lock guards the cursor `written`. */
typedef struct _Buffer Buffer;
struct _Buffer
{
  Buffer *next;
  long thread;
  char thread_name[16];
  gboolean named; /* the current file has its name */
  guint written;
  guint n; /* atomic: spans before it are complete */
  Span spans[N_SPANS];
};

int infer_trace_on;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static gboolean failed;
static Buffer *buffers;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

/* --- writing, locked --- */

static void
put_string (const char *text)
{
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      fprintf (file, "\\%c", *text);
    else if ((guchar) *text < ' ')
      fprintf (file, "\\u%04x", (guint) (guchar) *text);
    else
      putc (*text, file);
  }
}

/* Microseconds with three decimals. */
static void
put_time (const char *key_name, guint64 ns)
{
  fprintf (file, ",\"%s\":%" G_GUINT64_FORMAT ".%03u", key_name, ns / 1000,
      (guint) (ns % 1000));
}

static void
put_thread (Buffer *buffer)
{
  if (buffer->named)
    return;
  fprintf (file,
      ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%ld,\"tid\":%ld,"
      "\"args\":{\"name\":\"",
      (long) getpid (), buffer->thread);
  put_string (buffer->thread_name);
  fputs ("\"}}", file);
  buffer->named = TRUE;
}

static void
put_span (const Buffer *buffer, const Span *span)
{
  fputs (",\n{\"ph\":\"X\",\"cat\":\"infer\",\"name\":\"", file);
  put_string (span->label);
  fprintf (file, "_Req%u_%s\",\"pid\":%ld,\"tid\":%ld", span->id, span->name,
      (long) getpid (), buffer->thread);
  put_time ("ts", span->begin);
  put_time ("dur", span->end - span->begin);
  putc ('}', file);
}

static void
flush_buffer (Buffer *buffer)
{
  guint n = __atomic_load_n (&buffer->n, __ATOMIC_ACQUIRE);

  if (file != NULL && buffer->written < n) {
    put_thread (buffer);
    for (guint i = buffer->written; i < n; i++)
      put_span (buffer, &buffer->spans[i]);
    failed |= ferror (file) != 0;
  }
  buffer->written = n;
}

/* --- collecting --- */

/* Runs when the thread ends. */
static void
buffer_free (gpointer data)
{
  pthread_mutex_lock (&lock);
  flush_buffer (data);
  Buffer **link = &buffers;
  while (*link != data)
    link = &(*link)->next;
  *link = (*link)->next;
  pthread_mutex_unlock (&lock);
  g_free (data);
}

static void
create_key (void)
{
  pthread_key_create (&key, buffer_free);
}

static Buffer *
buffer_new (void)
{
  Buffer *buffer = g_new0 (Buffer, 1);

  buffer->thread = (long) gettid ();
  pthread_getname_np (
      pthread_self (), buffer->thread_name, sizeof buffer->thread_name);
  pthread_mutex_lock (&lock);
  buffer->next = buffers;
  buffers = buffer;
  pthread_mutex_unlock (&lock);
  pthread_setspecific (key, buffer);
  return buffer;
}

void
infer_trace_record (const char *label, guint id, const char *name,
    guint64 begin_ns, guint64 end_ns)
{
  Buffer *buffer = pthread_getspecific (key);

  if (buffer == NULL)
    buffer = buffer_new ();
  if (buffer->n == N_SPANS) {
    pthread_mutex_lock (&lock);
    flush_buffer (buffer);
    buffer->written = 0;
    __atomic_store_n (&buffer->n, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock (&lock);
  }
  buffer->spans[buffer->n] = (Span){
    .label = label, .name = name, .id = id, .begin = begin_ns, .end = end_ns
  };
  __atomic_store_n (&buffer->n, buffer->n + 1, __ATOMIC_RELEASE);
}

/* --- on and off --- */

gboolean
infer_trace_start (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, FALSE);

  pthread_once (&once, create_key);
  FILE *opened = NULL;
  pthread_mutex_lock (&lock);
  gboolean running = file != NULL;
  if (!running)
    opened = fopen (path, "w");
  int reason = errno;
  if (opened != NULL) {
    file = opened;
    failed = FALSE;
    for (Buffer *buffer = buffers; buffer != NULL; buffer = buffer->next) {
      /* Spans from before this trace. */
      buffer->written = __atomic_load_n (&buffer->n, __ATOMIC_ACQUIRE);
      buffer->named = FALSE;
    }
    /* A JSON array of events; the format lets the closing bracket be missing.
     */
    fprintf (file,
        "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%ld,"
        "\"args\":{\"name\":\"inferfilter\"}}",
        (long) getpid ());
    __atomic_store_n (&infer_trace_on, 1, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock (&lock);
  if (running)
    return infer_fail (
        error, INFER_ERROR_BUSY, "%s: another trace is running", path);
  return opened != NULL
         || infer_fail (error, INFER_ERROR_FAILED,
             "%s: the trace cannot be written: %s", path, g_strerror (reason));
}

gboolean
infer_trace_stop (GError **error)
{
  pthread_mutex_lock (&lock);
  __atomic_store_n (&infer_trace_on, 0, __ATOMIC_RELAXED);
  if (file != NULL) {
    for (Buffer *buffer = buffers; buffer != NULL; buffer = buffer->next)
      flush_buffer (buffer);
    fputs ("]\n", file);
    failed |= ferror (file) != 0;
    failed |= fclose (file) != 0;
    file = NULL;
  }
  gboolean ok = !failed;
  failed = FALSE;
  pthread_mutex_unlock (&lock);
  return ok
         || infer_fail (error, INFER_ERROR_FAILED,
             "the trace could not be written completely");
}

void
infer_trace_add (const char *label, guint id, const char *name,
    guint64 begin_ns, guint64 end_ns)
{
  infer_trace_span (label, id, name, begin_ns, end_ns);
}

static pthread_mutex_t users_lock = PTHREAD_MUTEX_INITIALIZER;
static guint n_users;
static gboolean begun; /* infer_trace_acquire started the trace */

gboolean
infer_trace_acquire (const char *path, GError **error)
{
  gboolean ok = TRUE;

  infer_trace_init ();
  pthread_mutex_lock (&users_lock);
  if (n_users == 0) {
    begun = !__atomic_load_n (&infer_trace_on, __ATOMIC_RELAXED);
    ok = !begun || infer_trace_start (path, error);
  }
  n_users += ok;
  pthread_mutex_unlock (&users_lock);
  return ok;
}

void
infer_trace_release (void)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = TRUE;

  pthread_mutex_lock (&users_lock);
  if (--n_users == 0 && begun)
    ok = infer_trace_stop (&error);
  pthread_mutex_unlock (&users_lock);
  if (!ok)
    g_warning ("%s", error->message);
}

static void
stop_at_exit (void)
{
  infer_trace_stop (NULL);
}

static void
init_from_environment (void)
{
  const char *path = g_getenv ("INFER_TRACE");
  g_autoptr (GError) error = NULL;

  if (path == NULL || *path == '\0')
    return;
  if (infer_trace_start (path, &error))
    atexit (stop_at_exit);
  else
    g_warning ("INFER_TRACE: %s", error->message);
}

void
infer_trace_init (void)
{
  static pthread_once_t initialised = PTHREAD_ONCE_INIT;

  pthread_once (&initialised, init_from_environment);
}
