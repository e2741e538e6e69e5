/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Devices that compute as the CPU does, bit for bit, but know only some
 * operations, compile slowly, fail, or get lost: "PART_A", "PART_B", each with
 * stages of their own (upload, start, wait, download). */

#pragma once

#include "inference/runtime/backend.h"

G_BEGIN_DECLS

#define PART_N 2

typedef struct
{
  const char *runs;      /* "Add Relu"; NULL: everything */
  gboolean hold_compile; /* until part_release_compile */
  gboolean fail_open, fail_compile, fail_context;
  gboolean known_targets; /* Reshape: only if the target is no input */
  int fail_stage;         /* InferStage, of every step; -1: none */
  guint fail_after;       /* … from so many starts on */
  guint delay_us;         /* of start */
  guint n_devices;        /* 0: it has vanished */
} PartSettings;

extern InferBackend part_backends[PART_N];

/* Makes them known by their names, and right again. */
PartSettings *part_reset (void); /* PART_N of them */
void part_release_compile (void);
/* Starts so far; objects (scopes, executables, contexts) that exist. */
guint part_n_starts (guint part);
int part_n_objects (void);
/* Most starts of all devices at a time. */
int part_max_at_once (void);

G_END_DECLS
