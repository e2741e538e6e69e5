/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells ThreadSanitizer which accesses GLib's own locks order.  They are
 * futexes in a library that is not instrumented, so it would report false
 * races.  Also of threads of C11.  Linked into ThreadSanitizer builds only;
 * each function precedes GLib's of the same name and calls it. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <glib-object.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

void __tsan_acquire (void *address);
void __tsan_release (void *address);

/* Declares "real": GLib's function of this name, looked up by whichever threads
 * come first. */
#define REAL(name, result, ...)                                                \
  static gpointer found;                                                       \
  union                                                                        \
  {                                                                            \
    gpointer symbol;                                                           \
    result (*call) (__VA_ARGS__);                                              \
  } looked_up = { __atomic_load_n (&found, __ATOMIC_RELAXED) };                \
  if (looked_up.symbol == NULL) {                                              \
    looked_up.symbol = dlsym (RTLD_NEXT, #name);                               \
    __atomic_store_n (&found, looked_up.symbol, __ATOMIC_RELAXED);             \
  }                                                                            \
  result (*const real) (__VA_ARGS__) = looked_up.call

void
g_mutex_lock (GMutex *mutex)
{
  REAL (g_mutex_lock, void, GMutex *);
  real (mutex);
  __tsan_acquire (mutex);
}

gboolean
g_mutex_trylock (GMutex *mutex)
{
  REAL (g_mutex_trylock, gboolean, GMutex *);
  gboolean locked = real (mutex);
  if (locked)
    __tsan_acquire (mutex);
  return locked;
}

void
g_mutex_unlock (GMutex *mutex)
{
  REAL (g_mutex_unlock, void, GMutex *);
  __tsan_release (mutex);
  real (mutex);
}

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  REAL (g_cond_wait, void, GCond *, GMutex *);
  __tsan_release (mutex);
  real (cond, mutex);
  __tsan_acquire (mutex);
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  REAL (g_cond_wait_until, gboolean, GCond *, GMutex *, gint64);
  __tsan_release (mutex);
  gboolean signalled = real (cond, mutex, end_time);
  __tsan_acquire (mutex);
  return signalled;
}

void
g_rec_mutex_lock (GRecMutex *mutex)
{
  REAL (g_rec_mutex_lock, void, GRecMutex *);
  real (mutex);
  __tsan_acquire (mutex);
}

void
g_rec_mutex_unlock (GRecMutex *mutex)
{
  REAL (g_rec_mutex_unlock, void, GRecMutex *);
  __tsan_release (mutex);
  real (mutex);
}

#undef g_once_init_enter
#undef g_once_init_leave

gboolean
g_once_init_enter (volatile void *location)
{
  REAL (g_once_init_enter, gboolean, volatile void *);
  gboolean enter = real (location);
  __tsan_acquire ((void *) (guintptr) location);
  return enter;
}

void
g_once_init_leave (volatile void *location, gsize result)
{
  REAL (g_once_init_leave, void, volatile void *, gsize);
  __tsan_release ((void *) (guintptr) location);
  real (location, result);
  __atomic_store_n ((volatile gsize *) location, result, __ATOMIC_RELEASE);
}

gpointer
g_once_impl (GOnce *once, GThreadFunc func, gpointer arg)
{
  REAL (g_once_impl, gpointer, GOnce *, GThreadFunc, gpointer);
  gpointer value = real (once, func, arg);
  /* Stored again, visibly to ThreadSanitizer, for threads that only read it. */
  __atomic_store_n (&once->status, G_ONCE_STATUS_READY, __ATOMIC_RELEASE);
  return value;
}

void
g_async_queue_push (GAsyncQueue *queue, gpointer data)
{
  REAL (g_async_queue_push, void, GAsyncQueue *, gpointer);
  __tsan_release (queue);
  real (queue, data);
}

gpointer
g_async_queue_pop (GAsyncQueue *queue)
{
  REAL (g_async_queue_pop, gpointer, GAsyncQueue *);
  gpointer data = real (queue);
  __tsan_acquire (queue);
  return data;
}

