/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A backend without a device, for tests of the runtime: every stage can be
 * slow, fail or hang, and what ran is recorded.  It computes, whatever the
 * model: output 0 = input 0 + the state (zeros if reset or none), and that sum
 * is the state's next value. */

#pragma once

#include "inference/runtime/backend.h"

G_BEGIN_DECLS

/* `start` does everything, as a CPU; or upload, start, wait and download are
 * apart, as on a device.  Two devices each; of fake_device they call themselves
 * "Red Pipe 3000" and "Blue Pipe 3000". */
extern const InferBackend fake_cpu;
extern const InferBackend fake_device;

#define FAKE_NEVER (-1)

typedef struct
{
  guint delay_us[INFER_N_STAGES];
  int fail_stage;      /* InferStage or FAKE_NEVER */
  int hang_stage;      /* blocks until fake_release */
  const char *refused; /* operation types that it cannot run; nullable */
  guint fail_every;    /* each so many stages one fails; 0: none */
  float fail_value;    /* steps with a row that begins so fail; 0: none */
  guint jitter_us; /* up to so much on top of delay_us, differently each time */
} FakeSettings;

/* Back to fast and faultless; forgets what was recorded.  Only while nothing
 * runs, as all writing of settings. */
FakeSettings *fake_reset (void);
void fake_release (void);
/* Waits until some thread hangs. */
void fake_await_hanging (void);

/* First input values of the steps, in the order in which they ran. */
guint fake_n_steps (void);
float fake_step (guint index);
/* How often a stage was entered. */
guint fake_count (InferStage stage);
/* Objects that exist: scopes, executables, contexts. */
int fake_n_objects (void);
/* Most steps that ever were between start and the end of wait at a time. */
int fake_max_steps_at_once (void);
/* The thread that ran @stage last on @device. */
GThread *fake_thread (guint device, InferStage stage);

/* Models: one input and one output of f32 and @shape ("2,3", "?,3"); with a
 * variable "sum" of shape @state (nullable: none). */
InferModel *fake_model (const char *shape, const char *state);
/* One of these on device number @device. */
InferExecutable *fake_executable (const InferBackend *backend, guint device,
    const char *config, const char *shape, const char *state);

G_END_DECLS
