/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Requests that streams share: no more than there may be, waited for, given up
 * when cancelled. */

#include "inference/speech/whisper/networks/pool.h"

#include "inference/base/cancel.h"
#include "infer/error.h"

#define MOST 2
#define THREADS 4
#define ROUNDS 40

typedef struct
{
  WhisperPool pool;
  gint made, freed, used, most_used; /* atomic */
  gboolean broken;
} Shared;

static Shared *shared; /* for the function that frees */

static gpointer
make (gconstpointer owner, GError **error)
{
  Shared *s = (Shared *) (gsize) owner;

  if (s->broken) {
    infer_fail (error, INFER_ERROR_NO_MEMORY, "none");
    return NULL;
  }
  g_atomic_int_inc (&s->made);
  return g_new0 (gint, 1);
}

static void
free_one (gpointer one)
{
  g_atomic_int_inc (&shared->freed);
  g_free (one);
}

static void
open_pool (Shared *s)
{
  *s = (Shared){ .made = 0 };
  shared = s;
  whisper_pool_init (&s->pool, MOST, free_one);
}

static gpointer
use (gpointer data)
{
  Shared *s = data;

  for (guint i = 0; i < ROUNDS; i++) {
    g_autoptr (GError) error = NULL;
    gint *one = whisper_pool_take (&s->pool, make, s, &error);

    g_assert_no_error (error);
    g_assert_cmpint ((*one)++, ==, 0); /* nobody else has it */
    gint n = g_atomic_int_add (&s->used, 1) + 1;
    g_assert_cmpint (n, <=, MOST);
    for (gint most = g_atomic_int_get (&s->most_used);
         n > most
         && !g_atomic_int_compare_and_exchange (&s->most_used, most, n);)
      most = g_atomic_int_get (&s->most_used);
    g_thread_yield ();
    g_atomic_int_add (&s->used, -1);
    (*one)--;
    whisper_pool_give_back (&s->pool, one);
  }
  return NULL;
}

static void
test_limit (void)
{
  Shared s;
  GThread *threads[THREADS];

  open_pool (&s);
  for (guint i = 0; i < THREADS; i++)
    threads[i] = g_thread_new ("use", use, &s);
  for (guint i = 0; i < THREADS; i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (s.made, >=, 1);
  g_assert_cmpint (s.made, <=, MOST);
  g_assert_cmpint (s.most_used, >=, 1);
  whisper_pool_clear (&s.pool);
  g_assert_cmpint (s.freed, ==, s.made);
}

static gpointer
set_flag (gpointer flag)
{
  g_usleep (20000);
  g_atomic_int_set ((gint *) flag, TRUE);
  return NULL;
}

static void
test_cancel (void)
{
  Shared s;
  gint cancelled = FALSE;
  gpointer all[MOST];
  g_autoptr (GError) error = NULL;

  open_pool (&s);
  for (guint i = 0; i < MOST; i++) {
    all[i] = whisper_pool_take (&s.pool, make, &s, &error);
    g_assert_no_error (error);
  }
  const gint *before = infer_cancel_enter (&cancelled);
  GThread *thread = g_thread_new ("flag", set_flag, &cancelled);
  g_assert_null (whisper_pool_take (&s.pool, make, &s, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  infer_cancel_enter (before);
  g_thread_join (thread);
  for (guint i = 0; i < MOST; i++)
    whisper_pool_give_back (&s.pool, all[i]);
  whisper_pool_clear (&s.pool);
  g_assert_cmpint (s.freed, ==, MOST);
}

/* What could not be made takes no place. */
static void
test_broken (void)
{
  Shared s;

  open_pool (&s);
  s.broken = TRUE;
  for (guint i = 0; i < 2 * MOST; i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (whisper_pool_take (&s.pool, make, &s, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_NO_MEMORY);
  }
  s.broken = FALSE;
  use (&s);
  whisper_pool_clear (&s.pool);
  g_assert_cmpint (s.freed, ==, 1);
}

int
main (int argc, char **argv)
{
  WhisperPool none = { .idle = NULL };

  g_test_init (&argc, &argv, NULL);
  whisper_pool_clear (&none);
  g_test_add_func ("/whisper-pool/limit", test_limit);
  g_test_add_func ("/whisper-pool/cancel", test_cancel);
  g_test_add_func ("/whisper-pool/broken", test_broken);
  return g_test_run ();
}