gpointer
g_async_queue_try_pop (GAsyncQueue *queue)
{
  REAL (g_async_queue_try_pop, gpointer, GAsyncQueue *);
  gpointer data = real (queue);
  __tsan_acquire (queue);
  return data;
}

gpointer
g_async_queue_timeout_pop (GAsyncQueue *queue, guint64 timeout)
{
  REAL (g_async_queue_timeout_pop, gpointer, GAsyncQueue *, guint64);
  gpointer data = real (queue, timeout);
  __tsan_acquire (queue);
  return data;
}

/* An item of a pool's queue, freed by its thread. */
gboolean
g_thread_pool_push (GThreadPool *pool, gpointer data, GError **error)
{
  REAL (g_thread_pool_push, gboolean, GThreadPool *, gpointer, GError **);
  __tsan_release (data);
  return real (pool, data, error);
}

void
g_slice_free1 (gsize size, gpointer data)
{
  REAL (g_slice_free1, void, gsize, gpointer);
  if (data != NULL)
    __tsan_acquire (data);
  real (size, data);
}

/* --- reference counts --- */

static _Thread_local GDestroyNotify clear_next;

static void
clear_acquired (gpointer box)
{
  GDestroyNotify clear = clear_next;

  __tsan_acquire (box);
  if (clear != NULL)
    clear (box);
}

/* Whoever releases last sees what the others did before they released. */
void
g_atomic_rc_box_release_full (gpointer box, GDestroyNotify clear)
{
  REAL (g_atomic_rc_box_release_full, void, gpointer, GDestroyNotify);
  __tsan_release (box);
  clear_next = clear;
  real (box, clear_acquired);
}

void
g_atomic_rc_box_release (gpointer box)
{
  g_atomic_rc_box_release_full (box, NULL);
}

gboolean
g_atomic_ref_count_dec (gatomicrefcount *count)
{
  REAL (g_atomic_ref_count_dec, gboolean, gatomicrefcount *);
  __tsan_release (count);
  gboolean last = real (count);
  if (last)
    __tsan_acquire (count);
  return last;
}

/* As far as it goes: who releases between this and the count itself is not
 * seen. */
void
g_object_unref (gpointer object)
{
  REAL (g_object_unref, void, gpointer);
  __tsan_acquire (object);
  __tsan_release (object);
  real (object);
}

/* GStreamer's; g_slice_free1() is where it ends. */
void gst_mini_object_unref (gpointer object);
void
gst_mini_object_unref (gpointer object)
{
  REAL (gst_mini_object_unref, void, gpointer);
  __tsan_release (object);
  real (object);
}

/* GStreamer drops the references that it is given inside its library, where the
 * function above is not called.  Sticky events stay in pads, and another thread
 * may be the one that frees them. */
int gst_pad_push_event (gpointer pad, gpointer event);
int
gst_pad_push_event (gpointer pad, gpointer event)
{
  REAL (gst_pad_push_event, int, gpointer, gpointer);
  __tsan_release (event);
  return real (pad, event);
}

/* ThreadSanitizer of gcc 12 does not see threads of C11 begin, and crashes in
 * them; librdkafka has such. */
typedef struct
{
  thrd_start_t function;
  void *argument;
} Start;

static gpointer
run_thread (gpointer data)
{
  Start start = *(Start *) data;

  free (data);
  return GINT_TO_POINTER (start.function (start.argument));
}

int
thrd_create (thrd_t *thread, thrd_start_t function, void *argument)
{
  Start *start = malloc (sizeof *start);

  if (start == NULL)
    return thrd_nomem;
  *start = (Start){ function, argument };
  if (pthread_create (thread, NULL, run_thread, start) == 0)
    return thrd_success;
  free (start);
  return thrd_error;
}

int
thrd_join (thrd_t thread, int *result)
{
  gpointer value;

  if (pthread_join (thread, &value) != 0)
    return thrd_error;
  if (result != NULL)
    *result = GPOINTER_TO_INT (value);
  return thrd_success;
}
