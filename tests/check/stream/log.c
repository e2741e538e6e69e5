/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/log.h"

LogEntry *
log_entry_new (LogKind kind)
{
  LogEntry *entry = g_new0 (LogEntry, 1);

  entry->kind = kind;
  entry->values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  return entry;
}

void
log_entry_free (LogEntry *entry)
{
  g_ptr_array_unref (entry->values);
  g_free (entry->dimensions);
  g_free (entry);
}

gboolean
log_entry_equal (const LogEntry *a, const LogEntry *b)
{
  return a->discont == b->discont && a->kind == b->kind && a->pts == b->pts
         && a->duration == b->duration && a->offset == b->offset
         && a->offset_end == b->offset_end && a->start == b->start
         && a->base == b->base && a->rate == b->rate && a->fps_n == b->fps_n
         && a->fps_d == b->fps_d
         && g_strcmp0 (a->dimensions, b->dimensions) == 0;
}

static void
append_values (GString *text, GBytes *bytes)
{
  gsize size;
  const float *values = g_bytes_get_data (bytes, &size);

  g_string_append (text, " [");
  for (gsize i = 0; i < MIN (size / sizeof (float), 12); i++)
    g_string_append_printf (text, " %g", values[i]);
  g_string_append_printf (
      text, " ] of %" G_GSIZE_FORMAT, size / sizeof (float));
}

char *
log_entry_to_string (const LogEntry *entry)
{
  static const char *const kinds[] = { "buffer", "custom", "gap",
    "segment-done", "eos" };
  GString *text = g_string_new (kinds[entry->kind]);

  g_string_append_printf (text,
      " pts %" GST_TIME_FORMAT " for %" G_GUINT64_FORMAT
      " offset %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT "%s",
      GST_TIME_ARGS (entry->pts), entry->duration, entry->offset,
      entry->offset_end, entry->discont ? " discont" : "");
  if (entry->kind == LOG_BUFFER)
    g_string_append_printf (text,
        " segment %" G_GUINT64_FORMAT " base %" G_GUINT64_FORMAT
        " rate %g dims %s at %d/%d",
        entry->start, entry->base, entry->rate, entry->dimensions, entry->fps_n,
        entry->fps_d);
  for (guint i = 0; i < entry->values->len; i++)
    append_values (text, entry->values->pdata[i]);
  return g_string_free (text, FALSE);
}
