/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/metadata.h"

static void
clear_port (gpointer port)
{
  g_free (((ProtocolPort *) port)->name);
}

ProtocolMetadata *
protocol_metadata_new (const char *name)
{
  ProtocolMetadata *metadata = g_new0 (ProtocolMetadata, 1);

  metadata->name = g_strdup (name);
  metadata->platform = g_strdup ("");
  metadata->versions = g_ptr_array_new_with_free_func (g_free);
  metadata->settings = g_ptr_array_new_with_free_func (g_free);
  metadata->inputs = g_array_new (FALSE, TRUE, sizeof (ProtocolPort));
  metadata->outputs = g_array_new (FALSE, TRUE, sizeof (ProtocolPort));
  g_array_set_clear_func (metadata->inputs, clear_port);
  g_array_set_clear_func (metadata->outputs, clear_port);
  return metadata;
}

void
protocol_metadata_free (ProtocolMetadata *metadata)
{
  if (metadata == NULL)
    return;
  g_free (metadata->name);
  g_free (metadata->platform);
  g_ptr_array_unref (metadata->versions);
  g_ptr_array_unref (metadata->settings);
  g_array_unref (metadata->inputs);
  g_array_unref (metadata->outputs);
  g_free (metadata);
}

void
protocol_metadata_add_port (
    GArray *ports, const char *name, const InferDesc *desc)
{
  ProtocolPort port = { g_strdup (name), *desc };

  if (port.desc.shape.rank < 0)
    port.desc.shape = infer_shape_of_rank (1);
  g_array_append_val (ports, port);
}

const char *
protocol_metadata_setting (const ProtocolMetadata *metadata, const char *key)
{
  for (guint i = 0; i + 1 < metadata->settings->len; i += 2)
    if (g_str_equal (g_ptr_array_index (metadata->settings, i), key))
      return g_ptr_array_index (metadata->settings, i + 1);
  return NULL;
}
