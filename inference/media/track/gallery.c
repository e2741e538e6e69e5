/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/track/gallery.h"

#include <math.h>
#include <string.h>

#define BLEND 0.1f /* share of the newest look */

typedef struct
{
  int id;
  guint n;
  float *look; /* [n] */
  guint64 last;
} Entry;

struct _InferGallery
{
  char *name;      /* NULL: not shared */
  guint n_users;   /* guarded by the lock of all */
  GMutex lock;     /* guards what follows */
  GArray *entries; /* (element-type Entry) */
  int last_id;
};

static GMutex all_lock;
static GHashTable *all; /* name → gallery, in use; guarded by all_lock */

/* --- looks --- */

gboolean
infer_look_normalize (float *look, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += (double) look[i] * look[i];
  if (!(sum > 0) || !isfinite (sum))
    return FALSE;
  const float by = (float) (1 / sqrt (sum));
  for (guint i = 0; i < n; i++)
    look[i] *= by;
  return TRUE;
}

float
infer_look_distance (const float *a, const float *b, guint n)
{
  float sum = 0;

  for (guint i = 0; i < n; i++)
    sum += a[i] * b[i];
  return 1 - sum;
}

void
infer_look_blend (float *mean, const float *look, guint n)
{
  for (guint i = 0; i < n; i++)
    mean[i] += BLEND * (look[i] - mean[i]);
  if (!infer_look_normalize (mean, n))
    memcpy (mean, look, n * sizeof *mean);
}

/* --- life --- */

static void
clear_entry (gpointer data)
{
  g_free (((Entry *) data)->look);
}

static InferGallery *
create (const char *name)
{
  InferGallery *self = g_new0 (InferGallery, 1);

  self->name = g_strdup (name);
  self->n_users = 1;
  g_mutex_init (&self->lock);
  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_set_clear_func (self->entries, clear_entry);
  return self;
}

InferGallery *
infer_gallery_new (const char *name)
{
  if (name == NULL || *name == '\0')
    return create (NULL);
  g_mutex_lock (&all_lock);
  if (all == NULL)
    all = g_hash_table_new (g_str_hash, g_str_equal);
  InferGallery *self = g_hash_table_lookup (all, name);
  if (self != NULL) {
    self->n_users++;
  } else {
    self = create (name);
    g_hash_table_insert (all, self->name, self);
  }
  g_mutex_unlock (&all_lock);
  return self;
}

void
infer_gallery_unref (InferGallery *self)
{
  g_mutex_lock (&all_lock);
  const gboolean last = --self->n_users == 0;
  if (last && self->name != NULL)
    g_hash_table_remove (all, self->name);
  if (last && all != NULL && g_hash_table_size (all) == 0)
    g_clear_pointer (&all, g_hash_table_unref);
  g_mutex_unlock (&all_lock);
  if (!last)
    return;
  g_array_unref (self->entries);
  g_mutex_clear (&self->lock);
  g_free (self->name);
  g_free (self);
}

/* --- use --- */

int
infer_gallery_next_id (InferGallery *self)
{
  g_mutex_lock (&self->lock);
  self->last_id = self->last_id < G_MAXINT ? self->last_id + 1 : 1;
  const int id = self->last_id;
  g_mutex_unlock (&self->lock);
  return id;
}

static guint64
time_of (const InferGallery *self, guint64 time)
{
  return self->name != NULL ? (guint64) g_get_monotonic_time () * 1000 : time;
}

/* The entry of @id, or one that it may have.  With the lock. */
static Entry *
entry_of (InferGallery *self, int id)
{
  const Entry empty = { id, 0, NULL, 0 };
  guint oldest = 0;

  for (guint i = 0; i < self->entries->len; i++) {
    Entry *entry = &g_array_index (self->entries, Entry, i);

    if (entry->id == id)
      return entry;
    if (entry->last < g_array_index (self->entries, Entry, oldest).last)
      oldest = i;
  }
  if (self->entries->len == INFER_GALLERY_MOST)
    g_array_remove_index_fast (self->entries, oldest);
  g_array_append_val (self->entries, empty);
  return &g_array_index (self->entries, Entry, self->entries->len - 1);
}

void
infer_gallery_add (
    InferGallery *self, int id, const float *look, guint n, guint64 time)
{
  g_mutex_lock (&self->lock);
  Entry *entry = entry_of (self, id);
  if (entry->n != n) {
    g_free (entry->look);
    entry->look = g_memdup2 (look, n * sizeof *look);
    entry->n = n;
  } else {
    memcpy (entry->look, look, n * sizeof *look);
  }
  entry->last = time_of (self, time);
  g_mutex_unlock (&self->lock);
}

int
infer_gallery_find (InferGallery *self, const float *look, guint n,
    float distance, guint64 time, guint64 keep,
    gboolean (*taken) (int id, gpointer data), gpointer data)
{
  const guint64 now = time_of (self, time);
  float least = distance;
  int id = 0;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->entries->len; i++) {
    const Entry *entry = &g_array_index (self->entries, Entry, i);

    if (entry->n != n || (now > entry->last && now - entry->last > keep))
      continue;
    const float here = infer_look_distance (entry->look, look, n);
    if (here > least || taken (entry->id, data))
      continue;
    least = here;
    id = entry->id;
  }
  g_mutex_unlock (&self->lock);
  return id;
}
