/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/python-peer.h"

static gpointer
open_library (const char *peers, char **version, GError **error)
{
  return python_peer_open (
      peers, "ai_edge_litert", "litert.py", version, error);
}

const Engine engine_litert = {
  .name = "LiteRT",
  .key = "litert",
  .suffix = ".tflite",
  .open = open_library,
  .close = python_peer_close,
  .load = python_peer_load,
  .unload = python_peer_unload,
  .set_inputs = python_peer_set_inputs,
  .turn = python_peer_turn,
};
