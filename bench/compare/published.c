/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/published.h"

#include <string.h>

#define MAX_THREADS 2 /* columns of the table */

typedef struct
{
  double openvino_ms[MAX_THREADS], peer_ms[MAX_THREADS];
  const char *peer; /* key */
} Figures;

struct _Published
{
  GHashTable *models; /* name → Figures */
};

/* "0.133 / 0.145 (stateful)", "0.179 / - ort": 0 for what is not a number; the
 * remaining text is left in @rest. */
static void
parse_cell (const char *cell, double *ms, const char **rest)
{
  for (guint i = 0; i < MAX_THREADS; i++) {
    char *end;
    ms[i] = g_ascii_strtod (cell, &end);
    cell = end + strspn (end, " /-");
  }
  *rest = cell;
}

static const char *
find_peer (const char *text)
{
  if (g_str_has_prefix (text, "ort"))
    return "onnxruntime";
  return g_str_has_prefix (text, "litert") ? "litert" : NULL;
}

/* Columns are counted from the `|` that begins a line. */
static void
read_row (Published *self, GStrv cells, guint openvino, guint peer)
{
  guint n = g_strv_length (cells);
  Figures figures = { .peer = NULL };
  const char *rest = NULL;
  if (n <= MAX (openvino, peer))
    return;
  parse_cell (g_strstrip (cells[openvino]), figures.openvino_ms, &rest);
  parse_cell (g_strstrip (cells[peer]), figures.peer_ms, &rest);
  figures.peer = find_peer (rest);
  if (figures.peer != NULL)
    g_hash_table_insert (self->models, g_strdup (g_strstrip (cells[1])),
        g_memdup2 (&figures, sizeof figures));
}

static guint
find_column (GStrv cells, const char *title)
{
  for (guint i = 0; cells[i] != NULL; i++)
    if (strstr (cells[i], title) != NULL)
      return i;
  return 0;
}

Published *
published_read (const char *shared)
{
  g_autofree char *path = g_build_filename (shared, "models", "INDEX.md", NULL);
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return NULL;
  g_autoptr (Published) self = g_new0 (Published, 1);
  self->models =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint openvino = 0, peer = 0;
  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) cells = g_strsplit (lines[i], "|", -1);
    if (lines[i][0] != '|')
      openvino = peer = 0; /* a table ends */
    else if (openvino > 0 && peer > 0)
      read_row (self, cells, openvino, peer);
    else {
      openvino = find_column (cells, "OV 1t/2t");
      peer = find_column (cells, "ORT or LiteRT 1t/2t");
    }
  }
  return g_hash_table_size (self->models) > 0 ? g_steal_pointer (&self) : NULL;
}

void
published_free (Published *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->models);
  g_free (self);
}

void
published_add (const Published *self, int threads, Row *row)
{
  const Latency *openvino = row_latency (row, "openvino", MODE_F32);
  if (self == NULL || openvino == NULL || threads > MAX_THREADS
      || row->entry->f32 != NULL)
    return;
  const Figures *figures =
      g_hash_table_lookup (self->models, row->entry->folder);
  if (figures == NULL)
    return;
  double theirs = figures->peer_ms[threads - 1];
  double reference = figures->openvino_ms[threads - 1];
  if (theirs <= 0 || reference <= 0)
    return;
  Latency latency = {
    .engine = engine_find (figures->peer),
    .mode = MODE_PUBLISHED,
    .median_us = openvino->median_us * theirs / reference,
    .min_us = openvino->min_us * theirs / reference,
  };
  g_array_append_val (row->latencies, latency);
}
