/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Devices "PART_A" and "PART_B" that compute on the CPU, bit for bit the same,
 * but support only some operations, compile slowly, fail, or get lost.  Their
 * stages are upload, start, wait and download. */

#pragma once

#include "inference/runtime/backend.h"

#define PART_N 2

typedef struct
{
  const char *runs;      /* "Add Relu"; NULL: all operations */
  gboolean hold_compile; /* until part_release_compile */
  gboolean fail_open, fail_compile, fail_context;
  gboolean known_targets; /* Reshape: only if the target is not computed from
                             inputs */
  int fail_stage;         /* an InferStage to fail in every step; -1: none */
  guint fail_after;       /* … from this number of starts on */
  guint delay_us;         /* of start */
  guint n_devices;        /* 0: the device is gone */
} PartSettings;

extern InferBackend part_backends[PART_N];

/* Registers the devices by name and restores the default settings. */
PartSettings *part_reset (void); /* PART_N of them */
void part_release_compile (void);
/* Starts so far; number of scopes, executables and contexts. */
guint part_n_starts (guint part);
int part_n_objects (void);
/* Maximum number of starts on all devices at once. */
int part_max_at_once (void);
